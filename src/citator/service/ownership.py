"""Whose work a path is, from history and from CODEOWNERS: facts about paths, never a permission.

- What counts is of the counts that changes together are told from: merges and bulk changes left
  out, files followed through moves, hidden commits never counted. A change weighs half as much
  each :data:`HALF_LIFE` days; bots weigh nothing. Names are joined as ``.mailmap`` says.
- The *bus factor* of a path is how few authors hold half of that weight.
- Authors are numbers; their names are told apart, for a person at a terminal alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from citator.formats import codeowners
from citator.formats.codeowners import CodeOwners
from citator.git import blobs, trees
from citator.git.people import authors
from citator.index.behaviour import is_behaviour
from citator.index.code.cochange import Changes
from citator.model.docket import Owner, Ownership
from citator.model.document import Person, author_number
from citator.model.plain import is_plain, shown_path
from citator.service.cochange import changes_of
from citator.service.readership import Mask, mask_of
from citator.service.workspace import Workspace, require_commits

HALF_LIFE: Final = 365
MOST_OWNERS: Final = 5
LEAST_CHANGES: Final = 20
_DAY: Final = 86_400
_FEW: Final = 2_000  # commits that are asked for by their ids; of more all are walked
_BOT: Final = re.compile(
    r"\[bot\]|(?<![a-z])bot(?![a-z])|dependabot|renovate|greenkeeper|github-actions|pre-commit-ci"
    r"|mergify",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Owned:
    """What is owned, and by number the ``people``, for a person to read."""

    paths: tuple[Ownership, ...]
    people: dict[int, Person]


def owners_of(
    workspace: Workspace, paths: Sequence[str], now: int, mask: Mask | None = None
) -> Owned:
    """Whose work these files and folders of HEAD are. ``now`` in Unix seconds; ``mask``: what is
    hidden (None: from whom the operator granted).

    Raises RefusedError ``no_commits``, StorageError, GitRefusedError.
    """
    wanted = {one.rstrip("/"): one for one in paths}

    def grouped(path: str) -> Iterable[str]:
        return (one for one in _at_or_above(path) if one in wanted)

    return _owned(workspace, now, grouped, mask_of(workspace) if mask is None else mask)


def resting_on_few(workspace: Workspace, now: int, most: int, mask: Mask) -> Owned:
    """The folders with behaviour, and :data:`LEAST_CHANGES` at least, that rest on the fewest."""

    def grouped(path: str) -> Iterable[str]:
        return (path.rpartition("/")[0],) if is_behaviour(path) and "/" in path else ()

    found = _owned(workspace, now, grouped, mask)
    few = [one for one in found.paths if one.changes >= LEAST_CHANGES and one.factor == 1]
    few.sort(key=lambda one: (-one.changes, one.path))
    return Owned(tuple(few[:most]), found.people)


def _at_or_above(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:at]) for at in range(1, len(parts) + 1))


def _owned(
    workspace: Workspace, now: int, grouped: Callable[[str], Iterable[str]], mask: Mask
) -> Owned:
    head = require_commits(workspace)
    if mask.everything:
        return Owned((), {})
    changes, paths = changes_of(workspace, mask)
    people: dict[int, Person] = {}
    declared = _declared(workspace, head, mask)
    groups: dict[str, set[int]] = defaultdict(set)
    inside: dict[str, str] = {}
    for file, path in enumerate(paths):
        for group in grouped(path):
            groups[group].update(_commits(changes, file))
            inside.setdefault(group, path)
    ids = changes.ids.tolist()
    wanted = [ids[at] for at in set().union(*groups.values())]
    few = [f"{one:016x}" for one in wanted] if len(wanted) <= _FEW else None
    walked = authors(workspace.repository, head, few)
    numbers = {int(commit[:16], 16): person for commit, person in walked}
    made = [_author(numbers.get(one), people) for one in ids]
    found = []
    for group, commits in sorted(groups.items()):
        one = _weighed(changes, [at for at in commits if made[at] is not None], made, now)
        told = tuple(name for name in declared.of(inside[group]) if is_plain(name))
        found.append(Ownership(shown_path(group), *one, told))
    return Owned(tuple(found), people)


def _commits(changes: Changes, file: int) -> list[int]:
    begin, end = changes.ends[file - 1] if file else 0, changes.ends[file]
    return [changes.commits[at] for at in changes.order[begin:end]]


def _author(person: Person | None, people: dict[int, Person]) -> int | None:
    """The number of a person, None for a bot and for nobody."""
    if person is None or _BOT.search(f"{person.name} {person.email}"):
        return None
    number = author_number(person)
    people.setdefault(number, person)
    return number


def _weighed(
    changes: Changes, commits: Sequence[int], made: Sequence[int | None], now: int
) -> tuple[tuple[Owner, ...], int, int]:
    weights: dict[int, float] = defaultdict(float)
    counts: Counter[int] = Counter()
    last: dict[int, int] = {}
    for at in commits:
        author, when = made[at] or 0, changes.times[at]
        days = max(0.0, (now - when) / _DAY)
        weights[author] += 0.5 ** (days / HALF_LIFE)
        counts[author] += 1
        last[author] = max(last.get(author, 0), when)
    whole = sum(weights.values()) or 1.0
    order = sorted(weights, key=lambda one: (-weights[one], one))
    held, factor = 0.0, 0
    while factor < len(order) and held < whole / 2:
        held += weights[order[factor]]
        factor += 1
    owners = tuple(
        Owner(one, round(weights[one] / whole, 2), counts[one], _day(last[one]))
        for one in order[:MOST_OWNERS]
    )
    return owners, factor, len(commits)


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _declared(workspace: Workspace, head: str, mask: Mask) -> CodeOwners:
    """The rules of the first CODEOWNERS that HEAD has where hosts look for one."""
    shown = [one for one in codeowners.PLACES if not mask.covers(one)]
    entries = trees.entries(workspace.repository, head, shown) if shown else ()
    held = {one.path: one.object_id for one in entries if one.kind == "blob"}
    place = next((one for one in shown if one in held), None)
    if place is None:
        return CodeOwners()
    with blobs.BlobReader(workspace.repository) as reader:
        content = reader.read(held[place], codeowners.MAX_BYTES)
    return codeowners.parse(content) if isinstance(content, bytes) else CodeOwners()
