"""The first line is answered or handed on; nothing that was read is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from citator.mcp import prelude
from citator.mcp.prelude import Wire, discovery, discovery_answer, open_connection

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
}


def probe(**changes: Any) -> dict[str, Any]:
    """A well-formed probe, with top-level members replaced."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "server/discover",
        "params": {"_meta": ENVELOPE},
    }
    return {**message, **changes}


def line_of(message: object) -> bytes:
    return json.dumps(message).encode()


@pytest.fixture
def pipes() -> Iterator[tuple[Wire, int, int]]:
    """A wire, the client's writing end and its reading end."""
    reading, client_writing = os.pipe()
    client_reading, writing = os.pipe()
    yield Wire(reading, writing), client_writing, client_reading
    for descriptor in (reading, client_writing, client_reading, writing):
        os.close(descriptor)


@pytest.mark.parametrize("identifier", [1, 0, "one", "日本", 2**53])
def test_a_probe_is_answered_under_its_own_id(identifier: int | str) -> None:
    answer = discovery_answer(line_of(probe(id=identifier)))
    assert answer is not None
    assert answer.endswith(b"\n")
    assert answer.count(b"\n") == 1
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": identifier, "result": discovery()}


def test_a_client_need_not_say_who_it_is() -> None:
    envelope = {key: value for key, value in ENVELOPE.items() if not key.endswith("clientInfo")}
    assert discovery_answer(line_of(probe(params={"_meta": envelope}))) is not None


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        probe(method="tools/list"),
        probe(jsonrpc="1.0"),
        probe(id=None),
        probe(id=True),
        probe(id=1.5),
        probe(params=None),
        probe(params={"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-1"}}),
        probe(params={"_meta": {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": []}}),
        probe(params={"_meta": {**ENVELOPE, "io.modelcontextprotocol/clientInfo": "me"}}),
        [probe()],
        "server/discover",
        None,
    ],
)
def test_everything_else_is_left_to_the_sdk(message: object) -> None:
    assert discovery_answer(line_of(message)) is None


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"id":' + b"9" * 5000 + b"}", b"\x00"],
)
def test_bytes_that_are_no_json_are_left_to_the_sdk(line: bytes) -> None:
    assert discovery_answer(line) is None


def test_an_id_that_cannot_be_encoded_is_left_to_the_sdk() -> None:
    line = line_of(probe(id="X")).replace(b'"X"', b'"\\ud800"')
    assert discovery_answer(line) is None


def test_what_follows_a_probe_is_kept(pipes: tuple[Wire, int, int]) -> None:
    wire, client_writing, client_reading = pipes
    os.write(client_writing, line_of(probe()) + b"\nsecond\nthi")
    left = open_connection(wire)
    assert left.pending == b"second\nthi"
    assert json.loads(os.read(client_reading, 65536))["result"] == discovery()


def test_a_first_line_in_pieces_is_put_together(pipes: tuple[Wire, int, int]) -> None:
    wire, client_writing, client_reading = pipes
    line = line_of(probe()) + b"\n"
    os.write(client_writing, line[:20])
    child = os.dup(client_writing)
    code = f"import sys; sys.stdout.buffer.write(bytes.fromhex('{line[20:].hex()}'))"
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=child)
    os.close(child)
    assert open_connection(wire).pending == b""
    assert writer.wait() == 0
    assert json.loads(os.read(client_reading, 65536))["id"] == 1


def test_another_first_line_is_handed_on_untouched(pipes: tuple[Wire, int, int]) -> None:
    wire, client_writing, client_reading = pipes
    os.write(client_writing, b'{"method":"initialize"}\nrest')
    assert open_connection(wire).pending == b'{"method":"initialize"}\nrest'
    os.set_blocking(client_reading, False)
    with pytest.raises(BlockingIOError):
        os.read(client_reading, 1)


def test_a_client_that_leaves_at_once_leaves_nothing(pipes: tuple[Wire, int, int]) -> None:
    wire, client_writing, _ = pipes
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, client_writing)
    os.close(empty)
    left = open_connection(wire)
    assert (left.pending, left.ended) == (b"", True)


def test_a_first_line_without_end_is_not_read_forever(
    pipes: tuple[Wire, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, client_writing, _ = pipes
    monkeypatch.setattr(prelude, "MAX_LINE", 100)
    os.write(client_writing, b"x" * 300)
    assert open_connection(wire).pending == b"x" * 300


def test_it_imports_nothing_but_the_standard_library() -> None:
    code = "import sys, citator.mcp.serve; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    ).stdout.split()
    heavy = {"pydantic", "mcp", "numpy", "tantivy", "anyio", "asyncio", "click", "yaml", "rich"}
    assert heavy & set(loaded) == set()
