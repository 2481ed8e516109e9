"""The claims that one clone knows: its own, and what a sync brought. Worktrees share them.

    claims/<id>.json     one claim, as it stands
    claims/state         the last sync: when, and what could not be read there
    claims/lock          one writer at a time; readers need none

- A file is replaced whole: a reader, and whoever comes after a killed writer, sees one spelling or
  the other.
- What is over is kept until no spelling of it can count: a copy that comes back is known then.
- A file that is no claim is told, and the others stay readable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from citator.store import files, locks
from citator.team.claims import MOST_BYTES, Claim, parse, taken_in

FOLDER: Final = "claims"
STATE: Final = "state"
LOCK: Final = "lock"
SUFFIX: Final = ".json"
MOST_KEPT: Final = 2_000
STATE_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Synced:
    """The last sync: when (UTC), and how many files there were no claims of ours to read."""

    time: str
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims in ``local``, the directory of what one clone keeps."""

    local: Path

    @property
    def folder(self) -> Path:
        """Where they lie. Made at the first change."""
        return self.local / FOLDER

    def all(self) -> tuple[dict[str, Claim], int]:
        """Every claim by its id, and how many files are none. Raises StorageError."""
        found: dict[str, Claim] = {}
        unreadable = 0
        for path in self._paths():
            claim = _read(path)
            if claim is None:
                unreadable += path.exists()
            else:
                found[claim.id] = claim
        return found, unreadable

    def synced(self) -> Synced | None:
        """The last sync, None where there was none."""
        try:
            said = json.loads((self.folder / STATE).read_bytes()[:MOST_BYTES])
            if said["v"] != STATE_FORMAT:
                return None
            return Synced(str(said["time"])[:20], int(said["unreadable"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The one writer, for the block; waits for others. Raises StorageError."""
        files.make_directory(self.folder)
        with locks.exclusive(self.folder / LOCK, wait=True):
            yield Writer(self)

    def place(self, id: str) -> Path:
        """Where the claim of that id lies."""
        return self.folder / f"{id}{SUFFIX}"

    def _paths(self) -> list[Path]:
        try:
            names = sorted(one for one in self.folder.iterdir() if one.suffix == SUFFIX)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise files.storage_error(error) from error
        return [one for one in names if not one.name.startswith(".")][:MOST_KEPT]


@dataclass(frozen=True, slots=True)
class Writer:
    """Changes claims while it holds them."""

    claims: Claims

    def put(self, claim: Claim) -> Claim:
        """Keep it, on the disk when this returns."""
        raw = claim.rendered(shared=False)
        assert parse(raw) == claim, "a claim of ours is one"
        files.write_atomically(self.claims.place(claim.id), raw)
        return claim

    def take_in(self, met: Claim, now: int) -> bool:
        """Take in what came from elsewhere; whether that changed anything. What can no longer count
        is not taken in."""
        known = _read(self.claims.place(met.id))
        kept = taken_in(known, met)
        if kept == known or (known is None and met.is_forgotten(now)):
            return False
        self.put(kept)
        return True

    def tidy(self, now: int) -> None:
        """Mark what has ended by ``now``, and take away what nobody can bring back."""
        for id, claim in self.claims.all()[0].items():
            if claim.is_forgotten(now):
                with files.guarded(), suppress(FileNotFoundError):
                    self.claims.place(id).unlink()
            elif now >= claim.expires and not claim.lapsed:
                self.put(replace(claim, lapsed=True))

    def note_sync(self, synced: Synced) -> None:
        """Remember the last sync."""
        said = {"v": STATE_FORMAT, "time": synced.time, "unreadable": synced.unreadable}
        files.write_atomically(self.claims.folder / STATE, json.dumps(said).encode() + b"\n")


def _read(path: Path) -> Claim | None:
    try:
        if path.is_symlink():
            return None
        with path.open("rb") as file:
            claim = parse(file.read(MOST_BYTES + 1))
    except OSError:
        return None
    return claim if claim is not None and f"{claim.id}{SUFFIX}" == path.name else None
