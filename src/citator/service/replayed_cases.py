"""What past fixes gave when they were replayed, kept so that a replay that was killed goes on.

    local/calibration/cases.jsonl   one JSON object a line, one line a case
    local/calibration/lock          held by whoever replays

- A case is bound to what ranked it (:func:`engine`): the signals, the weights, how files are read.
  Cases of another engine are not used, and go with the next replay that ends well.
- A line is one write at the end of the file; one that was torn by a kill does not count.
- Ids and numbers only: no word of a message, no path.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from citator.service.workspace import Workspace
from citator.store import files, locks

FORMAT: Final = 1
FOLDER: Final = "calibration"
NAME: Final = "cases.jsonl"
LOCK: Final = "lock"
TOP: Final = 10
_MOST_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class Case:
    """A past fix, replayed: ``commit``; how many files it changed; the places (from 1) of those
    that were found; how sure the first ten files were, by the curve that is shipped; whether its
    message names a file it changed."""

    commit: str
    gold: int
    places: tuple[int, ...]
    sure: tuple[float, ...]
    named: bool

    def held(self, k: int) -> bool:
        """Whether the first ``k`` files hold every changed file."""
        return sum(place <= k for place in self.places) == self.gold


def engine(*, tests: bool = False) -> str:
    """What ranks here: a digest of the signals, the weights and how files are read."""
    from citator.index.code.store import VERSION as FACTS
    from citator.locate.signals import VERSION as SIGNALS

    weights = (resources.files("citator.locate") / "weights.json").read_bytes()
    said = f"{SIGNALS} {FACTS} {tests}\n".encode() + weights
    return hashlib.sha256(said).hexdigest()[:16]


class Cases:
    """The cases of one clone. Open with :meth:`opened` to add to them."""

    def __init__(self, workspace: Workspace) -> None:
        self._folder = workspace.place.local / FOLDER
        self._path = self._folder / NAME
        self._lock = lock_of(workspace)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Nobody else replays meanwhile. Raises LockedError, StorageError."""
        files.make_directory(self._folder)
        with locks.exclusive(self._lock):
            yield

    def read(self, ranked_by: str) -> dict[str, Case]:
        """The cases that this engine ranked, by commit."""
        found = {}
        for said in self._lines():
            if said.get("engine") == ranked_by and (case := case_of(said)) is not None:
                found[case.commit] = case
        return found

    def add(self, ranked_by: str, case: Case) -> None:
        """Keep a case. Raises StorageError."""
        with files.guarded():
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, b"\n" + _line(ranked_by, case))
            finally:
                os.close(descriptor)

    def keep_only(self, engines: Sequence[str]) -> None:
        """Let go of what other engines ranked. Raises StorageError."""
        kept = {one: self.read(one) for one in engines}
        lines = [_line(one, case) for one, cases in kept.items() for case in cases.values()]
        files.write_atomically(self._path, b"\n".join(lines))

    def forget(self, ranked_by: str) -> None:
        """Let go of what this engine ranked. Raises StorageError."""
        others = {str(said.get("engine")) for said in self._lines()} - {ranked_by}
        self.keep_only(sorted(others))

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            with self._path.open("rb") as file:
                kept = file.read(_MOST_BYTES)
        except OSError:
            return
        for line in kept.split(b"\n"):
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict) and said.get("v") == FORMAT:
                yield said


def _line(ranked_by: str, case: Case) -> bytes:
    said = {"v": FORMAT, "engine": ranked_by, **asdict(case)}
    return json.dumps(said, separators=(",", ":")).encode("ascii")


def case_of(said: dict[str, Any]) -> Case | None:
    """The case of a line; None where it is none."""
    try:
        return Case(
            commit=str(said["commit"]),
            gold=int(said["gold"]),
            places=tuple(int(one) for one in said["places"]),
            sure=tuple(float(one) for one in said["sure"]),
            named=said["named"] is True,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def lock_of(workspace: Workspace) -> Path:
    """The lock that is held while past fixes are replayed."""
    return workspace.place.local / FOLDER / LOCK
