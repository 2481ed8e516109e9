"""retrieval.*: as many as asked for, or fewer."""

from __future__ import annotations

from tests.proofs.acceptance.house import House

TASK = "why does the pump stop before the filter?"


def test_retrieval__k_is_an_upper_bound(house: House) -> None:
    for number in range(9):
        house.builder.write(f"src/{number}.py", "")
        house.builder.commit(
            f"Stop the pump before the filter {number}\n\nThe pump ran dry in hall {number}, so it "
            "stops before the filter does and starts after it."
        )
        house.ledger.decide(f"The pump of hall {number} stops before the filter")
    house.land()
    counts = []
    for limit in (1, 2, 5, 20):
        found = house.call("investigate_work", task=TASK, limit=limit, read=3)
        assert len(found["evidence"]) <= limit
        assert len(found["texts"]) <= min(3, limit)
        assert len(found["decisions"]) <= 5
        counts.append(len(found["evidence"]))

    assert counts[:3] == [1, 2, 5] and 9 <= counts[3] <= 20
