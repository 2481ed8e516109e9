"""The protocol's inspector finds no schema that some client would refuse, in either era."""

from __future__ import annotations

import json

import pytest
from tests.mcp.serving import TOOL_NAMES

from live.conftest import User


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_schemas_are_portable(user: User, era: str) -> None:
    server = [str(user.tap), "serve", "--root", str(user.root)]
    options = ["--method", "tools/list", "--format", "json", "--strict", "--protocol-era", era]
    said = user.run("mcp-inspector", "--cli", *server, *options)
    (line,) = [line for line in said.splitlines() if line.startswith("{")]
    tools = json.loads(line)["result"]["tools"]
    assert [tool["name"] for tool in tools] == TOOL_NAMES
