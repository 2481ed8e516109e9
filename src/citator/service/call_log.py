"""How calls of tools went, on this machine: which tool, when, how long, how much came back, which
error. No argument and no word of an answer is kept, and nothing leaves the machine.

    local/statistics/calls.jsonl

- Whoever calls is never stopped by it: what cannot be kept is not kept.
- Only a repository that is registered keeps any: to count a call registers nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from citator.git import repository
from citator.model.errors import CitatorError
from citator.model.utc import utc_text
from citator.service.workspace import Places
from citator.store import lines
from citator.store.layout import Layout

FOLDER: Final = "statistics"
FILE: Final = "calls.jsonl"
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Call:
    """One call: ``milliseconds`` it took, ``size`` of its answer in bytes, the ``error`` code."""

    tool: str
    time: str
    milliseconds: float
    size: int
    error: str | None = None


@dataclass
class CallLog:
    """Keeps the calls about the repository that holds ``start``."""

    start: Path
    places: Places
    _common: Path | None = field(default=None, init=False)

    def keep(
        self, tool: str, moment: float, seconds: float, size: int, error: str | None = None
    ) -> None:
        """Keep one call, made at ``moment`` (Unix seconds). Raises nothing."""
        with suppress(CitatorError, OSError, ValueError):
            if self._common is None:
                self._common = repository.discover(self.start).common_dir
            place = Layout(self.places.data).known(self._common)
            if place is None:
                return
            time = utc_text(int(moment))
            row = {"v": FORMAT, "t": time, "tool": tool, "ms": round(seconds * 1000, 1)}
            row |= {"size": size} if error is None else {"size": size, "error": error}
            lines.append(place.local / FOLDER / FILE, [row])


def calls(local: Path, since: str) -> Iterator[Call]:
    """The calls from ``since`` on (UTC), oldest first; what is no line of ours is left out.

    Raises StorageError.
    """
    for line in lines.read(local / FOLDER / FILE):
        tool, time, spent = line.get("tool"), line.get("t"), line.get("ms")
        size, error = line.get("size"), line.get("error")
        if line.get("v") != FORMAT or not isinstance(tool, str) or not isinstance(time, str):
            continue
        if not isinstance(spent, int | float) or not isinstance(size, int) or time < since:
            continue
        yield Call(tool, time, float(spent), size, error if isinstance(error, str) else None)
