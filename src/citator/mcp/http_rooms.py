"""One room for each repository that the HTTP server serves, opened when somebody first asks.

- A room is a path: the name of the repository's directory in the data directory. It lists
  nothing, and what is not registered has none.
- A room has its own sessions and its own keeper; the threads that work are shared by all, and
  so is the turn to build: one index at a time.
- A repository that was forgotten loses its room: nothing here registers it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc
import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from citator.mcp.desk import Desk
from citator.mcp.keeper import Keeper
from citator.mcp.server import CALLS_AT_ONCE, Service, build_command, make_server
from citator.service.registered import registered
from citator.service.workspace import Places
from citator.store.layout import DESCRIPTION, RepositoryPlace

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
    place: RepositoryPlace
    scope: anyio.CancelScope

    @property
    def registered(self) -> bool:
        """Whether the repository is still known. One look at the disk."""
        return is_registered(self.place)


class Rooms:
    """Opens rooms in ``tasks`` and finds them again by name."""

    def __init__(self, house: House, tasks: anyio.abc.TaskGroup) -> None:
        self._house = house
        self._tasks = tasks
        self._rooms: dict[str, Room] = {}
        self._opening = anyio.Lock()
        self._building = anyio.Lock()
        self.limiter = anyio.CapacityLimiter(CALLS_AT_ONCE + 1)

    async def find(self, name: str) -> ASGIApp | None:
        """What answers in the room called ``name``; None where there is none."""
        room = self._rooms.get(name)
        if room is None or not room.registered:
            async with self._opening:
                room = await self._opened(name)
        return None if room is None else room.app

    async def _opened(self, name: str) -> Room | None:
        room = self._rooms.get(name)
        if room is not None and room.registered:
            return room
        if room is not None:
            room.scope.cancel()
            del self._rooms[name]
        place = await anyio.to_thread.run_sync(self._look_up, name)
        if place is None:
            return None
        opened: Room = await self._tasks.start(self._keep_open, place)
        self._rooms[name] = opened
        return opened

    def _look_up(self, name: str) -> RepositoryPlace | None:
        known = registered(self._house.places)
        return next((place for place in known if place.directory.name == name), None)

    async def _keep_open(
        self, place: RepositoryPlace, *, task_status: anyio.abc.TaskStatus[Room]
    ) -> None:
        """Hold the room of ``place`` open until it or the house is closed."""
        house = self._house
        start = house.roots.get(place.directory.name, place.common_dir)
        looking = Desk(start, house.places)
        keeper = Keeper(
            lambda: is_registered(place) and looking.is_behind(),
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
                task_status.started(Room(manager.handle_request, place, scope))
                await anyio.sleep_forever()


def is_registered(place: RepositoryPlace) -> bool:
    """Whether the directory of ``place`` still says what it is."""
    return (place.directory / DESCRIPTION).exists()
