"""Newline-delimited JSON over two descriptors, as the streams that the SDK serves.

- Bytes are read and written raw: UTF-8, ``\\n`` alone on every platform, nothing buffered that
  could hold a half message at exit.
- A line that is not a message, or longer than MAX_LINE, is answered and skipped; it costs
  nothing but itself.
- What the prelude has said already is not said again: the first message that equals it is dropped.
- Both directions run in daemon threads: a client that neither writes nor reads cannot keep the
  process alive.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from queue import SimpleQueue
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from citator.mcp.prelude import CHUNK, MAX_LINE, Wire, write_all
from mcp import types

Inbound = MemoryObjectReceiveStream[SessionMessage | Exception]
Outbound = MemoryObjectSendStream[SessionMessage]

LAST_WORDS_SECONDS: Final = 1.0

_NOT_A_MESSAGE: Final = types.ErrorData(code=types.PARSE_ERROR, message="Not a JSON-RPC message")
_TOO_LONG: Final = types.ErrorData(
    code=types.INVALID_REQUEST, message=f"A message is at most {MAX_LINE} bytes"
)


@asynccontextmanager
async def streams(wire: Wire) -> AsyncIterator[tuple[Inbound, Outbound]]:
    """The two ends of ``wire``. The first closes at the end of input or of output."""
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    loop = asyncio.get_running_loop()
    sent = anyio.Event()

    async def deliver(line: bytes | None) -> None:
        """Hand one line to the server, or the end of input."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if line is None:
                await to_server.aclose()
            elif len(line) > MAX_LINE:
                await to_client.send(_refusal(_TOO_LONG))
            elif (message := _message(line)) is not None:
                await to_server.send(message)
            elif line.strip():
                await to_client.send(_refusal(_NOT_A_MESSAGE))

    def wait_for_delivery(line: bytes | None) -> None:
        delivery = deliver(line)
        try:
            delivered = asyncio.run_coroutine_threadsafe(delivery, loop)
        except RuntimeError:  # the loop is gone, and so is whoever would have listened
            delivery.close()
            raise
        delivered.result()

    async def send() -> None:
        writer, said = _Writer(wire.writing, loop), wire.said
        async with from_server:
            async for item in from_server:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                line = text.encode() + b"\n"
                if line == said:
                    said = b""
                elif not await writer.write(line):
                    break
        await to_server.aclose()
        sent.set()

    _daemon(lambda: _pump(wire, wait_for_delivery), "citator-input")
    async with to_server, from_client, to_client, anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        yield from_client, to_client
        with anyio.move_on_after(LAST_WORDS_SECONDS):
            await sent.wait()
        tasks.cancel_scope.cancel()


class _Writer:
    """Writes messages in order in a thread of its own, which a full pipe may block."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor = descriptor
        self._loop = loop
        self._waiting: SimpleQueue[tuple[bytes, asyncio.Future[bool]]] = SimpleQueue()
        _daemon(self._work, "citator-output")

    async def write(self, data: bytes) -> bool:
        """Write all of ``data``; False where nobody reads any more."""
        done: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.put((data, done))
        return await done

    def _work(self) -> None:
        while True:
            data, done = self._waiting.get()
            try:
                write_all(self._descriptor, data)
                written = True
            except OSError:
                written = False
            with suppress(RuntimeError):  # the loop may be gone by now
                self._loop.call_soon_threadsafe(_finish, done, written)


def _finish(done: asyncio.Future[bool], written: bool) -> None:
    if not done.done():
        done.set_result(written)


def _pump(wire: Wire, deliver: Callable[[bytes | None], None]) -> None:
    """Deliver each line of input, then None. Runs until the end of input or of the loop."""
    with suppress(RuntimeError, OSError):
        for line in _lines(wire):
            deliver(line)
    with suppress(RuntimeError):
        deliver(None)


def _lines(wire: Wire) -> Iterator[bytes]:
    """The lines of ``wire``; of one that is too long only as much as shows that it is."""
    buffer, searched, skipping = bytearray(wire.pending), 0, False
    while True:
        while (end := buffer.find(b"\n", searched)) >= 0:
            if not skipping:
                yield bytes(buffer[:end])
            del buffer[: end + 1]
            searched, skipping = 0, False
        if len(buffer) > MAX_LINE:
            if not skipping:
                yield bytes(buffer)
            buffer.clear()
            skipping = True
        searched = len(buffer)
        chunk = b"" if wire.ended else os.read(wire.reading, CHUNK)
        if not chunk:
            if buffer and not skipping:
                yield bytes(buffer)
            return
        buffer += chunk


def _message(line: bytes) -> SessionMessage | None:
    try:
        text = line.decode("utf-8", "replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError:  # pydantic's ValidationError is one
        return None


def _refusal(error: types.ErrorData) -> SessionMessage:
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))


def _daemon(work: Callable[[], None], name: str) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()
