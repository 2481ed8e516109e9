"""Decide something: a new decision, a new text of one, or a draft that is ready.

What was rejected before is told and not written again, unless the proposal says why it comes back;
that reason then stands in its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from citator.git.identity import person
from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.record import Item, ItemKind, Refuse, Rejected, RelationType, Sensitivity
from citator.model.visibility import Audience
from citator.record import fields, writing
from citator.record.ledger import FOLDER
from citator.record.migration import Migration
from citator.record.rejections import told_no, value_of
from citator.service import journal, proposing
from citator.service.decision_template import Alternative, Wish
from citator.service.desk import (
    Desk,
    desks,
    one_writer,
    repository_desk,
    second_desk,
    writing_the_tree,
)
from citator.service.journal import Event
from citator.service.naming import item_named, migration_named
from citator.service.proposing import Moment, Proposed, Wording
from citator.service.workspace import Workspace
from citator.trust.grants import Grants


@dataclass(frozen=True, slots=True)
class Links:
    """What a decision does to others: names, as people give them."""

    supersedes: tuple[str, ...] = ()
    revises: str | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How it is proposed: by whom, as a draft or not, and why although it was rejected before.

    ``audience`` is whose eyes it is proposed with; None is the person of this machine, who may
    name everything and is told what the machine's audience may know.
    """

    author: str
    draft: bool = False
    anyway: str | None = None
    audience: Audience | None = None


def started(workspace: Workspace, links: Links, given: Wish) -> Wish:
    """What the template starts from: what was given, over what the revised decision says now."""
    owner = given.owner or (person(workspace.repository) or "").partition("<")[0].strip()[:100]
    if links.revises is None:
        return replace(given, owner=owner)
    item = _revised(workspace, links.revises)[1]
    current = item.current
    if current is None:
        return replace(given, owner=item.owner)
    return replace(
        given,
        title=given.title or current.title,
        ruling=given.ruling or current.ruling,
        kind=item.kind.value,
        owner=item.owner,
        sensitivity=item.sensitivity.value,
        paths=given.paths or current.paths,
        labels=given.labels or current.labels,
        valid_from=given.valid_from,
        valid_to=given.valid_to or (current.valid_to or ""),
        body=given.body or current.body,
        refuse=given.refuse or _refused(current.refuse),
    )


def _refused(said: Refuse | None) -> tuple[tuple[str, str], ...]:
    """What the decision refused before: a new text that says nothing else of it keeps it."""
    if said is None:
        return ()
    return tuple((kind, one) for kind, some in asdict(said).items() for one in some)


def decide(
    workspace: Workspace, wish: Wish, links: Links, manner: Manner, moment: Moment
) -> Proposed:
    """Write the proposal. Raises RefusedError (``told_no``, ``secret_found``,
    ``needs_second_ledger``, ``migration_…``), UsageError, NotFoundError, StorageError.
    """
    wish = _timed(wish)
    if links.revises is not None:
        desk, item = _revised(workspace, links.revises, manner.audience)
        operations = [_text(item.id, wish)]
        taken: tuple[str, ...] = ()
        target = item.id
    else:
        desk = _desk_for(workspace, wish)
        target = proposing.minted(desk, moment, (), manner.audience)
        taken = (target,)
        operations = [_creation(target, wish), _text(target, wish)]
    operations += _links(desk, target, wish, links)
    operations += [_rejection(one, wish) for one in wish.alternatives]
    id = proposing.minted(desk, moment, taken, manner.audience)
    wording = Wording(manner.author, wish.body, draft=manner.draft)
    made = proposing.make(desk, operations, wording, moment, id)
    told = manner.audience or Grants(workspace.layout).relied_on()
    spoken = spoken_against(desk, made, told)
    if spoken and manner.anyway is None:
        raise ToldNoError(spoken[0])
    if spoken and manner.anyway is not None:
        body = f"{wish.body.rstrip()}\n\n{_although(spoken, manner.anyway)}\n".lstrip("\n")
        made = proposing.make(desk, operations, replace(wording, body=body), moment, id)
    return proposing.write(desk, made, moment)


def spoken_against(desk: Desk, made: Migration, audience: Audience | None) -> tuple[Rejected, ...]:
    """The rejections that speak against ``made``; all of them where ``audience`` is None.

    Those that came with an earlier text of the same decision are what it chose against.
    """
    revision = made.revision
    if revision is None:
        return ()
    item = desk.basis.items.get(revision.values["item"])
    own = {one.id for one in item.revisions} if item is not None else set()
    created = next((one for one in made.operations if one.name == "create_item"), None)
    kind = item.kind if item is not None else None
    if created is not None:
        kind = ItemKind(created.values["kind"])
    return told_no(
        (one for one in desk.record.tombstones if one.source not in own),
        audience,
        values=value_of(made),
        kind=kind,
        paths=revision.values.get("paths", ()),
    )


def told_of(desk: Desk, item: Item, audience: Audience | None) -> tuple[Rejected, ...]:
    """The rejections that speak against the present text of an item, as for a proposal."""
    current = item.current
    if current is None:
        return ()
    own = {one.id for one in item.revisions}
    return told_no(
        (one for one in desk.record.tombstones if one.source not in own),
        audience,
        values=(current.title, current.ruling),
        kind=item.kind,
        paths=current.paths,
    )


