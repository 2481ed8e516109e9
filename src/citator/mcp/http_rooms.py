"""One room for each repository that the HTTP server serves, opened when somebody first asks.

- A room is a path: the name of the repository's directory in the data directory. It lists
  nothing, and what is not registered has none.
- A room has its own sessions and its own keeper; the threads that work are shared by all, and
  so is the turn to build: one index at a time.
- A repository that was forgotten, or that another now stands in the place of, loses its room:
  nothing here registers it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from citator.mcp.desk import Desk
from citator.mcp.keeper import Keeper
from citator.mcp.server import CALLS_AT_ONCE, Service, build_command, make_server
from citator.service.workspace import Places
from citator.store.layout import Layout, RepositoryPlace

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MAX_BODY_BYTES: Final = 1 << 20
MAX_SESSIONS: Final = 256
IDLE_SECONDS: Final = 1800.0


@dataclass(frozen=True)
class House:
    """What all rooms share. ``roots`` says where to stand for those named on the command line."""

    places: Places
    profile: str
    debug: bool
    report: Callable[[Exception], None]
    roots: Mapping[str, Path]


@dataclass(frozen=True)
class Room:
    """An open room: what answers in it, and how to close it."""

    app: ASGIApp
    scope: anyio.CancelScope


class Rooms:
    """Opens rooms in ``tasks`` and finds them again by name."""

    def __init__(self, house: House, tasks: anyio.abc.TaskGroup) -> None:
        self._house = house
        self._layout = Layout(house.places.data)
        self._tasks = tasks
        self._rooms: dict[str, Room] = {}
        self._opening = anyio.Lock()
        self._building = anyio.Lock()
        self.limiter = anyio.CapacityLimiter(CALLS_AT_ONCE + 1)

    async def find(self, name: str) -> ASGIApp | None:
        """What answers in the room called ``name``; None where there is none."""
        room = self._rooms.get(name)
        place = self._layout.named(name)  # one small file: no thread is worth it
        if place is None:
            self._close(name)
            return None
        if room is None:
            async with self._opening:
                room = self._rooms.get(name) or await self._tasks.start(self._keep_open, place)
                self._rooms[name] = room
        return room.app

    def _close(self, name: str) -> None:
        room = self._rooms.pop(name, None)
        if room is not None:
            room.scope.cancel()

    async def _keep_open(
        self, place: RepositoryPlace, *, task_status: anyio.abc.TaskStatus[Room]
    ) -> None:
        """Hold the room of ``place`` open until it or the house is closed."""
        house, name = self._house, place.directory.name
        start = house.roots.get(name, place.common_dir)
        looking = Desk(start, house.places)
        keeper = Keeper(
            lambda: self._layout.named(name) is not None and looking.is_behind(),
            build_command(start, house.places),
            house.report,
            self.limiter,
            turn=self._building,
        )
        desk = Desk(start, house.places, keeper.nudge)
        service = Service(desk, keeper, self.limiter, house.profile, house.debug)
        manager = StreamableHTTPSessionManager(
            make_server(service),
            session_idle_timeout=IDLE_SECONDS,
            max_request_body_size=MAX_BODY_BYTES,
            max_sessions=MAX_SESSIONS,
        )
        with anyio.CancelScope() as scope:
            async with manager.run(), anyio.create_task_group() as tasks:
                tasks.start_soon(keeper.run)
                task_status.started(Room(manager.handle_request, scope))
                await anyio.sleep_forever()
