"""What one audience may see of the record at HEAD: its partition, the facts beside it, and proof.

- Kept under ``derived/record``, and made anew where anything it follows from has changed: the
  ledger's files and their history, what is pinned and granted, the audience.
- What is served is verified again, decision by decision, from the bytes at HEAD: a kept view says
  where to look, not what to believe.
- What a question costs follows from what the audience may see: a kept view is found without
  reading a ledger, and the second one is not opened for those who may see nothing of it.
- Where there is no ledger this costs one look at HEAD.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from citator.git.folders import folder_id, is_ancestor
from citator.git.repository import has_commit
from citator.index.partition_store import Partitions, partition_of
from citator.index.partition_texts import FORMAT
from citator.model.errors import IntegrityError, NotFoundError
from citator.model.record import RecordStatus
from citator.model.treatment import Edge
from citator.model.visibility import Audience, may_disclose, may_open_second
from citator.record.evaluation import Proof, Record
from citator.record.ledger import FOLDER, LedgerFile, committed_files
from citator.record.migration import Migration, parse
from citator.record.treatment import ItemFacts, edges_of, facts_of, proposed_edges
from citator.service import kept_views
from citator.service.kept_views import RecordView
from citator.service.record import (
    origins_at,
    record_of,
    second_files,
    second_record,
    second_state,
)
from citator.service.workspace import Workspace, require_commits
from citator.sources.decisions import decisions_for
from citator.store import hook_files
from citator.trust.assurance import Signature
from citator.trust.grants import Grants


def audience_of(workspace: Workspace) -> Audience:
    """Whom this machine serves, as its operator granted."""
    return Grants(workspace.layout).relied_on()


def view_of(workspace: Workspace, audience: Audience, at: str | None = None) -> RecordView | None:
    """What ``audience`` may see at HEAD; None where there is no ledger.

    With ``at``, a commit that HEAD has: what was recorded by then, but for what is retired now.
    Raises NotFoundError ``unknown_ref``, GitRefusedError, StorageError; a record that cannot be
    relied on is a fact, not an error.
    """
    tip = require_commits(workspace)
    earlier = at if at != tip else None
    if earlier is not None:
        require_ancestor(workspace, earlier, tip)
    tree = folder_id(workspace.repository, tip, FOLDER)
    apart = second_state(workspace) if may_open_second(audience) else ""
    if tree is None and (apart == "" or earlier is not None):
        return None
    partitions = Partitions(workspace.place.derived / "record" / "partitions")
    views = workspace.place.derived / "record" / "views"
    key = None
    if apart is not None:
        key = _key(workspace, (tip, tree or "", apart, earlier or ""), audience)
        kept = kept_views.load(views, key, partitions, workspace.secret)
        if kept is not None:
            return kept
    second = second_record(workspace, audience)
    records, facts = _records(workspace, second)
    kept_views.withdraw(views, partitions, records)
    hook_files.destroy(workspace.place.directory)
    if earlier is None:
        made = _made(audience, partitions, records, second, facts)
    else:
        made = _earlier(workspace, audience, partitions, earlier)
    if key is not None:
        kept_views.keep(views, key, audience, made, workspace.secret)
        kept_views.sweep(views, partitions)
    return made


def _key(workspace: Workspace, state: tuple[str, str, str, str], audience: Audience) -> str:
    """A digest of all that a view follows from. ``state``: HEAD, its ledger, the state of the
    second one, the earlier commit that is asked for."""
    tip, *others = state
    history = origins_at(workspace, tip)
    parts = [str(kept_views.VERSION), FORMAT, *others, audience.id, history]
    digest = hashlib.sha256("\0".join(parts).encode())
    for path in _trust_files(workspace.layout.data / "trust"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _trust_files(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*.json") if one.is_file() and not one.is_symlink())


def _records(
    workspace: Workspace, second: tuple[Record, ...]
) -> tuple[tuple[Record, ...], set[str]]:
    """Both records, and codes of what could not be relied on."""
    facts = {one.code for each in second for one in each.problems if not one.path}
    try:
        return (record_of(workspace), *second), facts
    except IntegrityError as error:
        return second, {*facts, error.code}


def _made(
    audience: Audience,
    partitions: Partitions,
    records: tuple[Record, ...],
    second: tuple[Record, ...],
    facts: set[str],
) -> RecordView:
    decisions = [
        one for each in records for one in decisions_for(audience, each.state, each.proposals)
    ]
    seen = {one.revision for one in decisions}
    items, edges = _treated(audience, records, seen)
    return RecordView(
        items=items,
        edges=edges,
        partition=partitions.of(decisions),
        assurance={
            key: one for each in records for key, one in each.assurance.items() if key in seen
        },
        proofs={key: one for each in records for key, one in each.proofs.items() if key in seen},
        outside=frozenset(key for each in second for key in each.proofs if key in seen),
        rejections=tuple(
            one
            for each in records
            for one in each.tombstones
            if may_disclose(one.sensitivity, one.tenant, one.groups, audience)
        ),
        facts=tuple(sorted(facts)),
        refusing=frozenset(one for each in records for one in _refusing(each) if one in seen),
    )


def _refusing(record: Record) -> Iterable[str]:
    """The revisions in force that refuse something, where the policy lets that block."""
    if record.policy is None or not record.policy.refuse:
        return ()
    currents = (
        item.current for item in record.state.items.values() if item.status is RecordStatus.APPROVED
    )
    return [one.id for one in currents if one is not None and one.refuse is not None]


def _treated(
    audience: Audience, records: tuple[Record, ...], seen: set[str]
) -> tuple[dict[str, ItemFacts], tuple[Edge, ...]]:
    """The decisions that an audience may know of, and how they treat each other. A proposal does
    where its text is ``seen``, or where it has none and all that it names may be known."""
    known = {
        item.id: item
        for each in records
        for item in each.state.items.values()
        if may_disclose(item.sensitivity, item.tenant, item.groups, audience)
    }
    knows = known.__contains__
    found = [edge for each in records for edge in edges_of(each.state, knows)]
    if audience.unapproved:
        from citator.service.naming import items_in  # it knows the desks of a person's commands

        shown = [
            one
            for each in records
            for one in each.proposals
            if one.migration.id in seen
            or (one.migration.revision is None and all(map(knows, items_in(one.migration))))
        ]
        found += proposed_edges(shown, knows)
    return {key: facts_of(item, knows) for key, item in known.items()}, tuple(found)


def _earlier(
    workspace: Workspace, audience: Audience, partitions: Partitions, at: str
) -> RecordView:
    """The record at an earlier commit. Its text is read there; whether it may be seen, here."""
    try:
        then, now = record_of(workspace, at), record_of(workspace)
    except IntegrityError as error:
        return RecordView(partition_of(()), facts=(error.code,))
    in_force = {
        item.id
        for item in now.state.items.values()
        if item.status is RecordStatus.APPROVED
        and may_disclose(item.sensitivity, item.tenant, item.groups, audience)
    }
    decisions = [
        one
        for one in decisions_for(audience, then.state)
        if one.item in in_force and one.revision in now.proofs
    ]
    seen = {one.revision for one in decisions}
    return RecordView(
        partition=partitions.of(decisions),
        assurance={key: one for key, one in then.assurance.items() if key in seen},
        proofs={one: now.proofs[one] for one in seen},
    )


def require_ancestor(workspace: Workspace, commit: str, tip: str) -> None:
    """Raise NotFoundError unless HEAD has ``commit``: one answer, whatever the reason."""
    repo = workspace.repository
    if not (has_commit(repo, commit) and is_ancestor(repo, commit, tip)):
        raise NotFoundError(
            "unknown_ref",
            "HEAD has no such commit",
            "give the whole id of a commit that `git log` shows",
        )


def verified(
    workspace: Workspace, view: RecordView, revisions: Iterable[str]
) -> dict[str, Migration]:
    """Those of ``revisions`` whose text and signatures are at HEAD as they were believed: each
    with what stands there, which is what may be quoted."""
    wanted = {one: view.proofs[one] for one in revisions if one in view.proofs}
    inside = {key: one for key, one in wanted.items() if key not in view.outside}
    outside = {key: one for key, one in wanted.items() if key in view.outside}
    held: dict[str, Migration] = {}
    if inside:
        tip = require_commits(workspace)
        held |= _held(view, inside, committed_files(workspace.repository, tip, _of(inside)))
    if outside:
        held |= _held(view, outside, second_files(workspace, _of(outside)))
    return held


def _of(proofs: Mapping[str, Proof]) -> list[str]:
    return sorted({path for one in proofs.values() for path in (one.migration, *one.approvals)})


def _held(
    view: RecordView, proofs: Mapping[str, Proof], found: Iterable[LedgerFile]
) -> dict[str, Migration]:
    contents = {one.path: one.content for one in found if one.content is not None}
    return {
        key: parse(contents[proof.migration])
        for key, proof in proofs.items()
        if proof.holds(contents, signed=view.assurance_of(key).signature >= Signature.KEY)
    }
