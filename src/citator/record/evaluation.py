"""Which migrations count: approvals weighed under a pinned root, then one replay of what passes.

- No pin, no approval: every decision of a record that nobody pinned here is a proposal.
- Approvers and policy are those of the pin until a migration that the pinned root itself approved
  says otherwise. No other approval can change them.
- A key that was taken out, and a policy that was replaced, count only for approvals that had landed
  before the change did: by ancestry, never by a clock.
- A rejection by an approver wins over any approval of the same migration.
- What was tampered with stops everything: nothing of that record is served.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from citator.model.errors import CitatorError
from citator.model.record import RecordStatus, Rejected, Sensitivity
from citator.record.approvals import Checked, checked
from citator.record.approvals import parse as parse_approval
from citator.record.ledger import FileProblem, Ledger
from citator.record.migration import Migration
from citator.record.migration import parse as parse_migration
from citator.record.replay import replay
from citator.record.rules import Reach, Rules, Weights, policies_of
from citator.record.state import RecordState
from citator.record.tombstones import standing, what
from citator.trust.assurance import (
    Assent,
    Assurance,
    Judgement,
    Landed,
    Signature,
    Threshold,
    judge,
)
from citator.trust.pins import Pin
from citator.trust.policy import Policy
from citator.trust.statement import Verdict

UNSIGNED = Assurance(Signature.NONE, Landed.NO)


@dataclass(frozen=True, slots=True)
class Proof:
    """Where to look again at what was believed: files below the ledger's folder.

    ``digest`` is the migration's; ``approvals`` are the files that carry its approvals.
    """

    digest: str
    migration: str
    approvals: tuple[str, ...] = ()

    def holds(self, files: Mapping[str, bytes], *, signed: bool) -> bool:
        """Whether ``files`` (path → bytes) still say it, each signature verified anew; with
        ``signed``, at least one has to be there.
        """
        try:
            if parse_migration(files[self.migration]).digest != self.digest:
                return False
            said = [checked(parse_approval(files[path])) for path in self.approvals]
        except (CitatorError, KeyError):
            return False
        if signed and all(one.key is None for one in said):
            return False
        return all(one.statement.digest == self.digest for one in said)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A migration that does not count: a draft, a proposal, or one that was rejected.

    ``landed`` says that it stands among the landed ones without the approval it needs.
    """

    migration: Migration
    status: RecordStatus
    landed: bool
    assurance: Assurance = UNSIGNED
    approved: bool = False


@dataclass(frozen=True)
class Record:
    """A record as this machine may rely on it.

    ``state`` holds what counts; ``assurance`` the two facts of each migration; ``tombstones``
    every rejection that stands. ``pinned`` says whether a person pinned its root here;
    ``approvers`` are the labels of those who may approve now, by key; ``effective`` the migrations
    that were replayed; ``proofs`` are of every migration there is a file of; ``before`` the digests
    of the approvals that landed before each change of the rules did.
    """

    id: str | None
    pinned: bool
    state: RecordState = field(default_factory=RecordState)
    proposals: tuple[Proposal, ...] = ()
    tombstones: tuple[Rejected, ...] = ()
    assurance: Mapping[str, Assurance] = field(default_factory=dict)
    policy: Policy | None = None
    approvers: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[FileProblem, ...] = ()
    effective: tuple[Migration, ...] = ()
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def proposed(self) -> Mapping[str, Proposal]:
        """The proposals by migration id."""
        return {one.migration.id: one for one in self.proposals}

    def assurance_of(self, migration: str) -> Assurance:
        """The two facts of a migration."""
        return self.assurance.get(migration, UNSIGNED)

    def trial(self, *migrations: Migration) -> RecordState:
        """The state that would be, were these accepted too."""
        return replay([*self.effective, *migrations])


