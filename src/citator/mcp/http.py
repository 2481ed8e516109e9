"""``citator serve --http``: one warm process for several clients and several repositories.

- It listens on the loopback addresses and nowhere else (:mod:`citator.mcp.http_sockets`).
- One server for each data directory: a second says who runs the first.
- It ends at a signal, and at the end of its input where it was asked to; what it started ends
  with it.
- It logs no request, and no word of a repository; what the libraries log on request is inert.
- A slow client holds a connection for seconds (:mod:`citator.mcp.http_patience`).
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import uvicorn

from citator.mcp import http_door, http_rooms
from citator.mcp.calls import emptied
from citator.mcp.http_patience import PatientProtocol
from citator.mcp.http_sockets import ADDRESS, CONNECTIONS, listening
from citator.mcp.server import report_unforeseen
from citator.model.errors import LockedError
from citator.model.inert import inert_line
from citator.service import http_running, http_token
from citator.service.registered import folder_of, registered
from citator.service.workspace import Places, Workspace
from citator.store import files, locks

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

IDLE_SECONDS: Final = 30
LEAVING_SECONDS: Final = 2
SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


@dataclass(frozen=True, slots=True)
class Options:
    """``root`` is served besides what is registered; port 0 takes any that is free."""

    root: Path | None
    port: int
    profile: str
    debug: bool
    end_with_input: bool


def serve_http(places: Places, options: Options) -> int:
    """Serve until asked to end; the exit code.

    Raises LockedError where another server runs, RefusedError where the port is taken, and what
    opening ``options.root`` or the token raises.
    """
    files.make_directory(places.data)
    with _alone(http_running.lock_of(places)):
        roots = _named(options.root, places)
        token = http_token.ensure(places)
        _quieten(options.debug)
        with listening(options.port) as listeners:
            port = listeners[0].getsockname()[1]
            with http_running.announced(places, port):
                _tell(port, token, places)
                anyio.run(_run, listeners, token, places, options, roots)
    return 0


def _named(root: Path | None, places: Places) -> dict[str, Path]:
    """Where to stand for a repository that was named, by its directory; it is registered."""
    if root is None:
        return {}
    return {Workspace.open(root, places).place.directory.name: root.absolute()}


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock ``path``. Raises LockedError that says who holds it."""
    with ExitStack() as held:
        try:
            held.enter_context(locks.exclusive(path))
        except LockedError:
            raise LockedError(
                "http_server_running",
                f"an HTTP server for this data directory already runs{_holder(path)}",
                "use that one: it serves every registered repository; or end it first",
            ) from None
        yield


def _holder(path: Path) -> str:
    try:
        return f" (process {int(path.read_bytes()[:20])})"
    except (OSError, ValueError):
        return ""


def _tell(port: int, token: Path, places: Places) -> None:
    """Say to whoever started it where everything is; never the token."""
    here = f"http://{ADDRESS}:{port}"
    served = [
        f"{here}/{place.directory.name}/mcp serves {folder_of(place)}"
        for place in registered(places)
    ]
    lines = [
        f"serving on {here} (process {os.getpid()}); Ctrl-C ends it",
        f"token in {token}",
        *(served or ["no repository is registered yet: run `citator init` in one"]),
    ]
    sys.stderr.write("".join(f"citator: {inert_line(line)}\n" for line in lines))
    sys.stderr.flush()


def _quieten(debug: bool) -> None:
    """What the libraries log can quote a request: only who asks for it sees that."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Inert("%(levelname)s:%(name)s:%(message)s"))
    logging.basicConfig(level=logging.WARNING if debug else logging.CRITICAL, handlers=[handler])


class _Inert(logging.Formatter):
    """One line a record, however the request it quotes is written; a traceback is set in."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """The line."""
        return inert_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The lines of a traceback."""
        lines = super().formatException(ei).splitlines()
        return "\n".join(f"  {inert_line(line)}" for line in lines)


async def _run(
    listeners: list[socket.socket],
    token: Path,
    places: Places,
    options: Options,
    roots: dict[str, Path],
) -> None:
    report = partial(report_unforeseen, debug=options.debug)
    async with anyio.create_task_group() as tasks:
        house = http_rooms.House(places, options.profile, options.debug, report, roots)
        rooms = http_rooms.Rooms(house, tasks)
        door = http_door.Door(
            listeners[0].getsockname()[1],
            http_door.House(http_token.Doorkeeper(token), rooms.find, report),
        )
        server = _Server(configuration(door), door.close)
        if options.end_with_input:
            threading.Thread(target=server.leave_with_input, daemon=True).start()
        await server.serve(sockets=listeners)
        tasks.cancel_scope.cancel()
    await emptied(rooms.limiter)


def configuration(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn runs ``app``: nothing of a request is logged, and nobody is waited for long."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=http_door.MAX_HEAD_BYTES,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=LEAVING_SECONDS,
    )


class _Server(uvicorn.Server):
    """Ends its requests before it waits for them, and its process by itself at a signal."""

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]) -> None:
        super().__init__(config)
        self._close = close

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave at each signal that asks for it; none is raised again afterwards."""
        wanted = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        former = {one: signal.signal(one, self._leave) for one in wanted}
        try:
            yield
        finally:
            for one, handler in former.items():
                signal.signal(one, handler)

    def _leave(self, number: int, frame: FrameType | None) -> None:
        self.should_exit = True

    def leave_with_input(self) -> None:
        """Wait for the end of standard input, then leave."""
        with suppress(OSError):
            while os.read(0, 4096):
                pass
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening and let nobody hold the process."""
        self._close()
        await super().shutdown(sockets)
