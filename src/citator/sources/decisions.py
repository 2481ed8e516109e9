"""The record as documents: the texts of decisions and proposals that one audience may see.

- Nothing is made of an item that the gate does not pass: not of its text, not of its count. An
  item that is retired or rejected has no text here, in none of its revisions.
- A text is one revision: ``# title``, the ruling where it says more than the title, the body;
  redacted like everything that is served. Its object id is the digest that an approver signed.
- Of an effective item every revision is a text, each with the time it held by its author's word;
  one of them is current. Of a proposal it is what would become current.
- A proposal is as sensitive as the most sensitive thing it could become. One whose item nobody
  knows shows nobody anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from citator.formats.markdown import outline
from citator.model.document import Document
from citator.model.record import Item, ItemKind, RecordStatus, Revision, Sensitivity
from citator.model.reference import DocumentKind
from citator.model.visibility import Audience, may_disclose, may_surface
from citator.record.migration import Proposed
from citator.record.outcome import revision_of
from citator.record.state import RecordState
from citator.sources.redaction import redact
from citator.sources.splitter import passages, split_markdown


@dataclass(frozen=True, slots=True)
class Decision:
    """One text of the record with the facts that a search needs.

    ``document`` holds the served text; its ``object_id`` is the migration's digest and its
    ``subject`` the title. ``revision`` is the migration's id. ``held_from`` (inclusive) and
    ``held_until`` (exclusive, None: still) say when it was this item's text, by its author's word;
    a proposal never was. ``current`` is the one text that is shown where no time is asked for.
    ``paths`` are the globs of what it governs.
    """

    document: Document
    item: str
    revision: str
    kind: ItemKind
    status: RecordStatus
    sensitivity: Sensitivity
    owner: str
    ruling: str
    created_at: str
    held_from: str
    held_until: str | None = None
    current: bool = True
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def is_proposal(self) -> bool:
        """Whether it is no more than asked for."""
        return self.status is not RecordStatus.APPROVED


def decisions_for(
    audience: Audience, state: RecordState, proposals: Iterable[Proposed] = ()
) -> list[Decision]:
    """Every text that ``audience`` may see, by (object id, item): an order of nothing else."""
    found = [
        decision
        for item in state.items.values()
        if may_surface(item.status, audience)
        and may_disclose(item.sensitivity, item.tenant, item.groups, audience)
        for decision in _texts(item)
    ]
    waiting = [one for one in proposals if may_surface(one.status, audience)]
    if waiting:
        asked = _Asked(state, waiting)
        found += [
            decision for one in waiting if (decision := asked.decision(one, audience)) is not None
        ]
    return sorted(found, key=lambda one: (one.document.object_id, one.item))


def _texts(item: Item) -> Iterable[Decision]:
    for place, revision in enumerate(item.revisions):
        later = item.revisions[place + 1 :]
        yield _decision(item, revision, _held_until(revision, later), current=not later)


def _held_until(revision: Revision, later: Sequence[Revision]) -> str | None:
    ends = [one.valid_from for one in later]
    if revision.valid_to is not None:
        ends.append(revision.valid_to)
    return min(ends, default=None)


def _decision(
    item: Item,
    revision: Revision,
    held_until: str | None,
    *,
    current: bool,
) -> Decision:
    ruling, _ = redact(revision.ruling)
    return Decision(
        document=document_of(revision),
        item=item.id,
        revision=revision.id,
        kind=item.kind,
        status=item.status,
        sensitivity=item.sensitivity,
        owner=item.owner,
        ruling=ruling,
        created_at=revision.created_at,
        held_from=revision.valid_from,
        held_until=held_until,
        current=current,
        labels=revision.labels,
        aliases=item.aliases,
        paths=revision.paths,
    )


def document_of(revision: Revision) -> Document:
    """The document of one revision: what is cited and served of it."""
    title, in_title = redact(revision.title)
    ruling, in_ruling = redact(revision.ruling)
    body, in_body = redact(revision.body)
    lines = _lines(title, ruling, body)
    pieces = split_markdown(lines, outline(lines))
    return Document(
        kind=DocumentKind.DECISION,
        object_id=revision.digest,
        subject=title,
        text="\n".join(lines),
        passages=passages(DocumentKind.DECISION, revision.digest, pieces),
        authored_at=_seconds(revision.created_at),
        redactions=in_title + in_ruling + in_body,
    )


def _lines(title: str, ruling: str, body: str) -> list[str]:
    """The served text: the title is its first line, and is not said twice."""
    text = body.strip("\n").split("\n")
    if text[0].strip() == f"# {title}":
        text = "\n".join(text[1:]).strip("\n").split("\n")
    said = [f"# {title}"] if ruling == title else [f"# {title}", "", ruling]
    return [*said, "", *text] if text != [""] else said


def _seconds(time: str) -> int | None:
    try:
        return int(datetime.fromisoformat(time).timestamp())
    except (ValueError, OverflowError):
        return None


class _Asked:
    """What proposals ask for, of items that effective migrations made or other proposals would."""

    def __init__(self, state: RecordState, waiting: Sequence[Proposed]) -> None:
        self._state = state
        self._created: dict[str, list[Mapping[str, Any]]] = {}
        self._changed: dict[str, list[Sensitivity]] = {}
        for one in waiting:
            for operation in one.migration.operations:
                values = operation.values
                if operation.name == "create_item":
                    self._created.setdefault(values["item"], []).append(values)
                elif operation.name == "change_sensitivity":
                    wanted = Sensitivity(values["sensitivity"])
                    self._changed.setdefault(values["item"], []).append(wanted)

    def decision(self, one: Proposed, audience: Audience) -> Decision | None:
        """The text that a proposal asks for; None where it has none, or none for the audience."""
        operation = one.migration.revision
        if operation is None:
            return None
        items = self._could_be(operation.values["item"], one.status)
        if not items or not all(
            may_disclose(item.sensitivity, item.tenant, item.groups, audience) for item in items
        ):
            return None
        revision = revision_of(one.migration, operation.values)
        return _decision(items[0], revision, revision.valid_to, current=True)

    def _could_be(self, item: str, status: RecordStatus) -> list[Item]:
        """Each thing the item is or could become, at the highest sensitivity that anything says."""
        known = self._state.items.get(item)
        could = [] if known is None else [known]
        could += [_created(values) for values in self._created.get(item, ())]
        said = [one.sensitivity for one in could] + self._changed.get(item, [])
        highest = max(said, key=lambda one: one.rank, default=Sensitivity.RESTRICTED)
        return [replace(one, sensitivity=highest, status=status) for one in could]


def _created(values: Mapping[str, Any]) -> Item:
    return Item(
        id=values["item"],
        kind=ItemKind(values["kind"]),
        owner=values["owner"],
        sensitivity=Sensitivity(values.get("sensitivity", Sensitivity.INTERNAL)),
        status=RecordStatus.PROPOSED,
        created_at="",
        created_by="",
        tenant=values.get("tenant"),
        groups=tuple(values.get("groups", ())),
    )
