"""How every note stands, kept so that its journal is read once: ``derived/notes.json``, disposable.

- No words are kept: ids, digests, times and counts. What is told of a note is read from its own
  file each time, so that what was removed is nowhere else.
- It holds for the journal whose segments have these names, sizes and times; where they are other
  ones it is made anew. Of a file that was read before, what it weighs is taken over by its digest.
- While the words of a note cannot be read nothing is kept: they may come back.
- Its first line is the digest of the rest. What is damaged, or of another version, is as if it
  were not there; what cannot be kept is not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from citator.model.errors import StorageError
from citator.store import files

FILE: Final = "notes.json"
FORMAT: Final = 1
MAX_BYTES: Final = 64 << 20

Weight = tuple[bool, int]
Key = list[list[str | int]]


class Standing(NamedTuple):
    """One note: its ``changes`` that stand, each as five words (n, event, time, channel, digest or
    "-"), all in one text that is read where it is wanted; and what they add up to.

    ``confirmed`` is in Unix seconds; ``typed`` and ``files`` are what the words of ``digest``
    weigh, ``typed`` is None where they cannot be read.
    """

    id: str
    taken_back: bool
    digest: str
    confirmed: int
    times: int
    typed: bool | None
    files: int
    changes: str


class Kept:
    """What is kept at ``path`` of the notes whose journal is in ``journal``."""

    def __init__(self, path: Path, journal: Path) -> None:
        self.path, self._journal = path, journal

    def read(self) -> list[Standing] | None:
        """Every note as it stands; None where what is kept is not of this journal."""
        known, found = self._load()
        return found if known == self._key() else None

    def renew(self, made: Callable[[Mapping[str, Weight]], list[Standing]]) -> list[Standing]:
        """What is kept, or else what ``made`` says, kept for the next: it is handed the weights
        that are known by the digest of their file. Raises as it does."""
        key = self._key()  # before the journal is read: what is written meanwhile is not of it
        known, found = self._load()
        if known == key:
            return found
        new = made({one.digest: (bool(one.typed), one.files) for one in found})
        if all(one.typed is not None for one in new):
            self._keep(key, new)
        else:
            self.destroy()
        return new

    def destroy(self) -> None:
        """Take away what is kept."""
        with suppress(OSError):
            self.path.unlink()

    def _key(self) -> Key:
        with suppress(OSError):
            there = sorted(self._journal.glob("*.jsonl"))
            facts = [(one.name, one.stat()) for one in there]
            return [[name, stat.st_size, stat.st_mtime_ns] for name, stat in facts]
        return []

    def _load(self) -> tuple[Any, list[Standing]]:
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            with self.path.open("rb") as file:
                digest, _, raw = file.read(MAX_BYTES).partition(b"\n")
            said = json.loads(raw) if hashlib.sha256(raw).hexdigest().encode() == digest else {}
            if said.get("v") == FORMAT:
                return said["of"], [Standing._make(one) for one in said["notes"]]
        return None, []

    def _keep(self, key: Key, new: list[Standing]) -> None:
        said = {"v": FORMAT, "of": key, "notes": new}
        raw = json.dumps(said, separators=(",", ":")).encode("ascii")
        with suppress(StorageError, OSError):
            files.make_directory(self.path.parent)
            digest = hashlib.sha256(raw).hexdigest().encode()
            files.write_atomically(self.path, digest + b"\n" + raw)
