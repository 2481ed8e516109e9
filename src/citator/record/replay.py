"""Replay: a set of migrations → a state. A pure function of the set; no order, no clock, no chance.

- A migration follows those whose operations it names as base and those that made what it names
  (items, specifications); where that leaves a choice, the smaller ULID goes first. A tool mints
  an id after all it has seen (``ulid.mint_after``), so that the order never turns time around.
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
from typing import Final

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
    for migration in causes.ordered(refused):
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
        self._known = known
        self._needed = {one.id: _needed(one) for one in known.values()}
        self._links = {link: one.id for one in known.values() for link in one.links}
        self._makers: dict[str, list[str]] = {}
        for one in known.values():
            for thing in _made(one):
                self._makers.setdefault(thing, []).append(one.id)

    def ordered(self, refused: dict[str, Problem]) -> Iterator[Migration]:
        """Causes before effects, ties by ULID. Those that wait for each other are refused.

        Whoever takes one puts it into ``refused``, where it is, before asking for the next: what
        was made twice is there once it was accepted once, so that no second maker holds up others.
        """
        waits = {one.id: self._waits_for(one) for one in self._known.values()}
        after: dict[str, list[str]] = {}
        for one, causes in waits.items():
            for cause in causes:
                after.setdefault(cause, []).append(one)
        left = {thing: len(makers) for thing, makers in self._makers.items()}
        ready = [one for one, causes in waits.items() if not causes]
        heapq.heapify(ready)
        while ready:
            one = heapq.heappop(ready)
            yield self._known[one]
            done = [one]
            for thing in _made(self._known[one]):
                left[thing] -= 1
                if one not in refused or left[thing] == 0:
                    done.append(thing)
            for cause in done:
                for later in after.pop(cause, ()):
                    waits[later].discard(cause)
                    if not waits[later]:
                        heapq.heappush(ready, later)
        refused.update(self._stuck({one: causes for one, causes in waits.items() if causes}))

    def _waits_for(self, migration: Migration) -> set[str]:
        """The migrations it builds on, and the things it names that others make."""
        causes = {self._links.get(base, "") for one in migration.operations for base in one.base}
        things = self._makers.keys() & (set(self._needed[migration.id]) - set(_made(migration)))
        return (causes | things) - {"", migration.id}

    def unmet(self, migration: Migration, refused: Mapping[str, Problem]) -> Problem | None:
        """What a migration builds on and is not there."""
        for operation in migration.operations:
            for base in operation.base:
                maker = self._links.get(base)
                if maker is None:
                    return Problem(migration.id, Refusal.MISSING_BASE)
                if maker in refused:
                    return Problem(migration.id, Refusal.DEPENDS_ON_REFUSED, maker)
        for thing in self._needed[migration.id]:
            makers = self._makers.get(thing, [])
            if all(maker in refused for maker in makers):
                refusal = Refusal.DEPENDS_ON_REFUSED if makers else Refusal.MISSING_ITEM
                return Problem(migration.id, refusal, thing)
        return None

    def _stuck(self, waits: Mapping[str, set[str]]) -> dict[str, Problem]:
        """Why each of these never had its turn: it stands in a circle, or waits for who does."""
        before = {
            one: {m for cause in causes for m in self._makers.get(cause, [cause]) if m in waits}
            for one, causes in waits.items()
        }
        circular = set(before)
        while True:
            awaited = {cause for one in circular for cause in before[one]}
            if circular <= awaited:
                break
            circular &= awaited
        found = {one: Problem(one, Refusal.CIRCULAR) for one in circular}
        for one in before.keys() - circular:
            found[one] = Problem(one, Refusal.DEPENDS_ON_REFUSED, min(before[one]))
        return found


def _made(migration: Migration) -> list[str]:
    """The ids of what a migration brings into being."""
    return list(
        dict.fromkeys(
            one.values[_MADE[one.name]] for one in migration.operations if one.name in _MADE
        )
    )


_MADE: Final = {"create_item": "item", "register_specification": "specification"}


def _needed(migration: Migration) -> list[str]:
    """The items and specifications a migration acts on, each once, in order."""
    needed: dict[str, None] = {}
    for one in migration.operations:
        needed.update(dict.fromkeys(one.items))
        if one.name == "supersede_specification":
            needed.update(dict.fromkeys((one.values["specification"], one.values["by"])))
    return list(needed)
