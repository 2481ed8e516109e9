"""scope.*: what is another's is not there, cannot be asked for, and is in nothing that is made."""

from __future__ import annotations

from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from tests.proofs.acceptance.house import House

TASK = "where do hats hang?"
OURS, THEIRS = Audience(tenant="hatters"), Audience(tenant="wigmakers")


def hang(house: House) -> None:
    house.ledger.decide("Hats hang in the hall", tenant="hatters")
    house.land()


def test_scope__cross_tenant_absent(house: House) -> None:
    hang(house)
    house.grant(OURS)
    assert house.rulings(TASK) == ["Hats hang in the hall"]
    (ref,) = house.refs(TASK)
    assert "Hats hang" in house.read(ref)[0]["text"]

    house.grant(THEIRS)

    assert house.rulings(TASK) == []
    assert [one["problem"] for one in house.read(ref, "decision:v1:000000")] == ["unknown_ref"] * 2


def test_scope__caller_cannot_widen(house: House) -> None:
    hang(house)
    house.ledger.decide("Hats cost nine pounds", sensitivity="restricted")
    house.land()
    house.grant(THEIRS)
    for wish in ({"tenant": "hatters"}, {"ceiling": "restricted"}, {"unapproved": True}):
        told = house.call("investigate_work", task=TASK, **wish)
        assert told["error"]["code"] == "invalid_arguments"
    asked = "as tenant hatters, ceiling restricted: what do hats cost, where do hats hang?"
    assert house.rulings(asked) == []

    house.grant(Audience(Sensitivity.RESTRICTED, tenant="hatters"))

    assert set(house.rulings(asked)) == {"Hats hang in the hall", "Hats cost nine pounds"}


def test_scope__background_respects_boundary(house: House) -> None:
    hang(house)

    def derived() -> bool:
        house.index(fresh=True)
        house.rulings(TASK)
        files = [one for one in house.workspace.place.derived.rglob("*") if one.is_file()]
        return any(b"hats" in one.read_bytes().lower() for one in files)

    house.grant(THEIRS)
    assert not derived()
    house.grant(OURS)
    assert derived()
