"""Decisions as a list, one by one, and over time; for a person's own commands.

- The gate is asked first: what an audience may not see is in no list, no count and no error.
- What is retired now shows its tombstone view, also at an earlier commit or date: that it is
  retired, by what (where that may be known), and none of its words. What may no longer be seen now
  is not shown at an earlier commit either.
- Of others a decision names only those that the audience may know of.
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
from citator.trust.assurance import Assurance, Landed, Signature
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
    """What was found. ``rejections`` are the values that were told no and that may be known,
    the oldest first."""

    decisions: tuple[Decision, ...]
    rejections: tuple[Rejected, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    pinned: bool = False
    commit: str | None = None


@dataclass
class _Seen:
    """The records that are looked at, and every item as it is now whatever is looked at."""

    desk: Desk
    record: Record
    committed: frozenset[str]
    now: Mapping[str, Item] = field(default_factory=dict)

    def may_know(self, item: str, audience: Audience) -> bool:
        """Whether an audience may know of an item: as it is looked at, and as it is now."""
        found = [one for one in (self.record.state.items.get(item), self.now.get(item)) if one]
        return bool(found) and all(_may_know(one, audience) for one in found)

    def shown(self, item: Item) -> Item:
        """The item, as its tombstone where it is retired now."""
        now = self.now.get(item.id)
        return now if now is not None and now.status in RETIRED else item


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
    seen, commit = _looked_at(workspace, wanted, audience)
    found = [one for each in seen for one in _decisions(each, audience, wanted, today)]
    kept = [one for one in found if _is_wanted(one, wanted)]
    if wanted.path is not None:
        kept = _governing(kept, wanted.path)
    stones = [one for each in seen for one in each.record.tombstones if may_know(one, audience)]
    stones.sort(key=lambda one: (one.at, one.id))
    return Listing(
        tuple(kept),
        tuple(stones),
        tuple(sorted({one for each in seen for one in _problems(each, audience)})),
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


def _problems(seen: _Seen, audience: Audience) -> Iterable[tuple[str, str]]:
    """What could not be relied on. Which file it was is of concern to those who see everything:
    nobody knows what a file that cannot be read would have been about."""
    for one in seen.record.problems:
        if not one.path or audience.ceiling is Sensitivity.RESTRICTED:
            yield one.code, one.sentence


def _looked_at(
    workspace: Workspace, wanted: Wanted, audience: Audience
) -> tuple[list[_Seen], str | None]:
    now = _present(workspace, audience)
    if wanted.at is None:
        return now, workspace.head.commit
    commit = commit_named(workspace.repository, wanted.at)
    known = {item.id: item for each in now for item in each.record.state.items.values()}
    record = record_of(workspace, commit)
    return [_Seen(now[0].desk, record, frozenset(record.assurance), known)], commit


def _present(workspace: Workspace, audience: Audience) -> list[_Seen]:
    if workspace.repository.worktree is None:
        return [_bare(workspace)]
    seen = []
    for desk in desks(workspace, audience):
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
            if seen.desk.shows(proposal.migration, audience):
                about.setdefault(named, []).append(proposal.migration.id)
    state = seen.record.state
    for item in sorted(state.items.values(), key=lambda one: one.id):
        if seen.may_know(item.id, audience):
            others = about.get(item.id, ())
            yield _standing(seen, seen.shown(item), others, wanted, today, audience)
    known = set(state.items)
    created_by = _created(seen)
    for proposal in seen.record.proposals:
        if may_surface(proposal.status, audience) or proposal.status is RecordStatus.REJECTED:
            for created in created_by.get(proposal.migration.id, ()):
                if created.id not in known and seen.desk.weights.reach(proposal.migration).is_for(
                    audience
                ):
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

    def knows(other: str) -> bool:
        return seen.may_know(other, audience)

    return Decision(
        id=item.id,
        kind=item.kind,
        status=item.status,
        owner=item.owner if visible else "",
        sensitivity=item.sensitivity,
        migration=made,
        assurance=facts,
        signed=seen.record.pinned and visible and facts.signature >= Signature.KEY,
        committed=committed,
        second=seen.desk.second,
        revision=revision if visible else None,
        revisions=item.revisions if visible else (),
        relations=tuple(one for one in item.relations if visible and knows(one.target)),
        inverse=tuple(one for one in state.relations_to(item.id) if visible and knows(one.source)),
        aliases=item.aliases if visible else (),
        superseded_by=tuple(one for one in item.superseded_by if knows(one)),
        evidence=tuple((one.source, one.description) for one in item.evidence) if visible else (),
        specifications=tuple(one.uri for one in item.specifications) if visible else (),
        contested=bool(item.contested),
        expired=revision is not None and has_ended(revision, wanted.as_of or today),
        proposals=tuple(proposals),
    )


def _created(seen: _Seen) -> dict[str, list[Item]]:
    """The decisions that each proposal would create, as it would leave them."""
    named = {
        one.migration.id: [
            operation.values["item"]
            for operation in one.migration.operations
            if operation.name == "create_item"
        ]
        for one in seen.record.proposals
    }
    making = [one.migration for one in seen.record.proposals if named[one.migration.id]]
    basis = seen.record.effective or tuple(seen.desk.ledger.landed.values())
    made = {one.id for one in making}
    before = [one for one in basis if one.id not in made]
    together = replay([*before, *making])
    found = {}
    for migration in making:
        state = together
        if any(item not in state.items for item in named[migration.id]):  # refused beside another
            state = replay([*before, migration])
        found[migration.id] = [
            state.items[item] for item in named[migration.id] if item in state.items
        ]
    return found


def _proposed(
    seen: _Seen, proposal: Proposal, item: Item, proposals: Sequence[str], audience: Audience
) -> Decision:
    visible = may_surface(proposal.status, audience)
    return Decision(
        id=item.id,
        kind=item.kind,
        status=proposal.status,
        owner=item.owner if visible else "",
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
        relations=tuple(
            one for one in item.relations if visible and seen.may_know(one.target, audience)
        ),
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
