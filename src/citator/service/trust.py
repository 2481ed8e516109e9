"""Whose keys count: pin a root, show it, take it away; name the second ledger and the audience.

- A pin is made from keys that a person saw, never from what a repository says alone; where a
  repository names keys, that is shown as its claim.
- Changing who may approve, or the policy, inside a record is a migration that the pinned root
  approves; the pin itself stays the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citator.git.identity import person
from citator.git.revisions import main_branch
from citator.model.errors import CitatorError, RefusedError, UsageError
from citator.model.plain import is_plain
from citator.model.visibility import Audience
from citator.record import writing
from citator.record.evaluation import Record
from citator.service import journal, proposing
from citator.service.desk import (
    Desk,
    one_writer,
    repository_desk,
    second_desk,
    writing_the_tree,
)
from citator.service.journal import Event
from citator.service.proposing import Moment, Proposed, Wording
from citator.service.record import place_of, repository_of
from citator.service.workspace import Workspace, require_commits
from citator.store import hook_files
from citator.trust.agent import Held
from citator.trust.assurance import Signature, Threshold
from citator.trust.grants import Grants
from citator.trust.keys import parse_public_key
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Approver, Pin, Pins, is_label, parse_pin
from citator.trust.policy import Policy, parse_policy
from citator.trust.readership import Readership, Readerships


@dataclass(frozen=True, slots=True)
class Candidate:
    """A key that would be pinned, whose it would be, and where it came from.

    ``claimed`` says that the repository named it: nobody at this machine did.
    """

    approver: Approver
    source: str
    claimed: bool = False
    verifier: bool = False


@dataclass(frozen=True)
class Plan:
    """What would be pinned. ``before`` is what is pinned now; ``shallow``: for this clone alone.

    ``strange`` counts approvals here that were given under a policy which is neither this one nor
    one that the record sets: they would not count.
    """

    desk: Desk
    candidates: tuple[Candidate, ...]
    policy: Policy
    before: Pin | None
    shallow: bool
    strange: int = 0

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Every key by its fingerprint, sorted."""
        return tuple(sorted(one.approver.key.fingerprint for one in self.candidates))


@dataclass(frozen=True, slots=True)
class Rules:
    """What a person says of the policy; None where the default is meant."""

    file: Mapping[str, object] | None = None
    branch: str | None = None
    author_may_approve: bool | None = None
    signature: Signature | None = None
    approvers: int | None = None


def desk_of(workspace: Workspace, *, second: bool) -> Desk:
    """The repository's ledger, or the second one. Raises RefusedError where there is none."""
    if not second:
        return repository_desk(workspace)
    found = second_desk(workspace)
    if found is None:
        raise RefusedError(
            "no_second_ledger",
            "no second ledger was named for this repository",
            "name a directory outside it: citator trust ledger PATH",
        )
    return found


def plan(workspace: Workspace, desk: Desk, candidates: Sequence[Candidate], rules: Rules) -> Plan:
    """What a pin of these keys would be. Raises RefusedError, UsageError, PinRefusedError."""
    require_commits(workspace)
    if not any(not one.verifier for one in candidates):
        raise RefusedError(
            "no_key",
            "there is no key to pin",
            "make one with `ssh-keygen -t ed25519`, or name a file: --key LABEL=FILE",
        )
    before = pinned(desk)
    policy = _policy(desk, candidates, rules, before)
    _pin(desk, "0" * 64, candidates, policy, "2000-01-01T00:00:00Z")  # refused now, not later
    strange = _strange(desk, policy)
    shallow = desk.workspace.repository.shallow
    return Plan(desk, tuple(candidates), policy, before, shallow, strange)


def pinned(desk: Desk) -> Pin | None:
    """What is pinned for the record of this ledger, wherever it holds; None also where damaged."""
    if desk.ledger.record is None:
        return None
    try:
        return Pins(desk.workspace.layout).read(desk.ledger.record)
    except CitatorError:
        return None


def standing(desk: Desk) -> tuple[bool, Record | None]:
    """Whether the pin counts here now, and the record under it; None where that was tampered."""
    try:
        record = desk.record
        desk.pin()
    except CitatorError:
        return False, None
    return record.pinned or desk.ledger.empty, record


