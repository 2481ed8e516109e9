"""Who keeps the events of a process: the log of the data directory, opened when it is needed.

- ``CITATOR_LOG`` says how much: ``off``, ``error`` (the default) or ``debug``.
- An error alone makes no directory and costs nothing before it happens; ``debug`` makes one.
- What a log cannot be kept for (a full disk, a newer version's directory) is kept nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citator.model.errors import CitatorError
from citator.model.trace import Fact, Level

if TYPE_CHECKING:
    from citator.store.log import Log

VARIABLE: Final = "CITATOR_LOG"


def level_of(environ: Mapping[str, str]) -> Level:
    """What the environment asks for; what it does not name counts as ``debug``."""
    asked = environ.get(VARIABLE, "").strip().lower()
    if asked in ("", "error"):
        return Level.ERROR
    return Level.OFF if asked in ("off", "0") else Level.DEBUG


@dataclass
class EventLog:
    """A sink (:mod:`citator.model.trace`). ``data`` says where the data directory is, on demand.

    ``clock`` gives Unix seconds, ``ticks`` seconds for durations; ``command`` is named in each
    line.
    """

    level: Level
    data: Callable[[], Path]
    clock: Callable[[], float]
    ticks: Callable[[], float]
    command: str
    _log: Log | None = field(default=None, init=False)

    def monotonic(self) -> float:
        """Seconds, for durations."""
        return self.ticks()

    def keep(self, level: Level, event: str, facts: Mapping[str, Fact]) -> None:
        """Keep one event."""
        with suppress(CitatorError):
            if self._log is None:
                self._log = self._opened()
            self._log.keep(level, event, facts)

    def _opened(self) -> Log:
        from citator.store.log import Log

        return Log(
            self.data(),
            self.level,
            self.clock,
            self.ticks,
            make=self.level is Level.DEBUG,
            always={"command": self.command},
        )
