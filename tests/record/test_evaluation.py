"""Only what a pinned person signed counts, exactly as it was signed."""

from __future__ import annotations

from typing import Any

import pytest

from citator.model.record import ItemKind, RecordStatus, Sensitivity
from citator.record.approvals import Approval, parse
from citator.record.evaluation import History, Record, evaluate
from citator.record.migration import Migration
from citator.trust.assurance import Assurance, Landed, Signature, Threshold
from citator.trust.pins import Approver, Pin
from citator.trust.policy import Policy, Rule
from citator.trust.statement import Verdict
from tests.support.approving import OTHER_RECORD, RECORD, SOLO, TEAM, TIME, Person, ledger, pin
from tests.support.keys import ed25519_key, sk_ed25519_key
from tests.support.record import Ledger, text

ADA = Person()
BOB = Person("bob", ed25519_key(2))
EVE = Person("eve", ed25519_key(3))


def one_decision(**settings: Any) -> tuple[str, Migration]:
    made = Ledger()
    item = made.decide("Keep sessions in SQLite", **settings)
    return item, made.migrations[0]


def statuses(record: Record) -> list[RecordStatus]:
    return [one.status for one in record.proposals]


def test_a_signed_decision_counts_with_its_two_facts() -> None:
    item, made = one_decision()

    record = evaluate(ledger([made], approvals=[ADA.says(made)]), pin(ADA), History())

    assert record.pinned and record.problems == () and record.proposals == ()
    assert record.state.items[item].status is RecordStatus.APPROVED
    assert record.assurance_of(made.id) == Assurance(Signature.KEY, Landed.LOCAL_BRANCH)


def test_without_a_pin_nothing_is_approved() -> None:
    _, made = one_decision()
    files = ledger([made], approvals=[ADA.says(made)])

    for nobody in (None, pin(ADA, record=OTHER_RECORD)):
        record = evaluate(files, nobody, History())
        assert not record.pinned and record.state.items == {}
        assert statuses(record) == [RecordStatus.PROPOSED]
        assert record.assurance_of(made.id).signature is Signature.NONE


def forgeries(made: Migration) -> dict[str, list[Approval]]:
    """Approvals that must not count, by what is wrong with them."""
    other = one_decision(paths=["src/**"])[1]
    good = ADA.says(made)
    return {
        "none": [],
        "key_not_pinned": [EVE.says(made)],
        "another_text": [ADA.says(other)],
        "digest_of_another": [ADA.says(made, digest=other.digest)],
        "another_record": [ADA.says(made, record=OTHER_RECORD)],
        "unknown_policy": [ADA.says(made, policy=TEAM.digest)],
        "wrong_namespace": [
            Approval(good.statement, ADA.key.sign(good.statement.to_bytes(), "file"))
        ],
        "signature_moved": [Approval(ADA.says(made, reason="x").statement, good.signature)],
        "typed": [Approval(good.statement, typed_by="ada")],
        "twice_the_same_key": [],
    }


@pytest.mark.parametrize("name", list(forgeries(one_decision()[1])))
def test_what_is_not_this_persons_approval_of_this_text_does_not_count(name: str) -> None:
    item, made = one_decision()

    record = evaluate(ledger([made], approvals=forgeries(made)[name]), pin(ADA), History())

    assert item not in record.state.items
    assert statuses(record) == [RecordStatus.PROPOSED]


def test_a_proposal_counts_only_once_it_landed() -> None:
    item, made = one_decision()

    record = evaluate(ledger([], [made], [ADA.says(made)]), pin(ADA), History())

    assert item not in record.state.items
    assert [(one.status, one.approved) for one in record.proposals] == [
        (RecordStatus.PROPOSED, True)
    ]


def test_a_draft_cannot_be_approved() -> None:
    made = Ledger()
    item = made.decide("Half a thought", draft=True)
    draft = made.migrations[0]

    record = evaluate(ledger([draft], approvals=[ADA.says(draft)]), pin(ADA), History())

    assert item not in record.state.items
    assert [(one.status, one.approved) for one in record.proposals] == [(RecordStatus.DRAFT, False)]


