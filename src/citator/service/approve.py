"""Approve, reject, lift: a person's statement about one migration, signed and put into the ledger.

- What is signed is the statement over what was shown: one reading, one digest.
- A key that may not approve here is refused before it signs: its signature would count for nothing.
- A typed approval is written as the weaker fact it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.record import ItemKind, RecordStatus, Rejected
from citator.record import writing
from citator.record.approvals import Approval
from citator.record.folding import folded
from citator.record.migration import Migration
from citator.record.rules import Who
from citator.service import journal
from citator.service.desk import Desk, desks, one_writer, writing_the_tree
from citator.service.journal import Event
from citator.service.naming import migration_named
from citator.service.preview import Preview, approvers_for, approvers_of, policy_of, preview
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.trust.agent import Held
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.pins import is_label
from citator.trust.statement import RejectedValue, Statement, Verdict

SHORT = 12


@dataclass(frozen=True, slots=True)
class Rejecting:
    """Why a proposal is rejected, and what of it: empty where the proposal's own is meant."""

    reason: str
    value: str = ""
    scope: tuple[str, ...] = ()
    kind: ItemKind | None = None
    change: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """An approval or a rejection that was written.

    ``counts``: whether the policy can count it; ``enough``: whether the proposal has, with it, all
    that the policy asks for (or, of a rejection, whether it stands).
    """

    statement: Statement
    path: Path
    by: str
    strength: Signature
    counts: bool
    enough: bool


# Signs bytes with a key: (held key, message) -> (armored signature, key that made it, strength).
Sign = Callable[[Held, bytes], tuple[str, PublicKey, Signature]]


def shown(workspace: Workspace, name: str) -> Preview:
    """All that a reviewer sees of the proposal of that name, of one reading of the ledger."""
    desk, migration = migration_named(desks(workspace), name)
    return preview(desk, migration)


def approval(seen: Preview, moment: Moment) -> Statement:
    """The statement that approves what was shown. Raises RefusedError where it cannot be."""
    desk, migration = seen.desk, seen.migration
    desk.pin()
    if migration.draft:
        raise RefusedError(
            "still_a_draft",
            "a draft cannot be approved",
            f"its author says that it is done: citator decide --ready {migration.id}",
        )
    standing = desk.record.proposed.get(migration.id)
    if standing is None:
        raise RefusedError("already_counts", "that is approved and has landed", "nothing to do")
    if standing.status is RecordStatus.REJECTED:
        raise RefusedError(
            "was_rejected",
            "that was rejected, and a rejection wins over an approval",
            f"lift it first, and say why: citator reject {migration.id} --lift --reason TEXT",
        )
    if seen.problem is not None:
        raise RefusedError(
            f"migration_{seen.problem.refusal.value}",
            f"it would have no effect: {seen.problem.sentence}",
            "propose it again on how things stand now",
        )
    if seen.conflicts:
        raise RefusedError(
            "conflict",
            "what it builds on was changed since: it would disagree with what stands",
            "propose it again on how things stand now",
        )
    return _statement(seen.desk, migration.id, migration.digest, Verdict.APPROVE, moment, "")


def rejection(seen: Preview, rejecting: Rejecting, moment: Moment) -> Statement:
    """The statement that rejects what was shown. Raises RefusedError, UsageError."""
    migration, revision = seen.migration, seen.migration.revision
    value = rejecting.value or (revision.values["title"] if revision is not None else "")
    if not folded(value):
        raise UsageError(
            "no_value", "what is rejected has no text of its own", "name it: --value TEXT"
        )
    if migration.id in desk_effective(seen.desk):
        raise RefusedError(
            "already_counts",
            "that is approved and has landed",
            "retire the decision: citator decisions deprecate ITEM --because TEXT",
        )
    scope = rejecting.scope or tuple(revision.values.get("paths", ()) if revision else ())
    rejected = RejectedValue(
        folded(value), tuple(sorted(set(scope))), rejecting.kind, rejecting.change
    )
    digest = migration.digest
    return _statement(
        seen.desk, migration.id, digest, Verdict.REJECT, moment, rejecting.reason, rejected
    )


def desk_effective(desk: Desk) -> set[str]:
    """The migrations that count."""
    return {one.id for one in desk.record.effective}


def lift(workspace: Workspace, name: str, reason: str, moment: Moment) -> tuple[Desk, Statement]:
    """The statement that lifts a signed rejection: named by its id, or by what was rejected.

    Raises NotFoundError, and RefusedError where a migration states the rejection.
    """
    for desk in desks(workspace):
        for one in desk.record.tombstones:
            if name.lower() in (one.id, one.id[: max(SHORT, len(name))]) or _is_of(one, name):
                return desk, _lifting(desk, one, reason, moment)
    raise NotFoundError(
        "unknown_rejection",
        "no rejection here has that id, or is about that",
        "citator decisions list --status rejected shows them",
    )


def _is_of(one: Rejected, name: str) -> bool:
    return len(name) >= 6 and one.source.startswith(name.upper())


