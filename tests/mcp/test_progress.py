"""A client that listens hears that a long call goes on; one that gives up hears nothing more."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from citator.mcp.progress import ANSWERING, INDEXING, Pulse, accompanied
from citator.model.errors import RefusedError
from citator.store import locks
from mcp import Client
from tests.mcp.conftest import CACHE_QUESTION, Indexed, explained
from tests.mcp.over_http import HttpServer, name_of
from tests.mcp.serving import ENVELOPE, ERAS, PATIENCE, Era, Home, Server, Speaker
from tests.mcp.test_background import index_lock
from tests.mcp.test_cancelling import SlowGit, posix_only, wait_for_the_end_of

BEAT = 0.02
CALL: dict[str, Any] = {"name": "investigate_work", "arguments": {"task": CACHE_QUESTION}}


def heard_during(seconds: float, most: float = 10.0) -> list[tuple[float, float, str]]:
    """What is told while work of so many seconds runs, and shortly after."""
    told: list[tuple[float, float, str]] = []

    async def report(passed: float, total: float, doing: str) -> None:
        told.append((round(passed / BEAT), total, doing))

    async def work(pulse: Pulse) -> str:
        await anyio.sleep(seconds)
        pulse.doing = INDEXING
        await anyio.sleep(seconds)
        return "done"

    async def main() -> None:
        assert await accompanied(work, report, most, BEAT) == "done"
        count = len(told)
        await anyio.sleep(3 * BEAT)
        assert len(told) == count

    anyio.run(main)
    return told


def test_each_beat_says_more_than_the_last_and_what_is_being_done() -> None:
    told = heard_during(4.5 * BEAT)
    passed = [one[0] for one in told]
    assert passed == list(range(1, len(told) + 1))
    assert {one[1] for one in told} == {10.0}
    assert [told[0][2], told[-1][2]] == [ANSWERING, INDEXING]


def test_a_quick_call_says_nothing_and_none_passes_its_most() -> None:
    assert heard_during(0) == []
    assert [one[0] for one in heard_during(5 * BEAT, most=3.5 * BEAT)] == [1, 2, 3]


@pytest.mark.parametrize("error", [RefusedError("full", "the disk is full"), ValueError("?")])
def test_a_failure_is_raised_as_it_is(error: Exception) -> None:
    async def report(*_: object) -> None:
        """Hear nothing."""

    async def work(_: Pulse) -> None:
        raise error

    async def main() -> None:
        await accompanied(work, report, 1.0, BEAT)

    with pytest.raises(type(error)) as caught:
        anyio.run(main)
    assert caught.value is error


def test_a_client_that_is_gone_does_not_fail_the_call() -> None:
    async def report(*_: object) -> None:
        raise anyio.BrokenResourceError

    async def work(_: Pulse) -> str:
        await anyio.sleep(3 * BEAT)
        return "done"

    async def main() -> str:
        return await accompanied(work, report, 1.0, BEAT)

    assert anyio.run(main) == "done"


def listening(speaker: Speaker, token: str | int) -> int:
    """Begin a call whose progress is listened to; its id."""
    number = speaker.server.next_id()
    meta = {**(ENVELOPE if speaker.era == "modern" else {}), "progressToken": token}
    message = {"id": number, "method": "tools/call", "params": {**CALL, "_meta": meta}}
    speaker.server.send(message)
    return number


@posix_only
@pytest.mark.parametrize("era", ERAS)
def test_a_long_call_tells_of_its_progress_until_it_is_cancelled(
    indexed: Indexed, tmp_path: Path, era: Era
) -> None:
    git = SlowGit(tmp_path / "tools")
    with Server(indexed.root, indexed.home, git.environment) as server:
        speaker = server.open(era)
        assert speaker.ask("tools/call", CALL)["result"]["structuredContent"]["evidence"]
        git.hang()  # after the first look at the index: the git that hangs is the call's
        number = listening(speaker, "t-1")
        pid = git.hanging()
        told = [server.receive() for _ in range(2)]
        assert [one["method"] for one in told] == ["notifications/progress"] * 2
        assert [one["params"]["progressToken"] for one in told] == ["t-1"] * 2
        assert [one["params"]["progress"] for one in told] == [1, 2]
        assert told[0]["params"]["message"] == ANSWERING
        server.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        wait_for_the_end_of(pid)
        git.work()
        later = speaker.request("tools/call", CALL)
        while (found := server.receive()).get("method") == "notifications/progress":
            continue
        assert found["id"] == later
        assert server.leave() == 0
    assert number not in [json.loads(line).get("id") for line in server.heard.splitlines()]


@pytest.mark.parametrize("era", ERAS)
def test_who_listens_waits_for_a_first_index_and_is_answered(tmp_path: Path, era: Era) -> None:
    builder, commits = explained(tmp_path / "repository")
    with Server(builder.path, Home.under(tmp_path)) as server:
        number = listening(server.open(era), 7)
        found = server.receive()
        while found.get("method") == "notifications/progress":
            assert found["params"]["progressToken"] == 7
            found = server.receive()
    assert found["id"] == number
    evidence = found["result"]["structuredContent"]["evidence"]
    assert evidence[0]["locator"] == commits["cache"]


def test_a_wait_for_an_index_that_cannot_be_built_ends(tmp_path: Path) -> None:
    builder, _ = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    with locks.exclusive(index_lock(builder.path, home)), Server(builder.path, home) as server:
        listening(server.open("modern"), 1)
        while (found := server.receive()).get("method") == "notifications/progress":
            continue
    told = json.loads(found["result"]["content"][0]["text"])["error"]["code"]
    assert told in ("index_not_built", "index_being_built")


@posix_only
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_http_a_client_hears_of_it_too_and_can_give_up(
    indexed: Indexed, tmp_path: Path, mode: str
) -> None:
    git = SlowGit(tmp_path / "tools")
    name = name_of(indexed.root, indexed.home)
    heard: list[tuple[float, float | None, str | None]] = []

    async def main(server: HttpServer) -> int:
        headers = {"Authorization": f"Bearer {server.token}"}
        async with create_mcp_http_client(headers) as http_client:
            transport = streamable_http_client(server.url(name), http_client=http_client)
            async with Client(transport, mode=mode, read_timeout_seconds=PATIENCE) as client:
                await client.call_tool(**CALL)
                git.hang()
                return await given_up(client)

    async def given_up(client: Client) -> int:
        told = anyio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))
            told.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(client.call_tool, **CALL, progress_callback=hear))
            pid = await anyio.to_thread.run_sync(git.hanging)
            await told.wait()
            tasks.cancel_scope.cancel()
        return pid

    with HttpServer(indexed.home, extra=git.environment) as server:
        wait_for_the_end_of(anyio.run(main, server))
        git.work()
    assert heard[0] == (1, 20, ANSWERING)
