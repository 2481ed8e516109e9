"""A state is asked by id, alias, revision, relation and path, and says itself in one text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, replace

from citator.record.errors import Problem, Refusal
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.state import RecordState
from tests.record.samples import COMMIT, DIGEST, sample
from tests.support.record import Ledger, text


def test_an_empty_record_is_a_state_too() -> None:
    state = replay([])
    assert state == RecordState()
    assert state.item("x") is None
    assert state.revision("x") is None
    assert state.relations_to("x") == ()
    assert state.governing("src/a.py") == []
    assert state.digest == hashlib.sha256(state.canonical()).hexdigest()


def test_an_item_is_found_by_its_id_and_by_its_aliases() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    ledger.add({"op": "add_alias", "alias": "adr-1", "item": item})
    state = ledger.state
    assert state.item(item) is state.item("adr-1") is state.items[item]
    for other in (item.lower(), "ADR-1", "adr", "", item[:-1]):
        assert state.item(other) is None


def test_a_revision_is_found_by_the_migration_that_landed_it() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    second = ledger.add(text(item, "Two"))
    retired = ledger.add({"op": "deprecate_item", "item": item})
    state = ledger.state
    found = state.revision(second.id)
    assert found == (state.items[item], state.items[item].revisions[1])
    assert state.revision(retired.id) is None
    assert state.revision(item) is None


def test_relations_are_read_from_both_ends() -> None:
    ledger = Ledger()
    one, two, three = (ledger.decide(name) for name in ("One", "Two", "Three"))
    for source in (three, two):
        ledger.add({"op": "add_relation", "source": source, "type": "implements", "target": one})
    found = ledger.state.relations_to(one)
    assert [relation.source for relation in found] == [two, three]
    assert ledger.state.relations_to(two) == ()


def test_which_items_govern_a_path_follows_their_current_text() -> None:
    ledger = Ledger()
    item = ledger.decide("One", paths=["src/**"])
    assert [one.id for one in ledger.state.governing("src/a.py")] == [item]
    ledger.add(text(item, "Two", paths=["docs/**"]))
    assert ledger.state.governing("src/a.py") == []
    assert [one.id for one in ledger.state.governing("docs/a.md")] == [item]


def test_a_base_is_what_the_slot_ends_in() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    operation = checked({"op": "deprecate_item", "item": item}, 1)
    assert ledger.state.base_of(operation) == ()
    made = ledger.add({"op": "deprecate_item", "item": item})
    assert ledger.state.base_of(operation) == made.links
    before = ledger.state
    both = [ledger.add(text(item, title), on=before) for title in ("A", "B")]
    assert [one.refusal for one in ledger.state.refused] == [Refusal.RETIRED_ITEM] * 2
    assert both[0].links[0] not in ledger.state.base_of(checked(text(item, "C"), 1))


def test_the_canonical_text_holds_everything_a_reader_may_be_shown() -> None:
    ledger = Ledger()
    ledger.decide("One")
    whole = json.loads(ledger.state.canonical())
    names = {one.name for one in fields(RecordState)}
    assert whole.keys() == names - {"heads", "loosened"}  # how, not what


def test_a_change_of_any_part_is_another_digest() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    ledger.add(sample("reject_value"))
    state = ledger.state
    others = [
        replace(state, items={}),
        replace(state, items={item: replace(state.items[item], owner="x")}),
        replace(state, aliases={"a": item}),
        replace(state, rejections={}),
        replace(state, approvers=()),
        replace(state, policy={}),
        replace(state, governance=("x",)),
        replace(state, lifted=(DIGEST,)),
        replace(state, accepted=()),
        replace(state, refused=(Problem("x", Refusal.FIELD),)),
        replace(state, contested=("x",)),
        replay(ledger.migrations, {ledger.migrations[0].id: COMMIT}),
    ]
    assert len({one.digest for one in [state, *others]}) == len(others) + 1
    assert replace(state, heads={}, loosened={}).digest == state.digest


def test_the_digest_of_a_state_is_what_it_was() -> None:
    """Another release that says another state of these words says so here first."""
    ledger = Ledger()
    one, two = ledger.decide("One", paths=["src/**"]), ledger.decide("日本語")
    ledger.add({"op": "add_relation", "source": two, "type": "supersedes", "target": one})
    ledger.add({"op": "add_alias", "alias": "two", "item": two})
    ledger.add({"op": "reject_value", "value": "Use Redis", "reason": "one more server"})
    ledger.add(sample("set_policy"))
    assert ledger.state.digest == "f6546d6b6c732e2039a812a4819c1d44ce32291fe0d5649ff28b808c531fca15"
