"""Whoever speaks slowly to the HTTP server, or not at all, is cut off; who listens long is not."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.abc
import pytest
import uvicorn

from citator.mcp.http import configuration
from citator.mcp.http_patience import PatientProtocol
from citator.mcp.http_sockets import ADDRESS, listening

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

HEAD = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
SHORT = 0.25
LONG = 20.0


def test_an_answer_is_sent_at_once() -> None:
    async def main() -> list[int]:
        found: list[int] = []

        async def told(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            found.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening(0) as listeners:
            for listener in listeners:
                async with await asyncio.start_server(told, sock=listener):
                    stream = await anyio.connect_tcp(*listener.getsockname()[:2])
                    async with stream:
                        with pytest.raises(anyio.EndOfStream):
                            await stream.receive()
        assert len(found) == len(listeners)
        return found

    assert all(anyio.run(main))


class App:
    """Reads the body, then answers in two parts with a pause between; knows what it read."""

    def __init__(self) -> None:
        self.read: list[Message] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            self.read.append(message)
            if message["type"] == "http.disconnect":
                return
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one ", "more_body": True})
        await anyio.sleep(SHORT * 3)
        await send({"type": "http.response.body", "body": b"two"})


@asynccontextmanager
async def served(app: App, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """The port of a server that is configured as ours is, and less patient."""
    monkeypatch.setattr(PatientProtocol, "seconds", SHORT)
    with listening(0) as listeners:
        server = uvicorn.Server(configuration(app))
        monkeypatch.setattr(server, "capture_signals", listening_to_nothing)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, listeners)
            yield listeners[0].getsockname()[1]
            server.should_exit = True


class listening_to_nothing:  # noqa: N801
    """In the place of signal handlers."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


async def heard_from(port: int, *parts: bytes, pause: float = 0.0) -> bytes:
    """All that comes back until the server closes, when ``parts`` are sent one by one."""
    stream = await anyio.connect_tcp(ADDRESS, port)
    heard = b""
    with anyio.fail_after(LONG):
        async with stream, anyio.create_task_group() as tasks:

            async def speak() -> None:
                try:
                    for part in parts:
                        await stream.send(part)
                        await anyio.sleep(pause)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return

            tasks.start_soon(speak)
            try:
                while True:
                    heard += await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                tasks.cancel_scope.cancel()
    return heard


@pytest.mark.parametrize(
    ("parts", "pause"),
    [
        ((), 0.0),
        ((HEAD,), 0.0),
        ((HEAD, *[b"X-Slow: 1\r\n"] * 1000), SHORT / 8),
        ((HEAD + b"\r\n", b"a"), 0.0),
        ((HEAD + b"\r\n", b"a", b"b", b"c"), SHORT * 0.45),
    ],
    ids=["silent", "half a head", "a head without end", "half a body", "a slow body"],
)
def test_a_request_that_does_not_arrive_is_cut_off(
    parts: tuple[bytes, ...], pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> bytes:
        async with served(app, monkeypatch) as port:
            return await heard_from(port, *parts, pause=pause)

    app = App()
    assert anyio.run(main) == b""
    assert [one for one in app.read if one["type"] == "http.request" and not one["more_body"]] == []


def test_an_answer_may_take_longer_than_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> bytes:
        async with served(App(), monkeypatch) as port:
            return await heard_from(port, HEAD + b"Connection: close\r\n\r\n", b"body")

    heard = anyio.run(main)
    assert heard.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"one " in heard
    assert b"two" in heard


def test_each_request_of_a_connection_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> bytes:
        async with served(App(), monkeypatch) as port:
            whole = HEAD + b"\r\nbody"
            return await heard_from(port, whole, whole, HEAD, pause=SHORT * 5)

    heard = anyio.run(main)
    assert heard.count(b"HTTP/1.1 200 OK") == 2
