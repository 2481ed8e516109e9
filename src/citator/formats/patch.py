"""Unified diffs, as git and others write them, read as data and never applied to any file.

- Bounded: bytes, files and lines; what is over a bound or makes no sense is counted, not guessed.
- A path names a file of the repository or nothing: absolute paths, ``..``, drive letters, NULs
  and what lies in ``.git`` are no paths here. Paths that git quoted are unquoted.
- Lines keep what they hold but their end: a carriage return before the newline is part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_BYTES: Final = 16 << 20
MAX_FILES: Final = 5_000
MAX_LINES: Final = 400_000
MAX_LINE: Final = 4_096

_HUNK: Final = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_INDEX: Final = re.compile(rb"index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED: Final = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_DRIVE: Final = re.compile(r"[A-Za-z]:")


@dataclass(slots=True)
class Hunk:
    """Lines of one place: ``old`` and ``new`` are the first line there, from 1 (0: none).

    ``lines`` are ``(sign, text)`` with sign ``" "``, ``"-"`` or ``"+"``.
    """

    old: int
    new: int
    lines: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """What happens to one file. A path is None where there is no file on that side."""

    old_path: str | None = None
    new_path: str | None = None
    old_id: str = ""
    new_id: str = ""
    binary: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    def numbered(self, sign: str) -> Iterator[tuple[int, str]]:
        """The lines that went (``"-"``) or came (``"+"``), with their numbers on that side."""
        for hunk in self.hunks:
            at = hunk.old if sign == "-" else hunk.new
            for mark, text in hunk.lines:
                if mark == sign:
                    yield at, text
                at += mark in (sign, " ")


@dataclass(frozen=True, slots=True)
class Patch:
    """The files that could be read. ``unread`` are files or hunks that could not be, ``cut``
    says that a bound was met."""

    files: tuple[FilePatch, ...]
    unread: int = 0
    cut: bool = False


def parse(data: bytes) -> Patch:
    """What a patch says. Text around it (a mail, a list of commits) is passed over."""
    reader = _Reader(data[:MAX_BYTES])
    reader.read()
    files = tuple(one for one in reader.files if one.old_path or one.new_path)
    unread = reader.unread + len(reader.files) - len(files)
    return Patch(files, unread, reader.cut or len(data) > MAX_BYTES)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.files: list[FilePatch] = []
        self.unread = 0
        self.cut = False
        self._lines = _split(data)
        self._count = 0

    def read(self) -> None:
        """Line by line; a hunk takes exactly the lines that its head counts."""
        current: FilePatch | None = None
        headed = False  # whether ``current`` was begun by `diff --git`, before its `---`
        for line in self._lines:
            if line.startswith(b"diff --git "):
                current, headed = self._begun(_pair(line[11:])), True
            elif line.startswith(b"--- "):
                if current is None or not headed or current.hunks:
                    current = self._begun((None, None))
                headed = False
                current.old_path = _named(line[4:], b"a/")
            elif current is None or self.cut:
                continue
            elif line.startswith(b"+++ "):
                current.new_path = _named(line[4:], b"b/")
            elif line.startswith(b"@@ "):
                self._hunk(current, line)
            elif headed:
                _header(current, line)

    def _begun(self, paths: tuple[str | None, str | None]) -> FilePatch:
        made = FilePatch(*paths)
        if len(self.files) < MAX_FILES:
            self.files.append(made)
        else:
            self.cut = True
        return made

    def _hunk(self, current: FilePatch, head: bytes) -> None:
        match = _HUNK.match(head)
        if match is None:
            self.unread += 1
            return
        old, old_count, new, new_count = match.groups()
        left = [int(old_count or b"1"), int(new_count or b"1")]
        hunk = Hunk(int(old), int(new))
        current.hunks.append(hunk)
        while left[0] > 0 or left[1] > 0:
            line = next(self._lines, None)
            sign = b" " if line == b"" else (line or b"?")[:1]
            if line is None or sign not in (b" ", b"-", b"+", b"\\"):
                self.unread += 1
                return
            if sign == b"\\":
                continue
            left[0] -= sign != b"+"
            left[1] -= sign != b"-"
            self._count += 1
            if self._count > MAX_LINES:
                self.cut = True
                return
            text = line[1 : MAX_LINE + 1].decode("utf-8", "surrogateescape")
            hunk.lines.append((sign.decode(), text))


def _split(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[at:end]
        at = end + 1


def _header(current: FilePatch, line: bytes) -> None:
    """A line between ``diff --git`` and the hunks."""
    line = line.removesuffix(b"\r")
    if line.startswith(b"new file mode "):
        current.old_path = None
    elif line.startswith(b"deleted file mode "):
        current.new_path = None
    elif line.startswith((b"rename from ", b"copy from ")):
        current.old_path = _named(line.partition(b" from ")[2], b"")
    elif line.startswith((b"rename to ", b"copy to ")):
        current.new_path = _named(line.partition(b" to ")[2], b"")
    elif line.startswith((b"Binary files ", b"GIT binary patch")):
        current.binary = True
    elif match := _INDEX.match(line):
        current.old_id, current.new_id = match[1].decode(), match[2].decode()


def _pair(rest: bytes) -> tuple[str | None, str | None]:
    """The two names after ``diff --git``: both are one name but for their prefix, or say later."""
    rest = rest.removesuffix(b"\r")
    if rest.startswith(b'"'):
        end = _end_of_quoted(rest)
        old, new = rest[: end + 1], rest[end + 2 :]
    else:
        middle = (len(rest) - 1) // 2
        old, new = rest[:middle], rest[middle + 1 :]
    first, second = _named(old, b"a/"), _named(new, b"b/")
    return (first, second) if first == second else (None, None)


def _end_of_quoted(text: bytes) -> int:
    at = 1
    while at < len(text) and text[at : at + 1] != b'"':
        at += 2 if text[at : at + 1] == b"\\" else 1
    return at


def _named(raw: bytes, prefix: bytes) -> str | None:
    """The path that a header names, None for none and for what is no path of a repository."""
    raw = raw.removesuffix(b"\r")
    if raw.startswith(b'"'):
        raw = _ESCAPE.sub(_unescaped, raw[1 : _end_of_quoted(raw)])
    else:
        raw = raw.split(b"\t", 1)[0]
    if raw == b"/dev/null":
        return None
    return safe_path(raw.removeprefix(prefix).decode("utf-8", "surrogateescape"))


def _unescaped(match: re.Match[bytes]) -> bytes:
    said = match[1]
    if len(said) == 3:
        return bytes([int(said, 8) & 0xFF])
    return _ESCAPED.get(said, said)


def safe_path(path: str) -> str | None:
    """``path`` where it names a file inside a repository, else None."""
    parts = path.split("/")
    outside = path.startswith(("/", "\\")) or _DRIVE.match(path) or "\0" in path or not path
    if outside or any(one in ("", ".", "..") for one in parts) or len(path) > MAX_LINE:
        return None
    return None if any(one.lower() == ".git" for one in parts) else path