class ToldNoError(RefusedError):
    """The reply to what was rejected before; ``rejected`` is what speaks against it."""

    def __init__(self, rejected: Rejected) -> None:
        super().__init__(
            "told_no",
            f"told no on {rejected.at[:10]} (rejection {rejected.id[:12]}); nothing was written",
            "if something changed since, say what: --anyway --because TEXT",
        )
        self.rejected = rejected


def ready(workspace: Workspace, name: str, moment: Moment) -> Proposed:
    """Say that a draft is done. Raises RefusedError where it is no draft, NotFoundError."""
    desk, migration = migration_named(desks(workspace), name)
    if not migration.draft or migration.id not in desk.ledger.proposals:
        raise RefusedError(
            "not_a_draft", "that is no draft", "citator decisions list --status draft shows them"
        )
    done = migration.ready()
    proposing.require_effect(desk, done)
    path = desk.root / FOLDER / desk.ledger.paths[migration.id]
    with one_writer(workspace), writing_the_tree():
        writing.replace_proposal(desk.root, desk.ledger.paths[migration.id], migration, done)
        journal.note(workspace, Event.READY, moment.text, (done.id,), (done.digest,))
    return Proposed(done, path, tuple(_items(done)), proposing.flags_of(done))


def _items(migration: Migration) -> Sequence[str]:
    from citator.service.naming import items_in

    return items_in(migration)


def _revised(
    workspace: Workspace, name: str, audience: Audience | None = None
) -> tuple[Desk, Item]:
    desk, item = _item_named(workspace, name, audience)
    found = desk.basis.items.get(item)
    if found is None:
        raise RefusedError(
            "only_proposed",
            "that decision is only proposed: there is nothing yet to revise",
            "approve and apply it first, or decide it anew",
        )
    return desk, found


def _item_named(workspace: Workspace, name: str, audience: Audience | None) -> tuple[Desk, str]:
    """The decision of that name; the second ledger is read only for one that is not in the first,
    unless a person asks, who is told where both have it."""
    if audience is None:
        return item_named(desks(workspace), name)
    try:
        return item_named([repository_desk(workspace)], name)
    except NotFoundError:
        return item_named(desks(workspace, audience)[1:], name)


def _desk_for(workspace: Workspace, wish: Wish) -> Desk:
    """The ledger for what is this sensitive."""
    sensitive = wish.sensitivity in (Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED)
    if sensitive:
        second = second_desk(workspace)
        if second is not None:
            return second
    return repository_desk(workspace)


def _creation(item: str, wish: Wish) -> dict[str, Any]:
    return {
        "op": "create_item",
        "item": item,
        "kind": wish.kind,
        "owner": wish.owner or "unassigned",
        "sensitivity": wish.sensitivity,
    }


def _text(item: str, wish: Wish) -> dict[str, Any]:
    said = {
        "op": "upsert_revision",
        "item": item,
        "title": wish.title,
        "ruling": wish.ruling,
        "labels": list(wish.labels),
        "paths": list(wish.paths),
        "valid_from": wish.valid_from,
        "valid_to": wish.valid_to,
        "refuse": _refusals(wish),
    }
    return {key: value for key, value in said.items() if value}


def _refusals(wish: Wish) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, one in wish.refuse:
        found.setdefault(kind, []).append(one)
    return found


def _links(desk: Desk, item: str, wish: Wish, links: Links) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {"op": "add_alias", "alias": alias, "item": item} for alias in wish.aliases
    ]
    for name in links.supersedes:
        target = item_named([desk], name)[1]
        made.append(
            {
                "op": "add_relation",
                "source": item,
                "type": RelationType.SUPERSEDES.value,
                "target": target,
            }
        )
    return made


def _rejection(alternative: Alternative, wish: Wish) -> dict[str, Any]:
    said = {
        "op": "reject_value",
        "value": alternative.value,
        "reason": alternative.reason,
        "change": alternative.unless,
        "scope": list(wish.paths),
        "sensitivity": wish.sensitivity,
    }
    return {key: value for key, value in said.items() if value}


def _although(spoken: Sequence[Rejected], because: str) -> str:
    named = ", ".join(f"{one.id[:12]} of {one.at[:10]}" for one in spoken)
    return f"Proposed again although it was rejected ({named}), because: {because.strip()}"


def _timed(wish: Wish) -> Wish:
    """``wish`` with whole times: a date alone is its beginning in UTC. Raises UsageError."""
    return replace(
        wish,
        valid_from=whole_time(wish.valid_from, "--valid-from"),
        valid_to=whole_time(wish.valid_to, "--valid-to"),
    )


def whole_time(text: str, option: str) -> str:
    """A date or a time as the record writes it, empty for empty. Raises UsageError."""
    if not text:
        return ""
    try:
        return str(fields.time(f"{text}T00:00:00Z" if len(text) == 10 else text))
    except fields.BadValueError:
        raise UsageError(
            "usage", f"{option} wants a date such as 2026-03-01", "a time in UTC will do, too"
        ) from None
