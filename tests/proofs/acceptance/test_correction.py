"""correction.*: what was put right stays right, and what was taken back needs no successor."""

from __future__ import annotations

from tests.proofs.acceptance.house import House

TASK = "how are logs written?"
OLD, NEW = "Logs are plain text", "Logs are JSON lines"


def test_correction__survives_reindex(house: House) -> None:
    item = next(iter(house.ledger.state.items))
    assert house.rulings(TASK) == [OLD]
    (ref,) = house.refs(TASK)
    by = house.ledger.decide("Logs are written as JSON", ruling=NEW, paths=["log/**"])
    house.ledger.add({"op": "add_relation", "source": by, "type": "supersedes", "target": item})
    house.land()
    for _ in range(2):
        assert house.rulings(TASK) == [NEW]
        assert house.rulings("anything", paths=["log/x.py"]) == [NEW]
        assert house.read(ref)[0]["problem"] == "unknown_ref"
        house.lose_what_is_derived()


def test_correction__retraction_without_replacement(house: House) -> None:
    item = next(iter(house.ledger.state.items))
    before = house.builder.head()
    assert house.rulings(TASK) == house.rulings("anything", paths=["log/x.py"]) == [OLD]
    house.ledger.add({"op": "deprecate_item", "item": item, "reason": "nobody reads logs"})
    house.land()
    for _ in range(2):
        assert house.rulings(TASK) == house.rulings("anything", paths=["log/x.py"]) == []
        assert house.rulings(TASK, at=before) == []
        assert house.rulings(TASK, as_of="2026-03-02T00:00:00Z") == []
        house.lose_what_is_derived()
