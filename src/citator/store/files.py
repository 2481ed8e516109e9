"""Files that are whole or not there, and trees that nobody else may read.

- A write is a temporary file in the same directory, flushed to the disk and renamed: a reader
  sees the old bytes or the new ones, after a crash too.
- What is made here is the owner's alone (0700 and 0600 where the system has such modes).
- A full or read-only disk is a :class:`StorageError`; half-written files are taken away.
- A removal stays inside the directory it was given and never follows a link out of it.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from citator.model.errors import RefusedError, StorageError

UNFINISHED = ".new"

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR})
_UNLINKABLE = frozenset(
    {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
)


def storage_error(error: OSError) -> StorageError:
    """What ``error`` means to a person: the disk is full, not ours to write, or broken."""
    if error.errno in _FULL:
        return StorageError(
            "disk_full",
            "the disk that holds the data directory is full",
            "free some space and run the same command again; what was there before still works",
        )
    if error.errno in _REFUSED:
        return StorageError(
            "data_directory_not_writable",
            "the data directory cannot be written by this user",
            "run `citator doctor` to see where it is; CITATOR_DATA_DIR names another place",
        )
    reason = errno.errorcode.get(error.errno or 0, "unknown")
    return StorageError(
        "storage_failed",
        f"the data directory could not be read or written ({reason})",
        "run `citator doctor` to see where it is and whether it is healthy",
    )


@contextmanager
def guarded() -> Iterator[None]:
    """Turn an OSError of the block into a :class:`StorageError`."""
    try:
        yield
    except OSError as error:
        raise storage_error(error) from error


def make_directory(path: Path) -> None:
    """Make ``path`` and what is missing above it, readable by the owner alone."""
    with guarded():
        missing = [path, *path.parents]
        missing = missing[: next((i for i, one in enumerate(missing) if one.is_dir()), 0)]
        for one in reversed(missing):
            with suppress(FileExistsError):
                one.mkdir(mode=0o700)


def keep_newest(folder: Path, pattern: str, count: int) -> None:
    """Take away the files of ``pattern`` but the ``count`` that were changed last.

    Nothing is raised: what cannot be taken away, or goes meanwhile, is left to the next time.
    """
    with suppress(OSError):
        kept = sorted(folder.glob(pattern), key=lambda one: one.stat().st_mtime_ns)
        for old in kept[:-count]:
            with suppress(OSError):
                old.unlink()


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace ``path`` with ``data``, durably. Raises StorageError; the old bytes stay then.

    ``mode`` gives the file other permissions than its owner's alone (where the system has such).
    """
    with replacing(path, mode) as file:
        file.write(data)


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path``, durably, when the block ends well.

    Raises as :func:`write_atomically`; where the block raises, nothing of it is left.
    """
    temporary = _temporary(path)
    with guarded():
        try:
            with _durable(temporary) as file:
                yield file
            if mode is not None and sys.platform != "win32":
                temporary.chmod(mode)
            temporary.replace(path)
            sync_directory(path.parent)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


def _temporary(path: Path) -> Path:
    """A name beside ``path`` that no other process or thread uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}{UNFINISHED}")


def create_once(path: Path, data: bytes) -> bytes:
    """``data`` as the content of ``path``, or what another process wrote there first."""
    temporary = _temporary(path)
    with guarded():
        try:
            write_durably(temporary, data)
            _claim(temporary, path)
            sync_directory(path.parent)
        except FileExistsError:
            pass
        finally:
            with suppress(OSError):
                temporary.unlink()
        return path.read_bytes()


def _claim(temporary: Path, path: Path) -> None:
    """Give the file its name unless the name is taken (FileExistsError)."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _UNLINKABLE:
            raise
        with path.open("xb") as file:
            file.write(temporary.read_bytes())
            os.fsync(file.fileno())


def write_durably(path: Path, data: bytes) -> None:
    """Write a new owner-only file and flush it to the disk (its directory is not flushed).

    Raises OSError: most callers are :func:`guarded` already.
    """
    with _durable(path) as file:
        file.write(data)


def append(path: Path, data: bytes) -> None:
    """Put ``data`` at the end of an owner-only file that is made where it is not there, never
    through a link, and flush it; where that fails, the file is as it was.

    One writer at a time: the caller holds a lock. Raises StorageError.
    """
    with guarded():
        is_new = not path.exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
                os.fsync(descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
        if is_new:
            sync_directory(path.parent)


@contextmanager
def _durable(path: Path) -> Iterator[BinaryIO]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Flush a directory's entries to the disk, where the system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def link_or_copy(source: Path, target: Path) -> None:
    """Make ``target`` the same bytes as ``source``: one file with two names, or a copy."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _UNLINKABLE:
            raise
        shutil.copyfile(source, target)


def usage(path: Path) -> int:
    """Bytes in the files at and below ``path``, links not followed, shared files counted once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for one in _walk(path):
        with suppress(FileNotFoundError):
            facts = one.lstat()
            name = (facts.st_dev, facts.st_ino)
            if stat.S_ISREG(facts.st_mode) and (facts.st_ino == 0 or name not in seen):
                seen.add(name)
                total += facts.st_size
    return total


def _walk(path: Path) -> Iterator[Path]:
    if path.is_symlink() or not path.is_dir():
        if path.is_symlink() or path.exists():
            yield path
        return
    for folder, _, names in os.walk(path, followlinks=False):
        for name in names:
            yield Path(folder) / name


def remove_tree(path: Path, inside: Path) -> None:
    """Delete the directory ``path`` and all below it.

    Refused (RefusedError) unless it lies strictly inside ``inside`` and no part of the way
    from there to it is a link. Links below it are removed, never followed. Missing: nothing
    to do.
    """
    _require_inside(path, inside)
    if not path.exists():
        return
    with guarded():
        if sys.version_info >= (3, 12):
            shutil.rmtree(path, onexc=_retry_writable)
        else:
            shutil.rmtree(path, onerror=_retry_writable_old)


def _require_inside(path: Path, inside: Path) -> None:
    refusal = RefusedError(
        "outside_data_directory",
        "that is not inside the data directory, so it will not be deleted",
        "run `citator doctor` to see where the data directory is",
    )
    if not path.is_absolute() or not inside.is_absolute() or ".." in path.parts:
        raise refusal
    try:
        steps = path.relative_to(inside).parts
    except ValueError:
        raise refusal from None
    if not steps:
        raise refusal
    one = inside
    for step in steps:
        one = one / step
        if one.is_symlink():
            raise refusal


def _retry_writable(action: Callable[..., Any], name: str, error: BaseException) -> None:
    """Once more for a read-only file, which Windows refuses to delete."""
    if isinstance(error, FileNotFoundError):
        return
    if not isinstance(error, PermissionError) or sys.platform != "win32":
        raise error
    Path(name).chmod(stat.S_IWRITE)
    action(name)


def _retry_writable_old(
    action: Callable[..., Any],
    name: str,
    error: tuple[type[BaseException], BaseException, TracebackType],
) -> None:
    _retry_writable(action, name, error[1])


_BINARY = getattr(os, "O_BINARY", 0)
