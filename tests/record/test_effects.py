"""Every rule of the record: what is refused and why, and every move that a status can make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from citator.model.record import TRANSITIONS, RecordStatus, Sensitivity
from citator.record.errors import SENTENCES, MigrationError, Problem, Refusal
from citator.record.migration import MAX_BYTES, Migration, parse
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.state import RecordState
from citator.record.ulid import mint
from tests.record.samples import DIGEST, sample
from tests.support.record import Ledger, creation, text

APPROVED, DEPRECATED = RecordStatus.APPROVED, RecordStatus.DEPRECATED
SUPERSEDED, DRAFT = RecordStatus.SUPERSEDED, RecordStatus.DRAFT


def refused(ledger: Ledger, migration: Migration | None = None) -> Problem:
    (problem,) = replay([*ledger.migrations, *([migration] if migration else [])]).refused
    return problem


def supersedes(source: str, target: str, op: str = "add_relation", **more: Any) -> dict[str, Any]:
    return {"op": op, "type": "supersedes", "source": source, "target": target, **more}


def with_base(migration: Migration, *bases: str) -> Migration:
    """The same migration, its first operation built on something else."""
    first = replace(migration.operations[0], base=bases)
    return replace(migration, operations=(first, *migration.operations[1:]))


def named(migration: Migration, identity: str) -> Migration:
    return replace(migration, id=identity)


# Each refusal of replay, and the smallest set of migrations that meets it.


def missing_base(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return with_base(ledger.make({"op": "deprecate_item", "item": item}), DIGEST)


def base_of_another_slot(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    text_link = ledger.state.heads[f"item/{item}/text"][0]
    return with_base(ledger.make({"op": "deprecate_item", "item": item}), text_link)


def missing_item(ledger: Ledger) -> Migration:
    return ledger.make({"op": "change_owner", "item": ledger.id(), "owner": "core"})


def missing_specification(ledger: Ledger) -> Migration:
    one, other = ledger.id(), ledger.id()
    return ledger.make({"op": "supersede_specification", "specification": one, "by": other})


def superseded_specification(ledger: Ledger) -> Migration:
    item, one, other = ledger.decide("One"), ledger.id(), ledger.id()
    for identity in (one, other):
        ledger.add(sample("register_specification", item=item, specification=identity))
    ledger.add({"op": "supersede_specification", "specification": one, "by": other})
    return ledger.make({"op": "supersede_specification", "specification": other, "by": one})


def item_exists(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return ledger.make({"op": "create_item", "item": item, "kind": "api", "owner": "other"})


def specification_exists(ledger: Ledger) -> Migration:
    item, one = ledger.decide("One"), ledger.id()
    ledger.add(sample("register_specification", item=item, specification=one))
    return ledger.make(sample("register_specification", item=item, specification=one))


def supersedes_cycle(ledger: Ledger) -> Migration:
    one, two, three = (ledger.decide(name) for name in ("One", "Two", "Three"))
    ledger.add(supersedes(two, one))
    ledger.add(supersedes(three, two))
    return ledger.make(supersedes(one, three))


def self_relation(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return ledger.make(supersedes(item, item))


def self_specification(ledger: Ledger) -> Migration:
    item, one = ledger.decide("One"), ledger.id()
    ledger.add(sample("register_specification", item=item, specification=one))
    return ledger.make({"op": "supersede_specification", "specification": one, "by": one})


def deprecated_twice(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    ledger.add({"op": "deprecate_item", "item": item})
    return ledger.make({"op": "deprecate_item", "item": item})


def deprecated_while_superseded(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add(supersedes(two, one))
    return ledger.make({"op": "deprecate_item", "item": one})


def restored_while_approved(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return ledger.make({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])


def restored_while_superseded(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "deprecate_item", "item": one})
    ledger.add(supersedes(two, one))
    return ledger.make({"op": "restore_item", "item": one}, loosens=[f"restore_item:{one}"])


def restored_on_an_older_base(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    ledger.add({"op": "deprecate_item", "item": item})
    restored = ledger.make({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])
    return with_base(restored)


def text_of_a_deprecated_item(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    ledger.add({"op": "deprecate_item", "item": item})
    return ledger.make(text(item, "Again"))


def text_of_a_superseded_item(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add(supersedes(two, one))
    return ledger.make(text(one, "Again"))


def superseded_by_a_retired_item(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "deprecate_item", "item": two})
    return ledger.make(supersedes(two, one))


def no_text_to_deprecate(ledger: Ledger) -> Migration:
    item = ledger.id()
    ledger.add({"op": "create_item", "item": item, "kind": "api", "owner": "team"})
    return ledger.make({"op": "deprecate_item", "item": item})


def no_text_to_restore(ledger: Ledger) -> Migration:
    item = ledger.id()
    ledger.add({"op": "create_item", "item": item, "kind": "api", "owner": "team"})
    return ledger.make({"op": "restore_item", "item": item})


def no_text_to_supersede_with(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.id()
    ledger.add({"op": "create_item", "item": two, "kind": "api", "owner": "team"})
    return ledger.make(supersedes(two, one))


def undeclared_restoration(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    ledger.add({"op": "deprecate_item", "item": item})
    return ledger.make({"op": "restore_item", "item": item}, loosens=["restore_item:other"])


def undeclared_readmission(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add(supersedes(two, one))
    return ledger.make(supersedes(two, one, "remove_relation"))


def undeclared_lowering(ledger: Ledger) -> Migration:
    item = ledger.decide("One", sensitivity="confidential")
    lower = {"op": "change_sensitivity", "item": item, "sensitivity": "internal", "reason": "x"}
    return ledger.make(lower)


def undeclared_lift(ledger: Ledger) -> Migration:
    return ledger.make({"op": "lift_rejection", "rejection": DIGEST, "reason": "x"})


def undeclared_change_of_approvers(ledger: Ledger) -> Migration:
    ledger.add(sample("set_approvers"))
    return ledger.make(sample("set_approvers"))


def undeclared_change_of_policy(ledger: Ledger) -> Migration:
    ledger.add(sample("set_policy"))
    return ledger.make(sample("set_policy"))


def undeclared_change_on_no_base(ledger: Ledger) -> Migration:
    ledger.add(sample("set_policy"))
    return with_base(ledger.make(sample("set_policy")))


def alias_taken(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "add_alias", "alias": "one", "item": one})
    return ledger.make({"op": "add_alias", "alias": "one", "item": two})


def no_alias_to_remove(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return ledger.make({"op": "remove_alias", "alias": "one", "item": item})


def alias_of_another_to_remove(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "add_alias", "alias": "one", "item": one})
    return ledger.make({"op": "remove_alias", "alias": "one", "item": two})


def no_relation_to_remove(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    return ledger.make(supersedes(two, one, "remove_relation"), loosens=[f"readmit:{one}"])


def relation_removed_twice(ledger: Ledger) -> Migration:
    one, two = ledger.decide("One"), ledger.decide("Two")
    link = {"type": "implements", "source": two, "target": one}
    ledger.add({"op": "add_relation", **link})
    ledger.add({"op": "remove_relation", **link})
    return ledger.make({"op": "remove_relation", **link})


def no_evidence_to_remove(ledger: Ledger) -> Migration:
    item = ledger.decide("One")
    return ledger.make({"op": "remove_evidence", "item": item, "source": "x"})


CASES: list[tuple[Callable[[Ledger], Migration], Refusal]] = [
    (missing_base, Refusal.MISSING_BASE),
    (base_of_another_slot, Refusal.MISSING_BASE),
    (missing_item, Refusal.MISSING_ITEM),
    (missing_specification, Refusal.MISSING_ITEM),
    (superseded_specification, Refusal.MISSING_ITEM),
    (item_exists, Refusal.ITEM_EXISTS),
    (specification_exists, Refusal.ITEM_EXISTS),
    (supersedes_cycle, Refusal.SUPERSEDES_CYCLE),
    (self_relation, Refusal.SELF_RELATION),
    (self_specification, Refusal.SELF_RELATION),
    (deprecated_twice, Refusal.TRANSITION),
    (deprecated_while_superseded, Refusal.TRANSITION),
    (restored_while_approved, Refusal.TRANSITION),
    (restored_while_superseded, Refusal.TRANSITION),
    (restored_on_an_older_base, Refusal.TRANSITION),
    (text_of_a_deprecated_item, Refusal.RETIRED_ITEM),
    (text_of_a_superseded_item, Refusal.RETIRED_ITEM),
    (superseded_by_a_retired_item, Refusal.RETIRED_ITEM),
    (no_text_to_deprecate, Refusal.NO_TEXT),
    (no_text_to_restore, Refusal.NO_TEXT),
    (no_text_to_supersede_with, Refusal.NO_TEXT),
    (undeclared_restoration, Refusal.UNDECLARED_LOOSENING),
    (undeclared_readmission, Refusal.UNDECLARED_LOOSENING),
    (undeclared_lowering, Refusal.UNDECLARED_LOOSENING),
    (undeclared_lift, Refusal.UNDECLARED_LOOSENING),
    (undeclared_change_of_approvers, Refusal.UNDECLARED_LOOSENING),
    (undeclared_change_of_policy, Refusal.UNDECLARED_LOOSENING),
    (undeclared_change_on_no_base, Refusal.UNDECLARED_LOOSENING),
    (alias_taken, Refusal.ALIAS_TAKEN),
    (no_alias_to_remove, Refusal.NOTHING_TO_REMOVE),
    (alias_of_another_to_remove, Refusal.NOTHING_TO_REMOVE),
    (no_relation_to_remove, Refusal.NOTHING_TO_REMOVE),
    (relation_removed_twice, Refusal.NOTHING_TO_REMOVE),
    (no_evidence_to_remove, Refusal.NOTHING_TO_REMOVE),
]


@pytest.mark.parametrize(("make", "refusal"), CASES)
def test_each_rule_refuses_with_its_reason_and_changes_nothing(
    make: Callable[[Ledger], Migration], refusal: Refusal
) -> None:
    ledger = Ledger()
    migration = make(ledger)
    before = ledger.state
    assert before.refused == ()

    after = replay([*ledger.migrations, migration])

    assert [one.refusal for one in after.refused] == [refusal]
    assert after.refused[0].migration == migration.id
    assert after.refused[0].sentence.startswith(SENTENCES[refusal])
    assert replace(after, refused=()).canonical() == before.canonical()
    assert (after.heads, after.loosened) == (before.heads, before.loosened)


def file(head: str) -> str:
    first = f"---\ncitator: 1\nid: {mint(0, bytes)}\nauthor: A\n"
    return f"{first}created_at: 2026-03-01T09:00:00Z\n{head}---\n"


FILES = {
    Refusal.UNREADABLE: "no front matter",
    Refusal.VERSION: file("").replace("citator: 1", "citator: 2"),
    Refusal.FIELD: file("operations: []\n"),
    Refusal.UNKNOWN_FIELD: file("status: approved\n"),
    Refusal.UNKNOWN_OPERATION: file("operations: [{op: approve}]\n"),
    Refusal.TOO_LARGE: "x" * (MAX_BYTES + 1),
    Refusal.GOVERNANCE_MIXED: "",
}


def test_every_refusal_is_met_by_a_test_and_has_a_sentence() -> None:
    by_replay = {refusal for _, refusal in CASES}
    of_sets = {Refusal.REPEATED_ID, Refusal.CIRCULAR, Refusal.DEPENDS_ON_REFUSED}
    assert by_replay | of_sets | FILES.keys() == set(Refusal) == SENTENCES.keys()
    assert len(set(SENTENCES.values())) == len(Refusal)


@pytest.mark.parametrize("refusal", sorted(FILES.keys() - {Refusal.GOVERNANCE_MIXED}))
def test_each_rule_of_the_file_refuses_with_its_reason(refusal: Refusal) -> None:
    with pytest.raises(MigrationError) as caught:
        parse(FILES[refusal].encode())
    assert caught.value.refusal is refusal
    assert caught.value.what.startswith(SENTENCES[refusal])


def test_governance_is_not_mixed_with_anything_else() -> None:
    made = tuple(checked(sample(name), 1) for name in ("set_policy", "deprecate_item"))
    mixed = Migration(mint(0, bytes), "Ada", "2026-03-01T09:00:00Z", made, "")
    with pytest.raises(MigrationError) as caught:
        parse(mixed.render())
    assert caught.value.refusal is Refusal.GOVERNANCE_MIXED


# Sets of migrations.


def circle(ledger: Ledger) -> tuple[Migration, Migration]:
    one, two = ledger.id(), ledger.id()
    link = {"op": "add_relation", "type": "related_to"}
    first = ledger.make(*creation(one, "One", {}), {**link, "source": one, "target": two})
    second = ledger.make(*creation(two, "Two", {}), {**link, "source": two, "target": one})
    return first, second


def test_two_that_each_need_the_other_first_are_both_refused() -> None:
    ledger = Ledger()
    first, second = circle(ledger)
    later = ledger.make(
        {"op": "change_owner", "item": first.operations[0].values["item"], "owner": "x"}
    )
    state = replay([later, second, first])
    assert state.refused == (
        Problem(first.id, Refusal.CIRCULAR),
        Problem(second.id, Refusal.CIRCULAR),
        Problem(later.id, Refusal.DEPENDS_ON_REFUSED, first.id),
    )
    assert state.items == {}


def test_what_builds_on_a_refused_one_is_refused_with_it_and_nothing_else_is() -> None:
    ledger = Ledger()
    item, other = ledger.decide("One"), ledger.decide("Two")
    bad = ledger.add({"op": "restore_item", "item": item})
    child = with_base(ledger.make({"op": "deprecate_item", "item": item}), bad.links[0])
    grandchild = with_base(ledger.make({"op": "restore_item", "item": item}), child.links[0])
    fine = ledger.make({"op": "deprecate_item", "item": other})
    state = replay([*ledger.migrations, grandchild, child, fine])
    assert state.refused == (
        Problem(bad.id, Refusal.TRANSITION, "it is approved"),
        Problem(child.id, Refusal.DEPENDS_ON_REFUSED, bad.id),
        Problem(grandchild.id, Refusal.DEPENDS_ON_REFUSED, child.id),
    )
    assert state.items[other].status is DEPRECATED


def test_who_creates_an_item_again_takes_nothing_from_the_first() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    user = ledger.add({"op": "change_owner", "item": item, "owner": "core"})
    other = ledger.decide("Other")
    twice = [
        ledger.make(*creation(item, "Mine", {})),
        ledger.make(*creation(item, "Mine", {}), on=RecordState()),
        ledger.make(
            {"op": "create_item", "item": item, "kind": "api", "owner": "x"},
            {"op": "deprecate_item", "item": other},
            on=RecordState(),
        ),
        ledger.make(
            {"op": "create_item", "item": item, "kind": "api", "owner": "x"},
            {"op": "change_owner", "item": item, "owner": "mine"},
        ),
    ]
    for second in twice:
        bound = replace(
            second,
            operations=tuple(
                replace(one, base=()) if one.name == "create_item" else one
                for one in second.operations
            ),
        )
        for again in (second, bound):
            state = replay([*ledger.migrations, again])
            assert [one.migration for one in state.refused] == [again.id]
            assert state.refused[0].refusal is Refusal.ITEM_EXISTS
            assert state.items[item].owner == "core"
            assert user.id in state.accepted
            assert state.items[other].status is APPROVED


def test_an_item_that_a_first_migration_failed_to_create_is_made_by_the_second() -> None:
    ledger = Ledger()
    item = ledger.id()
    bad = ledger.make(*creation(item, "One", {}), {"op": "restore_item", "item": item})
    good = ledger.make(*creation(item, "One", {}))
    user = ledger.make({"op": "change_owner", "item": item, "owner": "core"})
    state = replay([user, good, named(bad, mint(1, bytes))])
    assert [one.refusal for one in state.refused] == [Refusal.TRANSITION]
    assert state.items[item].owner == "core"


def test_an_item_of_a_refused_creation_is_said_to_be_refused_with_it() -> None:
    ledger = Ledger()
    item = ledger.id()
    bad = with_base(ledger.make(*creation(item, "One", {})), DIGEST)
    user = ledger.make({"op": "change_owner", "item": item, "owner": "core"})
    state = replay([bad, user])
    assert state.refused[1] == Problem(user.id, Refusal.DEPENDS_ON_REFUSED, item)


def test_an_id_that_three_texts_carry_means_none_of_them() -> None:
    ledger = Ledger()
    ledger.decide("One")
    first = ledger.migrations[0]
    others = [replace(first, author=name) for name in ("Bob", "Eve")]
    state = replay([first, first, *others])
    assert state.refused == (Problem(first.id, Refusal.REPEATED_ID),)
    assert state.items == {}


# Every move of the table of transitions.


def moves(ledger: Ledger) -> dict[str, tuple[RecordStatus, RecordStatus]]:
    one, two = ledger.decide("One"), ledger.decide("Two")
    found = {}

    def step(name: str, operation: dict[str, Any], loosens: str = "") -> None:
        before = ledger.state.items[one].status
        ledger.add(operation, loosens=[loosens] if loosens else [])
        found[name] = (before, ledger.state.items[one].status)

    step("deprecate_item", {"op": "deprecate_item", "item": one})
    step("restore_item", {"op": "restore_item", "item": one}, f"restore_item:{one}")
    step("add_relation supersedes", supersedes(two, one))
    gone = supersedes(two, one, "remove_relation")
    step("remove_relation supersedes", gone, f"readmit:{one}")
    assert ledger.state.refused == ()
    return found


def test_every_move_of_the_table_that_an_operation_makes_can_be_made() -> None:
    found = moves(Ledger())
    table = {name: move for move, name in TRANSITIONS.items() if name in found}
    assert table == found
    others = {move for move, name in TRANSITIONS.items() if name not in found}
    waiting = {RecordStatus.DRAFT, RecordStatus.PROPOSED}  # those a signature or its want makes
    assert all(before is None or before in waiting for before, _ in others)


STEPS: list[Callable[[str, str], tuple[dict[str, Any], str]]] = [
    lambda one, two: ({"op": "deprecate_item", "item": one}, ""),
    lambda one, two: ({"op": "restore_item", "item": one}, f"restore_item:{one}"),
    lambda one, two: (supersedes(two, one), ""),
    lambda one, two: (supersedes(two, one, "remove_relation"), f"readmit:{one}"),
    lambda one, two: (text(one, "Again"), ""),
]


def test_no_chain_of_operations_makes_a_move_that_is_not_in_the_table() -> None:
    """Every sequence of four out of all operations that touch a status."""
    for sequence in range(len(STEPS) ** 4):
        ledger = Ledger()
        one, two = ledger.decide("One"), ledger.decide("Two")
        state = ledger.state
        for place in range(4):
            operation, loosens = STEPS[sequence // len(STEPS) ** place % len(STEPS)](one, two)
            before = state.items[one].status
            ledger.add(operation, loosens=[loosens] if loosens else [], on=state)
            state = ledger.state
            after = state.items[one].status
            assert before is after or (before, after) in TRANSITIONS
            if state.refused:
                break


# Disagreement never discloses and never readmits.


def fork(*operations: dict[str, Any], **settings: Any) -> tuple[Ledger, str, RecordState]:
    """A ledger in which each of ``operations`` was made beside the others on the same state."""
    ledger = Ledger()
    item = ledger.decide("One", **settings)
    before = ledger.state
    for one in operations:
        raw = {**one, "item": item} if "item" in one else one
        ledger.add(raw, on=before, loosens=[f"lower_sensitivity:{item}", f"restore_item:{item}"])
    return ledger, item, ledger.state


def changed(sensitivity: str) -> dict[str, Any]:
    return {"op": "change_sensitivity", "item": "", "sensitivity": sensitivity, "reason": "x"}


@pytest.mark.parametrize(
    ("created", "asked", "found"),
    [
        ("internal", ("confidential", "restricted"), "restricted"),
        ("internal", ("restricted", "confidential"), "restricted"),
        ("confidential", ("public", "restricted"), "restricted"),
        ("confidential", ("public", "internal"), "internal"),
        ("public", ("internal", "confidential", "internal"), "confidential"),
    ],
)
def test_a_contested_sensitivity_is_the_highest_that_was_asked_for(
    created: str, asked: tuple[str, ...], found: str
) -> None:
    ledger, item, state = fork(*map(changed, asked), sensitivity=created)
    assert state.refused == ()
    assert state.contested == (f"item/{item}/sensitivity",)
    assert state.items[item].sensitivity is Sensitivity(found)

    ledger.add({**changed(asked[0]), "item": item}, loosens=[f"lower_sensitivity:{item}"])
    settled = ledger.state
    assert settled.contested == ()
    assert settled.items[item].sensitivity is Sensitivity(asked[0])


def test_who_settles_a_dispute_for_less_than_the_highest_says_so() -> None:
    ledger, item, _ = fork(changed("confidential"), changed("restricted"))
    lower = {**changed("confidential"), "item": item}
    assert refused(ledger, ledger.make(lower)).refusal is Refusal.UNDECLARED_LOOSENING


def test_naming_an_older_base_lowers_nothing() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    ledger.add({**changed("restricted"), "item": item})
    stale = with_base(ledger.make({**changed("internal"), "item": item}))
    state = replay([*ledger.migrations, stale])
    assert state.items[item].sensitivity is Sensitivity.RESTRICTED
    assert state.contested == (f"item/{item}/sensitivity",)


def test_two_that_retire_an_item_for_different_reasons_retire_it() -> None:
    retired = {"op": "deprecate_item", "item": ""}
    _, item, state = fork({**retired, "reason": "moved"}, {**retired, "reason": "gone"})
    assert (state.refused, state.contested) == ((), ())
    assert state.items[item].status is DEPRECATED
    assert state.items[item].reason in ("moved", "gone")


def test_an_item_that_one_side_retires_and_the_other_restores_is_retired() -> None:
    ledger, item, before = fork(
        {"op": "deprecate_item", "item": ""}, {"op": "deprecate_item", "item": "", "reason": "x"}
    )
    one_side = before.heads[f"item/{item}/standing"][0]
    restored = ledger.make({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])
    ledger.migrations.append(with_base(restored, one_side))
    torn = ledger.state
    assert torn.contested == (f"item/{item}/standing",)
    assert torn.items[item].status is DEPRECATED

    ledger.add({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])
    assert ledger.state.items[item].status is APPROVED
    assert ledger.state.contested == ()


def test_a_dispute_over_retirement_can_be_settled_for_retirement() -> None:
    ledger, item, before = fork(
        {"op": "deprecate_item", "item": ""}, {"op": "deprecate_item", "item": "", "reason": "x"}
    )
    one_side = before.heads[f"item/{item}/standing"][0]
    restored = ledger.make({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])
    ledger.migrations.append(with_base(restored, one_side))
    ledger.add({"op": "deprecate_item", "item": item, "reason": "for good"})
    state = ledger.state
    assert (state.refused, state.contested) == ((), ())
    assert (state.items[item].status, state.items[item].reason) == (DEPRECATED, "for good")


def test_a_supersession_that_one_side_takes_back_and_the_other_renews_holds() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    first = ledger.add(supersedes(two, one))
    before = ledger.state
    ledger.add(supersedes(two, one, "remove_relation"), on=before, loosens=[f"readmit:{one}"])
    ledger.add(supersedes(two, one, note="still"), on=before)
    state = ledger.state
    slot = f"relation/{two}/supersedes/{one}"
    assert state.contested == (slot,)
    assert state.items[one].status is SUPERSEDED
    assert state.items[one].superseded_by == (two,)
    assert first.id in state.accepted


def test_two_supersessions_with_different_notes_are_one() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    before = ledger.state
    for note in ("faster", "simpler"):
        ledger.add(supersedes(two, one, note=note), on=before)
    state = ledger.state
    assert (state.refused, state.contested) == ((), ())
    assert state.items[one].status is SUPERSEDED
    assert len(state.items[two].relations) == 1


def test_two_that_supersede_each_other_on_two_branches_are_one_and_a_refusal() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    before = ledger.state
    first = ledger.add(supersedes(two, one), on=before)
    second = ledger.add(supersedes(one, two), on=before)
    for order in ((first, second), (second, first)):
        state = replay([*ledger.migrations[:2], *order])
        assert state.refused == (Problem(second.id, Refusal.SUPERSEDES_CYCLE, two),)
        assert state.items[one].superseded_by == (two,)
        assert state.items[two].status is APPROVED


@pytest.mark.parametrize("length", [2, 3, 5])
def test_a_circle_of_supersessions_over_many_branches_is_cut_once(length: int) -> None:
    ledger = Ledger()
    items = [ledger.decide(f"Decision {number}") for number in range(length)]
    before = ledger.state
    for number, item in enumerate(items):
        ledger.add(supersedes(items[(number + 1) % length], item), on=before)
    state = ledger.state
    assert len(state.refused) >= 1
    assert {one.refusal for one in state.refused} <= {
        Refusal.SUPERSEDES_CYCLE,
        Refusal.RETIRED_ITEM,
    }
    assert sum(state.items[item].status is APPROVED for item in items) >= 1


def test_a_circle_through_a_disputed_supersession_is_refused_too() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add(supersedes(two, one))
    before = ledger.state
    ledger.add(supersedes(two, one, "remove_relation"), on=before, loosens=[f"readmit:{one}"])
    ledger.add(supersedes(two, one, note="still"), on=before)
    problem = refused(ledger, ledger.make(supersedes(one, two)))
    assert problem.refusal is Refusal.SUPERSEDES_CYCLE


def test_two_branches_that_remove_one_link_do_not_disagree() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    link = {"type": "implements", "source": two, "target": one}
    ledger.add({"op": "add_relation", **link})
    ledger.add({"op": "add_alias", "alias": "one", "item": one})
    ledger.add(sample("add_evidence", item=one))
    before = ledger.state
    for _ in range(2):
        ledger.add({"op": "remove_relation", **link}, on=before)
        ledger.add({"op": "remove_alias", "alias": "one", "item": one}, on=before)
        ledger.add(sample("remove_evidence", item=one), on=before)
    state = ledger.state
    assert (state.refused, state.contested) == ((), ())
    assert (state.items[two].relations, state.items[one].aliases) == ((), ())
    assert state.items[one].evidence == ()


def test_an_alias_that_two_branches_gave_to_two_items_names_neither_until_it_is_settled() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    before = ledger.state
    for item in (one, two):
        ledger.add({"op": "add_alias", "alias": "it", "item": item}, on=before)
    torn = ledger.state
    assert torn.contested == ("alias/it",)
    assert torn.item("it") is None
    assert torn.items[one].contested == torn.items[two].contested == ("alias/it",)

    ledger.add({"op": "add_alias", "alias": "it", "item": two})
    settled = ledger.state
    assert (settled.refused, settled.contested) == ((), ())
    assert settled.item("it") is settled.items[two]
    assert (settled.items[one].aliases, settled.items[two].aliases) == ((), ("it",))


def test_a_disputed_policy_is_the_agreed_one_and_its_settlement_is_declared() -> None:
    ledger = Ledger()
    first = ledger.add(sample("set_policy"))
    before = ledger.state
    policies = [{**sample("set_policy")["policy"], "protected_branch": name} for name in "ab"]
    for policy in policies:
        ledger.add({"op": "set_policy", "policy": policy}, on=before, loosens=["change_policy"])
    torn = ledger.state
    assert torn.contested == ("policy",)
    assert torn.policy == sample("set_policy")["policy"]
    assert torn.governance == (first.id,)
    settling = {"op": "set_policy", "policy": policies[0]}
    assert refused(ledger, ledger.make(settling)).refusal is Refusal.UNDECLARED_LOOSENING
    ledger.add(settling, loosens=["change_policy"])
    assert ledger.state.policy == policies[0]


def test_a_loosening_that_is_declared_and_not_made_is_not_told_as_made() -> None:
    ledger = Ledger()
    item = ledger.decide("One", loosens=["change_policy"])
    assert ledger.state.refused == ()
    assert ledger.state.loosened == {}
    raised = ledger.add({**changed("restricted"), "item": item})
    assert raised.id not in ledger.state.loosened


# Causes that are no bases.


def test_a_specification_may_be_superseded_by_one_with_a_later_id() -> None:
    ledger = Ledger()
    item, one, other = ledger.decide("One"), ledger.id(), ledger.id()
    ledger.add(sample("register_specification", item=item, specification=one))
    state = ledger.state
    superseding = ledger.make(
        {"op": "supersede_specification", "specification": one, "by": other}, on=state
    )
    later = ledger.make(sample("register_specification", item=item, specification=other))
    assert superseding.id < later.id
    found = replay([*ledger.migrations, superseding, later])
    assert found.refused == ()
    assert found.specifications[one].superseded_by == other


def test_two_branches_that_supersede_a_specification_alike_agree() -> None:
    ledger = Ledger()
    item, one, two, three = ledger.decide("One"), ledger.id(), ledger.id(), ledger.id()
    for identity in (one, two, three):
        ledger.add(sample("register_specification", item=item, specification=identity))
    before = ledger.state
    for by in (two, two):
        ledger.add({"op": "supersede_specification", "specification": one, "by": by}, on=before)
    assert (ledger.state.refused, ledger.state.contested) == ((), ())
    ledger.add({"op": "supersede_specification", "specification": one, "by": three}, on=before)
    torn = ledger.state
    assert torn.contested == (f"specification/{one}",)
    assert torn.specifications[one].superseded_by is None


def test_a_migration_may_use_what_it_creates() -> None:
    ledger = Ledger()
    one = ledger.decide("One")
    two = ledger.id()
    ledger.add(*creation(two, "Two", {}), supersedes(two, one), body="Because.\n")
    assert ledger.state.refused == ()
    assert ledger.state.items[one].superseded_by == (two,)