@dataclass(frozen=True)
class History:
    """What git knows of a ledger's files; everything empty for a ledger outside git.

    ``landed``: migration id → commit that first added it. ``approvals``: an approval file's path
    → commit. ``is_before(a, b)``: whether commit ``a`` is a strict ancestor of ``b``.
    ``before``: a migration's id → the digests of the approval files that are known to have landed
    before it; for a migration that is in it, nothing else is asked.
    ``verified`` are migrations that a pinned verifier attested on the protected branch.
    """

    landed: Mapping[str, str] = field(default_factory=dict)
    approvals: Mapping[str, str] = field(default_factory=dict)
    is_before: Callable[[str, str], bool] = lambda older, newer: False
    verified: frozenset[str] = frozenset()
    before: Mapping[str, Collection[str]] = field(default_factory=dict)


def evaluate(
    ledger: Ledger,
    pin: Pin | None,
    history: History,
    floor: Sensitivity = Sensitivity.INTERNAL,
) -> Record:
    """What of ``ledger`` counts under ``pin``. Verifies every signature it relies on.

    ``floor`` is the least sensitivity that a signed rejection of this ledger has.
    """
    if pin is None or pin.record != ledger.record:
        return _unpinned(ledger)
    return _Weighing(ledger, pin, history, floor).record()


def _unpinned(ledger: Ledger) -> Record:
    proposals = [
        Proposal(migration, _waiting(migration), landed)
        for group, landed in ((ledger.landed, True), (ledger.proposals, False))
        for migration in group.values()
    ]
    return Record(
        ledger.record,
        False,
        proposals=_in_order(proposals),
        problems=ledger.problems,
        proofs=_proofs(ledger, {}),
    )


def _proofs(ledger: Ledger, said: Mapping[str, list[tuple[str, Checked]]]) -> dict[str, Proof]:
    return {
        one.id: Proof(
            one.digest,
            ledger.paths[one.id],
            tuple(
                path
                for path, approval in said.get(one.id, ())
                if approval.statement.verdict is Verdict.APPROVE
                and approval.statement.digest == one.digest
            ),
        )
        for one in (*ledger.landed.values(), *ledger.proposals.values())
    }


def _waiting(migration: Migration) -> RecordStatus:
    return RecordStatus.DRAFT if migration.draft else RecordStatus.PROPOSED


