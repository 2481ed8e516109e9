"""What a record leaves open, for people: read from structure, never from what a text says.

- Decisions whose paths are gone, and scopes that a retired decision left without another in force;
  decisions that no path can find; such as end soon; proposals that code already stands under; files
  that change much and that nothing governs; findings that withdrew themselves.
- For one audience, at HEAD: what it may not see is in no list and in no count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Final

from citator.formats.globs import compiled, problem_with
from citator.git import trees
from citator.git.recent import recent
from citator.index.behaviour import is_behaviour
from citator.index.nothing import NothingSeen
from citator.index.partition import Text
from citator.model.horizon import Horizon
from citator.model.plain import shown_path
from citator.model.record import RecordStatus
from citator.model.visibility import Audience, may_disclose
from citator.service import guard_log
from citator.service.horizon import Seen, horizon_of
from citator.service.ownership import Owned, resting_on_few
from citator.service.readership import Mask, mask_of
from citator.service.record import record_of
from citator.service.record_view import view_of
from citator.service.workspace import Workspace, require_commits

LOOKED_AT: Final = 1_000
LEAST_CHANGES: Final = 8
MOST_HOT: Final = 10
MOST: Final = 200


class Matter(StrEnum):
    """What is open."""

    PATHS_GONE = "paths_gone"
    UNGOVERNED = "ungoverned"
    UNREACHABLE = "unreachable"
    EXPIRING = "expiring"
    UNAPPROVED = "unapproved"
    HOT = "hot"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Open:
    """One thing: ``subject`` is an item, a path or a finding; ``count`` files, changes or showings
    it is about; ``date`` when it ends; ``path`` one of the files."""

    matter: Matter
    subject: str
    count: int = 0
    date: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What is open, by matter, what of the history could not be seen, and the folders that rest on
    one author, with the people by number."""

    open: tuple[Open, ...]
    horizon: Horizon
    owned: Owned


def survey(workspace: Workspace, audience: Audience, now: datetime, days: int) -> Surveyed:
    """Look at the record and at HEAD. ``days`` is how soon *soon* is.

    Raises RefusedError ``no_commits``, GitRefusedError, StorageError.
    """
    head = require_commits(workspace)
    mask = mask_of(workspace, audience)
    files = [
        one.path
        for one in trees.entries(workspace.repository, head)
        if one.kind == "blob" and not mask.covers(one.path)
    ]
    found: list[Open] = []
    held = _Held(files)
    governed: set[str] = set()
    view = view_of(workspace, audience)
    if view is not None:
        with closing(view.partition):
            texts = [one for one in view.partition.all() if one.current]
            standing = [one for one in texts if one.status is RecordStatus.APPROVED]
            governed = held.by(pattern for one in standing for pattern in one.paths)
            found += _of_texts(standing, held, now, days)
            found += _unapproved(texts, held)
            found += _ungoverned(workspace, audience, held, governed)
    found += _hot(workspace, head, mask, set(files) - governed)
    found += _withdrawn(workspace)
    order = list(Matter)
    found.sort(key=lambda one: (order.index(one.matter), -one.count, one.subject))
    horizon = horizon_of(workspace, None, (), Seen(NothingSeen(), mask))
    owned = resting_on_few(workspace, int(now.timestamp()), MOST_HOT, mask)
    return Surveyed(tuple(found[:MOST]), horizon, owned)


class _Held:
    """Which files of HEAD patterns hold; each pattern is looked at once."""

    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._known: dict[str, frozenset[str]] = {}

    def by(self, patterns: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for pattern in patterns:
            if pattern not in self._known:
                self._known[pattern] = self._matching(pattern)
            found |= self._known[pattern]
        return found

    def _matching(self, pattern: str) -> frozenset[str]:
        if problem_with(pattern) is not None:
            return frozenset()
        expression = compiled(pattern)
        return frozenset(one for one in self._files if expression.fullmatch(one))


def _of_texts(texts: Iterable[Text], held: _Held, now: datetime, days: int) -> Iterator[Open]:
    today = _time(now)
    soon = _time(now + timedelta(days=days))
    for one in texts:
        if not one.paths:
            yield Open(Matter.UNREACHABLE, one.item)
        elif not held.by(one.paths):
            yield Open(Matter.PATHS_GONE, one.item, len(one.paths))
        if one.held_until is not None and today <= one.held_until <= soon:
            yield Open(Matter.EXPIRING, one.item, date=one.held_until[:10])


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _unapproved(texts: Iterable[Text], held: _Held) -> Iterator[Open]:
    """Proposals that files of HEAD already stand under."""
    for one in texts:
        if one.status in (RecordStatus.PROPOSED, RecordStatus.DRAFT):
            files = held.by(one.paths)
            if files:
                yield Open(Matter.UNAPPROVED, one.item, len(files), path=shown_path(min(files)))


def _ungoverned(
    workspace: Workspace, audience: Audience, held: _Held, governed: set[str]
) -> Iterator[Open]:
    """What retired decisions governed and nothing in force does: for who may see the unapproved,
    because of a retired decision others are told its retirement alone."""
    if not audience.unapproved:
        return
    for item in record_of(workspace).state.items.values():
        retired = item.status in (RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED)
        seen = may_disclose(item.sensitivity, item.tenant, item.groups, audience)
        if retired and seen and item.current is not None:
            left = held.by(item.current.paths) - governed
            if left:
                yield Open(Matter.UNGOVERNED, item.id, len(left), path=shown_path(min(left)))


def _hot(workspace: Workspace, head: str, mask: Mask, ungoverned: set[str]) -> Iterator[Open]:
    """The files that the newest commits changed most, of those that no decision governs."""
    if mask.everything:
        return
    counted: Counter[str] = Counter()
    with closing(recent(workspace.repository, head)) as walked:
        for commit in islice(walked, LOOKED_AT):
            if commit.paths is not None and not any(map(mask.covers, commit.paths)):
                counted.update(commit.paths)
    hot = [
        (count, path)
        for path, count in counted.items()
        if count >= LEAST_CHANGES and path in ungoverned and is_behaviour(path)
    ]
    for count, path in sorted(hot, key=lambda one: (-one[0], one[1]))[:MOST_HOT]:
        yield Open(Matter.HOT, shown_path(path), count)


def _withdrawn(workspace: Workspace) -> Iterator[Open]:
    tallies: Mapping[str, guard_log.Tally] = guard_log.tallies(workspace)
    for id, tally in tallies.items():
        if tally.withdrawn:
            yield Open(Matter.WITHDRAWN, id, len(tally.shown))
