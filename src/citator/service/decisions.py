"""Decisions as a list, one by one, and over time; for a person's own commands.

- The gate is asked first: what an audience may not see is in no list, no count and no error.
- What is retired now shows its tombstone view, also at an earlier commit or date: that it is
  retired, by what, and never its text.
- What is not committed is said to have landed nowhere: others are served what is committed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citator.git.revisions import commit_named
from citator.model.errors import NotFoundError
from citator.model.record import (
    Item,
    ItemKind,
    RecordStatus,
    Rejected,
    Relation,
    Revision,
    Sensitivity,
)
from citator.model.visibility import Audience, may_disclose, may_surface
from citator.record import ledger as ledgers
from citator.record.evaluation import Proposal, Record
from citator.record.rejections import may_know
from citator.record.replay import replay
from citator.record.scopes import Scopes
from citator.record.time import has_ended, valid_at
from citator.service.desk import Desk, desks
from citator.service.naming import items_in
from citator.service.record import record_of
from citator.service.workspace import Workspace
from citator.trust.assurance import Assurance, Landed
from citator.trust.grants import Grants

RETIRED = frozenset({RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED, RecordStatus.REJECTED})


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, as this audience may see it.

    ``revision`` is None where its text may not be shown (it is retired). ``id`` is the item's;
    ``migration`` the one that gave it its present text, or proposes it. ``signed`` says that its
    ruling is a pinned person's words.
    """

    id: str
    kind: ItemKind
    status: RecordStatus
    owner: str
    sensitivity: Sensitivity
    migration: str
    assurance: Assurance
    signed: bool
    committed: bool
    second: bool
    revision: Revision | None = None
    revisions: tuple[Revision, ...] = ()
    relations: tuple[Relation, ...] = ()
    inverse: tuple[Relation, ...] = ()
    aliases: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    specifications: tuple[str, ...] = ()
    contested: bool = False
    expired: bool = False
    proposals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which decisions: all that are None or empty do not narrow."""

    kind: ItemKind | None = None
    statuses: tuple[RecordStatus, ...] = ()
    path: str | None = None
    label: str | None = None
    at: str | None = None
    as_of: str | None = None


@dataclass(frozen=True)
class Listing:
    """What was found. ``rejections`` are the values that were told no and that may be known."""

    decisions: tuple[Decision, ...]
    rejections: tuple[Rejected, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    pinned: bool = False
    commit: str | None = None


@dataclass
class _Seen:
    """The records that are looked at, and what is retired now whatever is looked at."""

    desk: Desk
    record: Record
    committed: frozenset[str]
    retired: Mapping[str, Item] = field(default_factory=dict)


def operator(workspace: Workspace) -> Audience:
    """The person who owns this machine's data: everything, in their own tenant and groups."""
    granted = Grants(workspace.layout).relied_on()
    return replace(granted, ceiling=Sensitivity.RESTRICTED, unapproved=True)


def granted(workspace: Workspace) -> Audience:
    """Whom this machine serves, as its operator granted."""
    return Grants(workspace.layout).relied_on()


def listing(workspace: Workspace, audience: Audience, wanted: Wanted, today: str) -> Listing:
    """The decisions that ``audience`` may see and that are wanted. ``today`` is a time (UTC).

    Raises NotFoundError ``unknown_commit``, IntegrityError, GitRefusedError.
    """
    seen, commit = _looked_at(workspace, wanted)
    found = [one for each in seen for one in _decisions(each, audience, wanted, today)]
    kept = [one for one in found if _is_wanted(one, wanted)]
    if wanted.path is not None:
        kept = _governing(kept, wanted.path)
    stones = [one for each in seen for one in each.record.tombstones if may_know(one, audience)]
    return Listing(
        tuple(kept),
        tuple(stones),
        tuple(sorted({(one.code, one.sentence) for each in seen for one in each.record.problems})),
        any(each.record.pinned for each in seen),
        commit,
    )


