"""Which commit a claim means: one that lies in the history of the commit that makes the claim.

- What decides a standing is resolved by ancestry: a name that leads outside is not followed, and
  where nothing inside has the name, the claim stays one whose target was not found.
- A commit that was picked from the one that is named stands for it where the one is not there.
- A citation is resolved to what is here; whether a HEAD has both ends is asked when it is read.
- An ambiguous beginning of an id names nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from citator.git.folders import is_ancestor
from citator.git.records import Repository
from citator.index.treatment_store import WHOLE_ID, Row, StoredEdge, TreatmentStore, has
from citator.model.treatment import DECIDING, UNDOING, Attested, Rule, Treatment
from citator.sources.treatment.claims import Claim
from citator.sources.treatment.names import Name, Naming

MAX_BROUGHT: Final = 200
_BY_ANCESTRY: Final = frozenset({*DECIDING, Treatment.LIMITS, Treatment.QUESTIONS})


class Ancestry:
    """Who is whose ancestor, for commits that were just read and all before them.

    ``parents`` are of the rows just read, ``known`` the masks of tips read before, by their rows.
    """

    def __init__(
        self,
        repo: Repository,
        store: TreatmentStore,
        parents: Mapping[int, Sequence[int]],
        moments: Mapping[int, int],
        known: Mapping[int, bytes],
    ) -> None:
        self._repo = repo
        self._store = store
        self._parents = parents
        self._moments = moments
        self._known = known
        self._asked = lru_cache(maxsize=4096)(self._ask)

    def has(self, older: Row, newer: int) -> bool:
        """Whether ``older`` is an ancestor of the row ``newer``, or is it."""
        if newer == older.row:
            return True
        waiting = [newer]
        seen = {newer}
        edge: set[int] = set()
        while waiting:
            row = waiting.pop()
            inside = self._parents.get(row)
            if inside is None:
                edge.add(row)
                continue
            for parent in inside:
                if parent == older.row:
                    return True
                if parent and parent not in seen:
                    seen.add(parent)
                    if self._moments.get(parent, older.moment + 1) > older.moment:
                        waiting.append(parent)
        if older.row in self._parents:
            return False
        return any(
            has(self._known[row], older.row) if row in self._known else self._asked(older.id, row)
            for row in sorted(edge)
        )

    def _ask(self, older: str, newer: int) -> bool:
        one = self._store.commit(newer)
        return one is not None and is_ancestor(self._repo, older, one.id)

    def parents(self, row: int) -> Sequence[int]:
        """The rows of the parents of a row."""
        found = self._parents.get(row)
        return self._store.parents(row) if found is None else found

    def brought(self, merge: int) -> Iterator[int]:
        """The commits that a merge brought; nothing for any other commit, or a large one."""
        parents = self.parents(merge)
        if len(parents) < 2:
            return
        found: list[int] = []
        waiting = [one for one in parents[1:] if one]
        seen = set(waiting)
        while waiting:
            row = waiting.pop()
            one = self._store.commit(row)
            if one is None or self.has(one, parents[0]):
                continue
            found.append(row)
            if len(found) > MAX_BROUGHT:
                return
            for parent in self.parents(row):
                if parent and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        yield from found


class Resolver:
    """Turns the claims of one commit after another into treatments, parents first."""

    def __init__(self, store: TreatmentStore, ancestry: Ancestry) -> None:
        self._store = store
        self._ancestry = ancestry
        self._made: dict[int, list[StoredEdge]] = {}

    def edges(self, by: Row, claims: Sequence[Claim]) -> list[StoredEdge]:
        """The treatments that ``claims`` of ``by`` amount to, in their order."""
        found: list[StoredEdge] = []
        for claim in claims:
            found += self._of(by, claim)
        said = {one.of for one in found if one.treatment in _BY_ANCESTRY}
        for one in list(found):
            found += self._through(one, said)
        if found:
            self._made[by.row] = found
        return found

    def _of(self, by: Row, claim: Claim) -> Iterator[StoredEdge]:
        if not claim.names:
            yield StoredEdge(claim.treatment, by.row, None, "", claim.rule, Attested.FULL_SHA)
            return
        of, name = self._target(by, claim)
        if of is None and name.naming not in (Naming.DECISION, Naming.ADR):
            if not claim.tentative:
                strength = _strength(claim, name)
                claimed = claimed_as(name)
                yield StoredEdge(claim.treatment, by.row, None, claimed, claim.rule, strength)
            return
        treatment = claim.treatment
        part = claim.part and treatment in UNDOING
        if part and treatment is Treatment.REVERTS:
            treatment = Treatment.LIMITS
        yield StoredEdge(
            treatment,
            by.row,
            None if of is None else of.row,
            claimed_as(name),
            claim.rule,
            _strength(claim, name),
            part,
        )

    def _target(self, by: Row, claim: Claim) -> tuple[Row | None, Name]:
        by_ancestry = claim.treatment in _BY_ANCESTRY
        for name in self._narrowed(claim.names):
            if name.naming in (Naming.DECISION, Naming.ADR):
                return None, name
            found = self._earlier(name, by, by_ancestry)
            first = next(found, None)
            if name.naming is Naming.ID:
                if first is None and len(name.text) in WHOLE_ID:
                    copies = self._earlier(Name(Naming.COPY_OF, name.text), by, True)
                    first = next(copies, None)
                elif next(found, None) is not None:
                    continue
            if first is not None:
                return first, name
        return None, claim.names[0]

    def _narrowed(self, names: Sequence[Name]) -> Sequence[Name]:
        """Without a number whose change has another title than the one that is quoted."""
        title = next((one for one in names if one.naming is Naming.TITLE), None)
        number = next((one for one in names if one.naming is Naming.CHANGE), None)
        if title is None or number is None:
            return names
        titled = {one.row for one in self._store.named(title)}
        numbered = {one.row for one in self._store.named(number)}
        if titled and numbered and titled.isdisjoint(numbered):
            return [one for one in names if one is not number]
        return names

    def _earlier(self, name: Name, by: Row, by_ancestry: bool) -> Iterator[Row]:
        """The commits of a name that come before ``by``, the latest first."""
        for one in self._store.named(name):
            if one.row == by.row or one.moment >= by.moment:
                continue
            if not by_ancestry or self._ancestry.has(one, by.row):
                yield one

    def _through(self, one: StoredEdge, said: set[int | None]) -> Iterator[StoredEdge]:
        """What follows from a treatment: of what a merge brought, and of what a revert reverted."""
        if one.of is None or one.part or not one.strength.decides or one.treatment not in UNDOING:
            return
        for row in self._ancestry.brought(one.of):
            if row not in said:
                said.add(row)
                yield StoredEdge(
                    one.treatment, one.by, row, "", Rule.REVERT_MERGE, Attested.STRUCTURE
                )
        if one.treatment is not Treatment.REVERTS:
            return
        for earlier in self._edges_by(one.of):
            if (
                earlier.treatment is Treatment.REVERTS
                and earlier.of is not None
                and earlier.of not in said
                and earlier.strength.decides
            ):
                said.add(earlier.of)
                yield StoredEdge(
                    Treatment.REINSTATES,
                    one.by,
                    earlier.of,
                    "",
                    Rule.REVERT_OF_REVERT,
                    min(one.strength, earlier.strength, key=lambda each: each.rank),
                )

    def _edges_by(self, row: int) -> Sequence[StoredEdge]:
        return self._made[row] if row in self._made else self._store.edges_by(row)


def claimed_as(name: Name) -> str:
    """How a target was named, as a plain token."""
    match name.naming:
        case Naming.CHANGE:
            return f"#{name.text}"
        case Naming.REVISION:
            return f"r{name.text}"
        case Naming.TITLE:
            return f"title:{name.text}"
        case Naming.ADR:
            return f"ADR-{name.text}"
        case _:
            return name.text


def _strength(claim: Claim, name: Name) -> Attested:
    if claim.mention:
        return Attested.BODY_MENTION
    match name.naming:
        case Naming.ID | Naming.COPY_OF:
            return Attested.FULL_SHA if len(name.text) in WHOLE_ID else Attested.SHORT_SHA
        case Naming.CHANGE | Naming.REVISION:
            return Attested.PULL_REQUEST
        case Naming.TITLE:
            return Attested.QUOTED_TITLE
        case _:
            return Attested.FULL_SHA
