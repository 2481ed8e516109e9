"""The texts of the record that an audience may see."""

from __future__ import annotations

from dataclasses import dataclass

from citator.model.record import RecordStatus, Sensitivity
from citator.model.reference import DocumentKind, make_ref
from citator.model.visibility import Audience
from citator.record.migration import Migration
from citator.sources.decisions import Decision, decisions_for
from citator.sources.versions import VERSIONS
from tests.support.record import Ledger, creation, text

ANYBODY = Audience()
REVIEWER = Audience(unapproved=True)
CONFIDANT = Audience(ceiling=Sensitivity.CONFIDENTIAL, unapproved=True)


@dataclass(frozen=True)
class Waiting:
    """A migration that is not effective."""

    migration: Migration
    status: RecordStatus = RecordStatus.PROPOSED


def titles(decisions: list[Decision]) -> list[str]:
    return sorted(one.document.subject for one in decisions)


def test_a_decision_is_a_document_that_a_reference_names() -> None:
    ledger = Ledger()
    ledger.decide("Keep one writer", ruling="One process writes.", body="Two lost updates.\n")
    (one,) = decisions_for(ANYBODY, ledger.state)
    assert one.document.text == "# Keep one writer\n\nOne process writes.\n\nTwo lost updates."
    assert one.document.kind is DocumentKind.DECISION
    assert one.document.object_id == ledger.migrations[0].digest
    (passage,) = one.document.passages
    assert passage.ref == make_ref(
        DocumentKind.DECISION, one.document.object_id, (1, 5), one.document.text, VERSIONS
    )


def test_a_title_that_the_text_or_the_ruling_repeats_is_said_once() -> None:
    ledger = Ledger()
    ledger.decide("Keep one writer", body="# Keep one writer\n\nTwo lost updates.\n")
    (one,) = decisions_for(ANYBODY, ledger.state)
    assert one.document.text == "# Keep one writer\n\nTwo lost updates."


def test_secrets_are_taken_out_of_every_part() -> None:
    ledger = Ledger()
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    ledger.decide(f"Rotate {key}", ruling=f"Never use {key}", body=f"It was {key}.\n")
    (one,) = decisions_for(ANYBODY, ledger.state)
    assert key not in one.document.text
    assert key not in one.document.subject
    assert key not in one.ruling
    assert one.document.redactions == 3


def test_what_is_above_the_ceiling_is_nobodys_but_an_entitled_audiences() -> None:
    ledger = Ledger()
    ledger.decide("Open")
    ledger.decide("Hidden", sensitivity="confidential")
    assert titles(decisions_for(ANYBODY, ledger.state)) == ["Open"]
    assert titles(decisions_for(CONFIDANT, ledger.state)) == ["Hidden", "Open"]


def test_a_tenants_decision_is_that_tenants_alone() -> None:
    ledger = Ledger()
    ledger.decide("Theirs", tenant="acme")
    ledger.decide("Some of theirs", groups=["ops"])
    assert decisions_for(ANYBODY, ledger.state) == []
    assert titles(decisions_for(Audience(tenant="acme"), ledger.state)) == ["Theirs"]
    assert titles(decisions_for(Audience(groups=("ops",)), ledger.state)) == ["Some of theirs"]


def test_retired_text_is_in_no_audiences_documents() -> None:
    ledger = Ledger()
    old, new = ledger.decide("Old"), ledger.decide("New")
    gone = ledger.decide("Gone")
    assert titles(decisions_for(CONFIDANT, ledger.state)) == ["Gone", "New", "Old"]
    ledger.add({"op": "add_relation", "source": new, "type": "supersedes", "target": old})
    ledger.add({"op": "deprecate_item", "item": gone})
    assert titles(decisions_for(CONFIDANT, ledger.state)) == ["New"]