def _in_order(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    return tuple(sorted(proposals, key=lambda one: one.migration.id))


class _Weighing:
    """One evaluation: signatures first, then governance, then everything else."""

    def __init__(self, ledger: Ledger, pin: Pin, history: History, floor: Sensitivity) -> None:
        self.ledger = ledger
        self.pin = pin
        self.history = history
        self.floor = floor
        self.problems = list(ledger.problems)
        self.said: dict[str, list[tuple[str, Checked]]] = {}
        for path, approval in ledger.approvals:
            try:
                self._take(path, checked(approval))
            except CitatorError as error:
                self.problems.append(FileProblem(path, error.code, error.what))
        self.root_policies: set[str] = set()
        self.weights = Weights([*ledger.landed.values(), *ledger.proposals.values()])

    def _take(self, path: str, one: Checked) -> None:
        if one.statement.record != self.pin.record:
            sentence = "the approval was given in another record"
            self.problems.append(FileProblem(path, "approval_of_another_record", sentence))
            return
        self.said.setdefault(one.statement.migration, []).append((path, one))

    def record(self) -> Record:
        """The record as it counts."""
        chain = self._governance()
        rules = Rules.of(self.pin, chain)
        counted: list[Migration] = list(chain)
        assurance = {
            one.id: self._judge_governance(one, self.root_policies).assurance for one in chain
        }
        proposals = []
        for migration in self.ledger.landed.values():
            if migration.id in assurance:
                continue
            if not migration.is_governance and not self._rejected(migration.id, rules):
                judgement = self._judge(migration, rules, self._place(migration))
                if judgement.accepted:
                    counted.append(migration)
                    assurance[migration.id] = judgement.assurance
                    continue
            proposals.append(self._proposal(migration, rules, landed=True))
        proposals += [
            self._proposal(one, rules, landed=False) for one in self.ledger.proposals.values()
        ]
        effective = tuple(sorted(counted, key=lambda one: one.id))
        state = replay(effective, self.history.landed)
        rejections = [
            (path, one)
            for said in self.said.values()
            for path, one in said
            if one.statement.verdict is not Verdict.APPROVE and self._counts(path, one, rules)
        ]
        return Record(
            id=self.pin.record,
            pinned=True,
            state=state,
            proposals=_in_order(proposals),
            tombstones=standing(
                state, self._unlifted(rejections), self._reaches(state), self.floor
            ),
            assurance=assurance,
            policy=rules.policy,
            approvers=rules.approvers,
            problems=tuple(self.problems),
            effective=effective,
            proofs=_proofs(self.ledger, self.said),
            before=self._before(rules),
        )

    def _before(self, rules: Rules) -> dict[str, tuple[str, ...]]:
        """For each change that ended a key or a policy, the approvals that go on counting."""
        ends = [one.ended_by for one in rules.keys.values()]
        ends += [one.ended_by for one in rules.policies.values()]
        return {
            change: tuple(
                sorted(
                    self.ledger.digests[path]
                    for path, _ in self.ledger.approvals
                    if path in self.ledger.digests and self._landed_before(path, change)
                )
            )
            for change in dict.fromkeys(ends)
            if change is not None
        }

    def _reaches(self, state: RecordState) -> dict[str, Reach]:
        known = {**self.ledger.landed, **self.ledger.proposals}
        about = {*self.said, *(one.source for one in state.rejections.values())}
        return {one: self.weights.reach(known[one]) for one in about if one in known}

    def _place(self, migration: Migration) -> Landed:
        if migration.id in self.history.verified:
            return Landed.VERIFIED_BY_CI
        return Landed.LOCAL_BRANCH

    def _proposal(self, migration: Migration, rules: Rules, *, landed: bool) -> Proposal:
        """How a migration that does not count stands.

        One that has not landed is judged as if it had, and verified: nothing could land otherwise.
        """
        if self._rejected(migration.id, rules):
            return Proposal(migration, RecordStatus.REJECTED, landed)
        place = self._place(migration) if landed else Landed.VERIFIED_BY_CI
        if migration.is_governance:
            judgement = self._judge_governance(migration, self.root_policies, place)
        else:
            judgement = self._judge(migration, rules, place)
        reached = judgement.assurance.signature
        place = Landed.LOCAL_BRANCH if landed else Landed.NO
        return Proposal(
            migration,
            _waiting(migration),
            landed,
            Assurance(reached, place),
            judgement.accepted and not migration.draft,
        )

    def _governance(self) -> list[Migration]:
        """The migrations that set approvers and policy, as the pinned root itself approved them.

        A statement names the policy it was given under: that of the pin, or one that such a
        migration sets.
        """
        waiting = [one for one in self.ledger.landed.values() if one.is_governance]
        approved: list[Migration] = []
        policies = {self.pin.policy.digest}
        while True:
            more = [
                one
                for one in waiting
                if one not in approved and self._judge_governance(one, policies).accepted
            ]
            if not more:
                break
            approved += more
            policies.update(digest for one in more for digest in policies_of(one))
        self.root_policies = policies
        order = replay(approved).governance
        return [self.ledger.landed[one] for one in dict.fromkeys(order)]

    def _judge_governance(
        self, migration: Migration, policies: Collection[str], place: Landed | None = None
    ) -> Judgement:
        """What the keys of the pin say, and no other: rules cannot be changed under themselves.

        The strictest that the pin's policy asks for anything is asked for here, and a key in any
        case: what anybody can type must not decide whose key counts.
        """
        root = Rules.of(self.pin, ())
        assents = []
        for path, one in self.said.get(migration.id, ()):
            assent = self._assent(path, one, migration, root)
            if assent is not None and one.statement.policy in policies:
                assents.append(assent)
        if migration.draft or self._rejected(migration.id, root):
            assents = []
        policy = self.pin.policy
        return judge(
            assents,
            place or self._place(migration),
            policy.strictest.stricter(Threshold(Signature.KEY)),
            author_may_approve=policy.author_may_approve,
        )

    def _judge(self, migration: Migration, rules: Rules, place: Landed) -> Judgement:
        """What its approvals amount to, each weighed under the policy it was given under."""
        by_policy: dict[str, list[Assent]] = {rules.policy.digest: []}
        for path, one in () if migration.draft else self.said.get(migration.id, ()):
            named = rules.policies.get(one.statement.policy)
            if named is None or not self._landed_before(path, named.ended_by):
                continue
            assent = self._assent(path, one, migration, rules)
            if assent is not None:
                by_policy.setdefault(one.statement.policy, []).append(assent)
        judgements = []
        for digest, assents in by_policy.items():
            policy = rules.policies[digest].policy
            needed = self.weights.needed(migration, policy)
            may = policy.author_may_approve
            judgements.append(judge(assents, place, needed, author_may_approve=may))
        return max(judgements, key=lambda one: (one.accepted, one.assurance.signature))

    def _assent(self, path: str, one: Checked, migration: Migration, rules: Rules) -> Assent | None:
        """An approval of exactly this migration by somebody who may give it."""
        statement = one.statement
        if statement.verdict is not Verdict.APPROVE or statement.digest != migration.digest:
            return None
        if one.key is None:
            return Assent(None, one.strength)
        who = rules.keys.get(one.key.text)
        if who is None or not self._landed_before(path, who.ended_by):
            return None
        return Assent(who.label, one.strength, who.is_author(migration.author))

    def _counts(self, path: str, one: Checked, rules: Rules) -> bool:
        """Whether a rejection, or a lift, is by somebody who may say so."""
        if one.key is None:
            return rules.policy.floor.signature is Signature.TERMINAL
        who = rules.keys.get(one.key.text)
        return who is not None and self._landed_before(path, who.ended_by)

    def _rejected(self, migration: str, rules: Rules) -> bool:
        """Whether a rejection of it stands."""
        said = [
            (path, one)
            for path, one in self.said.get(migration, ())
            if one.statement.verdict is not Verdict.APPROVE and self._counts(path, one, rules)
        ]
        return bool(self._unlifted(said))

    def _unlifted(self, said: Iterable[tuple[str, Checked]]) -> list[Checked]:
        """The rejections among ``said`` that no lift among them ends.

        A lift names the migration and the value. It does not end a rejection that landed after it.
        """
        by_verdict: dict[Verdict, list[tuple[str, Checked]]] = {}
        for path, one in said:
            by_verdict.setdefault(one.statement.verdict, []).append((path, one))
        return [
            one
            for path, one in by_verdict.get(Verdict.REJECT, ())
            if not any(
                what(lift) == what(one) and not self._is_after(path, lift_path)
                for lift_path, lift in by_verdict.get(Verdict.LIFT, ())
            )
        ]

    def _is_after(self, path: str, earlier: str) -> bool:
        """Whether the approval in ``path`` landed after the one in ``earlier`` had."""
        old, new = (self.history.approvals.get(one) for one in (earlier, path))
        if old is None or new is None:
            return old is not None
        return self.history.is_before(old, new)

    def _landed_before(self, path: str, change: str | None) -> bool:
        """Whether the approval in ``path`` had landed before the migration ``change`` did."""
        if change is None:
            return True
        if change in self.history.before:
            return self.ledger.digests.get(path) in self.history.before[change]
        approval, end = self.history.approvals.get(path), self.history.landed.get(change)
        return approval is not None and end is not None and self.history.is_before(approval, end)