def test_a_rejection_wins_over_an_approval_and_leaves_a_tombstone() -> None:
    item, made = one_decision(sensitivity="confidential")
    no = BOB.rejects(made, "Keep sessions in SQLite", scope=("src/**",))

    record = evaluate(ledger([made], approvals=[ADA.says(made), no]), pin(ADA, BOB), History())

    assert item not in record.state.items
    assert statuses(record) == [RecordStatus.REJECTED]
    (stone,) = record.tombstones
    assert (stone.folded, stone.scope, stone.reason) == (
        "keep sessions in sqlite",
        ("src/**",),
        "we tried it",
    )
    assert stone.sensitivity is Sensitivity.CONFIDENTIAL


def test_a_rejection_outlives_its_branch_and_a_lift_ends_it() -> None:
    _, made = one_decision()
    no = ADA.rejects(made, "Keep sessions in SQLite")
    lift = ADA.rejects(made, "Keep sessions in SQLite", verdict=Verdict.LIFT)

    assert len(evaluate(ledger(approvals=[no]), pin(ADA), History()).tombstones) == 1
    assert evaluate(ledger(approvals=[no, lift]), pin(ADA), History()).tombstones == ()
    stranger = EVE.rejects(made, "Keep sessions in SQLite", verdict=Verdict.LIFT)
    assert len(evaluate(ledger(approvals=[no, stranger]), pin(ADA), History()).tombstones) == 1


def test_a_team_s_author_may_not_approve_alone() -> None:
    made = Ledger()
    item = made.decide("One", author="Ada <ada@example.org>")
    own = made.migrations[0]
    by_ada = ADA.says(own, policy=TEAM.digest)
    by_bob = BOB.says(own, policy=TEAM.digest)
    approvers = {
        "op": "set_approvers",
        "approvers": [
            {"label": "ada", "key": ADA.key.public.text, "emails": ["ada@example.org"]},
            {"label": "bob", "key": BOB.key.public.text},
        ],
    }
    rule = made.make(approvers, author="bob")
    root = pin(ADA, BOB, policy=TEAM)
    said = ADA.says(rule, policy=TEAM.digest)

    alone = evaluate(ledger([own, rule], approvals=[said, by_ada]), root, History())
    both = evaluate(ledger([own, rule], approvals=[said, by_ada, by_bob]), root, History())

    assert alone.approvers == both.approvers != {}
    assert item not in alone.state.items
    assert item in both.state.items


def test_thresholds_are_by_kind_and_sensitivity() -> None:
    two = Rule(Threshold(Signature.KEY, 2), sensitivity=Sensitivity.CONFIDENTIAL)
    policy = Policy("main", author_may_approve=True, rules=(two,))
    item, made = one_decision(sensitivity="confidential")
    root = pin(ADA, BOB, policy=policy)
    by_ada = ADA.says(made, policy=policy.digest)
    again = ADA.says(made, policy=policy.digest, reason="really")
    by_bob = BOB.says(made, policy=policy.digest)

    assert (
        item not in evaluate(ledger([made], approvals=[by_ada, again]), root, History()).state.items
    )
    assert item in evaluate(ledger([made], approvals=[by_ada, by_bob]), root, History()).state.items


def test_presence_is_asked_for_where_policy_says_so() -> None:
    policy = Policy("main", True, Threshold(Signature.KEY_WITH_PRESENCE))
    item, made = one_decision()
    touched = Person("ada", sk_ed25519_key())
    untouched = Person("ada", touched.key.with_flags(0))
    root = pin(touched, policy=policy)

    for person, counts in ((touched, True), (untouched, False)):
        approval = person.says(made, policy=policy.digest)
        record = evaluate(ledger([made], approvals=[approval]), root, History())
        assert (item in record.state.items) is counts


def governance(*people: Person, on: Ledger) -> Migration:
    listed = [{"label": one.label, "key": one.key.public.text} for one in people]
    again = ["change_approvers"] if on.state.approvers is not None else []
    return on.add({"op": "set_approvers", "approvers": listed}, loosens=again)


