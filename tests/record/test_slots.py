"""A slot: what stands, what is disputed, and what was agreed before."""

from __future__ import annotations

from dataclasses import dataclass, field

from citator.record.migration import Migration
from citator.record.operations import checked
from citator.record.slots import Node, Slot
from citator.record.ulid import mint
from tests.record.samples import ITEM


@dataclass
class Chain:
    """A slot that is filled by name: ``say("b", "a")`` builds ``b`` on ``a``."""

    slot: Slot = field(default_factory=Slot)
    links: dict[str, str] = field(default_factory=dict)

    def say(self, name: str, *base: str, owner: str | None = None) -> None:
        raw = {
            "op": "change_owner",
            "item": ITEM,
            "owner": owner or name,
            "base": [self.links[one] for one in base],
        }
        number = len(self.links)
        operation = checked(raw, 1)
        moment = f"2026-03-01T09:00:{number:02}Z"
        identity = mint(number, lambda size: b"\0" * size)
        migration = Migration(identity, "Ada", moment, (operation,), "")
        self.links[name] = migration.links[0]
        self.slot.add(Node(operation, migration, migration.links[0]))

    def build(self, *steps: str) -> None:
        """``"dbc"`` says ``d`` on ``b`` and ``c``."""
        for step in steps:
            self.say(step[0], *step[1:])

    def name(self, node: Node | None) -> str | None:
        names = {link: name for name, link in self.links.items()}
        return None if node is None else names[node.link]

    @property
    def standing(self) -> str | None:
        return self.name(self.slot.effective())

    def at(self, *base: str) -> str | None:
        return self.name(self.slot.at([self.links[one] for one in base]))


def test_an_empty_slot_holds_nothing() -> None:
    chain = Chain()
    assert chain.standing is None
    assert not chain.slot.contested
    assert list(chain.slot.chain()) == []
    assert chain.at() is None


def test_the_newest_of_a_chain_stands() -> None:
    chain = Chain()
    chain.say("a")
    chain.say("b", "a")
    assert (chain.standing, chain.slot.contested) == ("b", False)
    assert [chain.name(node) for node in chain.slot.chain()] == ["a", "b"]
    assert (chain.at("a"), chain.at("b"), chain.at("a", "b")) == ("a", "b", "b")


def test_a_fork_is_contested_and_what_both_build_on_stands() -> None:
    chain = Chain()
    chain.say("a")
    chain.say("b", "a")
    chain.say("c", "a")
    assert (chain.standing, chain.slot.contested) == ("a", True)
    chain.say("d", "b")
    chain.say("e", "d")
    assert (chain.standing, chain.slot.contested) == ("a", True)
    chain.say("f", "e", "c")
    assert (chain.standing, chain.slot.contested) == ("f", False)
    assert [chain.name(node) for node in chain.slot.chain()] == list("abcdef")


def test_a_fork_from_nothing_leaves_nothing() -> None:
    chain = Chain()
    chain.say("a")
    chain.say("b")
    assert (chain.standing, chain.slot.contested) == (None, True)


def test_heads_that_say_the_same_agree_and_the_choice_is_of_no_order() -> None:
    standing = set()
    for names in ("bc", "cb"):
        chain = Chain()
        chain.say("a")
        for name in names:
            chain.say(name, "a", owner="core")
        assert not chain.slot.contested
        node = chain.slot.effective()
        assert node is not None and node.values["owner"] == "core"
        standing.add(node.link == min(chain.slot.heads))
    assert standing == {True}


def test_three_heads_of_which_two_agree_are_contested() -> None:
    chain = Chain()
    chain.say("a")
    for name, owner in (("b", "core"), ("c", "core"), ("d", "other")):
        chain.say(name, "a", owner=owner)
    assert (chain.standing, chain.slot.contested) == ("a", True)


def test_two_answers_to_a_dispute_that_differ_settle_nothing() -> None:
    """What stands is what was agreed before the first dispute, not one side of it."""
    chain = Chain()
    chain.say("a")
    chain.say("b", "a")
    chain.say("c", "a")
    chain.say("d", "b", "c")
    chain.say("e", "b", "c")
    assert (chain.standing, chain.slot.contested) == ("a", True)
    chain.say("f", "d", "e")
    assert (chain.standing, chain.slot.contested) == ("f", False)


def test_a_dispute_after_a_settled_one_falls_back_to_the_settlement() -> None:
    chain = Chain()
    chain.build("a", "ba", "ca", "dbc", "ed", "fd")
    assert chain.standing == "d"


def test_crossed_bases_agree_only_on_what_is_under_all() -> None:
    chain = Chain()
    chain.build("a", "ba", "ca", "db", "ec", "fde", "gc")
    assert (chain.standing, chain.slot.contested) == ("c", True)  # f and g both build on c


def test_what_stood_for_who_builds_on_a_base() -> None:
    chain = Chain()
    chain.build("a", "ba", "ca", "db")
    assert chain.at("b", "c") == "a"
    assert chain.at("d", "c") == "a"
    assert chain.at("b", "d") == "d"
    newest = chain.slot.newest([chain.links[one] for one in "abd"])
    assert [chain.name(node) for node in newest] == ["d"]


def test_the_last_can_be_taken_out_again() -> None:
    chain = Chain()
    chain.say("a")
    heads = chain.slot.heads
    chain.say("b", "a")
    chain.slot.drop_last(heads)
    assert chain.standing == "a"
    assert list(chain.slot.nodes) == [chain.links["a"]]


def test_reasons_and_notes_explain_and_do_not_disagree() -> None:
    slot = Slot()
    for number, reason in enumerate(("moved", "gone", None)):
        raw = {"op": "deprecate_item", "item": ITEM} | ({"reason": reason} if reason else {})
        operation = checked(raw, 1)
        identity = mint(number, lambda size: b"\0" * size)
        migration = Migration(identity, "Ada", "2026-03-01T09:00:00Z", (operation,), f"{number}\n")
        slot.add(Node(operation, migration, migration.links[0]))
    assert not slot.contested


def test_two_texts_disagree_where_only_their_bodies_do() -> None:
    slot = Slot()
    raw = {"op": "upsert_revision", "item": ITEM, "title": "T", "ruling": "R"}
    for number, body in enumerate(("one\n", "two\n")):
        operation = checked(raw, 1)
        identity = mint(number, lambda size: b"\0" * size)
        migration = Migration(identity, "Ada", "2026-03-01T09:00:00Z", (operation,), body)
        slot.add(Node(operation, migration, migration.links[0]))
    assert slot.contested


def test_a_ladder_of_disputes_is_climbed_down_without_recursion() -> None:
    chain = Chain()
    chain.say("0")
    chain.say("l1", "0")
    chain.say("r1", "0")
    for step in range(2, 60):
        chain.say(f"l{step}", f"l{step - 1}", f"r{step - 1}")
        chain.say(f"r{step}", f"l{step - 1}", f"r{step - 1}")
    assert chain.standing == "0"
