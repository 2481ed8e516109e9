"""Real agents, configured by ``citator clients write``, start the server and list its tools.

No model takes part. What counts is what passed between the two processes, not what the agent
prints about it.
"""

from __future__ import annotations

import json
import subprocess
from typing import IO, Any

from tests.mcp.serving import TOOL_NAMES

from live.conftest import PATIENCE, User


def test_claude_code_connects_in_the_modern_era_and_lists_the_tools(user: User) -> None:
    user.citator("clients", "write", "claude-code")
    assert f"citator: {user.tap} serve - ✔ Connected" in user.run("claude", "mcp", "list")
    assert user.asked()[0] == "server/discover"
    assert "initialize" not in user.asked()
    assert user.listed() == [TOOL_NAMES]


def test_gemini_cli_connects_in_a_trusted_folder(user: User) -> None:
    user.citator("clients", "write", "gemini-cli")
    trusted = user.home / ".gemini" / "trustedFolders.json"
    trusted.write_text(json.dumps({str(user.root): "TRUST_FOLDER"}))
    said = user.run("gemini", "mcp", "list")
    assert f"✓ citator: {user.tap} serve (stdio) - Connected" in said
    assert user.asked()[0] == "initialize"


def test_opencode_connects(user: User) -> None:
    user.citator("clients", "write", "opencode")
    said = user.run("opencode", "mcp", "list")
    assert "citator" in said and "connected" in said and "failed" not in said
    assert user.asked()[0] == "initialize"
    assert user.listed() == [TOOL_NAMES]


def test_codex_lists_the_tools(user: User) -> None:
    user.citator("clients", "write", "codex")
    with subprocess.Popen(
        ["codex", "app-server"],
        cwd=user.root,
        env=user.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            assert server.stdin is not None and server.stdout is not None
            who = {"name": "test", "title": "test", "version": "1"}
            exchange(server.stdin, server.stdout, 1, "initialize", {"clientInfo": who})
            found = exchange(server.stdin, server.stdout, 2, "mcpServerStatus/list", {})
        finally:
            server.terminate()
    (status,) = found["data"]
    assert (status["name"], sorted(status["tools"])) == ("citator", sorted(TOOL_NAMES))
    assert user.listed()[0] == TOOL_NAMES


def exchange(
    writing: IO[bytes], reading: IO[bytes], number: int, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    """The result of one request; what else is said meanwhile is passed over."""
    message = {"id": number, "method": method, "params": params}
    writing.write(json.dumps(message).encode() + b"\n")
    writing.flush()
    for line in reading:
        answer = json.loads(line)
        if answer.get("id") == number:
            result = answer["result"]
            assert isinstance(result, dict)
            return result
    raise AssertionError(f"it ended before it answered {method} within {PATIENCE} s")
