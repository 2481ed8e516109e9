"""Which commits of a history belong to a change: by id, by ``(#123)``, by merges and by branch.

- A commit id that an export states counts where the history has it.
- A subject that ends in ``(#123)`` or a merge that names the number (``Merge pull request #123``,
  ``See merge request group/project!123``) is the change's own; of a merge, what it brought in too.
- A merge that names the branch counts where no number was found, and where one change alone has it.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citator.formats.reviews import About, Change
from citator.git import history
from citator.git.records import Repository

_SUBJECT: Final = {
    "github": re.compile(r"\(#([1-9]\d{0,8})\)\s*$"),
    "gitlab": re.compile(r"\(!([1-9]\d{0,8})\)\s*$"),
}
_PULL: Final = re.compile(r"Merged? pull request #([1-9]\d{0,8})\b")
_MERGE_REQUEST: Final = re.compile(r"^See merge request \S*!([1-9]\d{0,8})\s*$", re.MULTILINE)
_BRANCH: Final = re.compile(r"Merge (?:remote-tracking )?branch '(?:origin/)?([^'\n]{1,200})'")
_FROM: Final = re.compile(r"Merge pull request #\d+ from [^/\s]{1,100}/(\S{1,200})")
MAX_BROUGHT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Joins:
    """The commits of the changes that were asked for."""

    commits: Mapping[tuple[About, int], tuple[str, ...]]

    def of(self, change: Change) -> tuple[str, ...]:
        """The commits of a change, in the order of the history."""
        return self.commits.get((change.about, change.number), ())


def join(repo: Repository, tip: str | None, changes: Sequence[Change]) -> Joins:
    """Walk the history of ``tip`` once and find the commits of ``changes``, all of one provider."""
    provider = changes[0].provider if changes else "github"
    wanted = {one.number for one in changes if one.about is About.CHANGE}
    branches = _branches(changes)
    named: dict[int, list[str]] = {}
    by_branch: dict[int, list[str]] = {}
    parents: dict[str, tuple[str, ...]] = {}
    order: dict[str, int] = {}
    if tip is not None and changes:
        with history.commits(repo, tip) as walk:
            for raw in walk:
                order[raw.object_id] = len(order)
                parents[raw.object_id] = raw.parents
                number = _number(raw.message, wanted, provider)
                branch = branches.get(_branch(raw.message)) if len(raw.parents) > 1 else None
                if number is not None:
                    named.setdefault(number, []).append(raw.object_id)
                elif branch is not None:
                    by_branch.setdefault(branch, []).append(raw.object_id)
    found: dict[tuple[About, int], tuple[str, ...]] = {}
    for change in changes:
        own = [id for id in (*change.commits, *_written(change)) if id in order]
        if change.about is About.CHANGE:
            merges = named.get(change.number) or by_branch.get(change.number, [])
            for one in merges:
                own += [one, *(_brought(one, parents, order) if len(parents[one]) > 1 else ())]
        own = sorted(dict.fromkeys(own), key=order.__getitem__)
        found[change.about, change.number] = tuple(own)
    return Joins(found)


def _written(change: Change) -> Iterable[str]:
    return (one.commit for one in change.threads if one.commit is not None)


def _number(message: str, wanted: Collection[int], provider: str) -> int | None:
    """The wanted number that a message names as its own, in the way of the provider: ``#7`` is a
    pull request of the one and an issue of the other."""
    subject = message.split("\n", 1)[0]
    found = [_SUBJECT[provider].search(subject)]
    if provider == "github":
        found.append(_PULL.match(subject))
    elif "See merge request" in message:
        found.append(_MERGE_REQUEST.search(message))
    numbers = [int(match[1]) for match in found if match is not None]
    return next((number for number in numbers if number in wanted), None)


def _branch(message: str) -> str:
    subject = message.split("\n", 1)[0]
    match = _FROM.match(subject) or _BRANCH.match(subject)
    return match[1] if match is not None else ""


def _branches(changes: Iterable[Change]) -> dict[str, int]:
    """The branches that one merged change alone came from."""
    counts = Counter(one.branch for one in changes if one.branch)
    return {
        one.branch: one.number
        for one in changes
        if one.branch and counts[one.branch] == 1 and one.about is About.CHANGE
    }


def _brought(
    merge: str, parents: Mapping[str, tuple[str, ...]], order: Mapping[str, int]
) -> list[str]:
    """What a merge brought in: what its other parents reach and its first does not.

    Commits are looked at newest first, each marked by the sides that reach it; the walk ends where
    both reach all that is left. More than MAX_BROUGHT is a branch that was caught up with, not a
    change: then nothing is taken for its part.
    """
    first, *others = (one for one in parents.get(merge, ()) if one in order)
    sides = {first: 1} | dict.fromkeys(others, 2)
    waiting = [(-order[one], one) for one in sides]
    heapq.heapify(waiting)
    open_, found = len(others), []
    while waiting and open_:
        _, one = heapq.heappop(waiting)
        side = sides[one]
        if side == 2:
            open_ -= 1
            found.append(one)
            if len(found) > MAX_BROUGHT:
                return []
        for parent in parents.get(one, ()):
            if parent not in order:
                continue
            before = sides.get(parent, 0)
            sides[parent] = before | side
            if not before:
                heapq.heappush(waiting, (-order[parent], parent))
            open_ += (sides[parent] == 2) - (before == 2)
    return found
