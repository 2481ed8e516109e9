"""The SDK's own client, which checks results against the schemas, in every mode it has."""

from __future__ import annotations

import json

import anyio
import pytest

from mcp import Client, StdioServerParameters, types
from tests.mcp.conftest import CACHE_QUESTION, Indexed
from tests.mcp.serving import PATIENCE, TOOL_NAMES, command


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_a_client_lists_asks_reads_and_leaves(indexed: Indexed, mode: str) -> None:
    program, *arguments = command(indexed.root)
    server = StdioServerParameters(command=program, args=arguments, env=indexed.home.environment())

    async def main() -> tuple[list[str], types.CallToolResult, types.CallToolResult]:
        async with Client(server, mode=mode, read_timeout_seconds=PATIENCE) as client:
            tools = (await client.list_tools()).tools
            asked = await client.call_tool("investigate_work", {"task": CACHE_QUESTION})
            ref = json.loads(text_of(asked))["evidence"][0]["ref"]
            read = await client.call_tool("read_evidence", {"refs": [ref]})
            refused = await client.call_tool("read_evidence", {"refs": [ref], "all": True})
        assert refused.is_error is True
        assert "invalid_arguments" in text_of(refused)
        return [tool.name for tool in tools], asked, read

    names, asked, read = anyio.run(main)
    assert names == TOOL_NAMES
    assert asked.structured_content == json.loads(text_of(asked))
    assert asked.structured_content["evidence"][0]["locator"] == indexed.commits["cache"]
    assert "took forty seconds" in text_of(read)


def text_of(result: types.CallToolResult) -> str:
    """The text of a result's only block."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
