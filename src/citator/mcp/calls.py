"""One call: blocking work in a thread, that ends when its caller gives up or its time is over.

A thread cannot be killed, so ending is asked for: the work runs under a stop that kills the git
processes it started and ends it at its next step. The caller never waits for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from citator.model.errors import RefusedError
from citator.model.stop import Stop, stoppable

T = TypeVar("T")

LEAVING_SECONDS: Final = 1.0


async def answered(work: Callable[[], T], seconds: float, limiter: anyio.CapacityLimiter) -> T:
    """What ``work`` returns. Raises what it raises, and RefusedError ``time_limit``."""
    stop = Stop()

    def run() -> T:
        with stoppable(stop):
            return work()

    try:
        with anyio.move_on_after(seconds):
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=limiter)
    finally:
        stop.request()
    raise RefusedError(
        "time_limit",
        f"The call was stopped after {seconds:g} seconds.",
        "Ask a shorter question, or ask again: the first call after a change is the slowest.",
    )


async def emptied(limiter: anyio.CapacityLimiter) -> None:
    """Wait a moment for work that was asked to end, so that it can collect its processes."""
    with anyio.move_on_after(LEAVING_SECONDS, shield=True):
        while limiter.borrowed_tokens:
            await anyio.sleep(0.005)
