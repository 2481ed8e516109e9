"""Lines in, lines out: what is no message is answered and costs nothing but itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage

from citator.mcp import transport
from citator.mcp.prelude import Wire
from citator.mcp.transport import streams
from mcp import types

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


class Client:
    """The other ends of a wire."""

    def __init__(self, pending: bytes = b"") -> None:
        reading, self.writing = os.pipe()
        self.reading, writing = os.pipe()
        self.wire = Wire(reading, writing, pending)

    def say(self, data: bytes) -> None:
        """Write ``data`` and end the input."""
        os.write(self.writing, data)
        self.hang_up()

    def hang_up(self) -> None:
        os.close(self.writing)

    def heard(self) -> bytes:
        """Everything that was written to the client."""
        os.close(self.wire.writing)
        data = b""
        while chunk := os.read(self.reading, 65536):
            data += chunk
        return data

    def close(self) -> None:
        os.close(self.wire.reading)
        os.close(self.reading)


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.close()


def served(client: Client, answers: Sequence[types.JSONRPCMessage] = ()) -> list[Any]:
    """What a server receives until the input ends; it sends ``answers`` after that."""
    received: list[Any] = []

    async def main() -> None:
        async with streams(client.wire) as (reading, writing):
            async for item in reading:
                assert isinstance(item, SessionMessage)
                received.append(item.message.model_dump(exclude_unset=True))
            for answer in answers:
                await writing.send(SessionMessage(answer))
            await writing.aclose()

    anyio.run(main)
    return received


def test_what_was_read_before_comes_first() -> None:
    client = Client(PING + b"\n" + PING[:10])
    client.say(PING[10:] + b"\n")
    assert [message["method"] for message in served(client)] == ["ping", "ping"]
    client.close()


def test_windows_line_ends_and_empty_lines_are_read(client: Client) -> None:
    client.say(PING + b"\r\n\n \r\n" + PING + b"\r\n")
    assert len(served(client)) == 2
    assert client.heard() == b""


def test_a_last_line_without_an_end_is_read(client: Client) -> None:
    client.say(PING)
    assert len(served(client)) == 1


def test_a_line_that_is_no_message_is_answered_and_the_next_is_served(client: Client) -> None:
    client.say(b"}{\n[1]\n" + PING + b"\n")
    assert len(served(client)) == 1
    refusal = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32700, "message": "Not a JSON-RPC message"},
    }
    assert [json.loads(line) for line in client.heard().splitlines()] == [refusal, refusal]


def test_a_line_that_is_too_long_is_answered_and_the_next_is_served(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MAX_LINE", 100)
    client.say(b"x" * 101 + b"y" * 1000 + b"\n" + PING + b"\n")
    assert len(served(client)) == 1
    assert json.loads(client.heard())["error"]["code"] == -32600


def test_bytes_that_are_no_utf_8_are_replaced_and_the_message_served(client: Client) -> None:
    client.say(b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}\n')
    assert [message["method"] for message in served(client)] == ["p\ufffd"]


def test_what_is_sent_arrives_whole_as_utf_8_with_line_feeds_alone(client: Client) -> None:
    client.hang_up()
    answer = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "日本\r\n\U0001f600"})
    served(client, [answer, answer])
    line = '{"jsonrpc":"2.0","id":1,"result":{"text":"日本\\r\\n\U0001f600"}}\n'.encode()
    assert client.heard() == line * 2


def test_a_client_that_no_longer_reads_ends_the_service() -> None:
    client = Client()
    os.close(client.reading)
    received: list[object] = []

    async def main() -> None:
        async with streams(client.wire) as (reading, writing):
            await writing.send(
                SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/x"))
            )
            received.extend([item async for item in reading])

    anyio.run(main)
    assert received == []
    client.hang_up()
    os.close(client.wire.reading)
    os.close(client.wire.writing)
