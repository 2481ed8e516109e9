"""Reading what only its owner may have written.

- A file counts only where it is a plain file, not a link, owned by the one who reads it, and
  writable by nobody else; so must be the directories it lies in. Otherwise it is refused, not
  skipped: somebody else may have put it there.
- What is checked is the open file, so that nothing can take its place in between.
- Windows has owners and access lists of another kind: there the directory in the person's own
  profile is relied on, and only links are refused.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from citator.store.files import guarded
from citator.trust.errors import PinRefusedError

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_owned(path: Path, directories: Sequence[Path], limit: int) -> bytes | None:
    """The bytes of ``path``, None where it or its directory does not exist.

    ``directories`` are those above it that have to be the owner's, from the outermost on; that
    one alone may be reached by a link. Raises PinRefusedError, StorageError.
    """
    with guarded():
        try:
            require_owned_directories(directories)
            if path.is_symlink():
                raise _refused("pin_is_link", "a link stands where a file of the person should")
            descriptor = os.open(path, _FLAGS)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise _refused("pin_is_link", "a link stands where a file should") from None
            raise
        try:
            _require_owned(os.fstat(descriptor), stat.S_ISREG)
            return _whole(descriptor, limit)
        finally:
            os.close(descriptor)


def require_owned_directories(directories: Sequence[Path]) -> None:
    """Raise PinRefusedError unless each of ``directories`` is the owner's alone to write.

    Raises FileNotFoundError for one that does not exist.
    """
    for number, directory in enumerate(directories):
        if number and directory.is_symlink():
            raise _refused("pin_is_link", "a link stands where a directory of the person should")
        _require_owned(directory.stat(), stat.S_ISDIR)


def _require_owned(facts: os.stat_result, is_of_its_kind: Callable[[int], bool]) -> None:
    if not is_of_its_kind(facts.st_mode):
        raise _refused("pin_not_a_file", "something else stands where a file of the person should")
    if sys.platform == "win32":
        return
    if facts.st_uid != os.geteuid():
        raise _refused("pin_of_another_owner", "what is pinned belongs to another user")
    if facts.st_mode & _OTHERS_WRITE:
        raise _refused("pin_writable_by_others", "what is pinned can be written by other users")


def _whole(descriptor: int, limit: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise _refused("pin_damaged", "what is pinned is too large to have been written here")
    return data


def _refused(code: str, what: str) -> PinRefusedError:
    return PinRefusedError(
        code,
        what,
        "until a person has looked at the `trust` directory (`citator doctor` says where it is), "
        "nothing counts as signed",
    )
