"""Decisions as a list, one by one and over time: what may be seen, and nothing of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citator.model.errors import NotFoundError, UsageError
from citator.model.record import ItemKind, RecordStatus, RelationType, Sensitivity
from citator.model.visibility import Audience
from citator.service import decisions, trust
from citator.service.changing import Facts
from citator.service.decide import ToldNoError
from citator.service.decisions import Decision, Wanted
from citator.service.workspace import Places
from citator.trust.assurance import Assurance, Landed, Signature
from tests.support.builder import Builder
from tests.support.office import TODAY, Office, refusal


def one(office: Office, name: str, **wanted: Any) -> Decision:
    who = decisions.operator(office.workspace)
    return decisions.decision(office.workspace, who, name, Wanted(**wanted), TODAY)


def test_an_approved_decision_says_how_well_it_is_answered_for(office: Office) -> None:
    item, made = office.landed(aliases=("sessions",))
    (found,) = office.list(everything=False)
    assert (found.id, found.migration, found.status) == (item, made.id, RecordStatus.APPROVED)
    assert found.assurance == Assurance(Signature.KEY, Landed.LOCAL_BRANCH)
    assert found.signed and found.committed and not found.contested
    assert found.revision is not None and found.revision.ruling == "Keep sessions in SQLite."


def test_what_is_not_committed_has_landed_nowhere(office: Office) -> None:
    done = office.decide()
    office.approve(done.migration.id)
    office.apply()
    (found,) = office.list()
    assert (found.committed, found.assurance.landed) == (False, Landed.NO)


def test_proposals_are_for_the_person_and_for_whom_they_are_granted_to(office: Office) -> None:
    office.landed()
    waiting = office.decide("Log in UTC")
    draft = office.decide("Half a thought", draft=True)
    assert [each.status for each in office.list(everything=False)] == [RecordStatus.APPROVED]
    assert {each.id: each.status for each in office.list()} == {
        office.list(everything=False)[0].id: RecordStatus.APPROVED,
        waiting.items[0]: RecordStatus.PROPOSED,
        draft.items[0]: RecordStatus.DRAFT,
    }
    trust.set_audience(office.workspace, Audience(unapproved=True), office.moment())
    assert len(office.list(everything=False)) == 3


def test_without_a_pin_everything_is_a_proposal(history: Builder, places: Places) -> None:
    office = Office(history, places)
    office.decide()
    (found,) = office.list()
    assert (found.status, found.signed) == (RecordStatus.PROPOSED, False)
    assert found.assurance == Assurance(Signature.NONE, Landed.NO)
    assert office.list(everything=False) == ()


def test_a_sensitivity_above_the_grant_is_not_there_and_names_nothing(
    office: Office, tmp_path: Path
) -> None:
    place = tmp_path / "second"
    place.mkdir()
    trust.set_ledger(office.workspace, place, office.moment())
    office.pin(second=True)
    done = office.decide("Pay ransom never", sensitivity="confidential", aliases=("ransom",))
    office.approve(done.migration.id)
    office.apply()
    assert office.list(everything=False) == ()
    assert [each.second for each in office.list()] == [True]
    who = decisions.granted(office.workspace)
    wanted = Wanted()
    for name in ("ransom", done.items[0], "no-such-thing", "0" * 26):
        with pytest.raises(NotFoundError) as caught:
            decisions.decision(office.workspace, who, name, wanted, TODAY)
        assert caught.value.code == "unknown_item"
    wide = Audience(Sensitivity.CONFIDENTIAL)
    assert decisions.decision(office.workspace, wide, "ransom", wanted, TODAY).id == done.items[0]


def test_a_retired_decision_says_what_took_its_place_and_not_its_text(office: Office) -> None:
    item, _ = office.landed()
    before = office.builder.head()
    office.accept(office.decide("Keep them in PostgreSQL", supersedes=(item,)))
    for wanted in ({}, {"at": before}, {"as_of": "2026-02-26T00:00:00Z"}):
        found = one(office, item, **wanted)
        assert found.status is RecordStatus.SUPERSEDED
        assert (found.revision, found.revisions, found.relations) == (None, (), ())
        assert len(found.superseded_by) == 1


def test_the_record_at_a_commit_is_what_it_was_then(office: Office) -> None:
    item, _ = office.landed()
    then = office.builder.head()
    office.accept(office.decide("Keep them in memory", revises=item))
    later, _ = office.landed("Log in UTC")
    assert {each.id for each in office.list(at=then)} == {item}
    old = one(office, item, at=then[:10]).revision
    new = one(office, item).revision
    assert old is not None and old.title == "Keep sessions in SQLite"
    assert new is not None and new.title == "Keep them in memory"
    assert refusal(lambda: office.list(at="nowhere"), NotFoundError) == "unknown_commit"
    assert refusal(lambda: one(office, later, at=then), NotFoundError) == "unknown_item"


def test_what_held_on_a_day_is_the_text_of_that_day(office: Office) -> None:
    item, _ = office.landed(valid_from="2025-01-01", valid_to="2026-01-01")
    office.accept(office.decide("Keep them in memory", revises=item, valid_from="2026-01-01"))

    def held(day: str) -> str | None:
        found = office.list(as_of=f"{day}T00:00:00Z")
        return found[0].revision.title if found and found[0].revision else None

    assert held("2024-12-31") is None
    assert held("2025-06-01") == "Keep sessions in SQLite"
    assert held("2026-02-01") == "Keep them in memory"


def test_a_decision_whose_time_is_over_is_said_to_be(office: Office) -> None:
    office.landed(valid_from="2025-01-01", valid_to="2026-01-01")
    assert office.list()[0].expired


def test_decisions_are_found_by_kind_status_label_and_path(office: Office) -> None:
    wide, _ = office.landed("Use tabs", paths=("src/**",), kind="convention")
    narrow, _ = office.landed("Use spaces", paths=("src/db/*.py",), labels=("style",))
    office.decide("Log in UTC")
    assert [each.id for each in office.list(path="src/db/pool.py")] == [narrow, wide]
    assert [each.id for each in office.list(path="src/web.py")] == [wide]
    assert [each.id for each in office.list(path="docs/a.md")] == []
    assert [each.id for each in office.list(kind=ItemKind.CONVENTION)] == [wide]
    assert [each.id for each in office.list(label="style")] == [narrow]
    assert len(office.list(statuses=(RecordStatus.PROPOSED,))) == 1


def test_two_texts_are_compared_and_a_retired_one_has_none(office: Office) -> None:
    item, first = office.landed(body="One.\nTwo.")
    assert refusal(lambda: decisions.between(one(office, item), None, None), NotFoundError)
    second = office.accept(
        office.decide("Keep sessions in SQLite", revises=item, body="One.\nThree.")
    )
    old, new, lines = decisions.between(one(office, item), None, None)
    assert (old, new) == (first.id, second.migration.id)
    assert [line for line in lines if line[:1] in "+-"] == ["-Two.", "+Three."]
    assert decisions.between(one(office, item), new, old)[:2] == (new, old)
    office.accept(office.change("deprecate", item))
    assert one(office, item).revisions == ()


def test_a_bare_repository_lists_what_head_has(
    office: Office, tmp_path: Path, places: Places
) -> None:
    item, _ = office.landed()
    bare = Office(office.builder.clone(tmp_path / "bare", bare=True), places)
    assert [each.id for each in bare.list()] == [item]


# -- changes, each a proposal


def test_a_decision_is_deprecated_and_restored_by_approved_proposals(office: Office) -> None:
    item, _ = office.landed()
    done = office.change("deprecate", item)
    assert one(office, item).status is RecordStatus.APPROVED
    assert one(office, item).proposals == (done.migration.id,)
    office.accept(done)
    assert one(office, item).status is RecordStatus.DEPRECATED
    office.accept(office.change("restore", item))
    assert one(office, item).status is RecordStatus.APPROVED


def test_relations_are_made_and_ended(office: Office) -> None:
    first, _ = office.landed("Use a queue")
    second, _ = office.landed("Keep messages a week", aliases=("week",))
    office.accept(office.change("relate", first, RelationType.DEPENDS_ON, "week"))
    found = one(office, first)
    assert [(each.type, each.target) for each in found.relations] == [
        (RelationType.DEPENDS_ON, second)
    ]
    assert [each.source for each in one(office, second).inverse] == [first]
    office.accept(office.change("relate", first, RelationType.DEPENDS_ON, second, remove=True))
    assert one(office, first).relations == ()


def test_ending_a_supersession_says_that_it_readmits(office: Office) -> None:
    first, _ = office.landed("Use a queue")
    second, _ = office.landed("Use a table", supersedes=(first,))
    done = office.change("relate", second, RelationType.SUPERSEDES, first, remove=True)
    assert done.migration.loosens == (f"readmit:{first}",)
    office.accept(done)
    assert one(office, first).status is RecordStatus.APPROVED


def test_a_lower_sensitivity_says_that_it_lowers(office: Office) -> None:
    item, _ = office.landed()
    done = office.change("classify", item, Facts(sensitivity=Sensitivity.PUBLIC, owner="data"))
    assert done.migration.loosens == (f"lower_sensitivity:{item}",)
    office.accept(done)
    found = one(office, item)
    assert (found.sensitivity, found.owner) == (Sensitivity.PUBLIC, "data")


def test_a_raise_beyond_the_repositorys_readers_is_refused_where_they_read(office: Office) -> None:
    item, _ = office.landed()
    facts = Facts(sensitivity=Sensitivity.RESTRICTED)
    action = lambda: office.change("classify", item, facts)  # noqa: E731
    assert refusal(action) == "needs_second_ledger"


def test_aliases_come_and_go(office: Office) -> None:
    item, _ = office.landed()
    office.accept(office.change("classify", item, Facts(aliases=("sessions",))))
    assert one(office, "sessions").id == item
    office.accept(office.change("classify", item, Facts(without_aliases=("sessions",))))
    assert refusal(lambda: one(office, "sessions"), NotFoundError) == "unknown_item"


def test_a_change_of_nothing_or_of_what_only_waits_is_refused(office: Office) -> None:
    item, _ = office.landed()
    assert refusal(lambda: office.change("classify", item, Facts()), UsageError) == "usage"
    waiting = office.decide("Log in UTC").items[0]
    assert refusal(lambda: office.change("deprecate", waiting)) == "only_proposed"
    assert refusal(lambda: office.change("restore", item)) == "migration_transition"


def test_what_comes_back_is_held_against_what_was_rejected(office: Office) -> None:
    item, _ = office.landed("Use Redis for sessions")
    office.accept(office.change("deprecate", item))
    again = office.decide("Use Redis", anyway="for the cache").migration
    office.reject(again.id, value="use redis")
    office.commit()

    with pytest.raises(ToldNoError, match="told no on"):
        office.change("restore", item, reason="")
    back = office.change("restore", item)
    assert back.migration.loosens == (f"restore_item:{item}",)
