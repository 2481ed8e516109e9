"""Verify a record offline: replay it from a commit's blobs under a root, and tell what is wrong.

- The root is one that was handed in (a CI has its own), or the one that is pinned here. Nothing
  that this machine remembers or cached takes part: a fresh clone gives the same answer.
- What landed must be signed as the policy asks, be what was first added, take effect, and disagree
  with nothing. One finding fails the whole.
- What the clone cannot show (a shallow one) is said.
- Where this clone has a journal, its chain is checked, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citator.git.folders import is_ancestor
from citator.git.repository import limits
from citator.git.revisions import branches_named, commit_named
from citator.model.errors import RefusedError
from citator.model.horizon import HorizonFact
from citator.model.plain import plain_path
from citator.model.record import RecordStatus
from citator.record import ledger as ledgers
from citator.record import writing
from citator.record.attestations import NAMESPACE, Attestation
from citator.record.evaluation import History, Proposal, Record, evaluate
from citator.record.ledger import Ledger
from citator.record.provenance import Provenance, trace
from citator.service import journal
from citator.service.desk import one_writer, writing_the_tree
from citator.service.journal import Event
from citator.service.proposing import Moment
from citator.service.record import ancestry, pin_of, place_of, repository_of, with_gone, worktree
from citator.service.workspace import Workspace, require_commits
from citator.trust.agent import Held
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.pins import Pin

__all__ = ["NAMESPACE", "Finding", "Verification", "attest", "verify"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a code, which migration or file (plain), and a sentence of ours."""

    code: str
    subject: str
    sentence: str


