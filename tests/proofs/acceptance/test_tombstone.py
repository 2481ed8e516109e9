"""tombstone.*: a value that was told no stays told no, however it comes back.

Not proved, and not true: that other words for it are known. A key folds spelling, not meaning, and
leaves punctuation alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from citator.service import journal
from tests.proofs.acceptance.house import House

VALUE = "Use Redis"
OTHER = "Use a file"


def test_tombstone__laundering_sequence(house: House) -> None:
    item = next(iter(house.ledger.state.items))
    assert house.propose(VALUE)["status"] == "proposed"
    house.reject(VALUE)

    told = [
        house.propose(VALUE),
        house.propose(VALUE, supersedes=item),
        house.propose(VALUE, revises=item),
        house.propose(f"{VALUE} for sessions", kind="architecture"),
        house.propose("Keep sessions", ruling=VALUE),
    ]

    assert [one["status"] for one in told] == ["told_no"] * 5
    assert all(one["rejections"][0]["reason"] == "it was tried" for one in told)
    assert house.propose(OTHER, supersedes=item)["status"] == "proposed"


def test_tombstone__survives_ttl_and_prune(house: House, tmp_path: Path) -> None:
    assert house.propose(VALUE)["status"] == "proposed"
    house.reject(VALUE)
    shutil.rmtree(house.builder.path / ".citator" / "proposals")
    journal.prune(house.workspace, 1_000, "2036-01-01T00:00:00Z")
    for number in range(12):
        house.builder.commit(f"Go on {number}")
    house.lose_what_is_derived()
    assert house.propose(VALUE)["status"] == "told_no"

    fresh = House(house.builder.clone(tmp_path / "fresh"), house.places)
    fresh.index()

    assert fresh.propose(VALUE)["status"] == "told_no"
    assert fresh.propose(OTHER)["status"] == "proposed"


def test_tombstone__key_normalization_attack(house: House) -> None:
    house.reject(VALUE)
    for spelled in (
        "use  REDIS",
        "\uff35\uff33\uff25 \uff32\uff25\uff24\uff29\uff33",
        "Use R\u0435dis",
        "U\u0455\u0435 R\u0435d\u0456\u0455",
        "Use\u00a0Redis",
    ):
        reply = house.propose(spelled, ruling="It is fast")
        assert reply.get("status", "refused") in ("told_no", "refused"), spelled
    for hidden in ("Use Re\u200bdis", "Use Re\u00addis"):
        reply = house.propose(hidden, ruling="It is fast")
        assert reply.get("status", "refused") in ("told_no", "refused"), repr(hidden)

    assert house.propose("Use Rediscovery", ruling="It is slow")["status"] == "proposed"


def test_tombstone__reextraction_stays_inactive(house: House) -> None:
    """History goes on saying it; no rebuild makes a decision of that."""
    task = "should we use redis for sessions?"
    assert "rejections" not in house.call("investigate_work", task=task)
    house.reject(VALUE)
    for _ in range(2):
        found = house.call("investigate_work", task=task)
        assert [one["reason"] for one in found["rejections"]] == ["it was tried"]
        assert house.rulings(task) == [] and found["evidence"]
        house.lose_what_is_derived()
        house.index(fresh=True)

    house.ledger.decide("Sessions live in a file", ruling="Use a file for sessions, not redis")
    house.land()

    assert house.rulings(task) == ["Use a file for sessions, not redis"]


def test_tombstone__no_second_memory_unit(house: House) -> None:
    house.reject(VALUE)
    before = house.tree
    entries = len(journal.of(house.workspace).newest(100))

    assert house.propose(VALUE)["status"] == "told_no"
    assert house.tree == before
    assert len(journal.of(house.workspace).newest(100)) == entries

    assert house.propose(OTHER)["status"] == "proposed"
    assert len(house.tree - before) == 1
