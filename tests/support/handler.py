"""The real MCP server in this process, on real pipes, so that the work of each call can be counted.

It is the server, the framing and the messages of ``citator serve``; only the background builder is
not running, and the time and chance of a proposal are given.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from queue import Queue
from types import TracebackType

import anyio

from citator.mcp.desk import Desk
from citator.mcp.keeper import Keeper
from citator.mcp.prelude import Wire
from citator.mcp.server import CALLS_AT_ONCE, Service, make_server
from citator.mcp.transport import streams
from citator.service.workspace import Places
from tests.mcp.serving import PATIENCE, Home, Server


class Handler(Server):
    """A server of ``root`` with ``places``. Use as a context manager, then :meth:`open` an era."""

    def __init__(self, root: Path, places: Places) -> None:
        super().__init__(root, Home(places.data, places.config))
        self._places = places
        self._failed: list[BaseException] = []

    def __enter__(self) -> Handler:
        reading, self._inlet = os.pipe()
        self._outlet, writing = os.pipe()
        self._lines: Queue[bytes] = Queue()
        self._ends = (reading, writing)
        self._serving = threading.Thread(target=self._serve, args=self._ends, daemon=True)
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._serving.start()
        self._hearing.start()
        return self

    def _serve(self, reading: int, writing: int) -> None:
        try:
            anyio.run(self._main, Wire(reading, writing))
        except BaseException as error:
            self._failed.append(error)
        finally:
            os.close(writing)

    async def _main(self, wire: Wire) -> None:
        limiter = anyio.CapacityLimiter(CALLS_AT_ONCE)
        keeper = Keeper(lambda: False, (), self._failed.append, limiter)
        server = make_server(Service(Desk(self.root, self._places), keeper, limiter, "all", False))
        async with streams(wire) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    def _hear(self) -> None:
        with os.fdopen(self._outlet, "rb") as stream:
            for line in stream:
                self.heard += line
                self._lines.put(line)
        self._lines.put(b"")

    def write(self, data: bytes) -> None:
        os.write(self._inlet, data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()
        assert not self._failed, self._failed

    def leave(self) -> int:
        """Close the server's input and wait for it to end."""
        os.close(self._inlet)
        self._serving.join(PATIENCE)
        self._hearing.join(PATIENCE)
        os.close(self._ends[0])
        return 0
