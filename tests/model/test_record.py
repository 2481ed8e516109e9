"""The record's vocabulary: closed sets, in order, with the table of transitions over them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from citator.model.record import (
    RULING_CHARACTERS,
    TRANSITIONS,
    Item,
    ItemKind,
    RecordStatus,
    RelationType,
    Revision,
    Sensitivity,
    Trust,
)


def test_the_closed_sets_are_those_of_the_design() -> None:
    assert " ".join(ItemKind) == (
        "architecture decision domain operations security testing api incident convention"
        " rejected-approach known-exception"
    )
    assert " ".join(RelationType) == (
        "implements supersedes depends_on constrained_by verified_by reviewed_by contradicts"
        " related_to derived_from evidenced_by rejects exception_to"
    )
    assert " ".join(Sensitivity) == "public internal confidential restricted"
    assert " ".join(RecordStatus) == "draft proposed approved deprecated superseded rejected"
    assert " ".join(Trust) == "unverified inferred reviewed"
    assert RULING_CHARACTERS == 280


def test_sensitivities_are_in_order() -> None:
    assert [one.rank for one in Sensitivity] == [0, 1, 2, 3]
    assert max(Sensitivity, key=lambda one: one.rank) is Sensitivity.RESTRICTED


def test_every_status_can_be_reached_and_left_by_somebody() -> None:
    assert {after for _, after in TRANSITIONS} == set(RecordStatus)
    assert all(TRANSITIONS.values())
    ends = set(RecordStatus) - {before for before, _ in TRANSITIONS}
    assert ends == {RecordStatus.REJECTED}  # what was rejected comes back as another proposal
    starts = {after for before, after in TRANSITIONS if before is None}
    assert set(RecordStatus) == starts.union(*map(_from, starts))


def _from(start: RecordStatus) -> set[RecordStatus]:
    found: set[RecordStatus] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        after = {one for before, one in TRANSITIONS if before is here} - found
        found |= after
        waiting += after
    return found


def test_nothing_becomes_approved_that_was_not_proposed_or_approved_before() -> None:
    before = {one for one, after in TRANSITIONS if after is RecordStatus.APPROVED}
    assert before == {RecordStatus.PROPOSED, RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED}


def item(*revisions: Revision) -> Item:
    return Item(
        "01J9ZK4E3M8QW7X2V5T6R1N0PA",
        ItemKind.API,
        "team",
        Sensitivity.INTERNAL,
        RecordStatus.DRAFT,
        "2026-03-01T09:00:00Z",
        "01J9ZK4E3M8QW7X2V5T6R1N0PB",
        revisions,
    )


def test_the_last_revision_is_current_and_none_where_there_is_none() -> None:
    one, two = (
        Revision(name, "0" * 64, name, name, "", "Ada", "2026-03-01T09:00:00Z", "2026-03-01")
        for name in ("one", "two")
    )
    assert item().current is None
    assert item(one, two).current is two


def test_values_are_not_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        item().owner = "eve"  # type: ignore[misc]
