"""Delete what this machine keeps about a repository: listed first, never anything outside.

What is derived comes back with the next question. What is local (notes and the like) does not,
and is said so before anything is deleted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citator.service import replayed_cases
from citator.service.workspace import Workspace
from citator.store import files, locks
from citator.team.local_ledger import LOCK


@dataclass(frozen=True, slots=True)
class Belonging:
    """One thing that would be deleted: where, how many bytes, whether it can be made again."""

    path: Path
    bytes: int
    derived: bool


def plan(workspace: Workspace) -> tuple[Belonging, ...]:
    """What this machine keeps about the repository, without registering it. Empty: nothing."""
    place = workspace.layout.known(workspace.repository.common_dir)
    if place is None or not place.directory.is_dir():
        return ()
    found = [
        Belonging(path, files.usage(path), derived=path == place.derived)
        for path in (place.local, place.derived)
        if path.is_dir()
    ]
    listed = sum(item.bytes for item in found)
    rest = max(0, files.usage(place.directory) - listed)
    return (Belonging(place.directory, rest, derived=True), *found)


def carry_out(workspace: Workspace) -> int:
    """Delete what :func:`plan` lists. Returns the bytes freed. Raises LockedError, StorageError."""
    belongings = plan(workspace)
    if belongings:
        _require_nobody_writing(workspace)
        workspace.layout.remove(belongings[0].path)
    return sum(item.bytes for item in belongings)


def _require_nobody_writing(workspace: Workspace) -> None:
    """Raises LockedError where another process builds the index, watches to, or replays fixes."""
    place = workspace.place
    replays = replayed_cases.lock_of(workspace)
    kept = sorted(place.local.glob(f"*/{LOCK}"))  # of notes, sessions and the like
    for lock in (place.index_lock, place.watch_lock, place.record_lock, replays, *kept):
        if lock.exists():
            with locks.exclusive(lock):
                pass
