"""``export html``: one page of the decisions an audience may see, for a person to review.

- What is in force stands with its text. What was retired stands without: that it was, and by what.
  Proposals are on the page only for an audience that may see what is unapproved.
- Two exports of one state for one audience are the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from citator.formats.html_page import GENERATOR, Card, Page, RelationLine, render
from citator.formats.treatment_svg import Mark
from citator.model.record import Item, ItemKind, RecordStatus, Sensitivity
from citator.model.treatment import (
    Edge,
    Standing,
    StandingReason,
    Treatment,
    Verdict,
    counting,
    standing_of,
)
from citator.model.visibility import Audience, may_disclose, may_surface
from citator.record.evaluation import Proposal, Record
from citator.record.migration import Migration
from citator.record.rejections import may_know
from citator.record.treatment import edges_of, facts_of
from citator.service.exported import (
    Gone,
    Shown,
    decisions,
    facts,
    line,
    relation_words,
    retired,
    words,
)
from citator.store.exports import write_page


def page_of(records: Sequence[Record], audience: Audience, title: str) -> Page:
    """The page: a function of the records, the audience and the title alone."""
    cards: list[Card] = []
    for record in records:
        shown, gone = decisions([record], audience), retired(record, audience)
        titles = {one.item.id: one.revision.title for one in shown}
        known = titles.keys() | {one.id for one in gone}
        treated = _Treated(record, known)
        cards += [_card(one, titles, known, record, treated) for one in shown]
        cards += [_gone(one, titles, record, treated) for one in gone]
        cards += _proposals(record, audience)
    cards.sort(key=lambda card: (card.date, card.id), reverse=True)
    rejections = [one for record in records for one in _rejections(record, audience)]
    rejections.sort(reverse=True)
    return Page(title, _subtitle(cards), tuple(cards), tuple(rejections))


def export(records: Sequence[Record], audience: Audience, target: Path, title: str) -> int:
    """Write the page. Returns how many decisions are on it.

    Raises RefusedError where the target is a file of somebody else, StorageError.
    """
    page = page_of(records, audience, title)
    write_page(target, render(page).encode(), GENERATOR.encode())
    return len(page.cards)


def _subtitle(cards: Sequence[Card]) -> str:
    if not cards:
        return "No decision that may be shown here has been approved yet."
    dates = sorted(card.date for card in cards)
    number = f"{len(cards):,} decision{'' if len(cards) == 1 else 's'}"
    return f"{number}, from {dates[0]} to {dates[-1]}"


class _Treated:
    """How the decisions on the page treat each other, by the record alone."""

    def __init__(self, record: Record, known: Collection[str]) -> None:
        found = sorted(edges_of(record.state, known.__contains__), key=lambda one: one.date)
        self._edges = found[::-1]
        self._record = record
        approved = RecordStatus.APPROVED
        self._ended = {one.id for one in record.state.items.values() if one.status is not approved}

    def _of(self, item: str) -> list[Edge]:
        return [one for one in self._edges if one.of == item]

    def verdict(self, item: Item, known: Collection[str]) -> Verdict:
        """How an item stands."""
        told = facts_of(item, known.__contains__).facts
        return standing_of(told, counting(item.id, self._of, self._ended))

    def marks(self, item: str) -> tuple[Mark, ...]:
        """What treats it and is more than a citation."""
        counts = set(counting(item, self._of, self._ended))
        return tuple(
            Mark(one.treatment.value, one.by, one.date, one.rule.value, one in counts)
            for one in self._of(item)
            if one.treatment is not Treatment.CITES
        )


def _card(
    one: Shown, titles: dict[str, str], known: Collection[str], record: Record, treated: _Treated
) -> Card:
    revision, item = one.revision, one.item
    told = facts(one)
    verdict = treated.verdict(item, known)
    reason = "" if verdict.standing is Standing.IN_FORCE else _reason(verdict, titles)
    return Card(
        id=item.id,
        standing=verdict.standing.value,
        reason=reason,
        treated=treated.marks(item.id),
        date=revision.created_at[:10],
        kind=told["kind"],
        title=revision.title,
        ruling=revision.ruling,
        body=revision.body,
        facts=(
            ("owner", item.owner),
            ("author", revision.author),
            ("signature", told["signature"].replace("_", " ")),
            ("landed", told["landed"].replace("_", " ")),
            ("sensitivity", told["sensitivity"]),
            ("from", revision.valid_from[:10]),
            ("until", (revision.valid_to or "")[:10]),
            ("governs", " ".join(map(line, revision.paths))),
        ),
        labels=tuple(map(line, revision.labels)),
        relations=tuple(_relations(one, titles, known, record)),
        history=tuple((old.created_at[:10], f"then: {old.title}") for old in one.history[:-1]),
    )


def _reason(verdict: Verdict, titles: dict[str, str]) -> str:
    if verdict.reason is StandingReason.CONTESTED:
        return "two approved changes disagree on it"
    by = "" if verdict.by is None else f" by {titles.get(verdict.by) or verdict.by}"
    return f"{verdict.reason.value.replace('_', ' ')}{by}"


def _relations(
    one: Shown, titles: dict[str, str], known: Collection[str], record: Record
) -> Iterable[RelationLine]:
    """The relations whose other end is on the page; of a retired one only its id."""
    item = record.state.items[one.item.id]
    for relation in (*item.relations, *record.state.relations_to(item.id)):
        own = relation.source == item.id
        other = relation.target if own else relation.source
        if other in known:
            told = relation_words(relation.type, inverse=not own)
            yield RelationLine(told, other, titles.get(other, ""), line(relation.note))


def _gone(gone: Gone, titles: dict[str, str], record: Record, treated: _Treated) -> Card:
    """A retired decision: that it was, when it was made, and what took its place."""
    return Card(
        id=gone.id,
        standing="not_in_force",
        reason=gone.status.value,
        date=record.state.items[gone.id].created_at[:10],
        relations=tuple(
            RelationLine("superseded by", one, titles.get(one, "")) for one in gone.superseded_by
        ),
        treated=treated.marks(gone.id),
    )


def _proposals(record: Record, audience: Audience) -> Iterable[Card]:
    for one in record.proposals:
        if may_surface(one.status, audience) and one.migration.revision is not None:
            created = _creation(one.migration)
            if created is not None and _may_see(created, audience):
                yield _proposed(one, created)


def _creation(migration: Migration) -> dict[str, object] | None:
    """The operation that creates the item whose text it proposes; None where it is older."""
    for operation in migration.operations:
        if operation.name == "create_item":
            return dict(operation.values)
    return None


def _may_see(created: dict[str, object], audience: Audience) -> bool:
    groups = created.get("groups", ())
    tenant = created.get("tenant")
    return may_disclose(
        Sensitivity(str(created.get("sensitivity", Sensitivity.INTERNAL.value))),
        tenant if isinstance(tenant, str) else None,
        tuple(groups) if isinstance(groups, list | tuple) else (),
        audience,
    )


def _proposed(one: Proposal, created: dict[str, object]) -> Card:
    migration = one.migration
    assert migration.revision is not None
    values = migration.revision.values
    reason = "a draft" if one.status is RecordStatus.DRAFT else "nobody has approved it"
    return Card(
        id=migration.id,
        standing="unassessed",
        reason=reason,
        date=migration.created_at[:10],
        kind=ItemKind(str(created["kind"])).value,
        title=line(values["title"]),
        ruling=line(values["ruling"]),
        body=words(migration.body),
        facts=(("owner", line(str(created["owner"]))), ("author", line(migration.author))),
        labels=tuple(map(line, values.get("labels", ()))),
    )


def _rejections(record: Record, audience: Audience) -> Iterable[tuple[str, str, str, str]]:
    """The rejections that stand and that the audience may know of."""
    for one in record.tombstones:
        if may_know(one, audience):
            yield one.at[:10], line(one.value), line(one.reason), line(one.change)
