"""Files of a directory that somebody names for an import: bounded, and never through a link.

- Regular files alone, in the order of their paths. A link is not followed, whatever it points at.
- A file that is too large or cannot be read is told by its path; it never hides another.
- More files than an import takes is an error before anything is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.model.errors import RefusedError, UsageError

MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 32


@dataclass(frozen=True, slots=True)
class Found:
    """One file: its path below the directory, with ``/``; its bytes, None where ``problem`` says
    why: ``too_large``, ``link`` or ``unreadable``."""

    path: str
    content: bytes | None
    problem: str = ""

    @property
    def text(self) -> str | None:
        """The content as UTF-8 with ``\\n`` line ends, None where it is none."""
        try:
            return None if self.content is None else plain_text(self.content)
        except UnicodeDecodeError:
            return None


def plain_text(content: bytes) -> str:
    """UTF-8 without its mark, line ends as ``\\n``. Raises UnicodeDecodeError."""
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_directory(folder: Path, suffixes: Sequence[str], most_bytes: int) -> list[Found]:
    """The files at and below ``folder`` whose names end in one of ``suffixes`` (any case).

    Folders that begin with a dot are left out. Raises UsageError where ``folder`` is no
    directory, RefusedError where it holds more than MAX_FILES such files.
    """
    if not folder.is_dir():
        raise UsageError("no_directory", "there is no such directory", "name one that exists")
    found: list[Path] = []
    for path in _walk(folder, 0):
        if path.name.lower().endswith(tuple(suffixes)):
            found.append(path)
        if len(found) > MAX_FILES:
            raise RefusedError(
                "too_many_files",
                f"the directory holds more than {MAX_FILES:,} files to read",
                "import its parts one by one",
            )
    return [_found(path, path.relative_to(folder).as_posix(), most_bytes) for path in found]


def read_file(folder: Path, name: str, most_bytes: int) -> Found:
    """The file ``name`` (a relative path) below ``folder``. It may not lead out of it."""
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(Path(os.path.normpath(folder))):
        return Found(name, None, "outside")
    parent = path.parent
    while parent != folder and parent.is_relative_to(folder):
        if parent.is_symlink():
            return Found(name, None, "link")
        parent = parent.parent
    return _found(path, name, most_bytes)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        children = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    for one in children:
        if one.is_dir(follow_symlinks=False):
            if not one.name.startswith(".") and depth < MAX_DEPTH:
                yield from _walk(Path(one.path), depth + 1)
        else:
            yield Path(one.path)


def _found(path: Path, name: str, most_bytes: int) -> Found:
    try:
        facts = path.lstat()
        if stat.S_ISLNK(facts.st_mode):
            return Found(name, None, "link")
        if not stat.S_ISREG(facts.st_mode):
            return Found(name, None, "unreadable")
        if facts.st_size > most_bytes:
            return Found(name, None, "too_large")
        return Found(name, path.read_bytes())
    except OSError:
        return Found(name, None, "unreadable")