def test_every_revision_of_an_item_says_when_it_held() -> None:
    ledger = Ledger()
    item = ledger.decide("First", valid_from="2026-01-01T00:00:00Z")
    ledger.add(text(item, "Second", valid_from="2026-02-01T00:00:00Z"), body="More.\n")
    found = {one.document.subject: one for one in decisions_for(ANYBODY, ledger.state)}
    first, second = found["First"], found["Second"]
    assert (first.held_from, first.held_until, first.current) == (
        "2026-01-01T00:00:00Z",
        "2026-02-01T00:00:00Z",
        False,
    )
    assert (second.held_until, second.current) == (None, True)


def test_proposals_are_shown_to_those_alone_who_may_see_them() -> None:
    ledger = Ledger()
    item = ledger.decide("In force")
    change = Waiting(ledger.make(text(item, "Perhaps"), body="Why.\n"))
    fresh = ledger.id()
    new = Waiting(ledger.make(*creation(fresh, "New", {}), body="Why.\n"), RecordStatus.DRAFT)
    waiting = [change, new]
    assert titles(decisions_for(ANYBODY, ledger.state, waiting)) == ["In force"]
    found = decisions_for(REVIEWER, ledger.state, waiting)
    assert titles(found) == ["In force", "New", "Perhaps"]
    by_title = {one.document.subject: one for one in found}
    assert by_title["Perhaps"].item == item
    assert by_title["Perhaps"].status is RecordStatus.PROPOSED
    assert by_title["New"].status is RecordStatus.DRAFT
    assert by_title["New"].is_proposal


def test_a_rejected_proposal_has_no_text() -> None:
    ledger = Ledger()
    migration = ledger.make(*creation(ledger.id(), "No", {}), body="Why.\n")
    assert decisions_for(CONFIDANT, ledger.state, [Waiting(migration)]) != []
    assert decisions_for(CONFIDANT, ledger.state, [Waiting(migration, RecordStatus.REJECTED)]) == []


def test_a_proposal_is_as_sensitive_as_anything_that_it_could_become() -> None:
    ledger = Ledger()
    item = ledger.decide("In force")
    raised = ledger.make(
        text(item, "Perhaps"),
        {
            "op": "change_sensitivity",
            "item": item,
            "sensitivity": "confidential",
            "reason": "it names an account",
        },
        body="Why.\n",
    )
    assert titles(decisions_for(REVIEWER, ledger.state, [Waiting(raised)])) == ["In force"]
    assert titles(decisions_for(CONFIDANT, ledger.state, [Waiting(raised)])) == [
        "In force",
        "Perhaps",
    ]


def test_a_proposal_cannot_lower_what_its_item_is() -> None:
    ledger = Ledger()
    item = ledger.decide("Hidden", sensitivity="confidential")
    lowered = ledger.make(
        text(item, "Perhaps"),
        {
            "op": "change_sensitivity",
            "item": item,
            "sensitivity": "public",
            "reason": "nobody minds",
        },
        loosens=[f"lower_sensitivity:{item}"],
        body="Why.\n",
    )
    assert decisions_for(REVIEWER, ledger.state, [Waiting(lowered)]) == []
    assert len(decisions_for(CONFIDANT, ledger.state, [Waiting(lowered)])) == 2


def test_two_proposals_that_make_one_item_are_shown_to_those_who_may_see_both() -> None:
    ledger = Ledger()
    item = ledger.id()
    open_one = ledger.make(*creation(item, "Open", {}), body="Why.\n")
    hidden = ledger.make(*creation(item, "Hidden", {"tenant": "acme"}), body="Why.\n")
    both = [Waiting(open_one), Waiting(hidden)]
    assert decisions_for(REVIEWER, ledger.state, both) == []
    entitled = Audience(unapproved=True, tenant="acme")
    assert titles(decisions_for(entitled, ledger.state, both)) == ["Hidden", "Open"]


def test_a_proposal_for_an_item_that_nobody_knows_shows_nothing() -> None:
    ledger = Ledger()
    stray = ledger.make(text(ledger.id(), "Stray"), body="Why.\n")
    assert decisions_for(CONFIDANT, ledger.state, [Waiting(stray)]) == []
