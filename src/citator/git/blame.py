"""Which commit last touched lines of a file, and which lines of two blobs differ.

- Bounded: a process that is not done when its seconds are over is ended, and what it had said by
  then is what is known.
- No filter, text conversion or configured list of ignored commits takes part: git's own answer is
  the last touch, and what of that counts is decided above.
- Nothing is fetched: where a blob is not here, less is known, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id, within

MAX_RANGES: Final = 64
_BLAME: Final = ("blame", "--incremental", "--no-textconv")
_DIFF: Final = ("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--histogram")
_ENTRY: Final = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+) (\d+)\n")
_HUNK: Final = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ESCAPED: Final = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_LETTERS: Final = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


@dataclass(frozen=True, slots=True)
class Touched:
    """Lines ``first`` to ``first + count - 1`` of the file that was asked about: in ``commit``
    they are lines ``line`` and on of ``path``.

    ``previous`` is the parent that git compared with and the name of the file there, None where
    it had none. ``boundary``: no parent is here.
    """

    first: int
    count: int
    commit: str
    path: str
    line: int
    previous: tuple[str, str] | None
    boundary: bool


@dataclass(frozen=True, slots=True)
class Hunk:
    """``old_count`` lines from ``old`` became ``new_count`` lines from ``new`` (from 1).

    With a count of 0 the line is the one after which the others would stand.
    """

    old: int
    old_count: int
    new: int
    new_count: int


def stood_at(hunks: Sequence[Hunk], line: int) -> int:
    """Where a line that no hunk changed stood before them."""
    return line + sum(
        one.old_count - one.new_count
        for one in hunks
        if one.new + (not one.new_count) + one.new_count <= line
    )


@dataclass(frozen=True, slots=True)
class Blame:
    """What is known; ``whole`` says that git came to its end, ``missing`` that it could not."""

    touched: tuple[Touched, ...]
    whole: bool
    missing: bool = False


def blame(
    repo: Repository, commit: str, path: str, ranges: Sequence[tuple[int, int]], seconds: float
) -> Blame:
    """The last touches of line ranges (from 1, inclusive) of ``path`` in ``commit``.

    More than :data:`MAX_RANGES` are asked as one that holds them all.
    """
    checked_id(repo, commit)
    if len(ranges) > MAX_RANGES:
        ranges = [(min(first for first, _ in ranges), max(last for _, last in ranges))]
    asked = [part for first, last in ranges for part in ("-L", f"{first},{last}")]
    with object_git(repo) as git:
        command = ("-c", "blame.ignoreRevsFile=", *_BLAME, *asked, commit, "--", path)
        said, code = within(git, command, seconds)
    return Blame(tuple(_entries(said)), code == 0, code not in (0, None))


def _entries(said: bytes) -> Iterator[Touched]:
    """Each entry ends with its file's name; what stands after the last such line is cut off."""
    at, boundary = None, set[bytes]()
    previous: dict[bytes, tuple[str, str]] = {}
    for line in said.splitlines(keepends=True):
        begun = _ENTRY.fullmatch(line)
        if begun is not None:
            at = begun
        elif line == b"boundary\n" and at is not None:
            boundary.add(at[1])
        elif line.startswith(b"previous ") and line.endswith(b"\n") and at is not None:
            parent, _, name = line[9:-1].partition(b" ")
            previous[at[1]] = parent.decode(), _path(name)
        elif line.startswith(b"filename ") and line.endswith(b"\n") and at is not None:
            yield Touched(
                first=int(at[3]),
                count=int(at[4]),
                commit=at[1].decode(),
                path=_path(line[9:-1]),
                line=int(at[2]),
                previous=previous.get(at[1]),
                boundary=at[1] in boundary,
            )
            at = None


def _path(printed: bytes) -> str:
    return unquoted(printed).decode("utf-8", "surrogateescape")


def unquoted(name: bytes) -> bytes:
    """A path as git prints it where it would be ambiguous: in quotes, with escapes."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        if match[1] is not None:
            return bytes([int(match[1], 8) & 0xFF])
        return _LETTERS.get(match[2], match[2])

    return _ESCAPED.sub(plain, name[1:-1])


def hunks(repo: Repository, old_blob: str, new_blob: str, seconds: float) -> list[Hunk] | None:
    """Where two blobs differ, from the top; None where that cannot be told in time."""
    both = checked_id(repo, old_blob), checked_id(repo, new_blob)
    with object_git(repo) as git:
        said, code = within(git, (*_DIFF, *both), seconds)
    return None if code != 0 else hunks_in(said)


def hunks_in(patch: bytes) -> list[Hunk]:
    """The hunks of a patch of one file without context."""
    found = []
    for line in patch.split(b"\n"):
        match = _HUNK.match(line) if line.startswith(b"@@ ") else None
        if match is not None:
            counts = [1 if one is None else int(one) for one in (match[2], match[4])]
            found.append(Hunk(int(match[1]), counts[0], int(match[3]), counts[1]))
    return found
