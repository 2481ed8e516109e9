"""The journal: who changed what and when, append-only and hash-chained; digests, never content.

    journal/000000000001.jsonl   entries 1 to …, one JSON object a line
    journal/000000004097.jsonl   the next; a segment is named after its first entry

- An entry names the digest of the line before it: a line that was changed, taken out or put in is
  found by :meth:`Journal.verify`. What the chain cannot tell is that its end is missing or was
  written anew, from some line to the last: whoever may write the file may do that.
- One line, flushed to the disk under a lock, is one commit: before its line end is on the disk an
  entry does not count. The next writer cuts a torn line off and says so in an entry of its own.
- Pruning is an entry too. It carries the digest of what went and the point from which the chain
  goes on; it is written first, so that a killed pruning is finished by the next.
- An event is a code, a subject a plain token, a digest a SHA-256: there is no room for words.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from citator.model.errors import IntegrityError
from citator.model.plain import is_plain
from citator.store import files, locks

FORMAT: Final = 1
FOLDER: Final = "journal"
SEGMENT_BYTES: Final = 1 << 20
LINE_BYTES: Final = 8_192
MOST_NAMED: Final = 16
START: Final = "0" * 64
PRUNED: Final = "journal_pruned"
RECOVERED: Final = "journal_recovered"

_NAME: Final = re.compile(r"(\d{12})\.jsonl")
_EVENT: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_KEYS: Final = ("v", "n", "previous", "time", "event", "subjects", "digests")
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. ``n`` counts from 1; ``previous`` is the digest of line ``n - 1``.

    ``time`` is UTC to the second, as the writer's clock said; ``subjects`` are plain tokens (ids).
    """

    n: int
    previous: str
    time: str
    event: str
    subjects: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()

    def line(self) -> bytes:
        """The line, without its end: one spelling for one entry."""
        values = (FORMAT, self.n, self.previous, self.time, self.event)
        said = dict(zip(_KEYS, (*values, list(self.subjects), list(self.digests)), strict=True))
        return json.dumps(said, separators=(",", ":")).encode("ascii")

    @property
    def digest(self) -> str:
        """The SHA-256 of the line."""
        return hashlib.sha256(self.line()).hexdigest()


class Fault(StrEnum):
    """What is wrong with an entry."""

    UNREADABLE = "unreadable"
    NUMBER = "number"
    CHAIN = "chain"
    START = "start"