def decision(
    workspace: Workspace, audience: Audience, name: str, wanted: Wanted, today: str
) -> Decision:
    """The decision of that id, prefix or alias. Raises NotFoundError: there is none to be seen."""
    found = listing(workspace, audience, wanted, today).decisions
    named = [one for one in found if name in one.aliases] or [
        one for one in found if len(name) >= 6 and one.id.startswith(name.upper())
    ]
    if not named:
        named = [
            one
            for one in found
            if len(name) >= 6
            and any(id.startswith(name.upper()) for id in (one.migration, *one.proposals))
        ]
    if len({one.id for one in named}) != 1:
        raise NotFoundError(
            "unknown_item",
            "no decision here has that id, prefix or alias",
            "citator decisions list shows what there is; an ambiguous prefix needs more characters",
        )
    return named[0]


def _looked_at(workspace: Workspace, wanted: Wanted) -> tuple[list[_Seen], str | None]:
    now = _present(workspace)
    if wanted.at is None:
        return now, workspace.head.commit
    commit = commit_named(workspace.repository, wanted.at)
    retired = {
        item.id: item
        for each in now
        for item in each.record.state.items.values()
        if item.status in RETIRED
    }
    record = record_of(workspace, commit)
    return [_Seen(now[0].desk, record, frozenset(record.assurance), retired)], commit


def _present(workspace: Workspace) -> list[_Seen]:
    if workspace.repository.worktree is None:
        return [_bare(workspace)]
    seen = []
    for desk in desks(workspace):
        committed: frozenset[str] | None = None
        if desk.workspace.head.commit is not None and not _is_plain_folder(desk):
            at_head = ledgers.at_commit(desk.workspace.repository, desk.workspace.head.commit)
            committed = frozenset(at_head.landed)
        known = frozenset(desk.ledger.landed) if committed is None else committed
        seen.append(_Seen(desk, desk.record, known))
    return seen


def _bare(workspace: Workspace) -> _Seen:
    """A bare repository: what HEAD has, and nothing else."""
    assert workspace.repository.worktree is None
    tip = workspace.head.commit
    ledger = ledgers.at_commit(workspace.repository, tip) if tip else ledgers.Ledger()
    desk = Desk(workspace, workspace, workspace.repository.git_dir, ledger, tip)
    return _Seen(desk, desk.record, frozenset(ledger.landed))


def _is_plain_folder(desk: Desk) -> bool:
    return desk.second and desk.workspace is desk.home


def _decisions(seen: _Seen, audience: Audience, wanted: Wanted, today: str) -> Iterable[Decision]:
    """Those of one record, by id: what stands first, then what is only proposed."""
    about: dict[str, list[str]] = {}
    for proposal in seen.record.proposals:
        for named in items_in(proposal.migration):
            if may_surface(proposal.status, audience):
                about.setdefault(named, []).append(proposal.migration.id)
    state = seen.record.state
    for item in sorted(state.items.values(), key=lambda one: one.id):
        if not _may_know(item, audience):
            continue
        shown = seen.retired.get(item.id, item)
        yield _standing(seen, shown, about.get(item.id, ()), wanted, today, audience)
    known = set(state.items)
    for proposal in seen.record.proposals:
        if may_surface(proposal.status, audience) or proposal.status is RecordStatus.REJECTED:
            for created in _proposed_items(seen, proposal):
                if created.id not in known and _may_know(created, audience):
                    known.add(created.id)
                    others = about.get(created.id, ())
                    yield _proposed(seen, proposal, created, others, audience)


def _may_know(item: Item, audience: Audience) -> bool:
    return may_disclose(item.sensitivity, item.tenant, item.groups, audience)


