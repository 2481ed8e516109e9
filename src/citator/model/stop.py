"""Asking work to end: a caller gave up, or its time is over.

- Work runs under at most one :class:`Stop`, found by :func:`current`; where there is none,
  nothing is ever stopped.
- What holds a process registers how to end it; stopping ends each exactly once, from whichever
  thread asked, and whatever registers too late is ended at once.
- Work that reaches :func:`checkpoint` after that raises :class:`Stopped`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from citator.model.errors import RefusedError


class Stopped(RefusedError):  # noqa: N818 - a fact about this call, not a fault
    """The work was asked to end before it had an answer."""

    def __init__(self) -> None:
        super().__init__("stopped", "The call was ended before it had an answer.", "Ask again.")


class Stop:
    """One call's request to end. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._endings: dict[object, Callable[[], object]] = {}

    @property
    def requested(self) -> bool:
        """Whether the work was asked to end."""
        return self._requested

    def request(self) -> None:
        """Ask the work to end, and end what it registered."""
        with self._lock:
            self._requested = True
            endings = list(self._endings.values())
            self._endings.clear()
        for end in endings:
            end()

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """While this is open, a request to stop calls ``end`` (once; it must not raise)."""
        key = object()
        with self._lock:
            late = self._requested
            if not late:
                self._endings[key] = end
        if late:
            end()
        try:
            yield
        finally:
            with self._lock:
                self._endings.pop(key, None)


_CURRENT: ContextVar[Stop | None] = ContextVar("citator_stop", default=None)


def current() -> Stop | None:
    """The stop that this work runs under, if any."""
    return _CURRENT.get()


def checkpoint() -> None:
    """Go on, or raise :class:`Stopped` where the work was asked to end."""
    stop = _CURRENT.get()
    if stop is not None and stop.requested:
        raise Stopped


@contextmanager
def stoppable(stop: Stop) -> Iterator[None]:
    """Run the work in this block (and what it calls) under ``stop``."""
    token = _CURRENT.set(stop)
    try:
        yield
    finally:
        _CURRENT.reset(token)
