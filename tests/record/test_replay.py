"""Replay gives one state for one set, and refuses with a reason."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from citator.model.record import RecordStatus, Sensitivity
from citator.record.errors import Refusal
from citator.record.migration import Migration
from citator.record.replay import replay
from citator.record.state import RecordState
from tests.support.record import Ledger, text


def title(state: RecordState, item: str) -> str | None:
    current = state.items[item].current
    return None if current is None else current.title


def refusals(state: RecordState) -> list[Refusal]:
    return [problem.refusal for problem in state.refused]


def test_a_decision_and_its_revisions_are_read_back() -> None:
    ledger = Ledger()
    item = ledger.decide("Keep sessions in SQLite", paths=["src/session/**"], kind="architecture")
    ledger.add(text(item, "Keep sessions in one SQLite file"), body="Shorter.\n")

    found = ledger.state.items[item]

    assert found.status is RecordStatus.APPROVED
    assert [one.title for one in found.revisions] == [
        "Keep sessions in SQLite",
        "Keep sessions in one SQLite file",
    ]
    assert found.current is not None and found.current.body == "Shorter.\n"
    assert [one.digest for one in found.revisions] == [one.digest for one in ledger.migrations]


def test_the_state_is_a_function_of_the_set_alone() -> None:
    ledger = Ledger()
    items = [ledger.decide(f"Decision {number}") for number in range(12)]
    for older, newer in pairwise(items):
        ledger.add({"op": "add_relation", "source": newer, "type": "depends_on", "target": older})
    ledger.add({"op": "deprecate_item", "item": items[3], "reason": "moved"})
    shuffled = list(ledger.migrations)
    expected = ledger.state.canonical()

    for seed in range(20):
        random.Random(seed).shuffle(shuffled)
        assert replay(shuffled + shuffled[:3]).canonical() == expected
    assert replay(shuffled[:-1]).canonical() != expected


def test_two_texts_on_one_base_are_a_conflict_that_a_third_resolves() -> None:
    ledger = Ledger()
    item = ledger.decide("Use tabs")
    before = ledger.state
    ledger.add(text(item, "Use two spaces"), on=before)
    ledger.add(text(item, "Use four spaces"), on=before)

    torn = ledger.state
    assert torn.contested == (f"item/{item}/text",)
    assert torn.items[item].contested == (f"item/{item}/text",)
    assert title(torn, item) == "Use tabs"

    ledger.add(text(item, "Use four spaces, in all files"))
    mended = ledger.state
    assert mended.contested == () and mended.refused == ()
    assert title(mended, item) == "Use four spaces, in all files"
    assert len(mended.items[item].revisions) == 4


def test_two_branches_that_say_the_same_do_not_disagree() -> None:
    ledger = Ledger()
    old, new = ledger.decide("Old"), ledger.decide("New")
    before = ledger.state
    for _ in range(2):
        link = {"op": "add_relation", "source": new, "type": "supersedes", "target": old}
        ledger.add(link, on=before)

    assert ledger.state.contested == ()
    assert ledger.state.items[old].status is RecordStatus.SUPERSEDED
    assert ledger.state.items[old].superseded_by == (new,)


def test_a_refused_migration_takes_with_it_only_what_builds_on_it() -> None:
    ledger = Ledger()
    item, other = ledger.decide("One"), ledger.decide("Two")
    bad = ledger.add({"op": "restore_item", "item": item})
    state_with_bad = replay([*ledger.migrations])
    ledger.add({"op": "change_owner", "item": other, "owner": "core"})
    on_bad = ledger.make({"op": "deprecate_item", "item": item})
    on_bad = Migration(
        on_bad.id,
        on_bad.author,
        on_bad.created_at,
        (type(on_bad.operations[0])("deprecate_item", {"item": item}, (bad.links[0],)),),
        "",
    )
    ledger.migrations.append(on_bad)

    state = ledger.state
    assert refusals(state_with_bad) == [Refusal.TRANSITION]
    assert refusals(state) == [Refusal.TRANSITION, Refusal.DEPENDS_ON_REFUSED]
    assert state.items[other].owner == "core"
    assert state.items[item].status is RecordStatus.APPROVED


def test_a_migration_takes_effect_whole_or_not_at_all() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    before = ledger.state.canonical()
    bad = ledger.add(
        {"op": "change_owner", "item": item, "owner": "core"},
        {"op": "add_alias", "alias": "one", "item": item},
        {"op": "restore_item", "item": item},
    )

    state = ledger.state
    assert [problem.migration for problem in state.refused] == [bad.id]
    assert state.items[item].owner == "team" and state.aliases == {}
    assert replay(ledger.migrations[:-1]).canonical() == before


def test_superseding_is_acyclic() -> None:
    ledger = Ledger()
    items = [ledger.decide(f"Decision {number}") for number in range(3)]
    pairs = [(1, 0), (2, 1)]
    for source, target in pairs:
        link = {"op": "add_relation", "type": "supersedes"}
        ledger.add({**link, "source": items[source], "target": items[target]})
    ledger.add({"op": "add_relation", "type": "supersedes", "source": items[0], "target": items[2]})

    assert refusals(ledger.state) == [Refusal.SUPERSEDES_CYCLE]
    assert ledger.state.items[items[2]].status is RecordStatus.APPROVED


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        ({"op": "deprecate_item", "item": "RETIRED"}, Refusal.TRANSITION),
        ({"op": "restore_item", "item": "LIVE"}, Refusal.TRANSITION),
        (text("RETIRED", "x"), Refusal.RETIRED_ITEM),
        ({"op": "deprecate_item", "item": "EMPTY"}, Refusal.NO_TEXT),
        ({"op": "change_owner", "item": "ABSENT", "owner": "x"}, Refusal.MISSING_ITEM),
        ({"op": "remove_alias", "alias": "none", "item": "LIVE"}, Refusal.NOTHING_TO_REMOVE),
        ({"op": "add_alias", "alias": "taken", "item": "RETIRED"}, Refusal.ALIAS_TAKEN),
        (
            {"op": "add_relation", "source": "LIVE", "type": "supersedes", "target": "EMPTY"},
            Refusal.NO_TEXT,
        ),
        (
            {"op": "add_relation", "source": "LIVE", "type": "implements", "target": "ABSENT"},
            Refusal.MISSING_ITEM,
        ),
        (
            {"op": "add_relation", "source": "LIVE", "type": "implements", "target": "LIVE"},
            Refusal.SELF_RELATION,
        ),
        (
            {"op": "change_sensitivity", "item": "LIVE", "sensitivity": "public", "reason": "x"},
            Refusal.UNDECLARED_LOOSENING,
        ),
    ],
)  # fmt: skip
def test_what_may_not_be_done_is_refused(make: dict[str, str], refusal: Refusal) -> None:
    ledger = Ledger()
    names = {"LIVE": ledger.decide("Live"), "RETIRED": ledger.decide("Retired")}
    names["EMPTY"], names["ABSENT"] = ledger.id(), ledger.id()
    ledger.add({"op": "create_item", "item": names["EMPTY"], "kind": "api", "owner": "team"})
    ledger.add({"op": "deprecate_item", "item": names["RETIRED"]})
    ledger.add({"op": "add_alias", "alias": "taken", "item": names["LIVE"]})
    assert ledger.state.refused == ()

    ledger.add({key: names.get(value, value) for key, value in make.items()})

    assert refusals(ledger.state) == [refusal]


def test_a_loosening_takes_effect_where_its_words_were_declared() -> None:
    ledger = Ledger()
    item = ledger.decide("One", sensitivity="confidential")
    ledger.add({"op": "deprecate_item", "item": item})
    ledger.add({"op": "restore_item", "item": item}, loosens=[f"restore_item:{item}"])
    lower = {"op": "change_sensitivity", "item": item, "sensitivity": "public", "reason": "out"}
    ledger.add(lower, loosens=[f"lower_sensitivity:{item}"])

    state = ledger.state
    assert state.refused == ()
    assert state.items[item].status is RecordStatus.APPROVED
    assert state.items[item].sensitivity is Sensitivity.PUBLIC
    assert list(state.loosened.values()) == [
        (f"restore_item:{item}",),
        (f"lower_sensitivity:{item}",),
    ]


def test_an_id_that_two_texts_carry_means_neither() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    first = ledger.migrations[0]
    forged = Migration(first.id, "Mallory", first.created_at, first.operations, first.body)

    state = replay([first, forged])

    assert item not in state.items
    assert refusals(state) == [Refusal.REPEATED_ID]


def test_which_decisions_govern_a_path() -> None:
    ledger = Ledger()
    wide = ledger.decide("Everything", paths=["**/*.py"])
    near = ledger.decide("Sessions", paths=["src/session/**", "docs/session.md"])
    ledger.decide("No scope")

    def governing(path: str) -> list[str]:
        return [one.id for one in ledger.state.governing(path)]

    assert governing("src/session/store.py") == [near, wide]
    assert governing("src/other.py") == [wide]
    assert governing("docs/session.md") == [near]
    assert governing("README.md") == []


def test_a_rejection_stands_until_it_is_lifted() -> None:
    ledger = Ledger()
    made = ledger.add({"op": "reject_value", "value": "Use  RedIs!", "reason": "one more server"})
    ledger.add({"op": "reject_value", "value": "use redis", "reason": "told before"})
    first, second = sorted(ledger.state.rejections.values(), key=lambda one: one.at)
    assert first.folded == second.folded == "use redis"
    assert first.key == second.key and first.source == made.id
    assert ledger.state.contested == ()

    ledger.add(
        {"op": "lift_rejection", "rejection": first.id, "reason": "we run one now"},
        loosens=[f"lift_rejection:{first.id}"],
    )

    assert list(ledger.state.rejections) == [second.id]
    assert ledger.state.lifted == (first.id,)