def _standing(
    seen: _Seen,
    item: Item,
    proposals: Sequence[str],
    wanted: Wanted,
    today: str,
    audience: Audience,
) -> Decision:
    revision = item.current
    if wanted.as_of is not None:
        revision = valid_at(item, wanted.as_of)
    made = revision.id if revision is not None else item.created_by
    committed = made in seen.committed
    facts = seen.record.assurance_of(made)
    if not committed:
        facts = Assurance(facts.signature, Landed.NO)
    visible = may_surface(item.status, audience)
    state = seen.record.state
    return Decision(
        id=item.id,
        kind=item.kind,
        status=item.status,
        owner=item.owner,
        sensitivity=item.sensitivity,
        migration=made,
        assurance=facts,
        signed=seen.record.pinned and visible,
        committed=committed,
        second=seen.desk.second,
        revision=revision if visible else None,
        revisions=item.revisions if visible else (),
        relations=item.relations if visible else (),
        inverse=state.relations_to(item.id) if visible else (),
        aliases=item.aliases,
        superseded_by=item.superseded_by,
        evidence=tuple((one.source, one.description) for one in item.evidence) if visible else (),
        specifications=tuple(one.uri for one in item.specifications) if visible else (),
        contested=bool(item.contested),
        expired=revision is not None and has_ended(revision, wanted.as_of or today),
        proposals=tuple(proposals),
    )


def _proposed_items(seen: _Seen, proposal: Proposal) -> list[Item]:
    """The decisions that a proposal would create, as it would leave them."""
    created = [
        one.values["item"] for one in proposal.migration.operations if one.name == "create_item"
    ]
    if not created:
        return []
    basis = seen.record.effective or tuple(seen.desk.ledger.landed.values())
    state = replay([*(one for one in basis if one.id != proposal.migration.id), proposal.migration])
    return [state.items[one] for one in created if one in state.items]


def _proposed(
    seen: _Seen, proposal: Proposal, item: Item, proposals: Sequence[str], audience: Audience
) -> Decision:
    visible = may_surface(proposal.status, audience)
    return Decision(
        id=item.id,
        kind=item.kind,
        status=proposal.status,
        owner=item.owner,
        sensitivity=item.sensitivity,
        migration=proposal.migration.id,
        assurance=replace(proposal.assurance, landed=Landed.NO)
        if proposal.migration.id not in seen.committed
        else proposal.assurance,
        signed=False,
        committed=proposal.migration.id in seen.committed,
        second=seen.desk.second,
        revision=item.current if visible else None,
        revisions=item.revisions if visible else (),
        relations=item.relations if visible else (),
        aliases=item.aliases if visible else (),
        proposals=tuple(proposals),
    )


def _is_wanted(one: Decision, wanted: Wanted) -> bool:
    if wanted.kind is not None and one.kind is not wanted.kind:
        return False
    if wanted.statuses and one.status not in wanted.statuses:
        return False
    if wanted.label is not None:
        return one.revision is not None and wanted.label in one.revision.labels
    if wanted.as_of is not None:
        return one.revision is not None or one.status in RETIRED
    return True


def _governing(found: Sequence[Decision], path: str) -> list[Decision]:
    """Those whose scope holds ``path``, the most special first."""
    by_id = {one.id: one for one in found}
    scopes = Scopes((one.id, one.revision.paths) for one in found if one.revision is not None)
    return [by_id[item] for item in scopes.matching(path)]


def between(one: Decision, old: str | None, new: str | None) -> tuple[str, str, list[str]]:
    """The ids of two texts of a decision, and what changed from the first to the second.

    Raises NotFoundError where there are no two, or none of that id.
    """
    texts = {each.id: each for each in one.revisions}
    ids = list(texts)
    if old is None and new is None and len(ids) < 2:
        raise _no_text("it has no earlier text")
    second = _text_named(ids, new) if new is not None else ids[-1]
    first = _text_named(ids, old) if old is not None else ids[max(0, ids.index(second) - 1)]
    was, now = (_said(texts[each]) for each in (first, second))
    lines = difflib.unified_diff(was, now, lineterm="", n=3)
    return first, second, list(lines)[2:]


def _said(revision: Revision) -> list[str]:
    head = [f"# {revision.title}", "", revision.ruling, "", f"scope: {', '.join(revision.paths)}"]
    return [*head, "", *revision.body.splitlines()]


def _text_named(ids: Sequence[str], name: str) -> str:
    found = [one for one in ids if len(name) >= 6 and one.startswith(name.upper())]
    if len(found) != 1:
        raise _no_text("no text of it has that id")
    return found[0]


def _no_text(what: str) -> NotFoundError:
    return NotFoundError("unknown_text", what, "citator decisions show ITEM lists its texts")
