"""What an export may show: approved decisions that the audience may see, and links between them.

- The gate decides, item by item, before anything is written. A relation is shown where both of its
  ends are; what is withheld leaves no id, no count and no digest.
- Words are redacted and made inert as they are wherever they are served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from citator.model.inert import inert, inert_line
from citator.model.record import Item, RecordStatus, Relation, RelationType, Revision
from citator.model.visibility import Audience, may_disclose, may_surface
from citator.record.evaluation import Record
from citator.sources.redaction import redact
from citator.trust.assurance import Assurance


@dataclass(frozen=True, slots=True)
class Shown:
    """One decision to show: redacted, inert, its relations only to others that are shown.

    ``history`` are its texts, oldest first; the last is ``revision``.
    """

    item: Item
    revision: Revision
    assurance: Assurance
    relations: tuple[Relation, ...]
    history: tuple[Revision, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """A decision that was retired: that it was, and by which shown decision. No text of it."""

    id: str
    status: RecordStatus
    superseded_by: tuple[str, ...]


def decisions(records: Iterable[Record], audience: Audience) -> list[Shown]:
    """The decisions in force that ``audience`` may see, of every ledger, oldest first."""
    found = [one for record in records for one in _of(record, audience)]
    return sorted(found, key=lambda one: one.item.id)


def _of(record: Record, audience: Audience) -> list[Shown]:
    kept = {
        item.id: item
        for item in record.state.items.values()
        if item.current is not None
        and may_surface(item.status, audience)
        and _is_disclosed(item, audience)
    }
    return [
        _shown(item, current, record, kept)
        for item in kept.values()
        if (current := item.current) is not None
    ]


def retired(record: Record, audience: Audience) -> list[Gone]:
    """Retired decisions of a ledger that the audience may know of, oldest first."""
    shown = {one.item.id for one in _of(record, audience)}
    return [
        Gone(item.id, item.status, tuple(one for one in item.superseded_by if one in shown))
        for item in sorted(record.state.items.values(), key=lambda one: one.id)
        if item.status in (RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED)
        and _is_disclosed(item, audience)
    ]


def _is_disclosed(item: Item, audience: Audience) -> bool:
    return may_disclose(item.sensitivity, item.tenant, item.groups, audience)


def _shown(item: Item, current: Revision, record: Record, kept: Mapping[str, Item]) -> Shown:
    history = tuple(_clean(one) for one in item.revisions)
    relations = [
        one
        for one in (*item.relations, *record.state.relations_to(item.id))
        if one.source in kept and one.target in kept
    ]
    return Shown(
        item=replace(item, owner=line(item.owner), relations=(), evidence=()),
        revision=history[-1],
        assurance=record.assurance_of(current.id),
        relations=tuple(sorted(replace(one, note=line(one.note)) for one in relations)),
        history=history,
    )


def _clean(revision: Revision) -> Revision:
    return replace(
        revision,
        title=line(revision.title),
        ruling=line(revision.ruling),
        body=words(revision.body),
        author=line(revision.author),
    )


def words(text: str) -> str:
    """A text as it may be shown: secrets taken out, nothing in it steers an eye or a terminal."""
    return inert(redact(text)[0])


def line(text: str) -> str:
    """:func:`words` for one line."""
    return inert_line(redact(text)[0])


_INVERSES: Final = {
    RelationType.IMPLEMENTS: "implemented by",
    RelationType.SUPERSEDES: "superseded by",
    RelationType.DEPENDS_ON: "needed by",
    RelationType.CONSTRAINED_BY: "constrains",
    RelationType.VERIFIED_BY: "verifies",
    RelationType.REVIEWED_BY: "reviews",
    RelationType.CONTRADICTS: "contradicted by",
    RelationType.RELATED_TO: "related to",
    RelationType.DERIVED_FROM: "source of",
    RelationType.EVIDENCED_BY: "evidence for",
    RelationType.REJECTS: "rejected by",
    RelationType.EXCEPTION_TO: "has the exception",
}


def relation_words(kind: RelationType, *, inverse: bool) -> str:
    """A relation as it reads from its source, or from its target."""
    return _INVERSES[kind] if inverse else kind.value.replace("_", " ")


def facts(one: Shown) -> dict[str, Any]:
    """The closed vocabulary of a decision, as plain words."""
    return {
        "kind": one.item.kind.value,
        "status": one.item.status.value,
        "sensitivity": one.item.sensitivity.value,
        "signature": one.assurance.signature.value,
        "landed": one.assurance.landed.value,
    }
