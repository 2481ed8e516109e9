"""Telling a client that asked for it that a long call still goes on.

A beat a second: how many seconds have passed, how many the call may take, and which of our own
words says what is being done. A call that is quick says nothing, and nothing comes after the
answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import anyio

T = TypeVar("T")

BEAT_SECONDS: Final = 1.0
ANSWERING: Final = "looking for the answer"
INDEXING: Final = "this history is being indexed for the first time"

Report = Callable[[float, float, str], Awaitable[None]]
Work = Callable[["Pulse"], Awaitable[T]]


class Pulse:
    """What a call is doing now, and whether anybody listens."""

    def __init__(self, heard: bool) -> None:
        self.heard = heard
        self.doing = ANSWERING


async def accompanied(
    work: Work[T], report: Report | None, most: float, beat: float = BEAT_SECONDS
) -> T:
    """What ``work`` returns or raises; while it runs, ``report`` is told (passed, most, doing)."""
    pulse = Pulse(report is not None)
    if report is None:
        return await work(pulse)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_beat, report, pulse, most, beat)
        try:
            return await work(pulse)
        except Exception as error:
            failure = error  # raised outside: a group would wrap it
        finally:
            tasks.cancel_scope.cancel()
    raise failure


async def _beat(report: Report, pulse: Pulse, most: float, beat: float) -> None:
    passed = 0.0
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # nobody listens any more
        while passed + beat < most:
            await anyio.sleep(beat)
            passed += beat
            await report(passed, most, pulse.doing)