def test_only_the_pinned_root_can_change_who_approves() -> None:
    made = Ledger()
    item = made.decide("One")
    decision = made.migrations[0]
    coup = governance(EVE, on=made)
    said = [EVE.says(coup), EVE.says(decision)]

    record = evaluate(ledger(made.migrations, approvals=said), pin(ADA), History())
    assert item not in record.state.items
    assert record.approvers == {ADA.key.public.text: "ada"}

    said = [ADA.says(coup), EVE.says(decision)]
    record = evaluate(ledger(made.migrations, approvals=said), pin(ADA), History())
    assert item in record.state.items
    assert record.approvers == {EVE.key.public.text: "eve"}


def test_an_approver_who_approves_their_own_appointment_gains_nothing() -> None:
    made = Ledger()
    first = governance(ADA, BOB, on=made)
    second = governance(BOB, EVE, on=made)
    said = [ADA.says(first), BOB.says(second)]

    record = evaluate(ledger(made.migrations, approvals=said), pin(ADA), History())

    assert sorted(record.approvers.values()) == ["ada", "bob"]
    assert [one.migration.id for one in record.proposals] == [second.id]


@pytest.mark.parametrize("landed_first", [True, False])
def test_a_removed_key_counts_only_for_what_had_landed_before(landed_first: bool) -> None:
    made = Ledger()
    item = made.decide("One")
    decision = made.migrations[0]
    with_bob = governance(ADA, BOB, on=made)
    without = governance(ADA, on=made)
    said = [BOB.says(decision), ADA.says(with_bob), ADA.says(without)]
    history = History(
        landed={without.id: "c2"},
        approvals={"approvals/0000.yaml": "c1" if landed_first else "c3"},
        is_before=lambda older, newer: older < newer,
    )

    record = evaluate(ledger(made.migrations, approvals=said), pin(ADA), history)

    assert (item in record.state.items) is landed_first


@pytest.mark.parametrize("landed_first", [True, False])
def test_an_older_policy_counts_only_for_what_had_landed_before(landed_first: bool) -> None:
    made = Ledger()
    item = made.decide("One")
    decision = made.migrations[0]
    strict = Policy("main", True, Threshold(Signature.KEY, 2))
    change = made.add({"op": "set_policy", "policy": strict.to_dict()})
    said = [ADA.says(decision), ADA.says(change)]
    history = History(
        landed={change.id: "c2"},
        approvals={"approvals/0000.yaml": "c1" if landed_first else "c3"},
        is_before=lambda older, newer: older < newer,
    )

    record = evaluate(ledger(made.migrations, approvals=said), pin(ADA), history)

    assert record.policy == strict
    assert (item in record.state.items) is landed_first


def test_what_builds_on_something_unapproved_does_not_count_either() -> None:
    made = Ledger()
    item = made.decide("One")
    made.add(text(item, "One, better"))
    first, second = made.migrations

    record = evaluate(ledger([first, second], approvals=[ADA.says(second)]), pin(ADA), History())

    assert record.state.items == {}
    assert [problem.migration for problem in record.state.refused] == [second.id]


def test_an_approval_reads_back_as_it_was_written() -> None:
    _, made = one_decision()
    for approval in (
        ADA.says(made, reason="fine\nand so on"),
        BOB.rejects(made, "x: y # z"),
        Approval(ADA.says(made).statement, typed_by="ada"),
    ):
        data = approval.render()
        assert parse(data) == approval
        assert parse(data.replace(b"\n", b"\r\n")) == approval


def test_pins_of_this_record_only() -> None:
    assert pin(ADA).record == RECORD and SOLO.digest != TEAM.digest


