"""A person sees all that a proposal changes, and what they sign is what they saw."""

from __future__ import annotations

from dataclasses import replace

from citator.model.errors import NotFoundError, UsageError
from citator.model.record import ItemKind, RecordStatus
from citator.record.migration import Migration
from citator.record.writing import write_proposal
from citator.service import approve
from citator.service.preview import Change, Preview
from citator.service.trust import Rules
from citator.service.workspace import Places
from citator.trust.agent import Held
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.statement import Verdict
from tests.support.approving import Person
from tests.support.builder import Builder, contents_of
from tests.support.keys import ed25519_key
from tests.support.office import Office, refusal, signing

EVE = Person("eve", ed25519_key(9))


def seen(office: Office, name: str) -> Preview:
    return approve.shown(office.workspace, name)


def facts(shown: Preview) -> dict[str, Change]:
    return {one.what: one for one in shown.changes}


def test_a_reviewer_sees_the_state_before_and_after(office: Office) -> None:
    item, _ = office.landed(body="One.\nTwo.\n")
    done = office.decide(
        "Keep them in memory", revises=item, body="One.\nThree.\n", paths=("a/**",)
    )
    shown = seen(office, done.migration.id)
    assert {name: (one.before, one.after) for name, one in facts(shown).items()} == {
        "title": ("Keep sessions in SQLite", "Keep them in memory"),
        "ruling": ("Keep sessions in SQLite.", "Keep them in memory."),
        "scope": ("", "a/**"),
        "valid_from": (shown.changes[-1].before, done.migration.created_at),
    }
    assert shown.text == ("  One.", "- Two.", "+ Three.")
    assert (shown.problem, shown.conflicts, shown.loosenings) == (None, (), ())
    assert shown.needed is not None and shown.needed.signature is Signature.KEY
    assert shown.reached is Signature.NONE


def test_a_loosening_is_marked_where_it_loosens(office: Office) -> None:
    item, _ = office.landed()
    office.accept(office.change("deprecate", item))
    done = office.change("restore", item)
    shown = seen(office, done.migration.id)
    assert shown.loosenings == (f"restore_item:{item}",)
    change = facts(shown)["status"]
    assert (change.before, change.after, change.loosens) == ("deprecated", "approved", True)


def test_every_rejection_that_speaks_against_it_is_shown(office: Office) -> None:
    old = office.decide("Keep sessions in Redis")
    office.reject(old.migration.id, change="more than one host")
    done = office.decide("Keep sessions in redis", anyway="it changed")
    (stone,) = seen(office, done.migration.id).against
    assert (stone.value, stone.reason, stone.change) == (
        "keep sessions in redis",
        "we tried it",
        "more than one host",
    )


def test_what_is_approved_counts_once_it_landed(office: Office) -> None:
    done = office.decide()
    said = office.approve(done.migration.id)
    assert (said.by, said.strength, said.counts) == ("ada@example.org", Signature.KEY, True)
    assert said.statement.digest == done.migration.digest
    assert said.path.parent == office.root / "approvals"
    (proposal,) = office.desk.record.proposals
    assert proposal.approved and proposal.status is RecordStatus.PROPOSED
    office.apply()
    assert office.state.items[done.items[0]].status is RecordStatus.APPROVED


def test_a_proposal_is_named_by_a_prefix_or_by_what_it_is_about(office: Office) -> None:
    done = office.decide(aliases=("sessions",))
    for name in (done.migration.id, done.items[0], "sessions"):
        assert seen(office, name).migration == done.migration
    assert refusal(lambda: seen(office, "queue"), NotFoundError) == "unknown_proposal"
    office.decide("Use a queue")
    assert refusal(lambda: seen(office, done.migration.id[:6]), UsageError) == "ambiguous_name"


