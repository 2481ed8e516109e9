"""What holds of every set of migrations, with forks, stale bases, circles and refusals in it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citator.model.record import RecordStatus, Sensitivity
from citator.record.migration import Migration, parse
from citator.record.operations import GOVERNANCE, checked
from citator.record.replay import replay
from citator.record.state import RecordState
from tests.record.samples import sample
from tests.support.record import Ledger, creation, text

NAMES = [
    "create",
    "text",
    "deprecate",
    "restore",
    "supersede",
    "unsupersede",
    "relate",
    "unrelate",
    "alias",
    "unalias",
    "raise",
    "lower",
    "own",
    "specify",
    "respecify",
    "evidence",
    "unevidence",
    "reject",
    "lift",
    "policy",
    "approvers",
]


class Branches:
    """Ledgers that grow from each other: each step builds on one branch and may fork it."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.ledger = Ledger()
        self.items = [self.ledger.id() for _ in range(4)]
        self.specifications = [self.ledger.id() for _ in range(2)]
        self.branches: list[list[Migration]] = [[]]

    def step(self) -> None:
        """One more migration."""
        branch = self.draw(st.sampled_from(range(len(self.branches))))
        state = replay(self.branches[branch])
        names = self.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
        raw = _of_one_file([self._operation(name, state) for name in names])
        loosens = self.draw(st.sampled_from(["all", "none"]))
        made = self.ledger.make(
            *raw, on=state, loosens=self._loosenings(state) if loosens == "all" else ()
        )
        grown = [*self.branches[branch], made]
        if self.draw(st.booleans()):
            self.branches.append(grown)
        else:
            self.branches[branch] = grown

    def _loosenings(self, state: RecordState) -> list[str]:
        words = [
            f"{w}:{i}" for w in ("restore_item", "readmit", "lower_sensitivity") for i in self.items
        ]
        words += [f"lift_rejection:{one}" for one in state.rejections]
        return [*words, "change_policy", "change_approvers"]

    def _operation(self, name: str, state: RecordState) -> dict[str, Any]:
        one, other = (self.draw(st.sampled_from(self.items)) for _ in range(2))
        link = {"source": one, "target": other}
        specification, by = (self.draw(st.sampled_from(self.specifications)) for _ in range(2))
        number = self.draw(st.integers(0, 2))
        rejection = min(state.rejections, default="0" * 64)
        policy = {**sample("set_policy")["policy"], "protected_branch": f"b{number}"}
        return {
            "create": creation(one, f"T{number}", {})[0],
            "text": text(one, f"T{number}", paths=[f"src/{number}/**"]),
            "deprecate": {"op": "deprecate_item", "item": one, "reason": f"r{number}"},
            "restore": {"op": "restore_item", "item": one},
            "supersede": {"op": "add_relation", "type": "supersedes", **link},
            "unsupersede": {"op": "remove_relation", "type": "supersedes", **link},
            "relate": {"op": "add_relation", "type": "implements", "note": f"n{number}", **link},
            "unrelate": {"op": "remove_relation", "type": "implements", **link},
            "alias": {"op": "add_alias", "alias": f"a{number}", "item": one},
            "unalias": {"op": "remove_alias", "alias": f"a{number}", "item": one},
            "raise": sample("change_sensitivity", item=one, sensitivity="restricted"),
            "lower": sample("change_sensitivity", item=one, sensitivity="public"),
            "own": {"op": "change_owner", "item": one, "owner": f"o{number}"},
            "specify": sample("register_specification", item=one, specification=specification),
            "respecify": {
                "op": "supersede_specification",
                "specification": specification,
                "by": by,
            },
            "evidence": sample("add_evidence", item=one, confidence=number),
            "unevidence": sample("remove_evidence", item=one),
            "reject": sample("reject_value", value=f"v{number}"),
            "lift": {"op": "lift_rejection", "rejection": rejection, "reason": f"r{number}"},
            "policy": {"op": "set_policy", "policy": policy},
            "approvers": sample("set_approvers"),
        }[name]


