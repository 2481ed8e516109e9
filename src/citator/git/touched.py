"""Which files each commit of a list touches, against its first parent.

- One git process for the whole list. It ends at a tree that is missing or damaged: that commit
  gets None, and the rest goes to another process.
- After :data:`PATIENCE` such ends (a clone without trees has thousands) the trees are compared
  one by one. The answers do not depend on which way they were found.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import IO, Final

from citator.git.object_view import object_git
from citator.git.objects import ObjectReader
from citator.git.records import Repository
from citator.git.tree_objects import Trees, UnreadableTreeError, path_of
from citator.model import stop

PATIENCE: Final = 8
_CHUNK: Final = 64 * 1024
_UNREADABLE: Final = 128  # git's exit code where it died of what it read
_COMMAND: Final = (
    *("diff-tree", "--stdin", "-r", "-z", "--root", "--always", "--name-status"),
    *("--no-renames", "--no-ext-diff", "--diff-merges=first-parent", "--ignore-submodules=none"),
)

Paths = tuple[str, ...] | None


def touched(repo: Repository, listing: bytes) -> Generator[Paths]:
    """For each line of ``listing`` (a commit id, its parents' ids), the paths it touches.

    Paths are sorted by their bytes, and are all of the commit's files where it has no parent;
    None where a tree cannot be read.
    """
    at = 0
    for _ in range(PATIENCE):
        if at == len(listing):
            return
        at = yield from _by_git(repo, listing, at)
    yield from _one_by_one(repo, listing, at)


def _by_git(repo: Repository, listing: bytes, at: int) -> Generator[Paths, None, int]:
    """Paths for the lines from ``at`` on, up to one at which git ends; where to go on."""
    with (
        object_git(repo) as git,
        git.start(*_COMMAND, feed=memoryview(listing)[at:]) as child,
    ):
        last: Paths = None
        for paths in _records(child.stdout):
            if last is not None:
                yield last
                at = _next_line(listing, at)
            last = paths
        code = child.finish()
        stop.checkpoint()
    if code in (0, _UNREADABLE) and last is not None:
        yield last
        at = _next_line(listing, at)
    if code == _UNREADABLE and at < len(listing):
        yield None
        at = _next_line(listing, at)
    return at


def _records(stream: IO[bytes]) -> Iterator[tuple[str, ...]]:
    """The paths of each commit. git prints its id, then a status letter and a path by turns."""
    paths: list[str] | None = None
    expects_path = False
    rest = b""
    while chunk := stream.read(_CHUNK):
        *tokens, rest = (rest + chunk).split(b"\0")
        for token in tokens:
            if expects_path and paths is not None:
                paths.append(token.decode("utf-8", "surrogateescape"))
                expects_path = False
            elif len(token) == 1:
                expects_path = True
            else:
                if paths is not None:
                    yield tuple(paths)
                paths = []
    if paths is not None:
        yield tuple(paths)


def _next_line(listing: bytes, at: int) -> int:
    return listing.index(b"\n", at) + 1


def _one_by_one(repo: Repository, listing: bytes, at: int) -> Iterator[Paths]:
    with ObjectReader(repo) as objects:
        trees = Trees(repo, objects)
        for line in listing[at:].splitlines():
            stop.checkpoint()
            commit, *parents = line.decode().split()
            try:
                before = trees.root_of(parents[0]) if parents else None
                pairs = trees.differences(before, trees.root_of(commit))
            except UnreadableTreeError:
                yield None
            else:
                yield tuple(path_of(pair).decode("utf-8", "surrogateescape") for pair in pairs)