def pin(made: Plan, moment: Moment) -> Pin:
    """Pin it, beginning the ledger where there is none. Raises StorageError, KeyRefusedError."""
    desk = made.desk
    record = desk.ledger.record
    with one_writer(desk.home):
        if record is None:
            record = moment.entropy(32).hex()
            with writing_the_tree():
                writing.begin(desk.root, record)
            journal.note(desk.home, Event.BEGUN, moment.text)
        found = _pin(desk, record, made.candidates, made.policy, moment.text)
        before = made.before
        if before is not None and before.repositories is not None and before.places is not None:
            found = replace(
                found,
                repositories=_with(before.repositories, found.repositories or ()),
                places=_with(before.places, found.places or ()),
            )
        Pins(desk.workspace.layout).write(found)
        digest = found.policy.digest
        journal.note(desk.home, Event.PINNED, moment.text, (), (record, digest))
    return found


def _with(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*old, *new}))


def _pin(
    desk: Desk, record: str, candidates: Iterable[Candidate], policy: Policy, time: str
) -> Pin:
    repository = repository_of(desk.workspace)
    chosen = list(candidates)
    return Pin(
        record,
        tuple(one.approver for one in chosen if not one.verifier),
        policy,
        time,
        tuple(one.approver for one in chosen if one.verifier),
        () if repository is None else (repository,),
        (place_of(desk.workspace),) if repository is None else (),
    )


def _strange(desk: Desk, policy: Policy) -> int:
    known = {policy.digest}
    for migration in desk.ledger.landed.values():
        for operation in migration.operations:
            if operation.name == "set_policy":
                known.add(parse_policy(operation.values["policy"]).digest)
    return sum(said.statement.policy not in known for _, said in desk.ledger.approvals)


def _policy(
    desk: Desk, candidates: Iterable[Candidate], rules: Rules, before: Pin | None
) -> Policy:
    if before is not None and rules == Rules():
        return before.policy
    labels = {one.approver.label for one in candidates if not one.verifier}
    if rules.file is not None:
        return parse_policy(rules.file)
    here = desk.workspace
    branch = rules.branch or main_branch(here.repository) or here.head.branch or "main"
    if not is_plain(branch):
        branch = "main"
    alone = len(labels) == 1
    may = alone if rules.author_may_approve is None else rules.author_may_approve
    return Policy(branch, may, Threshold(rules.signature or Signature.KEY, rules.approvers or 1))


def unpin(workspace: Workspace, desk: Desk, moment: Moment) -> bool:
    """Take the pin of this ledger's record away. Whether there was one."""
    record = desk.ledger.record
    if record is None:
        return False
    gone = Pins(desk.workspace.layout).remove(record)
    if gone:
        journal.note(workspace, Event.UNPINNED, moment.text, (), (record,))
    return gone


def own(workspace: Workspace, held: Iterable[Held]) -> list[Candidate]:
    """A person's own keys, under one label: their address as git knows it, or their name."""
    label, emails = own_label(workspace)
    return [Candidate(Approver(label, one.key, emails), one.source) for one in held]


def own_label(workspace: Workspace) -> tuple[str, tuple[str, ...]]:
    """What a person is called here, and the addresses they write under."""
    known = person(workspace.repository) or ""
    name, _, rest = known.partition("<")
    address = rest.partition(">")[0].strip()
    emails = (address,) if address else ()
    for one in (address, "-".join(name.split()).lower()):
        if is_label(one):
            return one, emails
    return "me", emails


def claimed(desk: Desk) -> list[Candidate]:
    """The keys that the repository itself names as approvers: its claim, for somebody to check."""
    found: dict[str, Candidate] = {}
    for migration in desk.ledger.landed.values():
        for operation in migration.operations:
            if operation.name == "set_approvers":
                for one in operation.values["approvers"]:
                    key = parse_public_key(one["key"])
                    approver = Approver(one["label"], key, tuple(one.get("emails", ())))
                    found[key.text] = Candidate(approver, "named by this repository", True)
    for path, said in desk.ledger.approvals:
        found |= _signer(path, said, set(found))
    return list(found.values())


