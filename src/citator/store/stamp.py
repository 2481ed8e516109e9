"""Which format the data directory has: one small file that says so, and what follows from it.

    format.json    {"format": 2, "citator": "0.1.0"}: the version that first wrote this format

- A directory without the file is of format 1, which the first release wrote; one that is not
  there yet has today's.
- An older format is brought to today's by steps, each of which can be repeated, under a lock.
- A newer one is refused before anything is read or written: what it holds is left as it is.
- The number rises when a file that cannot be made again changes its form, or when an older
  version would misread what it finds. What is derived has numbers of its own beside it
  (``docs/reference/files.md``) and is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from citator import __version__
from citator.model.errors import IntegrityError
from citator.model.plain import is_plain
from citator.store import files, locks

FORMAT: Final = 2
FIRST: Final = 1
NAME: Final = "format.json"
LOCK: Final = "format.lock"
MAX_BYTES: Final = 4096


def found(data: Path) -> int | None:
    """The format of the directory ``data``; None where nothing was kept there yet.

    Raises IntegrityError ``data_too_new`` or ``data_format_unreadable``, StorageError.
    """
    with files.guarded():
        try:
            with (data / NAME).open("rb") as file:
                raw = file.read(MAX_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return FIRST if _holds_something(data) else None
    return _accepted(raw)


def _holds_something(data: Path) -> bool:
    try:
        return any(True for _ in data.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return False


def _accepted(raw: bytes) -> int:
    try:
        said = json.loads(raw)
        number, writer = said["format"], said["citator"]
    except (ValueError, TypeError, KeyError):
        raise _unreadable() from None
    if type(number) is not int or number < FIRST:
        raise _unreadable()
    if number > FORMAT:
        raise too_new(writer)
    return number


def require_readable(data: Path) -> None:
    """Raises IntegrityError where a newer version wrote ``data``; nothing is written."""
    found(data)


def bring_up(data: Path, steps: Mapping[int, Callable[[Path], None]] | None = None) -> None:
    """Make ``data`` a directory of today's format: made, stamped or upgraded where needed.

    ``steps`` says how a format becomes the next one. Raises as :func:`found`, and StorageError.
    """
    if found(data) == FORMAT:
        return
    files.make_directory(data)
    with locks.exclusive(data / LOCK, wait=True):
        number = _stamped(data)
        for older in range(number, FORMAT):
            (STEPS if steps is None else steps)[older](data)
        if not (data / NAME).exists() or number < FORMAT:
            said = {"format": FORMAT, "citator": __version__}
            files.write_atomically(data / NAME, json.dumps(said).encode("ascii") + b"\n")


def _stamped(data: Path) -> int:
    """The format under the lock, whose own file says nothing about it."""
    if (data / NAME).exists():
        return found(data) or FORMAT
    others = [entry for entry in data.iterdir() if entry.name != LOCK]
    return FIRST if others else FORMAT


def _nothing_changes(data: Path) -> None:
    """Format 2 differs from 1 in that it says so."""


STEPS: Final[Mapping[int, Callable[[Path], None]]] = {1: _nothing_changes}


def too_new(writer: object = None) -> IntegrityError:
    """What a newer version wrote; ``writer`` is the version, where it is known and plain."""
    named = isinstance(writer, str) and is_plain(writer)
    return IntegrityError(
        "data_too_new",
        f"the data directory was written by a newer version of citator{f' ({writer})' * named}; "
        "it was left as it is",
        "install that version or a later one, or name another directory with CITATOR_DATA_DIR",
    )


def _unreadable() -> IntegrityError:
    return IntegrityError(
        "data_format_unreadable",
        f"the file `{NAME}` in the data directory is not what was written there",
        "put it back from a copy, or name another directory with CITATOR_DATA_DIR",
    )
