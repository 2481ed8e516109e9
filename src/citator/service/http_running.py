"""Where the HTTP server of this data directory runs, for whoever wants to call it.

The port lies in a file that its owner alone can write, and counts only while the server holds
its lock: an address that somebody else wrote down is never called in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from citator.model.errors import LockedError
from citator.service.workspace import Places
from citator.store import files, locks

_MOST: Final = 65_535


def lock_of(places: Places) -> Path:
    """The lock that the server holds while it runs."""
    return places.data / "http.lock"


@contextmanager
def announced(places: Places, port: int) -> Iterator[None]:
    """Let others find the server at ``port`` for the block. Raises StorageError."""
    path = _port_file(places)
    files.write_atomically(path, b"%d\n" % port)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def running_port(places: Places) -> int | None:
    """The port of the server that runs now; None where none does."""
    if not _runs(lock_of(places)):
        return None
    try:
        port = int(_port_file(places).read_bytes()[:8])
    except (OSError, ValueError):
        return None
    return port if 0 < port <= _MOST else None


def _runs(lock: Path) -> bool:
    """Whether somebody holds ``lock``; it is held for a moment to find out."""
    if not lock.exists():
        return False
    try:
        with locks.exclusive(lock):
            return False
    except LockedError:
        return True


def _port_file(places: Places) -> Path:
    return places.data / "http-port"
