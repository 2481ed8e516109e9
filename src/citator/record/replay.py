"""Replay: a set of migrations → a state. A pure function of the set; no order, no clock, no chance.

- A migration follows those whose operations it names as base and those that created its items;
  where that leaves a choice, the smaller ULID goes first.
- A migration takes effect whole or not at all. A refused one takes with it what builds on it, and
  nothing else: one bad file cannot stop a record from being read.
- Two migrations that act on one slot from the same base disagree, unless they say the same. What
  was agreed before stands, and the slot is *contested*, until a third names both as its base.
- What readmits, lowers or lifts is a *loosening*: it must be named under ``loosens``, so that an
  approver signs the very words.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping

from citator.record.effects import Effects
from citator.record.errors import Problem, Refusal
from citator.record.migration import Migration
from citator.record.outcome import state_of
from citator.record.state import RecordState


def replay(
    migrations: Iterable[Migration], source_commits: Mapping[str, str] | None = None
) -> RecordState:
    """The state that ``migrations`` amount to.

    ``source_commits`` (migration id → commit id) is provenance that is written into revisions.
    Loosenings that have to be declared: ``restore_item:ITEM``, ``lower_sensitivity:ITEM``,
    ``readmit:ITEM`` (a superseding relation removed), ``lift_rejection:ID``,
    ``change_approvers`` and ``change_policy`` (what was set before is replaced).
    """
    known, refused = _distinct(migrations)
    causes = _Causes(known)
    effects = Effects()
    accepted = []
    for migration in causes.ordered(known, refused):
        problem = causes.unmet(migration, refused) or effects.apply(migration)
        if problem is None:
            accepted.append(migration.id)
        else:
            refused[migration.id] = problem
    problems = tuple(sorted(refused.values()))
    return state_of(effects, tuple(accepted), problems, source_commits or {})


def _distinct(migrations: Iterable[Migration]) -> tuple[dict[str, Migration], dict[str, Problem]]:
    """The migrations by id. An id that two different texts carry means neither."""
    known: dict[str, Migration] = {}
    repeated = set()
    for migration in migrations:
        other = known.setdefault(migration.id, migration)
        if other.digest != migration.digest:
            repeated.add(migration.id)
    for one in repeated:
        del known[one]
    return known, {one: Problem(one, Refusal.REPEATED_ID) for one in repeated}


class _Causes:
    """Which migrations must come before which."""

    def __init__(self, known: Mapping[str, Migration]) -> None:
        self._links = {link: one.id for one in known.values() for link in one.links}
        self._creators: dict[str, list[str]] = {}
        for one in known.values():
            for operation in one.operations:
                if operation.name == "create_item":
                    self._creators.setdefault(operation.values["item"], []).append(one.id)

    def ordered(
        self, known: Mapping[str, Migration], refused: dict[str, Problem]
    ) -> Iterator[Migration]:
        """Causes before effects, ties by ULID. Those that wait for each other are refused."""
        before = {one.id: self._before(one) for one in known.values()}
        after: dict[str, list[str]] = {}
        for one, causes in before.items():
            for cause in causes:
                after.setdefault(cause, []).append(one)
        waiting = {one: len(causes) for one, causes in before.items()}
        ready = [one for one, count in waiting.items() if count == 0]
        heapq.heapify(ready)
        while ready:
            one = heapq.heappop(ready)
            yield known[one]
            for later in after.get(one, ()):
                waiting[later] -= 1
                if waiting[later] == 0:
                    heapq.heappush(ready, later)
        for one, count in waiting.items():
            if count:
                refused[one] = Problem(one, Refusal.CIRCULAR)

    def _before(self, migration: Migration) -> set[str]:
        causes = {self._links.get(base, "") for one in migration.operations for base in one.base}
        for item in _named(migration):
            causes.update(self._creators.get(item, ()))
        return causes - {"", migration.id}

    def unmet(self, migration: Migration, refused: Mapping[str, Problem]) -> Problem | None:
        """What a migration builds on and is not there."""
        for operation in migration.operations:
            for base in operation.base:
                maker = self._links.get(base)
                if maker is None:
                    return Problem(migration.id, Refusal.MISSING_BASE)
                if maker in refused:
                    return Problem(migration.id, Refusal.DEPENDS_ON_REFUSED, maker)
        for item in _named(migration):
            makers = self._creators.get(item, [])
            if all(maker in refused for maker in makers):
                refusal = Refusal.DEPENDS_ON_REFUSED if makers else Refusal.MISSING_ITEM
                return Problem(migration.id, refusal, item)
        return None


def _named(migration: Migration) -> list[str]:
    """The items a migration acts on, each once, in order."""
    return list(dict.fromkeys(item for one in migration.operations for item in one.items))
