"""Drafts → migrations, each a proposal of its own.

- An item and its first text are one migration; a later text, a relation, a retirement and a
  rejection are one each, so that a person can take one and leave another.
- What is there already is not made again: texts by their mark, relations and rejections by what
  they act on. A run that was cut short is continued by the next.
- A draft that was rejected becomes a rejection to sign, never an item. A relation is proposed
  where both ends exist; between what was rejected and anything else there is none.
- A text that was marked as more sensitive than its decision is now is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from citator.formats.one_line import one_line
from citator.model.record import (
    RULING_CHARACTERS,
    RecordStatus,
    Rejected,
    RelationType,
    Sensitivity,
)
from citator.record import fields
from citator.record.errors import MigrationError
from citator.record.importing.draft import DERIVED, Draft, Link, Origin, Text
from citator.record.importing.marks import Known, mark
from citator.record.migration import Migration, parse
from citator.record.operations import Operation, checked
from citator.record.replay import replay


class Outcome(StrEnum):
    """What became of a draft, or of one part of it."""

    PROPOSED = "proposed"
    REVISED = "revised"
    RELATED = "related"
    RETIRED = "retirement_proposed"
    REJECTED = "rejection_pending"
    ALREADY = "already_there"
    REFUSED = "refused"
    NO_TARGET = "target_missing"
    LEFT_OUT = "more_sensitive_text_left_out"
    ITEM_RETIRED = "item_is_retired"
    TOLD_NO = "rejected_before"
    ACROSS = "between_ledgers"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done or not done for the draft of ``key``: a migration, or why there is none."""

    key: str
    outcome: Outcome
    migration: Migration | None = None
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    detail: str = ""
    derived: bool = False


Consult = Callable[[Draft], Rejected | None]


def _never(draft: Draft) -> Rejected | None:
    return None


