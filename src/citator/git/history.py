"""Walks the history of a commit.

- Parents come before children, in an order that follows from the tip and what is excluded
  alone, not from how the repository is packed.
- Everything streams but the list of ids; a commit that cannot be read is left out and told.
- Closing, abandoning or exhausting a walk ends its git processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from citator.git.closing import Closing
from citator.git.commit_objects import commit_of
from citator.git.records import RawCommit, Repository
from citator.git.refusals import broken, unknown_commit
from citator.git.repository import has_commit
from citator.git.runner import Child, Git, checked_id, ended
from citator.git.touched import touched
from citator.model import stop
from citator.model.errors import GitRefusedError
from citator.model.horizon import HorizonFact, Limit

MAX_COMMIT_BYTES: Final = 4 << 20
_DISCARD_BYTES: Final = 1 << 20


def commits(repo: Repository, tip: str, excluding: Sequence[str] = ()) -> Walk:
    """The commits ``tip`` has and none of ``excluding`` has, parents first.

    Raises NotFoundError ``unknown_commit``, GitRefusedError where the history is damaged.
    """
    return Walk(repo, tip, excluding)


def messages(repo: Repository, tip: str, excluding: Sequence[str] = ()) -> Walk:
    """:func:`commits` without the files that each touches: ``paths`` is None in all of them."""
    return Walk(repo, tip, excluding, touching=False)


class Walk(Closing, Iterator[RawCommit]):
    """Commits one by one; afterwards :attr:`facts` tells what could not be read.

    May be used as a context manager, which ends it early.
    """

    def __init__(
        self, repo: Repository, tip: str, excluding: Sequence[str], *, touching: bool = True
    ) -> None:
        self._facts: list[HorizonFact] = []
        self._steps = _walk(repo, tip, excluding, self._facts, touching)  # holds no Walk: no cycle

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """One fact for each commit so far that was left out or cut, its id as the detail."""
        return tuple(self._facts)

    def __next__(self) -> RawCommit:
        return next(self._steps)

    def close(self) -> None:
        """End the walk and its processes."""
        self._steps.close()


def _walk(
    repo: Repository,
    tip: str,
    excluding: Sequence[str],
    facts: list[HorizonFact],
    touching: bool,
) -> Generator[RawCommit]:
    """The commits of a walk; what could not be read goes to ``facts``."""
    listing = _listing(repo, tip, excluding)
    command = ("cat-file", "--buffer", "--batch=%(objecttype) %(objectsize) %(rest)")
    with (
        closing(touched(repo, listing) if touching else _nothing(listing)) as all_paths,
        Git.of(repo).start(*command, feed=listing) as child,
    ):
        for line, paths in zip(listing.splitlines(), all_paths, strict=True):
            object_id, _, parents_here = line.decode().partition(" ")
            content, size = _content(child)
            cut = len(content) < size
            if not cut and _digest(repo, content) != object_id:
                facts.append(HorizonFact(Limit.UNREADABLE_COMMITS, 1, object_id))
                continue
            if cut:
                facts.append(HorizonFact(Limit.CUT_LONG, 1, object_id))
            commit = commit_of(object_id, content, paths, cut=cut)
            if commit.parents and not parents_here:  # beyond a shallow clone's edge
                commit = replace(commit, paths=None)
            yield commit
        ended(child)


def _nothing(listing: bytes) -> Generator[None]:
    """For each line of a listing, that it is not known what the commit touches."""
    for _ in listing.splitlines():
        yield None


def _listing(repo: Repository, tip: str, excluding: Sequence[str]) -> bytes:
    """A line for each commit: its id and the ids of its parents that are here."""
    options = ("--topo-order", "--reverse", "--parents", tip, *(f"^{one}" for one in excluding))
    return b"".join(_lines(repo, (tip, *excluding), *options))


def _lines(repo: Repository, about: Sequence[str], *args: str) -> Iterator[bytes]:
    """The lines that ``git rev-list ARGS`` prints, where ARGS name the commits ``about``."""
    for object_id in about:
        checked_id(repo, object_id)
    with Git.of(repo).start("rev-list", *args, "--") as child:
        yield from child.stdout
        try:
            ended(child)
        except GitRefusedError:
            if all(has_commit(repo, object_id) for object_id in about):
                raise
            raise unknown_commit() from None


def _content(child: Child) -> tuple[bytes, int]:
    """The next object that is printed, at most MAX_COMMIT_BYTES of it, and its whole size."""
    answer = child.stdout.readline().split(maxsplit=2)
    if len(answer) < 2 or not answer[1].isdigit():
        stop.checkpoint()
        raise broken()
    size = int(answer[1])
    content = child.stdout.read(min(size, MAX_COMMIT_BYTES))
    beyond = size - len(content)
    while beyond > 0 and (dropped := child.stdout.read(min(beyond, _DISCARD_BYTES))):
        beyond -= len(dropped)
    child.stdout.read(1)
    return content, size


def _digest(repo: Repository, content: bytes) -> str:
    digest = hashlib.new(repo.object_format, b"commit %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def touches(
    repo: Repository, tip: str, excluding: Sequence[str] = ()
) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Each commit that ``tip`` has and none of ``excluding`` has, with the paths it touches.

    None where they cannot be read, and in a shallow clone for what may lie at its edge. Raises as
    :func:`commits` does.
    """
    listing = _listing(repo, tip, excluding)
    with closing(touched(repo, listing)) as all_paths:
        for line, paths in zip(listing.splitlines(), all_paths, strict=True):
            object_id, _, parents_here = line.decode().partition(" ")
            at_edge = repo.shallow and not parents_here
            yield object_id, None if at_edge else paths


def reachable(repo: Repository, tip: str) -> Iterator[str]:
    """The ids of ``tip`` and all its ancestors, newest first."""
    for line in _lines(repo, [tip], tip):
        yield line.decode().rstrip()


def between(repo: Repository, old: str, new: str) -> tuple[list[str], list[str]]:
    """The ids that only ``old`` reaches, and those that only ``new`` reaches, each sorted."""
    removed: list[str] = []
    added: list[str] = []
    for line in _lines(repo, [old, new], "--left-right", f"{old}...{new}"):
        side = removed if line.startswith(b"<") else added
        side.append(line[1:].decode().rstrip())
    return sorted(removed), sorted(added)


def count_between(repo: Repository, old: str, new: str) -> int:
    """How many commits ``new`` has that ``old`` has not."""
    lines = _lines(repo, [old, new], "--count", new, f"^{old}")
    return int(b"".join(lines))