@dataclass(frozen=True)
class Verification:
    """What was verified. ``state`` and ``policy`` are digests, None where nothing could be weighed.

    ``landed`` counts the migrations, ``approved`` those that count.
    """

    record: str | None
    commit: str
    landed: int
    approved: int
    state: str | None
    policy: str | None
    branch: str | None
    findings: tuple[Finding, ...] = ()
    horizon: tuple[HorizonFact, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify(workspace: Workspace, root: Pin | None, at: str | None) -> Verification:
    """Verify the record at ``at`` (HEAD if None) under ``root`` (what is pinned here if None).

    Raises RefusedError where there is no root, NotFoundError for an unknown commit,
    GitRefusedError.
    """
    repo = workspace.repository
    commit = require_commits(workspace) if at is None else commit_named(repo, at)
    ledger = ledgers.at_commit(repo, commit)
    horizon = limits(repo, workspace.head)
    pin, finding = _root(workspace, ledger, root)
    provenance = trace(repo, commit)
    found = [*([finding] if finding is not None else []), *_history_findings(provenance, ledger)]
    if journal.history(workspace, 1).verified.broken is not None:
        sentence = "the journal of this clone is not what was written there: citator log"
        found.append(Finding("journal_broken", "", sentence))
    if finding is not None or pin is None:
        landed = len(ledger.landed)
        return Verification(
            ledger.record, commit, landed, 0, None, None, None, tuple(found), horizon
        )
    record = evaluate(ledger, pin, _history(workspace, provenance, ledger))
    found += _findings(record)
    # What was deleted after it landed still says what it said: above all a rejection.
    whole, _ = with_gone(workspace, provenance, ledger)
    if whole != ledger:
        found += _findings(evaluate(whole, pin, _history(workspace, provenance, whole)))
    policy = record.policy or pin.policy
    return Verification(
        ledger.record,
        commit,
        len(ledger.landed),
        len(record.effective),
        record.state.digest,
        policy.digest,
        policy.protected_branch,
        tuple(dict.fromkeys(found)),
        horizon,
    )


def _root(
    workspace: Workspace, ledger: Ledger, root: Pin | None
) -> tuple[Pin | None, Finding | None]:
    """The root to verify under; a finding where it is none of this record's."""
    if root is None:
        pin, problems = pin_of(workspace, ledger.record)
        if problems:
            return None, Finding(problems[0].code, "", problems[0].sentence)
        if pin is None:
            raise RefusedError(
                "not_pinned",
                "there is no root to verify under",
                "hand one in with --pin FILE (citator trust show --export), or pin it here",
            )
        return pin, None
    if ledger.record != root.record:
        sentence = "the root is of another record than the one this commit carries"
        return None, Finding("another_record", "", sentence)
    repository, place = repository_of(workspace), place_of(workspace)
    if repository is not None and not root.holds_for(repository, place):
        sentence = "the root was pinned for another repository"
        return None, Finding("pinned_elsewhere", "", sentence)
    return root, None


def _history(workspace: Workspace, provenance: Provenance, ledger: Ledger) -> History:
    return History(
        landed={one: commit for one, (commit, _) in provenance.landed.items()},
        approvals={
            path: provenance.approvals[digest]
            for path, digest in ledger.digests.items()
            if digest in provenance.approvals
        },
        is_before=ancestry(workspace.repository),
        verified=frozenset(ledger.landed),  # this is the verifier: what passes here is verified
    )


def _history_findings(provenance: Provenance, ledger: Ledger) -> Iterator[Finding]:
    for one in provenance.tampered({id: made.digest for id, made in ledger.landed.items()}):
        yield Finding("tampered", one, "it no longer says what was first added")
    for one in sorted(set(provenance.landed) - set(ledger.landed)):
        yield Finding("deleted", one, "it had landed, and its file is gone")
    if provenance.unread:
        sentence = f"{provenance.unread} file(s) of its history could not be read"
        yield Finding("unreadable", "", sentence)


def _findings(record: Record) -> Iterator[Finding]:
    for one in record.proposals:
        if one.landed:
            yield _of_landed(one)
    for problem in record.problems:
        yield Finding(problem.code, plain_path(problem.path), problem.sentence)
    for refused in record.state.refused:
        yield Finding(f"migration_{refused.refusal.value}", refused.migration, refused.sentence)
    for slot in record.state.contested:
        subject = slot.split("/")[1] if slot.startswith("item/") else slot.partition("/")[0]
        yield Finding("conflict", subject, "two migrations that landed disagree about it")


def _of_landed(one: Proposal) -> Finding:
    """Why a migration that stands among the landed ones does not count."""
    id = one.migration.id
    if one.status is RecordStatus.REJECTED:
        return Finding("rejected", id, "it landed, and was rejected")
    if one.migration.draft:
        return Finding("draft", id, "it landed as a draft")
    if one.assurance.signature is Signature.NONE:
        return Finding("unsigned", id, "it landed without an approval that counts")
    return Finding("against_policy", id, "it landed with less than the policy asks for")


# Signs bytes with a key: (held key, message) -> (armored signature, key that made it, strength).
Sign = Callable[[Held, bytes], tuple[str, PublicKey, Signature]]


def attest(
    workspace: Workspace,
    done: Verification,
    root: Pin | None,
    held: Held,
    signer: Sign,
    moment: Moment,
) -> Path:
    """Write the signed attestation of what was verified. Raises RefusedError, SigningRefusedError.

    The commit must be on the protected branch, and the key one that the root names as a verifier's.
    """
    pin = root if root is not None else pin_of(workspace, done.record)[0]
    if not done.ok or done.state is None or done.policy is None or done.record is None:
        raise RefusedError("not_verified", "what does not verify is not attested", "mend it first")
    if pin is None or pin.verifier_of(held.key) is None:
        raise RefusedError(
            "not_a_verifier",
            "the root names no verifier with that key; nothing was attested",
            "pin it: citator trust pin --ci-key LABEL=FILE",
        )
    _require_protected(workspace, done)
    said = Attestation(done.record, done.commit, done.state, done.policy, moment.text)
    armored, key, _ = signer(held, said.to_bytes())
    if pin.verifier_of(key) is None:
        raise RefusedError("another_key_signed", "another key signed; nothing was written", "")
    tree = worktree(workspace)
    with one_writer(workspace), writing_the_tree():
        name = said.file_name(key.fingerprint)
        path = writing.write_attestation(tree, name, said.render(armored))
        journal.note(workspace, Event.ATTESTED, moment.text, (done.commit,), (done.state,))
    return path


def _require_protected(workspace: Workspace, done: Verification) -> None:
    assert done.branch is not None
    repo = workspace.repository
    tips = branches_named(repo, done.branch)
    if not any(is_ancestor(repo, done.commit, tip) for tip in tips):
        raise RefusedError(
            "not_protected",
            "that commit is not on the protected branch, so nothing was attested",
            "attest in the job that runs on the protected branch, with the branch fetched",
        )