def test_a_rule_that_asks_for_two_cannot_be_taken_away_by_one() -> None:
    two = Rule(Threshold(Signature.KEY, 2), sensitivity=Sensitivity.RESTRICTED)
    strict = Policy("main", author_may_approve=True, rules=(two,))
    made = Ledger()
    change = made.add({"op": "set_policy", "policy": SOLO.to_dict()})
    root = pin(ADA, BOB, policy=strict)
    by_ada = ADA.says(change, policy=strict.digest)
    by_bob = BOB.says(change, policy=strict.digest)

    assert evaluate(ledger([change], approvals=[by_ada]), root, History()).policy == strict
    assert evaluate(ledger([change], approvals=[by_ada, by_bob]), root, History()).policy == SOLO


def test_a_change_of_rules_names_a_policy_that_held() -> None:
    made = Ledger()
    change = made.add({"op": "set_policy", "policy": TEAM.to_dict()})
    other = Policy("other", author_may_approve=True)

    record = evaluate(
        ledger([change], approvals=[ADA.says(change, policy=other.digest)]), pin(ADA), History()
    )

    assert record.policy == SOLO


@pytest.mark.parametrize("landed", ["before", "after", "not yet"])
def test_a_lift_ends_only_the_rejections_that_had_landed(landed: str) -> None:
    _, made = one_decision()
    no = ADA.rejects(made, "Keep sessions in SQLite")
    lift = ADA.rejects(made, "Keep sessions in SQLite", verdict=Verdict.LIFT)
    commits = {"approvals/0001.yaml": "c2"}
    if landed != "not yet":
        commits["approvals/0000.yaml"] = "c1" if landed == "before" else "c3"
    history = History(approvals=commits, is_before=lambda older, newer: older < newer)

    record = evaluate(ledger(approvals=[no, lift]), pin(ADA), history)

    assert bool(record.tombstones) is (landed != "before")


def test_who_signs_their_own_words_is_known_by_any_pinned_address() -> None:
    made = Ledger()
    item = made.decide("One", author="A. Lovelace <Ada@Example.org>")
    (own,) = made.migrations
    ada = Approver("ada", ADA.key.public, ("ada@example.org",))
    root = Pin(RECORD, (ada, BOB.approver), TEAM, TIME)

    for person, counts in ((ADA, False), (BOB, True)):
        said = person.says(own, policy=TEAM.digest)
        record = evaluate(ledger([own], approvals=[said]), root, History())
        assert (item in record.state.items) is counts


def test_a_file_that_gives_an_item_another_kind_lowers_nothing() -> None:
    """Two people are asked about security; that somebody else calls it a convention changes
    nothing."""
    two = Threshold(Signature.KEY, 2)
    policy = Policy("main", author_may_approve=True, rules=(Rule(two, kind=ItemKind.SECURITY),))
    item, made = one_decision(kind="security")
    claim = Ledger(minted=50).make(
        {"op": "create_item", "item": item, "kind": "convention", "owner": "eve"}
    )
    said = [ADA.says(made, policy=policy.digest)]

    for landed in ([made], [claim, made], [made, claim]):
        record = evaluate(ledger(landed, approvals=said), pin(ADA, BOB, policy=policy), History())
        assert item not in record.state.items
    both = [*said, BOB.says(made, policy=policy.digest)]
    record = evaluate(
        ledger([claim, made], approvals=both), pin(ADA, BOB, policy=policy), History()
    )
    assert item in record.state.items


def test_what_is_typed_changes_no_rules_though_it_may_approve() -> None:
    """Anybody can type: where that is enough for a decision, it is not for who may approve."""
    policy = Policy("main", author_may_approve=True, floor=Threshold(Signature.TERMINAL))
    item, made = one_decision()
    rule = Ledger(minted=50).make(
        {"op": "set_approvers", "approvers": [{"label": "eve", "key": EVE.key.public.text}]},
        loosens=["change_approvers"],
    )
    typed = [
        Approval(ADA.says(one, policy=policy.digest).statement, typed_by="ada")
        for one in (made, rule)
    ]

    record = evaluate(ledger([made, rule], approvals=typed), pin(ADA, policy=policy), History())

    assert record.assurance_of(made.id).signature is Signature.TERMINAL
    assert item in record.state.items
    assert set(record.approvers.values()) == {"ada"}
