"""A client of the real MCP server, as small as one can be: requests out, results in.

It starts ``citator serve`` as a program would, and shows what goes over the wire.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from examples.demo_stage import Demo, expect, indented, say

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "demo", "version": "1"},
}


class Client:
    """Speaks to one server for as long as the ``with`` lasts."""

    def __init__(self, demo: Demo, root: Path) -> None:
        self._demo, self._root, self._asked = demo, root, 0

    def __enter__(self) -> Client:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "citator", "serve", "--root", str(self._root)],
            cwd=self._root,
            env=self._demo.environment(self._root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait(30)
        self._server.stdout.close()

    def call(self, tool: str, arguments: dict[str, Any], *only: str) -> dict[str, Any]:
        """What ``tool`` answers. Shown; with ``only``, just these fields of it, if they are there.

        A call of a tool that fails stops the demo.
        """
        assert self._server.stdin is not None and self._server.stdout is not None
        self._asked += 1
        request = {
            "jsonrpc": "2.0",
            "id": self._asked,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE},
        }
        say(f"\n-> {tool}\n{_shown(arguments)}")
        self._server.stdin.write(json.dumps(request).encode() + b"\n")
        self._server.stdin.flush()
        line = self._server.stdout.readline()
        expect(bool(line), "the server answers")
        result = json.loads(line).get("result", {})
        expect("structuredContent" in result, f"{tool} succeeds")
        answer = dict(result["structuredContent"])
        kept = {key: answer[key] for key in only if key in answer} if only else answer
        more = "\n  ..." if len(kept) < len(answer) else ""
        say(f"<-\n{_shown(kept)}{more}")
        return answer


def _shown(value: dict[str, Any]) -> str:
    """An object with one of its fields, or one row of a list, a line."""
    lines: list[str] = []
    for key, each in value.items():
        if isinstance(each, list) and each and isinstance(each[0], dict):
            lines.append(f"{key}:")
            lines += [f"  - {_flat(row)}" for row in each]
        else:
            lines.append(f"{key}: {each if isinstance(each, str) else _flat(each)}")
    return indented("\n".join(lines))


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
