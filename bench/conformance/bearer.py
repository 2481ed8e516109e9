"""A relay that adds the bearer token to each request, for a suite that cannot send one.

Nothing else changes but the relay's own name in ``Host`` and ``Origin``, which becomes the
server's: every other name arrives as it was sent, for the server to refuse.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_NAME = rb"(?im)^((?:host|origin): *(?:http://)?(?:127\.0\.0\.1|localhost)):%d\r$"


@contextmanager
def relay(port: int, token: str) -> Iterator[int]:
    """The port of a relay to ``port`` on the loopback, while the block runs."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(_listen(port, token))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _listen(port: int, token: str) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("sockname")[1]
        beyond_reader, beyond_writer = await asyncio.open_connection("127.0.0.1", port)
        back = asyncio.create_task(_copy(beyond_reader, writer))
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                head = re.sub(_NAME % own, b"\\g<1>:%d\r" % port, head)
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                added = b"\r\nAuthorization: Bearer " + token.encode() + b"\r\n\r\n"
                beyond_writer.write(head.removesuffix(b"\r\n\r\n") + added + body)
                await beyond_writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            beyond_writer.close()
            await back

    return await asyncio.start_server(serve, "127.0.0.1", 0)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
