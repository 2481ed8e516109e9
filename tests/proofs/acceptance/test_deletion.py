"""deletion.*: what was retired is in no answer and in nothing derived, here and in every copy.

Not proved, and not true: that git forgets. Its history is a record of another kind.
"""

from __future__ import annotations

from pathlib import Path

from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.proofs.acceptance.house import ADA, House
from tests.support.approving import pin

TASK = "how are logs written?"
WORDS = b"Logs are plain text"


def derived(house: House) -> bool:
    files = [one for one in house.workspace.place.derived.rglob("*") if one.is_file()]
    return any(WORDS in one.read_bytes() for one in files)


def retire(house: House) -> None:
    item = next(iter(house.ledger.state.items))
    house.ledger.add({"op": "deprecate_item", "item": item, "reason": "over"})
    house.land()


def test_deletion__absent_after_reindex_and_restart(house: House) -> None:
    (ref,) = house.refs(TASK)
    assert house.rulings(TASK) and derived(house)
    retire(house)

    assert house.rulings(TASK) == []  # each call is a server that was started anew
    house.index(fresh=True)
    assert house.refs(TASK) == []
    assert house.read(ref, ref[:24])[0]["problem"] == "unknown_ref"
    assert not derived(house)


def test_deletion__absent_from_shared_copies(house: House, tmp_path: Path) -> None:
    other = Places(
        tmp_path / "other" / "data", tmp_path / "other" / "config", lambda size: b"o" * size
    )
    other.data.mkdir(mode=0o700, parents=True)
    Pins(Layout(other.data)).write(pin(ADA))
    clone = House(house.builder.clone(tmp_path / "clone"), other)
    worktree = House(house.builder.worktree(tmp_path / "tree", "side"), house.places)
    for copy in (clone, worktree):
        copy.index()
        assert copy.rulings(TASK) and derived(copy)
    retire(house)
    clone.builder.git("pull", "-q")
    worktree.builder.git("merge", "-q", "main")

    for copy in (clone, worktree):
        copy.index()
        assert copy.rulings(TASK) == []
        assert not derived(copy)