def _of_one_file(raw: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Both operations where one migration may hold them, else the first."""
    made = [checked(one, 1) for one in raw]
    governs = {one.name in GOVERNANCE for one in made}
    return raw if len({one.slot for one in made}) == len(made) and len(governs) == 1 else raw[:1]


@st.composite
def ledgers(draw: st.DrawFn) -> list[Migration]:
    """A set of migrations of several branches: items first, so that most steps mean something."""
    grown = Branches(draw)
    first = [
        grown.ledger.make(*creation(item, "First", {}), on=RecordState())
        for item in grown.items[: draw(st.integers(1, 4))]
    ]
    grown.branches = [first]
    for _ in range(draw(st.integers(0, 10))):
        grown.step()
    found = {one.id: one for branch in grown.branches for one in branch}
    if draw(st.booleans()):  # a stale or foreign base
        victim = draw(st.sampled_from(sorted(found)))
        links = st.sampled_from([one.links[0] for one in found.values()])
        bases = draw(st.lists(links, max_size=2, unique=True))
        operation = replace(found[victim].operations[0], base=tuple(sorted(bases)))
        found[victim] = replace(
            found[victim], operations=(operation, *found[victim].operations[1:])
        )
    return list(found.values())


every = settings(derandomize=True, max_examples=60, deadline=None)


@every
@given(ledgers(), st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(migrations: list[Migration], chance: Any) -> None:
    state = replay(migrations)
    for _ in range(3):
        shuffled = [*migrations, *chance.sample(migrations, len(migrations) // 2)]
        chance.shuffle(shuffled)
        other = replay(shuffled)
        assert other.canonical() == state.canonical()
        assert (other.heads, other.loosened) == (state.heads, state.loosened)


@every
@given(ledgers())
def test_files_say_what_the_migrations_said(migrations: list[Migration]) -> None:
    state = replay(migrations)
    again = replay([parse(one.render().replace(b"\n", b"\r\n")) for one in migrations])
    assert again.canonical() == state.canonical()


@every
@given(ledgers())
def test_each_migration_is_accepted_or_refused_and_a_refused_one_does_nothing(
    migrations: list[Migration],
) -> None:
    state = replay(migrations)
    refused = [one.migration for one in state.refused]
    assert sorted([*state.accepted, *refused]) == sorted(one.id for one in migrations)
    alone = replay([one for one in migrations if one.id in state.accepted])
    assert alone == replace(state, refused=())


@every
@given(ledgers())
def test_what_was_built_on_comes_before(migrations: list[Migration]) -> None:
    state = replay(migrations)
    place = {one: number for number, one in enumerate(state.accepted)}
    links = {link: one.id for one in migrations for link in one.links}
    for one in migrations:
        if one.id in place:
            for operation in one.operations:
                assert all(place[links[base]] < place[one.id] for base in operation.base)


@every
@given(ledgers())
def test_no_item_supersedes_itself_through_any_number_of_others(
    migrations: list[Migration],
) -> None:
    items = replay(migrations).items
    for item in items:
        seen: set[str] = set()
        waiting = [item]
        while waiting:
            for source in items[waiting.pop()].superseded_by:
                assert source != item
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)


@every
@given(ledgers())
def test_a_state_is_whole(migrations: list[Migration]) -> None:
    state = replay(migrations)
    by_id = {one.id: one for one in migrations}
    for item in state.items.values():
        assert (item.current is None) is (item.status is RecordStatus.DRAFT)
        assert all(relation.target in state.items for relation in item.relations)
        assert all(state.aliases[alias] == item.id for alias in item.aliases)
        assert set(item.contested) <= set(state.contested)
        if item.status is RecordStatus.SUPERSEDED:
            assert item.superseded_by
    assert set(state.aliases.values()) <= set(state.items)
    for one, made in state.loosened.items():
        assert set(made) <= set(by_id[one].loosens)


@every
@given(ledgers())
def test_no_item_is_less_withheld_than_the_highest_that_nobody_answered(
    migrations: list[Migration],
) -> None:
    """However branches are joined: what somebody raised, only who built on that lowers."""
    state = replay(migrations)
    by_id = {one.id: one for one in migrations}
    for item in state.items.values():
        heads = set(state.heads.get(f"item/{item.id}/sensitivity", ()))
        for one in state.accepted:
            for operation, link in zip(by_id[one].operations, by_id[one].links, strict=True):
                if operation.name == "change_sensitivity" and link in heads:
                    asked = Sensitivity(operation.values["sensitivity"])
                    if operation.values["item"] == item.id:
                        assert item.sensitivity.rank >= asked.rank


@every
@given(ledgers())
def test_one_more_that_names_every_head_settles_a_dispute(migrations: list[Migration]) -> None:
    state = replay(migrations)
    disputed = [one for one in state.contested if one.endswith("/owner")]
    ledger = Ledger(list(migrations), minted=10_000)
    for slot in disputed:
        ledger.add({"op": "change_owner", "item": slot.split("/")[1], "owner": "settled"})
    settled = ledger.state
    assert not set(disputed) & set(settled.contested)
    assert all(settled.items[one.split("/")[1]].owner == "settled" for one in disputed)


STATE = """
import sys
from citator.record.migration import parse
from citator.record.operations import GOVERNANCE, checked
from citator.record.replay import replay
files = sys.stdin.buffer.read().split(b"\\0")
state = replay(map(parse, files))
print(state.digest, len(state.accepted), len(state.refused), len(state.contested))
"""


def test_two_processes_with_other_hashes_say_the_same_bytes(tmp_path: Path) -> None:
    ledger = Ledger()
    items = [ledger.decide(f"Decision {number}") for number in range(12)]
    before = ledger.state
    for number, item in enumerate(items):
        ledger.add(text(item, f"A{number}"), on=before)
        ledger.add(text(item, f"B{number}"), on=before)
        link = {"type": "supersedes", "source": items[number - 1], "target": item}
        ledger.add({"op": "add_relation", **link}, on=before)
    files = b"\0".join(one.render() for one in ledger.migrations)

    def state(seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", STATE]
        return subprocess.run(
            command, input=files, env=environment, capture_output=True, check=True
        ).stdout

    own = ledger.state
    counts = f"{len(own.accepted)} {len(own.refused)} {len(own.contested)}"
    assert own.refused and own.contested
    assert state("1") == state("2") == f"{own.digest} {counts}\n".encode()
