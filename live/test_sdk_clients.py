"""Two SDKs that share no code with each other ask the same question in both eras."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from tests.mcp.conftest import CACHE_QUESTION

from live.conftest import PATIENCE, User, node
from mcp import Client, StdioServerParameters

TOOLS = ["investigate_work", "read_evidence"]


def is_cited(user: User, found: dict[str, Any]) -> None:
    """Check that the answer leads with the commit that says why, and quotes it."""
    assert found["status"] == "complete"
    assert found["evidence"][0]["locator"] == user.cache
    assert "took forty seconds" in found["texts"][0]["text"]


@pytest.mark.parametrize(
    ("mode", "era"),
    [("v1", "legacy"), ("legacy", "legacy"), ("auto", "modern"), ("modern", "modern")],
)
def test_the_javascript_sdk_asks(user: User, mode: str, era: str) -> None:
    said = user.run(*node("sdk_client.mjs", mode, CACHE_QUESTION, str(user.tap), "serve"))
    found = json.loads(said.splitlines()[-1])
    assert (found["era"], found["tools"]) == (era, TOOLS)
    answer = found["answer"]
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
    is_cited(user, answer["structuredContent"])
    assert ("initialize" in user.asked()) is (era == "legacy")


@pytest.mark.parametrize(("mode", "era"), [("legacy", "legacy"), ("auto", "modern")])
def test_the_python_sdk_asks(user: User, mode: str, era: str) -> None:
    server = StdioServerParameters(
        command=str(user.tap), args=["serve"], env=user.environment(), cwd=user.root
    )

    async def main() -> dict[str, Any]:
        async with Client(server, mode=mode, read_timeout_seconds=PATIENCE) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            arguments = {"task": CACHE_QUESTION, "read": 1}
            called = await client.call_tool("investigate_work", arguments)
        found = called.structured_content
        assert isinstance(found, dict)
        return found

    is_cited(user, anyio.run(main))
    assert ("initialize" in user.asked()) is (era == "legacy")
