"""Locks between processes, held on an open file by the operating system.

- A lock ends with the process that holds it, however it ends: there is no stale lock.
- Exclusive locks name their holder's process id in the file, for the message alone.
- A shared lock says "I still read this". Windows has none for files, but there a file that is
  open cannot be deleted, so that holding it open says the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citator.model.errors import LockedError
from citator.store.files import guarded

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks bytes, and a locked byte cannot be read: lock one far behind the process id.
_FAR = 1 << 30


@contextmanager
def exclusive(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock file ``path`` for the block.

    Raises LockedError where another process holds it; with ``wait``, waits until it is free.
    """
    with guarded():
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _take(descriptor, wait=wait):
            raise _held_by(descriptor)
        try:
            _sign(descriptor)
            yield
        finally:
            _release(descriptor)
    finally:
        os.close(descriptor)


def _sign(descriptor: int) -> None:
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, b"%d\n" % os.getpid())


def _held_by(descriptor: int) -> LockedError:
    holder = ""
    with suppress(OSError, ValueError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        holder = f" (process {int(os.read(descriptor, 20))})"
    return LockedError(
        "index_locked",
        f"another process is writing this repository's data{holder}",
        "wait for it to end and run the same command again",
    )


class SharedLock:
    """A shared lock on an existing file, until :meth:`release`. Never waits, never fails.

    ``held`` says whether the system granted it.
    """

    def __init__(self, path: Path) -> None:
        self.held = False
        self._descriptor: int | None = None
        with suppress(OSError):
            self._descriptor = os.open(path, os.O_RDONLY)
            if sys.platform != "win32":
                fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            self.held = True

    def release(self) -> None:
        """Give the lock back; more than once is fine."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self.held = False


def in_use(path: Path) -> bool:
    """Whether somebody holds a shared lock on the file ``path``.

    On Windows nobody seems to; deleting the file then fails.
    """
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _take(descriptor: int, *, wait: bool) -> bool:
    if sys.platform == "win32":
        while True:
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if wait:
                    continue
                return False
            return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _release(descriptor: int) -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
