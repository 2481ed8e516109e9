"""Several clients and repositories are served over HTTP by one process, in both eras."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mcp import Client, types
from tests.mcp.conftest import CACHE_QUESTION, Indexed, explained
from tests.mcp.over_http import Caller, HttpServer, name_of
from tests.mcp.serving import ERAS, PATIENCE, TOOL_NAMES, Era
from tests.mcp.test_cancelling import CALL, SlowGit, wait_for_the_end_of
from tests.mcp.test_sdk_client import text_of
from tests.support.builder import Builder

WHY_VALVE = """Shut the outlet valve first

The pressure sensor of the cooling pump froze in winter, so the pump ran dry twice and its seal
burned. Shut first, the outlet valve keeps enough water for a minute."""

VALVE_QUESTION = "why is it that the outlet valve of the cooling pump is shut first?"


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> SlowGit:
    return SlowGit(tmp_path_factory.mktemp("http") / "tools")


@pytest.fixture(scope="module")
def server(indexed: Indexed, git: SlowGit) -> Iterator[HttpServer]:
    extra = {} if sys.platform == "win32" else git.environment
    with HttpServer(indexed.home, extra=extra) as running:
        yield running
    assert running.complaints == []


@pytest.fixture(scope="module")
def name(indexed: Indexed) -> str:
    return name_of(indexed.root, indexed.home)


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_a_client_lists_asks_reads_and_leaves(
    server: HttpServer, name: str, indexed: Indexed, mode: str
) -> None:
    async def main() -> tuple[list[str], types.CallToolResult, types.CallToolResult]:
        headers = {"Authorization": f"Bearer {server.token}"}
        async with create_mcp_http_client(headers) as http_client:
            transport = streamable_http_client(server.url(name), http_client=http_client)
            async with Client(transport, mode=mode, read_timeout_seconds=PATIENCE) as client:
                tools = (await client.list_tools()).tools
                asked = await client.call_tool("investigate_work", {"task": CACHE_QUESTION})
                ref = json.loads(text_of(asked))["evidence"][0]["ref"]
                read = await client.call_tool("read_evidence", {"refs": [ref]})
                refused = await client.call_tool("read_evidence", {"refs": [ref], "all": True})
        assert "invalid_arguments" in text_of(refused)
        return [tool.name for tool in tools], asked, read

    names, asked, read = anyio.run(main)
    assert names == TOOL_NAMES
    assert asked.structured_content == json.loads(text_of(asked))
    assert asked.structured_content["evidence"][0]["locator"] == indexed.commits["cache"]
    assert "took forty seconds" in text_of(read)


def test_a_repository_registered_later_is_built_and_answers_for_itself_alone(
    server: HttpServer, name: str, indexed: Indexed, tmp_path: Path
) -> None:
    builder, _ = explained(tmp_path / "later")
    commit = builder.write("pump.py", "shut()\n").commit(WHY_VALVE)
    later = name_of(builder.path, indexed.home)
    caller = Caller(server, later, "modern")
    limit = time.monotonic() + PATIENCE
    while "error" in (found := caller.call("investigate_work", task=VALVE_QUESTION)):
        assert found["error"]["code"] == "index_being_built"
        assert time.monotonic() < limit
        time.sleep(0.1)
    assert found["evidence"][0]["locator"] == commit
    ref = found["evidence"][0]["ref"]
    elsewhere = Caller(server, name, "modern").call("read_evidence", refs=[ref])
    assert "ran dry" not in json.dumps(elsewhere)
    assert "ran dry" in json.dumps(caller.call("read_evidence", refs=[ref]))
    directory = indexed.home.data / later
    shutil.rmtree(directory)
    assert server.status(f"/{later}/mcp", "POST", b"{}") == 404
    assert not directory.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="stands a shell script in for git")
@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_its_client_gives_up_ends_its_git(
    server: HttpServer, name: str, git: SlowGit, era: Era
) -> None:
    caller = Caller(server, name, era).open()
    assert caller.call("investigate_work", task=CACHE_QUESTION)["evidence"]
    git.hang()
    connection, number = caller.begin("tools/call", CALL)
    pid = git.hanging()
    if era == "legacy":
        caller.notify("notifications/cancelled", {"requestId": number})
    connection.close()
    wait_for_the_end_of(pid)
    git.work()
    assert caller.call("investigate_work", task=CACHE_QUESTION)["evidence"]


def test_many_clients_are_served_at_once(server: HttpServer, name: str) -> None:
    caller = Caller(server, name, "modern")
    begun = [caller.begin("tools/call", CALL)[0] for _ in range(24)]
    for connection in begun:
        with connection.getresponse() as response:
            assert response.status == 200
            assert b'"evidence"' in response.read()
        connection.close()


def test_a_forgotten_repository_loses_its_sessions_also_when_it_comes_back(
    server: HttpServer, indexed: Indexed, tmp_path: Path
) -> None:
    builder, _ = explained(tmp_path / "forgotten")
    forgotten = name_of(builder.path, indexed.home)
    caller = Caller(server, forgotten, "legacy").open()
    assert caller.call("read_evidence", refs=["citator:none"])
    shutil.rmtree(indexed.home.data / forgotten)
    listing = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    assert server.status(f"/{forgotten}/mcp", "POST", listing, **caller.session) == 404
    assert name_of(builder.path, indexed.home) == forgotten
    assert server.status(f"/{forgotten}/mcp", "POST", listing, **caller.session) == 404
    assert Caller(server, forgotten, "legacy").open().call("read_evidence", refs=["citator:none"])


def test_another_repository_in_the_place_of_the_first_is_not_taken_for_it(
    server: HttpServer, indexed: Indexed, tmp_path: Path
) -> None:
    first, _ = explained(tmp_path / "engine")
    former = name_of(first.path, indexed.home)
    assert server.status(f"/{former}/mcp", "POST", b"{}") == 400  # let in, and no message
    first.path.rename(tmp_path / "moved")
    second = Builder.init(first.path)
    second.write("pump.py", "shut()\n").commit(WHY_VALVE)
    assert name_of(second.path, indexed.home) != former
    assert server.status(f"/{former}/mcp", "POST", b"{}") == 404
