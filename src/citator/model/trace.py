"""What happened, told to whoever keeps a log: events in our own words, never the repository's.

- Work runs under at most one :class:`Sink`, found like :mod:`citator.model.stop`'s; where there
  is none, telling costs a look and nothing is kept.
- An event is a name of ours and facts: numbers, truth values, and plain tokens. Any other text
  is withheld, and only its length is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Protocol

from citator.model.plain import is_plain

Fact = str | int | float | bool | None


class Level(IntEnum):
    """How much is told: nothing, failures, or every step."""

    OFF = 0
    ERROR = 1
    DEBUG = 2


class Sink(Protocol):
    """Keeps events. It has the clock; nothing that it does may fail."""

    @property
    def level(self) -> Level: ...

    def monotonic(self) -> float:
        """Seconds, for durations."""
        ...

    def keep(self, level: Level, event: str, facts: Mapping[str, Fact]) -> None: ...


_SINK: ContextVar[Sink | None] = ContextVar("citator_trace", default=None)


@contextmanager
def told_to(sink: Sink | None) -> Iterator[None]:
    """Tell ``sink`` what happens in this block and what it calls."""
    token = _SINK.set(sink)
    try:
        yield
    finally:
        _SINK.reset(token)


def tell(event: str, level: Level = Level.DEBUG, **facts: Fact) -> None:
    """Tell that ``event`` happened."""
    sink = _SINK.get()
    if sink is not None and sink.level >= level:
        sink.keep(level, event, {name: _safe(fact) for name, fact in facts.items()})


@contextmanager
def timed(event: str, **facts: Fact) -> Iterator[dict[str, Fact]]:
    """Tell, when the block ends, that ``event`` took so many ``ms``; the block may add facts."""
    sink = _SINK.get()
    added: dict[str, Fact] = dict(facts)
    if sink is None or sink.level < Level.DEBUG:
        yield added
        return
    start = sink.monotonic()
    try:
        yield added
    except BaseException as error:
        added["raised"] = getattr(error, "code", None) or type(error).__name__
        raise
    finally:
        added["ms"] = round((sink.monotonic() - start) * 1000, 1)
        tell(event, Level.DEBUG, **added)


def _safe(fact: Fact) -> Fact:
    if isinstance(fact, str) and not is_plain(fact):
        return f"withheld:{len(fact)}"
    return fact