def test_a_text_that_is_changed_after_it_was_shown_is_not_approved(office: Office) -> None:
    done = office.decide()
    shown = seen(office, done.migration.id)
    moment = office.moment()
    statement = approve.approval(shown, moment)
    text = done.path.read_text()
    done.path.write_text(text.replace("in full", "in part"))
    held = [Held(office.person.key.public, "a test")]
    approve.sign(shown.desk, statement, shown.migration, held, signing(office.person.key), moment)
    assert [one.approved for one in office.desk.record.proposals] == [False]
    done.path.write_text(text)
    assert [one.approved for one in office.desk.record.proposals] == [True]


def test_a_key_that_may_not_approve_never_signs(office: Office) -> None:
    done = office.decide()
    before = contents_of(office.root)
    called: list[bytes] = []

    def sign(held: Held, message: bytes) -> tuple[str, PublicKey, Signature]:
        called.append(message)
        raise AssertionError

    shown = seen(office, done.migration.id)
    statement = approve.approval(shown, office.moment())
    held = [Held(EVE.key.public, "a test")]
    for keys in (held, []):
        action = lambda keys=keys: approve.sign(  # noqa: E731
            shown.desk, statement, shown.migration, keys, sign, office.moment()
        )
        assert refusal(action) == "no_key"
    assert called == []
    assert contents_of(office.root) == before


def test_another_key_than_the_chosen_one_writes_nothing(office: Office) -> None:
    done = office.decide()
    before = contents_of(office.root)
    shown = seen(office, done.migration.id)
    statement = approve.approval(shown, office.moment())
    held = [Held(office.person.key.public, "a test")]
    action = lambda: approve.sign(  # noqa: E731
        shown.desk, statement, shown.migration, held, signing(EVE.key), office.moment()
    )
    assert refusal(action) == "another_key_signed"
    assert contents_of(office.root) == before


def test_without_a_pin_nobody_approves(history: Builder, places: Places) -> None:
    office = Office(history, places)
    done = office.decide()
    assert seen(office, done.migration.id).needed is None
    assert refusal(lambda: office.approve(done.migration.id)) == "not_pinned"


def test_what_landed_and_counts_is_not_approved_again(office: Office) -> None:
    _, made = office.landed()
    assert refusal(lambda: office.approve(made.id)) == "already_counts"


def test_what_would_disagree_with_what_stands_is_not_approved(office: Office) -> None:
    item, _ = office.landed()
    one = office.decide("Keep them in memory", revises=item)
    two = office.decide("Keep them in a file", revises=item)
    office.accept(one)
    assert seen(office, two.migration.id).conflicts == (f"item/{item}/text",)
    assert refusal(lambda: office.approve(two.migration.id)) == "conflict"


def test_what_would_have_no_effect_is_not_approved(office: Office) -> None:
    item, _ = office.landed()
    good = office.decide("Keep them in memory", revises=item).migration
    (operation,) = good.operations
    lost = replace(good, id=good.id[:-1] + "Z", operations=(replace(operation, base=("0" * 64,)),))
    write_proposal(office.builder.path, lost)
    problem = seen(office, lost.id).problem
    assert problem is not None and problem.refusal.value == "missing_base"
    assert refusal(lambda: office.approve(lost.id)) == "migration_missing_base"


def test_an_undeclared_loosening_is_refused_with_its_sentence(office: Office) -> None:
    item, _ = office.landed()
    office.accept(office.change("deprecate", item))
    good = office.change("restore", item).migration
    sly = Migration(good.id[:-1] + "Z", good.author, good.created_at, good.operations, good.body)
    write_proposal(office.builder.path, sly)
    assert refusal(lambda: office.approve(sly.id)) == "migration_undeclared_loosening"


def test_a_proposal_that_builds_on_an_approved_one_can_be_approved(office: Office) -> None:
    first = office.decide()
    office.approve(first.migration.id)
    office.apply()
    second = office.decide("Keep them in memory", revises=first.items[0])
    assert office.approve(second.migration.id).counts