@dataclass(frozen=True, slots=True)
class Broken:
    """The first entry that does not fit: the number it should have, and why."""

    n: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check found: ``first`` to ``last`` are the entries that are there and fit.

    ``head`` is the digest of the last of them; ``torn`` says that a line without its end follows,
    which never counted.
    """

    first: int
    last: int
    head: str
    broken: Broken | None = None
    torn: bool = False


class Journal:
    """The journal in ``folder``, which is made at the first entry."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(
        self, event: str, time: str, *, subjects: Sequence[str] = (), digests: Sequence[str] = ()
    ) -> Entry:
        """Commit one entry; it is on the disk when this returns.

        Waits for other writers. Raises ValueError for what may not stand in an entry, StorageError,
        and IntegrityError ``journal_broken`` where the last line is no entry.
        """
        _require_sayable(event, time, subjects, digests)
        files.make_directory(self.folder)
        with self._locked():
            self._recover(time)
            return self._commit(event, time, subjects, digests)

    def newest(self, limit: int = 100, before: int | None = None) -> list[Entry]:
        """At most ``limit`` entries, the newest first; those numbered below ``before``.

        Lines that are no entries are left out: :meth:`verify` says which.
        """
        found: list[Entry] = []
        for first, path in reversed(self._segments()):
            if len(found) >= limit:
                break
            if before is None or first < before:
                entries = [one for line in _lines(path) if (one := _read(line)) is not None]
                wanted = [one for one in entries if before is None or one.n < before]
                found += reversed(wanted)
        return found[:limit]

    def entries(self) -> list[Entry]:
        """Every entry, the oldest first, for whoever makes a state of them.

        Raises IntegrityError ``journal_broken`` where they are not one chain from its start.
        """
        found: list[Entry] = []
        number, previous = 1, START
        for _, path in self._segments():
            for line in _lines(path):
                entry = _read(line)
                if entry is None or _fault(entry, number, previous) is not None:
                    raise _broken()
                found.append(entry)
                number, previous = number + 1, hashlib.sha256(line).hexdigest()
        return found

    def verify(self) -> Verified:
        """Check every line and the chain; says the first entry that does not fit."""
        if not self.folder.is_dir():
            return Verified(1, 0, START)
        with self._locked():
            torn = any(_torn(path) for _, path in self._segments())
            return self._verified(torn)

    def prune(self, before: int, time: str) -> Entry | None:
        """Delete the whole segments that hold only entries below ``before``.

        Returns the entry that says so, None where there is nothing to delete. Raises
        IntegrityError where the journal does not verify: what is broken is not thrown away.
        """
        if not self.folder.is_dir():
            return None
        with self._locked():
            self._recover(time)
            found = self._verified(torn=False)
            if found.broken is not None:
                raise _broken()
            self._finish_pruning()
            segments = self._segments()
            gone = [path for (_, path), (following, _) in pairwise(segments) if following <= before]
            if not gone:
                return None
            whole, last = hashlib.sha256(), b""
            for path in gone:
                for line in _lines(path):
                    whole.update(line + b"\n")
                    last = line
            through = _sure(last)
            digests = (through.digest, whole.hexdigest())
            said = self._commit(PRUNED, time, (str(through.n),), digests)
            self._finish_pruning()
            return said

    def _locked(self) -> Any:
        return locks.exclusive(self.folder / "lock", wait=True)

    def _segments(self) -> list[tuple[int, Path]]:
        """The segments by the number of their first entry, oldest first."""
        found = []
        with files.guarded(), suppress(FileNotFoundError, NotADirectoryError):
            for path in self.folder.iterdir():
                name = _NAME.fullmatch(path.name)
                if name and not path.is_symlink() and path.is_file():
                    found.append((int(name[1]), path))
        return sorted(found)

    def _recover(self, time: str) -> None:
        """Cut off a line that was torn, and say so."""
        segments = self._segments()
        if not segments:
            return
        path = segments[-1][1]
        tail = _torn(path)
        if len(tail) >= LINE_BYTES:  # no line of ours is that long
            raise _broken()
        if tail:
            with files.guarded():
                _cut(path, _size(path) - len(tail))
            self._commit(RECOVERED, time, (), (hashlib.sha256(tail).hexdigest(),))

    def _commit(
        self, event: str, time: str, subjects: Sequence[str], digests: Sequence[str]
    ) -> Entry:
        segments = self._segments()
        last = _last(segments[-1][1]) if segments else None
        if last is None and len(segments) > 1:  # a segment was made, and its first line was torn
            last = _last(segments[-2][1])
        if last is None and segments and segments[-1][0] != 1:
            raise _broken()
        number, previous = (last.n + 1, last.digest) if last is not None else (1, START)
        entry = Entry(number, previous, time, event, tuple(subjects), tuple(digests))
        path = segments[-1][1] if segments else None
        if path is None or _size(path) >= SEGMENT_BYTES:
            path = self.folder / f"{number:012}.jsonl"
        files.append(path, entry.line() + b"\n")
        return entry

    def _finish_pruning(self) -> None:
        """Delete the segments that an entry says are gone, oldest first."""
        through = max((through for through, _ in self._said_pruned()), default=0)
        segments = self._segments()
        for (_, path), (following, _) in pairwise(segments):
            if following <= through + 1:
                with suppress(OSError):  # one that is open on Windows goes the next time
                    path.unlink()

    def _said_pruned(self) -> Iterator[tuple[int, str]]:
        """Through which entry the journal was pruned, and the digest of that entry."""
        for _, path in self._segments():
            for line in _lines(path):
                entry = _read(line) if PRUNED.encode() in line else None
                if entry is not None and entry.event == PRUNED:
                    yield int(entry.subjects[0]), entry.digests[0]

    def _verified(self, torn: bool) -> Verified:
        pruned = dict(self._said_pruned())
        first, number, previous = 1, 1, START
        for _, path in self._segments():
            for line in _lines(path):
                entry = _read(line)
                fault = _fault(entry, number, previous)
                if fault is not None and number == 1 and entry is not None and entry.n > 1:
                    first = entry.n
                    fault = _fault_of_start(entry, pruned)
                known = entry is not None and pruned.get(entry.n, entry.digest) == entry.digest
                if fault is None and not known:
                    fault = Fault.CHAIN
                if fault is not None or entry is None:
                    broken = Broken(number, fault or Fault.UNREADABLE)
                    return Verified(first, number - 1, previous, broken, torn)
                number, previous = entry.n + 1, entry.digest
        return Verified(first, number - 1, previous, None, torn)


