"""How much of an earlier change a later one undoes, or makes again, by their lines.

- Lines are compared whole, blank ones left out, each counted as often as it stands there.
- A change is read against its first parent, so that a merge is what it brought.
- What cannot be read, or is larger than a limit, is not observed: that is not the same as none.
- The lines of a file are looked for in the whole later change: it may be called otherwise by then.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.model.stop import checkpoint

MAX_BYTES: Final = 1 << 20
MAX_LINE: Final = 4_096
_BATCH: Final = 100
_TESTS: Final = re.compile(
    rb"(?:^|/)(?:tests?|specs?|testing|t)/|(?:^|/)test_|[._-](?:test|spec)s?\.", re.I
)
_TOUCHED: Final = 0.2
_NOTES: Final = re.compile(
    rb"(?:^|/)(?:change(?:s|log)|news|history|releases?|release[-_ ]?notes)\b", re.I
)
_COMMAND: Final = (
    *("diff-tree", "--stdin", "-p", "-U0", "--root", "--always", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "--ignore-submodules=none"),
    *("--full-index", "-r"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A later commit and an earlier one; ``inverse`` asks for undoing, else for making again."""

    by: str
    of: str
    inverse: bool = True


@dataclass(frozen=True, slots=True)
class Undone:
    """What of an earlier change a later one undoes or makes again, each as a share (0 to 1).

    ``lines``: of its lines; ``files``: of its lines, those of a file all where enough of the file's
    are. A change log and tests are not counted beside other files: they are kept, or told anew.
    """

    lines: float
    files: float


@dataclass(slots=True)
class Side:
    """The lines (as digests) that a commit adds and removes, of one file or of all."""

    added: Counter[bytes] = field(default_factory=Counter)
    removed: Counter[bytes] = field(default_factory=Counter)

    def shared(self, other: Side, *, inverse: bool) -> int:
        """How many lines of this side the other undoes or makes again."""
        gone, back = (other.removed, other.added) if inverse else (other.added, other.removed)
        return _common(self.added, gone) + _common(self.removed, back)

    @property
    def total(self) -> int:
        """How many lines."""
        return self.added.total() + self.removed.total()


def _common(few: Counter[bytes], many: Counter[bytes]) -> int:
    return sum(min(count, many[line]) for line, count in few.items() if line in many)


@dataclass(slots=True)
class Change:
    """The lines of a commit, file by file and in all; nothing of it where it is too large."""

    files: dict[bytes, Side] = field(default_factory=dict)
    whole: Side = field(default_factory=Side)
    too_large: bool = False

    def count(self, path: bytes, line: bytes, *, added: bool) -> None:
        """Count a line."""
        if path not in self.files:
            self.files[path] = Side()
        for side in (self.files[path], self.whole):
            (side.added if added else side.removed)[line] += 1


def undone(repo: Repository, pairs: Sequence[Pair]) -> dict[Pair, Undone]:
    """How much of each earlier change the later one undoes or makes again.

    Pairs that could not be observed are left out.
    """
    found: dict[Pair, Undone] = {}
    for at in range(0, len(pairs), _BATCH):
        some = pairs[at : at + _BATCH]
        changes = changes_of(repo, sorted({one for pair in some for one in (pair.by, pair.of)}))
        for pair in some:
            by, of = changes.get(pair.by), changes.get(pair.of)
            if by is None or of is None or by.too_large or of.too_large or not of.whole.total:
                continue
            found[pair] = _undone(by, of, inverse=pair.inverse)
    return found


def _undone(by: Change, of: Change, *, inverse: bool) -> Undone:
    counted = of.files
    for left_out in (_NOTES, _TESTS):
        counted = {
            path: side for path, side in counted.items() if not left_out.search(path)
        } or counted
    total = sum(side.total for side in counted.values())
    lines = files = 0
    for side in counted.values():
        shared = side.shared(by.whole, inverse=inverse)
        lines += shared
        files += side.total if shared >= _TOUCHED * side.total else 0
    return Undone(lines / total, files / total) if total else Undone(0, 0)


def changes_of(repo: Repository, commits: Sequence[str]) -> dict[str, Change]:
    """The changes of commits. Where git ends early, those after it are left out."""
    found: dict[str, Change] = {}
    if not commits:
        return found
    feed = "".join(f"{one}\n" for one in commits).encode()
    with object_git(repo) as git, git.start(*_COMMAND, feed=feed) as child:
        current: Change | None = None
        size = 0
        wanted = {one.encode() for one in commits}
        in_hunk = False
        ids = path = b""
        name = ""
        for line in _lines(child.stdout):
            if line in wanted:
                checkpoint()
                name = line.decode()
                current = found[name] = Change()
                size, in_hunk = 0, False
                continue
            if current is None or current.too_large:
                continue
            size += len(line)
            if size > MAX_BYTES:
                found[name] = current = Change(too_large=True)
            elif line.startswith(b"@@"):
                in_hunk = True
            elif line.startswith(b"diff --git"):
                in_hunk, path = False, line[11:]
            elif in_hunk and line[:1] in (b"+", b"-"):
                text = line[1:].strip()
                if text:
                    digest = hashlib.blake2b(text, digest_size=8).digest()
                    current.count(path, digest, added=line[:1] == b"+")
            elif not in_hunk:
                ids = _beside(current, path, line, ids)
        if child.finish() != 0:  # it died of what it read last: that is not whole
            found.pop(name, None)
        checkpoint()
    return found


def _beside(change: Change, path: bytes, line: bytes, ids: bytes) -> bytes:
    """Count a mode, or a binary file by its ids, as a line; the ids that were told last."""
    if line.startswith(b"index "):
        return line.split()[1]
    if line.startswith((b"old mode", b"new mode")):
        change.count(path, line[4:], added=line.startswith(b"new"))
    elif line.startswith(b"Binary files "):
        before, _, after = ids.partition(b"..")
        change.count(path, before, added=False)
        change.count(path, after, added=True)
    return ids


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines without their ends; of a long one the start."""
    while line := stream.readline(MAX_LINE):
        whole = line.endswith(b"\n")
        yield line.rstrip(b"\r\n")
        while not whole and (rest := stream.readline(1 << 20)):
            whole = rest.endswith(b"\n")
