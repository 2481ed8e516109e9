"""Keeps the index at HEAD while a server runs, without ever making a question wait.

- A check is a few git processes in a thread; building is a process of its own at low priority.
- A check happens at the start, when a question finds the index behind, and at an interval.
- A build that failed is tried again later and later, whatever questions find: another process
  may be building, or the disk may be full.
- When the keeper ends, so does the build it started.
- Keepers that share a ``turn`` build one after the other.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import anyio
import anyio.abc

from citator.mcp.calls import answered

GRACE_SECONDS: Final = 2.0
CHECK_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between checks where nothing asks for one, and the least and most between builds."""

    check: float = 60.0
    least: float = 1.0
    most: float = 600.0


class Keeper:
    """Runs :meth:`run` beside a server; :meth:`nudge` asks for a check now."""

    def __init__(
        self,
        is_behind: Callable[[], bool],
        command: Sequence[str],
        report: Callable[[Exception], None],
        limiter: anyio.CapacityLimiter,
        pace: Pace = Pace(),
        turn: anyio.Lock | None = None,
    ) -> None:
        self._is_behind = is_behind
        self._command = command
        self._report = report
        self._pace = pace
        self._turn = turn or anyio.Lock()
        self._limiter = limiter
        self._nudged = anyio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failures = 0

    @property
    def failing(self) -> bool:
        """Whether the last build failed."""
        return self._failures > 0

    def nudge(self) -> None:
        """Ask for a check soon. Any thread may."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has just ended
                self._loop.call_soon_threadsafe(lambda: self._nudged.set())

    async def run(self) -> None:
        """Check and build until cancelled."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._nudged = anyio.Event()
            self._failures = 0 if await self._brought_up_to_date() else self._failures + 1
            await self._rest()

    async def _brought_up_to_date(self) -> bool:
        """Check, and build if need be. What goes wrong here must not end the server."""
        try:
            behind = await answered(self._is_behind, CHECK_SECONDS, self._limiter)
            return not behind or await self._built_in_turn()
        except Exception as error:
            self._report(error)
            return False

    async def _rest(self) -> None:
        if self._failures:
            await anyio.sleep(min(self._pace.most, self._pace.least * 2 ** min(self._failures, 16)))
            return
        await anyio.sleep(self._pace.least)
        with anyio.move_on_after(self._pace.check):
            await self._nudged.wait()

    async def _built_in_turn(self) -> bool:
        async with self._turn:
            return await self._build()

    async def _build(self) -> bool:
        """Build once. Returns whether it succeeded."""
        with anyio.CancelScope(shield=True):  # or a process could start that nobody knows
            process = await anyio.open_process(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=_quiet_flags(),
            )
        try:
            return await process.wait() == 0
        finally:
            await _end(process)


async def _end(process: anyio.abc.Process) -> None:
    """End ``process`` if it still runs, collect it, and let go of its input."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            process.terminate()
            with anyio.move_on_after(GRACE_SECONDS):
                await process.wait()
        if process.returncode is None:
            process.kill()
        await process.wait()
        if process.stdin is not None:
            await process.stdin.aclose()


def _quiet_flags() -> int:
    """On Windows: no console window, and a priority below what a person works with."""
    if sys.platform != "win32":
        return 0
    return subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
