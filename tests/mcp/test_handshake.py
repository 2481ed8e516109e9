"""The early answer to ``initialize`` is the SDK's own, and the conversation goes on from it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.mcp.desk import Desk
from citator.mcp.handshake import HANDSHAKES, MAX_REQUEST, handshake_answer
from citator.mcp.keeper import Keeper
from citator.mcp.prelude import Wire
from citator.mcp.server import Service, make_server
from citator.mcp.transport import streams
from citator.service.workspace import Places
from tests.mcp.conftest import CACHE_QUESTION, Indexed
from tests.mcp.serving import ENVELOPE, HANDSHAKE, Server

# What clients were heard to send, each as one line.
HEARD = {
    "codex": '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{'
    '"protocolVersion":"2025-06-18","capabilities":{"experimental":{"codex/auth-change":{}},"elicitation":{"form":{},"url":{}}},'
    '"clientInfo":{"name":"codex-mcp-client","title":"Codex","version":"0.171.0"}}}',
    "gemini-cli": '{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":'
    '{"roots":{"listChanged":true}},"clientInfo":{"name":"gemini-cli-mcp-client","version":"0.61.0"}},'
    '"jsonrpc":"2.0","id":0}',
    "opencode": '{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'
    '{"roots":{}},"clientInfo":{"name":"opencode","version":"1.18.33"}},"jsonrpc":"2.0","id":0}',
    "inspector": '{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'
    '{"roots":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{},'
    '"io.modelcontextprotocol/skills":{}}},"clientInfo":'
    '{"name":"inspector-cli","version":"2.12.0"}},"jsonrpc":"2.0","id":0}',
    "python": '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'
    '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp","version":"0.1.0"}}}',
}


def request(**changes: Any) -> dict[str, Any]:
    """A well-formed handshake, with top-level members replaced."""
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE, **changes}


def wanting(**changes: Any) -> dict[str, Any]:
    """A well-formed handshake, with members of its params replaced."""
    return request(params={**HANDSHAKE, **changes})


def line_of(message: object) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode()


def said_by_the_sdk(line: bytes) -> bytes:
    """What a server says that gets ``line`` and then the end of input, without any prelude."""
    nowhere = Path("nowhere")
    heard, writing = os.pipe()
    reading = os.open(os.devnull, os.O_RDONLY)

    async def main() -> None:
        limiter = anyio.CapacityLimiter(1)
        desk = Desk(nowhere, Places(nowhere, nowhere))
        keeper = Keeper(lambda: False, ["nothing"], lambda _: None, limiter)
        server = make_server(Service(desk, keeper, limiter, "all", False))
        async with streams(Wire(reading, writing, line + b"\n", ended=True)) as (source, sink):
            await server.run(source, sink, server.create_initialization_options())

    try:
        anyio.run(main)
    finally:
        os.close(writing)
        os.close(reading)
    with os.fdopen(heard, "rb") as whole:
        return whole.read()


@pytest.mark.parametrize("client", HEARD)
def test_a_real_client_is_told_what_the_sdk_would_tell_it(client: str) -> None:
    line = HEARD[client].encode()
    assert handshake_answer(line) == said_by_the_sdk(line)


@pytest.mark.parametrize("version", [*HANDSHAKES, "2026-07-28", "2024-01-01", "", "日本"])
def test_the_revision_is_the_one_that_the_sdk_settles_on(version: str) -> None:
    line = line_of(wanting(protocolVersion=version))
    answer = handshake_answer(line)
    assert answer == said_by_the_sdk(line)
    settled = version if version in HANDSHAKES else "2025-11-25"
    assert json.loads(answer or b"")["result"]["protocolVersion"] == settled


@pytest.mark.parametrize("identifier", [0, -1, 2**53, "", "one", "日本", '"\\/\x7f\x1f\t\u2028'])
def test_it_is_answered_under_its_own_id(identifier: int | str) -> None:
    line = line_of(request(id=identifier))
    answer = handshake_answer(line)
    assert answer == said_by_the_sdk(line)
    assert json.loads(answer or b"")["id"] == identifier


WORDS = st.text(max_size=5)
ANY = st.recursive(
    st.none() | st.booleans() | WORDS | st.integers(-3, 3),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(WORDS, inside, max_size=2),
    max_leaves=6,
)
NESTED: st.SearchStrategy[object] = st.recursive(
    st.just({}), lambda inside: st.dictionaries(WORDS, inside, max_size=2), max_leaves=4
)
KNOWN = st.sampled_from(
    ["roots", "sampling", "elicitation", "experimental", "extensions", "tasks", "form", "requests"]
)
INNER = st.sampled_from(["listChanged", "form", "url", "context", "tools", "list", "cancel"])
CAPABILITIES = st.dictionaries(
    KNOWN, NESTED | ANY | st.dictionaries(INNER, NESTED | ANY, max_size=2), min_size=1, max_size=2
)
CLIENTS = st.fixed_dictionaries(
    {"name": WORDS, "version": WORDS},
    optional=dict.fromkeys(("title", "description", "websiteUrl", "icons"), WORDS | WORDS | ANY),
)


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries({"capabilities": CAPABILITIES})
    | st.fixed_dictionaries({"clientInfo": CLIENTS})
    | st.dictionaries(st.sampled_from([*HANDSHAKE, "_meta", "more"]), ANY, max_size=2)
)
def test_what_is_answered_is_answered_as_the_sdk_does(changes: dict[str, object]) -> None:
    line = line_of(wanting(**changes))
    answer = handshake_answer(line)
    assert answer is None or answer == said_by_the_sdk(line)


@pytest.mark.parametrize(
    "message",
    [
        request(method="ping"),
        request(jsonrpc="1.0"),
        request(id=None),
        request(id=True),
        request(id=1.0),
        request(id=2**53 + 1),
        request(params=None),
        request(more=1),
        wanting(protocolVersion=20251125),
        wanting(_meta=ENVELOPE),
        wanting(capabilities=None),
        wanting(capabilities={"roots": None}),
        wanting(capabilities={"roots": {"listChanged": "yes"}}),
        wanting(capabilities={"experimental": {"a": True}}),
        wanting(capabilities={"elicitation": {"form": True}}),
        wanting(capabilities={"unheard-of": {}}),
        wanting(capabilities={"experimental": {"a": {"b": 1}}}),
        wanting(clientInfo={"name": "a client"}),
        wanting(clientInfo={"name": "a client", "version": 1}),
        wanting(clientInfo={"name": "a client", "version": "1", "icons": []}),
        {key: value for key, value in request().items() if key != "id"},
        [request()],
        None,
    ],
)
def test_what_is_not_beyond_doubt_is_left_to_the_sdk(message: object) -> None:
    assert handshake_answer(line_of(message)) is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xef\xbb\xbf" + line_of(request()),
        json.dumps(request()).encode("utf-16"),
        line_of(request()).replace(b'"id": 1', b'"id": 1, "id": 2'),
        line_of(request(id="X")).replace(b'"X"', b'"\\ud800"'),
        line_of(request()).replace(b'"test"', b'"\\ud800"'),
        line_of(request()).replace(b'"test"', b'"\xff"'),
        line_of(wanting(clientInfo={"name": "n" * MAX_REQUEST, "version": "1"})),
        b'{"params":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_bytes_that_are_not_one_plain_object_are_left_to_the_sdk(line: bytes) -> None:
    assert handshake_answer(line) is None


def conversation(server: Server) -> bytes:
    """Everything that is said in a handshake connection of four requests and one bad line."""
    server.send(request())
    server.write(b"no message\n")
    server.send({"method": "notifications/initialized"})
    server.send({"id": 2, "method": "tools/list"})
    lines = [server.line() for _ in range(3)]
    arguments = {"task": CACHE_QUESTION}
    call = {"name": "investigate_work", "arguments": arguments}
    server.send({"id": 3, "method": "tools/call", "params": call})
    lines.append(server.line())
    server.send(request(id=4))
    lines.append(server.line())
    assert server.leave() == 0
    assert server.complaints == ""
    assert b"".join(lines) == server.heard
    return b"".join(sorted(lines[:3]) + lines[3:])


def test_the_conversation_goes_on_as_with_the_sdk_alone(indexed: Indexed) -> None:
    with Server(indexed.root, indexed.home) as early, Server(indexed.root, indexed.home) as alone:
        alone.write(b"\n")  # a first line that says nothing leaves all that follows to the SDK
        heard = conversation(early)
        assert heard == conversation(alone)
    assert heard.count(b'"serverInfo"') == 2


def test_it_is_answered_before_the_sdk_is_there(indexed: Indexed, tmp_path: Path) -> None:
    (tmp_path / "anyio.py").write_text("raise SystemExit('it is being imported')")
    extra = {"PYTHONPATH": str(tmp_path)}
    with Server(indexed.root, indexed.home, extra) as server:
        server.send(request())
        assert server.line() == handshake_answer(line_of(request()))
        assert server.leave() == 1
    assert server.complaints == "it is being imported\n"


def test_who_gave_up_on_discovery_is_answered_as_early(indexed: Indexed, tmp_path: Path) -> None:
    (tmp_path / "anyio.py").write_text("raise SystemExit('it is being imported')")
    probe = request(method="server/discover", params={"_meta": ENVELOPE})
    shake = request(id=2)
    both = line_of(probe) + b"\n" + line_of(shake) + b"\n"
    with Server(indexed.root, indexed.home, {"PYTHONPATH": str(tmp_path)}) as server:
        server.write(both)
        assert json.loads(server.line())["result"]["supportedVersions"] == ["2026-07-28"]
        assert server.line() == handshake_answer(line_of(shake))
    with Server(indexed.root, indexed.home) as server:
        server.write(both)
        server.send({"method": "notifications/initialized"})
        server.send({"id": 3, "method": "ping"})
        assert [json.loads(server.line())["id"] for _ in range(3)] == [1, 2, 3]
        assert server.leave() == 0
        assert server.complaints == ""