def test_a_rejection_lasts_and_wins_over_an_approval(office: Office) -> None:
    done = office.decide(paths=("src/**",))
    office.approve(done.migration.id)
    office.reject(done.migration.id, kind=ItemKind.DECISION, change="two hosts")
    assert [one.status for one in office.desk.record.proposals] == [RecordStatus.REJECTED]
    done.path.unlink()
    (stone,) = office.desk.record.tombstones
    assert (stone.folded, stone.kind, stone.scope, stone.change) == (
        "keep sessions in sqlite",
        ItemKind.DECISION,
        ("src/**",),
        "two hosts",
    )
    assert refusal(lambda: office.decide("keep SESSIONS in sqlite")) == "told_no"


def test_a_rejected_proposal_is_not_approved_until_the_rejection_is_lifted(office: Office) -> None:
    done = office.decide()
    office.reject(done.migration.id)
    assert refusal(lambda: office.approve(done.migration.id)) == "was_rejected"
    said = office.lift(done.migration.id)
    assert said.statement.verdict is Verdict.LIFT
    assert office.desk.record.tombstones == ()
    assert office.approve(done.migration.id).counts


def test_a_rejection_is_lifted_by_its_id_and_by_no_other(office: Office) -> None:
    office.reject(office.decide().migration.id)
    (stone,) = office.desk.record.tombstones
    assert refusal(lambda: office.lift("0" * 12), NotFoundError) == "unknown_rejection"
    office.lift(stone.id[:12])
    assert office.desk.record.tombstones == ()


def test_a_rejection_that_a_decision_states_is_lifted_by_another_decision(office: Office) -> None:
    body = "## Rejected alternatives\n\n- Redis\n  reason: no\n"
    office.accept(office.decide(body=body))
    (stone,) = office.desk.record.tombstones
    assert refusal(lambda: office.lift(stone.id[:12])) == "stated_by_a_migration"
    done = office.change("lift", stone.id[:12])
    assert done.migration.loosens == (f"lift_rejection:{stone.id}",)
    office.accept(done)
    assert office.desk.record.tombstones == ()


def test_what_stands_is_retired_and_not_rejected(office: Office) -> None:
    _, made = office.landed()
    assert refusal(lambda: office.reject(made.id)) == "already_counts"


def test_a_typed_approval_is_the_weaker_fact(office: Office) -> None:
    done = office.decide()
    shown = seen(office, done.migration.id)
    moment = office.moment()
    said = approve.typed(shown.desk, approve.approval(shown, moment), "ada@example.org", moment)
    assert (said.strength, said.counts, said.enough) == (Signature.TERMINAL, False, False)
    assert [one.approved for one in office.desk.record.proposals] == [False]
    assert office.apply().landed == ()


def test_a_typed_approval_counts_where_the_policy_says_so(office: Office) -> None:
    office.pin(rules=Rules(signature=Signature.TERMINAL, author_may_approve=True))
    done = office.decide()
    shown = seen(office, done.migration.id)
    moment = office.moment()
    said = approve.typed(shown.desk, approve.approval(shown, moment), "ada@example.org", moment)
    assert said.counts
    assert [one.id for one in office.apply().landed] == [done.migration.id]


def test_the_author_of_a_proposal_is_another_than_its_approver_where_the_policy_says_so(
    office: Office,
) -> None:
    office.pin(office.person, EVE, rules=Rules(author_may_approve=False))
    done = office.decide(author="Ada <ada@example.org>")
    assert refusal(lambda: office.approve(done.migration.id)) == "own_proposal"
    assert not (office.root / "approvals").exists()
    assert office.approve(done.migration.id, EVE).enough
    assert [one.approved for one in office.desk.record.proposals] == [True]


def test_what_is_still_missing_is_said(office: Office) -> None:
    office.pin(office.person, EVE, rules=Rules(author_may_approve=True, approvers=2))
    done = office.decide()
    first = office.approve(done.migration.id)
    assert (first.counts, first.enough) == (True, False)
    assert office.apply().landed == ()
    assert office.approve(done.migration.id, EVE).enough