def _signer(path: str, said: Any, known: set[str]) -> dict[str, Candidate]:
    from citator.record.approvals import checked

    try:
        key = checked(said).key
    except CitatorError:
        return {}
    if key is None or key.text in known:
        return {}
    label = f"signer-{len(known) + 1}"
    return {key.text: Candidate(Approver(label, key), "signed in this repository", True)}


def from_root(data: bytes, source: str) -> tuple[list[Candidate], Policy, str]:
    """The keys, the policy and the record of a root that somebody handed over. Raises
    PinRefusedError.
    """
    root = parse_pin(data.strip())
    found = [Candidate(one, source) for one in root.approvers]
    found += [Candidate(one, source, verifier=True) for one in root.verifiers]
    return found, root.policy, root.record


def handed_over(root: Pin) -> bytes:
    """A pinned root as a file for another machine: it names the repository, and no place here."""
    places: tuple[str, ...] | None = () if root.repositories else None
    repositories = root.repositories or None
    return replace(root, repositories=repositories, places=places).to_bytes() + b"\n"


def set_ledger(workspace: Workspace, place: Path | None, moment: Moment) -> None:
    """Say where the second ledger is, or that there is none. Raises UsageError."""
    if place is not None:
        _require_apart(workspace, place)
    SecondLedgers(workspace.layout).set(workspace.repository_id, place)
    journal.note(workspace, Event.LEDGER_SET, moment.text)


def _require_apart(workspace: Workspace, place: Path) -> None:
    if not place.is_dir():
        raise UsageError("no_such_path", "there is no such directory", "make it first")
    inside = workspace.repository.worktree
    reached = place.resolve()
    for tree in (inside, workspace.repository.common_dir):
        if tree is not None and reached.is_relative_to(tree.resolve()):
            raise UsageError(
                "ledger_inside",
                "that directory is inside this repository, whose readers must not see it",
                "name one outside",
            )


def ledger_place(workspace: Workspace) -> Path | None:
    """Where the second ledger is. Raises PinRefusedError."""
    return SecondLedgers(workspace.layout).of(workspace.repository_id)


def audience(workspace: Workspace) -> Audience:
    """What this machine serves at most. Raises PinRefusedError."""
    return Grants(workspace.layout).read()


def set_audience(workspace: Workspace, granted: Audience, moment: Moment) -> None:
    """Grant it. For a person's command alone."""
    Grants(workspace.layout).write(granted)
    journal.note(workspace, Event.AUDIENCE_SET, moment.text)


def readership(workspace: Workspace) -> Readership | None:
    """What was said of who the history here is for. Raises PinRefusedError."""
    return Readerships(workspace.layout).of(workspace.repository_id)


def set_readership(workspace: Workspace, said: Readership | None, moment: Moment) -> None:
    """Say it, or nothing any more. For a person's command alone."""
    Readerships(workspace.layout).set(workspace.repository_id, said)
    hook_files.destroy(workspace.place.directory)
    journal.note(workspace, Event.READERSHIP_SET, moment.text)


def propose_approvers(
    desk: Desk, approvers: Sequence[Approver], author: str, because: str, moment: Moment
) -> Proposed:
    """A migration that sets who may approve. It needs the pinned root's own signature."""
    listed = []
    for one in approvers:
        said: dict[str, Any] = {"label": one.label, "key": one.key.text}
        if one.emails:
            said["emails"] = sorted(one.emails)
        listed.append(said)
    operation = {"op": "set_approvers", "approvers": listed}
    return _govern(desk, operation, "approvers", author, because, moment)


def propose_policy(
    desk: Desk, policy: Policy, author: str, because: str, moment: Moment
) -> Proposed:
    """A migration that sets the policy. It needs the pinned root's own signature."""
    operation = {"op": "set_policy", "policy": policy.to_dict()}
    return _govern(desk, operation, "policy", author, because, moment)


def _govern(
    desk: Desk, operation: dict[str, Any], slot: str, author: str, because: str, moment: Moment
) -> Proposed:
    desk.pin()
    loosens = (f"change_{slot}",) if slot in desk.basis.heads else ()
    wording = Wording(author, because, loosens)
    return proposing.propose(desk, [operation], wording, moment)