@dataclass
class Planner:
    """Plans one import.

    ``ids`` mints ULIDs, each greater than the one before; ``at`` is the time of the import;
    ``consult`` gives the standing rejection of what a draft would propose.
    """

    origin: Origin
    known: Sequence[Migration]
    author: str
    at: str
    ids: Callable[[], str]
    consult: Consult = _never
    _items: dict[str, str] = field(default_factory=dict)
    _to_retire: set[str] = field(default_factory=set)
    _sensitivity: dict[str, Sensitivity] = field(default_factory=dict)

    def plan(self, drafts: Iterable[Draft]) -> list[Step]:
        """Every step: the texts in the order of the drafts, then relations, then retirements."""
        self._known = Known.of(self.known)
        self._state = replay(self.known)
        everything = list(drafts)
        claimed = _claimed(everything)
        steps = [step for draft in everything for step in self._draft(draft, claimed)]
        steps += self._related(everything)
        steps += [self._retirement(draft) for draft in everything if draft.key in self._to_retire]
        return self._tried(steps)

    def _tried(self, steps: list[Step]) -> list[Step]:
        """The steps, those taken out that the record would refuse with all else accepted."""
        made = {step.migration.id: step.migration for step in steps if step.migration is not None}
        state = replay([*self.known, *made.values()])
        problems = {one.migration: one.refusal.value for one in state.refused}
        return [
            step
            if step.migration is None or step.migration.id not in problems
            else replace(
                step,
                outcome=Outcome.REFUSED,
                migration=None,
                detail=f"migration_{problems[step.migration.id]}",
            )
            for step in steps
        ]

    def _draft(self, draft: Draft, claimed: Counter[str]) -> list[Step]:
        if draft.rejected is not None:
            return [self._rejection(draft)]
        item = self._known.item_of(self.origin, draft.key)
        item = item or self._known.holder_of(self.origin, draft.text.content)
        texts = [one for one in draft.texts if _may_stand(one, draft)]
        left = [Step(draft.key, Outcome.LEFT_OUT)] * (len(draft.texts) - len(texts))
        told = self.consult(draft) if item is None else None
        if told is not None:
            return [Step(draft.key, Outcome.TOLD_NO, detail=told.id)]
        if item is None:
            return left + self._created(draft, texts, claimed)
        self._items[draft.key] = item
        found = self._state.items.get(item)
        kept = draft.sensitivity if found is None else found.sensitivity
        self._sensitivity[item] = max(kept, draft.sensitivity, key=lambda one: one.rank)
        return left + self._revised(draft, item, texts)

    def _created(self, draft: Draft, texts: Sequence[Text], claimed: Counter[str]) -> list[Step]:
        """The item with its first text, then each later text on the one before."""
        item = self.ids()
        aliases = [
            one
            for one in dict.fromkeys(draft.aliases)
            if claimed[one] == 1 and one not in self._known.aliases
        ]
        creation = {
            "op": "create_item",
            "item": item,
            "kind": draft.kind.value,
            "owner": draft.owner,
            **_withheld(draft),
        }
        operations = [creation, *self._text(draft, item, texts[0])]
        operations += [{"op": "add_alias", "item": item, "alias": one} for one in aliases]
        operations += [
            {
                "op": "add_evidence",
                "item": item,
                "source": one.source,
                "description": one.description,
                "confidence": one.confidence,
            }
            for one in draft.support
        ]
        operations += [
            {
                "op": "register_specification",
                "specification": self.ids(),
                "item": item,
                "uri": uri,
                "format": form,
            }
            for uri, form in draft.specifications
        ]
        first = self._step(draft, Outcome.PROPOSED, operations, texts[0])
        if first.migration is None:
            return [first]
        self._items[draft.key] = item
        self._sensitivity[item] = draft.sensitivity
        base = _links_of(first.migration, "upsert_revision")
        steps = [first, *self._texts(draft, item, texts[1:], base)]
        if draft.retired is not None:
            self._to_retire.add(draft.key)
        return steps

    def _revised(self, draft: Draft, item: str, texts: Sequence[Text]) -> list[Step]:
        """What is new of an item that is there: usually nothing."""
        new = [one for one in texts if not self._known.holder_of(self.origin, one.content)]
        if not new:
            return [Step(draft.key, Outcome.ALREADY, detail=item)]
        found = self._state.items.get(item)
        if found is None or found.status in (RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED):
            return [Step(draft.key, Outcome.ITEM_RETIRED, detail=item)]
        return self._texts(draft, item, new, self._state.heads.get(f"item/{item}/text", ()))

    def _texts(
        self, draft: Draft, item: str, texts: Sequence[Text], base: Sequence[str]
    ) -> list[Step]:
        """Each text on the one before it; the first on ``base``."""
        steps = []
        for text in texts:
            step = self._step(draft, Outcome.REVISED, self._text(draft, item, text, base), text)
            steps.append(step)
            base = base if step.migration is None else _links_of(step.migration, "upsert_revision")
        return steps

    def _text(
        self, draft: Draft, item: str, text: Text, base: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """The operations that give an item a text and leave its mark."""
        labels = [*text.labels, *([DERIVED] if text.derived else [])]
        revision: dict[str, Any] = {
            "op": "upsert_revision",
            "item": item,
            "title": one_line(text.title, 200),
            "ruling": one_line(text.ruling or text.title, RULING_CHARACTERS),
            "trust": text.trust.value,
            "labels": sorted(set(labels))[: fields.MAX_LISTED],
            "paths": _patterns(text.paths),
            "anchors": [dict(one) for one in text.anchors][: fields.MAX_LISTED],
            "valid_from": text.valid_from,
            "valid_to": text.valid_to,
            "base": list(base),
        }
        evidence = {
            "op": "add_evidence",
            "item": item,
            "source": mark(self.origin, draft.key, text.content),
            "description": f"imported from {_ARTICLE[self.origin]}",
        }
        return [{key: value for key, value in revision.items() if value or key == "op"}, evidence]

    def _retirement(self, draft: Draft) -> Step:
        reason = one_line(draft.retired or "", 500)
        operation: dict[str, Any] = {"op": "deprecate_item", "item": self._items[draft.key]}
        if reason:
            operation["reason"] = reason
        return self._step(draft, Outcome.RETIRED, [operation], None)

    def _rejection(self, draft: Draft) -> Step:
        text = draft.text
        scope = _patterns(text.paths)
        if text.paths and not scope:  # without its scope it would hold everywhere
            return Step(draft.key, Outcome.REFUSED, detail="scope_unusable")
        operation: dict[str, Any] = {
            "op": "reject_value",
            "value": one_line(text.title, 500),
            "reason": one_line(draft.rejected or "", 500) or "It was rejected where it was read.",
            "change": one_line(draft.change, 500),
            "kind": draft.kind.value,
            "scope": scope,
            **_withheld(draft),
        }
        operation = {key: value for key, value in operation.items() if value}
        try:
            slot = checked(operation, 1).slot
        except MigrationError as error:
            return Step(draft.key, Outcome.REFUSED, detail=error.code)
        if slot in self._known.slots:
            return Step(draft.key, Outcome.ALREADY)
        return self._step(draft, Outcome.REJECTED, [operation], text)

    def _related(self, drafts: Sequence[Draft]) -> list[Step]:
        """The relations: what supersedes first, and of those the oldest first, so that nothing
        supersedes in the name of what is superseded itself."""
        pairs = [(draft, link) for draft in drafts for link in draft.links]
        rank = _ranks((self._ends(draft, link) for draft, link in pairs if _supersedes(link)))
        pairs.sort(key=lambda pair: self._place(pair[0], pair[1], rank))
        found = [self._relation(draft, link) for draft, link in pairs]
        return [step for step in found if step is not None]

    def _place(self, draft: Draft, link: Link, rank: Mapping[str, int]) -> tuple[bool, int]:
        source = self._ends(draft, link)[0]
        return not _supersedes(link), rank.get(source, 0) if _supersedes(link) else 0

    def _ends(self, draft: Draft, link: Link) -> tuple[str, str]:
        """The source and the target of a link, empty where there is no item."""
        own, other = self._items.get(draft.key, ""), self._items.get(link.other, "")
        return (other, own) if link.inverse else (own, other)

    def _relation(self, draft: Draft, link: Link) -> Step | None:
        """One relation; None where this draft has no item, which was told already."""
        if draft.key not in self._items:
            return None
        if link.other not in self._items:
            return Step(draft.key, Outcome.NO_TARGET)
        own, other = self._items[draft.key], self._items[link.other]
        source, target = self._ends(draft, link)
        operation: dict[str, Any] = {
            "op": "add_relation",
            "source": source,
            "type": link.type.value,
            "target": target,
        }
        if link.note:
            operation["note"] = one_line(link.note, 500)
        if source == target or checked(operation, 1).slot in self._known.slots:
            return None
        ranks = {self._sensitivity[one].rank > Sensitivity.INTERNAL.rank for one in (own, other)}
        if len(ranks) > 1:  # neither ledger has both ends
            return Step(draft.key, Outcome.ACROSS)
        return self._step(draft, Outcome.RELATED, [operation], None)

    def _step(
        self, draft: Draft, outcome: Outcome, operations: list[dict[str, Any]], text: Text | None
    ) -> Step:
        """The migration of these operations, held to what a migration file may be."""
        body = text.body.strip("\n") + "\n" if text is not None and text.body.strip() else ""
        loudest = self._loudest(draft, operations)
        try:
            made = [checked(one, at) for at, one in enumerate(operations, 1)]
            migration = parse(
                Migration(
                    id=self.ids(),
                    author=self.author,
                    created_at=self.at,
                    operations=tuple(made),
                    body=body,
                    draft=draft.unfinished,
                ).render()
            )
        except MigrationError as error:
            return Step(draft.key, Outcome.REFUSED, sensitivity=loudest, detail=error.code)
        self._known.add(migration)
        derived = text is not None and text.derived and outcome is not Outcome.REJECTED
        return Step(draft.key, outcome, migration, loudest, derived=derived)

    def _loudest(self, draft: Draft, operations: Sequence[dict[str, Any]]) -> Sensitivity:
        """The highest sensitivity of what a migration tells of."""
        ends = [self._sensitivity.get(one.get(e, "")) for one in operations for e in _ENDS]
        return max((draft.sensitivity, *filter(None, ends)), key=lambda one: one.rank)


_ENDS = ("item", "source", "target")
_ARTICLE = {
    Origin.ADR: "an architecture decision record",
    Origin.THEURIAN: "a Theurian record",
    Origin.OKF: "a bundle in Open Knowledge Format",
    Origin.REVIEW: "a review thread",
}


def _claimed(drafts: Iterable[Draft]) -> Counter[str]:
    """How many drafts claim each alias: one that two claim names neither."""
    return Counter(alias for draft in drafts for alias in set(draft.aliases))


def _may_stand(text: Text, draft: Draft) -> bool:
    own = draft.sensitivity if text.sensitivity is None else text.sensitivity
    return text is draft.text or own.rank <= draft.sensitivity.rank


def _patterns(paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` that are patterns the record understands."""
    found = set()
    for path in paths:
        with suppress(fields.BadValueError):
            found.add(fields.path_pattern(path))
    return sorted(found)[: fields.MAX_LISTED]


def _withheld(draft: Draft) -> dict[str, Any]:
    found: dict[str, Any] = {"sensitivity": draft.sensitivity.value}
    if draft.tenant:
        found["tenant"] = draft.tenant
    if draft.groups:
        found["groups"] = sorted(set(draft.groups))
    return found


def _links_of(migration: Migration, name: str) -> list[str]:
    """The digests of a migration's operations of this name."""
    named: list[tuple[Operation, str]] = list(
        zip(migration.operations, migration.links, strict=True)
    )
    return [link for operation, link in named if operation.name == name]


def _supersedes(link: Link) -> bool:
    return link.type is RelationType.SUPERSEDES


def _ranks(edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """For each source, the longest way down through what it supersedes; a circle ends the way."""
    below: dict[str, list[str]] = {}
    for source, target in edges:
        below.setdefault(source, []).append(target)
    rank: dict[str, int] = {}
    for start in sorted(below):
        waiting, open_ = [start], {start}
        while waiting:
            top = waiting[-1]
            nexts = [one for one in below.get(top, ()) if one not in rank and one not in open_]
            if nexts:
                waiting.append(nexts[0])
                open_.add(nexts[0])
                continue
            rank[top] = 1 + max((rank.get(one, 0) for one in below.get(top, ())), default=-1)
            open_.discard(waiting.pop())
    return rank