def _lifting(desk: Desk, tombstone: Rejected, reason: str, moment: Moment) -> Statement:
    for _, said in desk.ledger.approvals:
        if said.id == tombstone.id:
            told = said.statement
            return _statement(
                desk, told.migration, told.digest, Verdict.LIFT, moment, reason, told.rejected
            )
    raise RefusedError(
        "stated_by_a_migration",
        "a decision states that rejection, so another has to lift it",
        f"propose it: citator decisions lift {tombstone.id[:SHORT]} --because TEXT",
    )


def _statement(
    desk: Desk,
    migration: str,
    digest: str,
    verdict: Verdict,
    moment: Moment,
    reason: str,
    rejected: RejectedValue | None = None,
) -> Statement:
    pin = desk.pin()
    return Statement(
        record=pin.record,
        migration=migration,
        digest=digest,
        verdict=verdict,
        reason=reason,
        policy=policy_of(desk, pin).digest,
        time=moment.text,
        rejected=rejected,
    )


def key_for(desk: Desk, migration: Migration | None, held: Sequence[Held]) -> tuple[Held, str]:
    """The first of a person's keys that may approve this, and the label it is pinned under.

    Raises RefusedError where none may.
    """
    pin = desk.pin()
    if migration is not None:
        may = approvers_for(desk, migration, pin)
    else:
        may = approvers_of(desk, pin)
    for one in held:
        who = may.get(one.key.text)
        if who is not None:
            return one, who.label
    what = "none of your keys may approve in this record" if held else "no key of yours was found"
    raise RefusedError(
        "no_key",
        f"{what}; nothing was signed",
        "name one with --key FILE; who may approve: citator trust show",
    )


def sign(
    desk: Desk,
    statement: Statement,
    migration: Migration | None,
    held: Sequence[Held],
    signer: Sign,
    moment: Moment,
) -> Said:
    """Sign the statement with the right key of ``held``, and write it. Raises RefusedError,
    SigningRefusedError, StorageError.
    """
    chosen, label = key_for(desk, migration, held)
    if statement.verdict is Verdict.APPROVE and migration is not None:
        _require_another(desk, migration, chosen.key)
    armored, key, strength = signer(chosen, statement.to_bytes())
    if key.blob != chosen.key.blob:
        raise RefusedError(
            "another_key_signed",
            "another key signed than the one that may approve; nothing was written",
            "name the key's file with --key FILE",
        )
    said = Approval(statement, armored)
    return _written(desk, said, key.fingerprint, label, strength, moment)


def _require_another(desk: Desk, migration: Migration, key: PublicKey) -> None:
    """Raise RefusedError where the policy wants somebody else than the author."""
    pin = desk.pin()
    policy = pin.policy if migration.is_governance else policy_of(desk, pin)
    who = approvers_for(desk, migration, pin)[key.text]
    if not policy.author_may_approve and Who(who.label, who.emails).is_author(migration.author):
        raise RefusedError(
            "own_proposal",
            "the policy does not count an author's own approval; nothing was signed",
            "ask another approver: citator trust show says who they are",
        )


def typed(desk: Desk, statement: Statement, label: str, moment: Moment) -> Said:
    """Write a statement that a person typed at a terminal. Raises UsageError, StorageError."""
    if not is_label(label):
        raise UsageError(
            "usage", "--typed wants a plain name", "such as your address: --typed ada@example.org"
        )
    said = Approval(statement, typed_by=label)
    return _written(desk, said, f"typed:{label}", label, Signature.TERMINAL, moment)


_EVENTS = {
    Verdict.APPROVE: Event.APPROVED,
    Verdict.REJECT: Event.REJECTED,
    Verdict.LIFT: Event.LIFTED,
}


def _written(
    desk: Desk, said: Approval, fingerprint: str, label: str, strength: Signature, moment: Moment
) -> Said:
    statement = said.statement
    with one_writer(desk.home), writing_the_tree():
        path = writing.write_approval(desk.root, said, fingerprint)
        event = _EVENTS[statement.verdict]
        journal.note(
            desk.home, event, moment.text, (statement.migration,), (statement.digest, said.id)
        )
    policy = policy_of(desk, desk.pin())
    counts = strength >= policy.floor.signature
    if strength is Signature.TERMINAL and statement.verdict is Verdict.APPROVE:
        counts = counts and policy.author_may_approve
    return Said(statement, path, label, strength, counts, _stands(desk, statement))


def _stands(desk: Desk, statement: Statement) -> bool:
    """Whether, all read again, the proposal is approved, or rejected, or no longer rejected."""
    again = next(one for one in desks(desk.home) if one.second is desk.second)
    proposal = again.record.proposed.get(statement.migration)
    if statement.verdict is Verdict.APPROVE:
        return proposal is not None and proposal.approved
    rejected = any(one.source == statement.migration for one in again.record.tombstones)
    return rejected is (statement.verdict is Verdict.REJECT)