def _fault(entry: Entry | None, number: int, previous: str) -> Fault | None:
    if entry is None:
        return Fault.UNREADABLE
    if entry.n != number:
        return Fault.NUMBER
    return Fault.CHAIN if entry.previous != previous else None


def _fault_of_start(entry: Entry, pruned: dict[int, str]) -> Fault | None:
    """Whether a chain may begin with ``entry``: where an entry says that what came before went."""
    if entry.n - 1 in pruned:
        return None if pruned[entry.n - 1] == entry.previous else Fault.CHAIN
    return None if entry.n <= max(pruned, default=0) else Fault.START


def _require_sayable(
    event: str, time: str, subjects: Sequence[str], digests: Sequence[str]
) -> None:
    if not _is_sayable(event, time, subjects, digests):
        raise ValueError("an entry holds a code, a time, plain tokens and digests, and not many")


def _is_sayable(
    event: object, time: object, subjects: Sequence[Any], digests: Sequence[Any]
) -> bool:
    return (
        isinstance(event, str)
        and isinstance(time, str)
        and _EVENT.fullmatch(event) is not None
        and _TIME.fullmatch(time) is not None
        and max(len(subjects), len(digests)) <= MOST_NAMED
        and all(isinstance(one, str) and is_plain(one) for one in subjects)
        and all(isinstance(one, str) and _DIGEST.fullmatch(one) is not None for one in digests)
    )


def _read(line: bytes) -> Entry | None:
    """The entry of a line, None where it is none of ours to the byte."""
    try:
        said = json.loads(line)
        if not isinstance(said, dict) or tuple(said) != _KEYS:
            return None
        n, previous, subjects, digests = (said[k] for k in ("n", "previous", "subjects", "digests"))
        if type(n) is not int or not isinstance(subjects, list) or not isinstance(digests, list):
            return None
        if not _is_sayable(said["event"], said["time"], subjects, digests):
            return None
        if not isinstance(previous, str) or not _DIGEST.fullmatch(previous):
            return None
        entry = Entry(n, previous, said["time"], said["event"], tuple(subjects), tuple(digests))
    except (ValueError, RecursionError):
        return None
    return entry if entry.line() == line and _is_whole(entry) else None


def _is_whole(entry: Entry) -> bool:
    if entry.event != PRUNED:
        return entry.n >= 1
    subject = entry.subjects[0] if len(entry.subjects) == 1 else ""
    return len(entry.digests) == 2 and subject.isascii() and subject.isdigit()


def _sure(line: bytes) -> Entry:
    entry = _read(line)
    if entry is None:
        raise _broken()
    return entry


def _broken() -> IntegrityError:
    return IntegrityError(
        "journal_broken",
        "the journal of this repository is not what was written there",
        "run `citator verify` to see from which entry on; move the folder `journal` aside to go on"
        " with a new one",
    )


def _lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a segment, without their ends; one that is too long comes in pieces."""
    with files.guarded(), path.open("rb") as file:
        while line := file.readline(LINE_BYTES):
            if line.endswith(b"\n"):
                yield line[:-1]
            elif len(line) == LINE_BYTES:
                yield line


def _last(path: Path) -> Entry | None:
    """The last entry of a segment, None where it has no line. Raises IntegrityError."""
    with files.guarded(), path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LINE_BYTES))
        lines = file.read().splitlines()
    return _sure(lines[-1]) if lines else None


def _torn(path: Path) -> bytes:
    """What stands after the last line end of a segment (of it, as much as a line may have)."""
    with files.guarded(), path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LINE_BYTES))
        tail = file.read()
    return tail[tail.rfind(b"\n") + 1 :]


def _size(path: Path) -> int:
    with files.guarded():
        return path.stat().st_size


def _cut(path: Path, size: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | _NO_LINK)
    try:
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
