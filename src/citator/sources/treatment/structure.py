"""How much of an earlier change a later one undoes, or makes again, by their lines.

- Lines are compared file by file, blank ones left out, each counted as often as it stands there.
- A change is read against its first parent, so that a merge is what it brought.
- What cannot be read, or is larger than a limit, is not observed: that is not the same as none.
- A renamed file is another file here; its lines are looked for in the whole change.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.model.stop import checkpoint

MAX_BYTES: Final = 2 << 20
MAX_LINE: Final = 4_096
_BATCH: Final = 400
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


@dataclass(slots=True)
class Change:
    """The lines (as digests) that a commit adds and removes; None of it where it is too large."""

    added: Counter[bytes] = field(default_factory=Counter)
    removed: Counter[bytes] = field(default_factory=Counter)
    too_large: bool = False


def undone(repo: Repository, pairs: Sequence[Pair]) -> dict[Pair, float]:
    """The share (0 to 1) of the earlier change that the later one undoes or makes again.

    Pairs that could not be observed are left out.
    """
    found: dict[Pair, float] = {}
    for at in range(0, len(pairs), _BATCH):
        some = pairs[at : at + _BATCH]
        changes = changes_of(repo, sorted({one for pair in some for one in (pair.by, pair.of)}))
        for pair in some:
            by, of = changes.get(pair.by), changes.get(pair.of)
            if by is None or of is None or by.too_large or of.too_large:
                continue
            share = _share(by, of, inverse=pair.inverse)
            if share is not None:
                found[pair] = share
    return found


def _share(by: Change, of: Change, *, inverse: bool) -> float | None:
    total = of.added.total() + of.removed.total()
    if total == 0:
        return None
    gone, back = (by.removed, by.added) if inverse else (by.added, by.removed)
    return ((of.added & gone).total() + (of.removed & back).total()) / total


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
        ids = b""
        for line in _lines(child.stdout):
            if line in wanted:
                checkpoint()
                current = found[line.decode()] = Change()
                size, in_hunk = 0, False
                continue
            if current is None or current.too_large:
                continue
            size += len(line)
            if size > MAX_BYTES:
                current.too_large = True
                current.added.clear()
                current.removed.clear()
            elif line.startswith(b"@@"):
                in_hunk = True
            elif line.startswith(b"diff --git"):
                in_hunk = False
            elif in_hunk and line[:1] in (b"+", b"-"):
                text = line[1:].strip()
                if text:
                    side = current.added if line[:1] == b"+" else current.removed
                    side[hashlib.blake2b(text, digest_size=8).digest()] += 1
            elif not in_hunk:
                ids = _beside(current, line, ids)
        child.finish()
        checkpoint()
    return found


def _beside(change: Change, line: bytes, ids: bytes) -> bytes:
    """Count a mode, or a binary file by its ids, as a line; the ids that were told last."""
    if line.startswith(b"index "):
        return line.split()[1]
    if line.startswith(b"old mode"):
        change.removed[line[4:]] += 1
    elif line.startswith(b"new mode"):
        change.added[line[4:]] += 1
    elif line.startswith(b"Binary files "):
        before, _, after = ids.partition(b"..")
        change.removed[before] += 1
        change.added[after] += 1
    return ids


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines without their ends; of a long one the start."""
    while line := stream.readline(MAX_LINE):
        whole = line.endswith(b"\n")
        yield line.rstrip(b"\r\n")
        while not whole and (rest := stream.readline(1 << 20)):
            whole = rest.endswith(b"\n")
