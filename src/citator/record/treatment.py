"""What the record itself says of how its decisions treat each other: relations and statuses.

- Of items that an audience may not know there is no treatment, by them or of them.
- What is only proposed treats nothing in a way that counts: it is told beside, and changes no
  standing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from citator.model.premise import premises_in
from citator.model.record import Item, RecordStatus, RelationType
from citator.model.treatment import Attested, Edge, Facts, Rule, Treatment
from citator.record.migration import Proposed
from citator.record.state import RecordState

_BY_RELATION: Final = {
    RelationType.SUPERSEDES: Treatment.SUPERSEDES,
    RelationType.CONTRADICTS: Treatment.QUESTIONS,
    RelationType.REJECTS: Treatment.REJECTS,
    RelationType.EXCEPTION_TO: Treatment.LIMITS,
    RelationType.IMPLEMENTS: Treatment.IMPLEMENTS,
    RelationType.DEPENDS_ON: Treatment.FOLLOWS,
    RelationType.CONSTRAINED_BY: Treatment.FOLLOWS,
    RelationType.DERIVED_FROM: Treatment.FOLLOWS,
    RelationType.VERIFIED_BY: Treatment.CITES,
    RelationType.REVIEWED_BY: Treatment.CITES,
    RelationType.RELATED_TO: Treatment.CITES,
    RelationType.EVIDENCED_BY: Treatment.CITES,
}


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a standing needs to know of one decision. ``superseded_by`` names those that may be
    known; ``paths`` are the globs of what it governs and ``premises`` what it rests on, in the form
    that can be checked, while it may be read."""

    status: RecordStatus
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: tuple[str, ...] = ()
    contested: bool = False
    paths: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()

    @property
    def facts(self) -> Facts:
        """The same, as a standing takes it."""
        return Facts(
            status=self.status,
            superseded_by=self.superseded_by[0] if self.superseded_by else None,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            contested=self.contested,
        )


def facts_of(item: Item, knows: Callable[[str], bool]) -> ItemFacts:
    """The facts of an item. ``knows`` says of an id whether the audience may know of it."""
    current = item.current
    open_ = item.status is RecordStatus.APPROVED
    return ItemFacts(
        item.status,
        current.valid_from if current else None,
        current.valid_to if current else None,
        tuple(one for one in item.superseded_by if knows(one)),
        bool(item.contested),
        current.paths if current and open_ else (),
        tuple(one.text for one in premises_in(current.body)) if current and open_ else (),
    )


def edges_of(state: RecordState, knows: Callable[[str], bool]) -> Iterator[Edge]:
    """The treatments among the decisions of ``state`` that may be known, by id."""
    for item in sorted(state.items.values(), key=lambda one: one.id):
        if not knows(item.id):
            continue
        date = item.current.created_at[:10] if item.current else item.created_at[:10]
        for relation in item.relations:
            if knows(relation.target):
                yield _edge(_BY_RELATION[relation.type], item.id, relation.target, date)
        if item.status is not RecordStatus.APPROVED:
            continue
        yield from _cited(item, date)


def _edge(treatment: Treatment, by: str, of: str, date: str) -> Edge:
    part = treatment is Treatment.LIMITS
    return Edge(treatment, by, of, of, Rule.RELATION, Attested.FULL_SHA, date, part)


def _cited(item: Item, date: str) -> Iterator[Edge]:
    """The commits that a decision points at."""
    commits = [one.commit for one in item.current.anchors] if item.current else []
    for commit in dict.fromkeys(one for one in commits if one):
        yield Edge(Treatment.CITES, item.id, commit, commit, Rule.RELATION, Attested.FULL_SHA, date)


def proposed_edges(proposals: Iterable[Proposed], knows: Callable[[str], bool]) -> Iterator[Edge]:
    """What the proposals that may be seen would do to decisions that may be known.

    ``by`` is the proposal's migration, which stands nowhere.
    """
    for one in proposals:
        if one.status not in (RecordStatus.DRAFT, RecordStatus.PROPOSED):
            continue
        date = one.migration.created_at[:10]
        for operation in one.migration.operations:
            found = _proposed(operation.name, operation.values)
            if found is not None and knows(found[1]):
                yield _edge(found[0], one.migration.id, found[1], date)


def _proposed(name: str, values: Mapping[str, Any]) -> tuple[Treatment, str] | None:
    if name == "deprecate_item":
        return Treatment.QUESTIONS, str(values["item"])
    if name == "add_relation":
        return _BY_RELATION[RelationType(values["type"])], str(values["target"])
    return None
