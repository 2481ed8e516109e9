"""evidence.*: what is said leads to what it was made of, and follows it when that goes."""

from __future__ import annotations

from tests.proofs.acceptance.house import WHY, House

COST = "what did reading a session for each request cost in milliseconds?"


def test_evidence__claim_resolves_to_source(house: House) -> None:
    (ref,) = house.refs("how are logs written?")
    row, *_ = house.call("investigate_work", task=COST)["evidence"]

    decision, commit, nothing = house.read(ref, row["ref"], f"commit:v1:{'0' * 64}")

    assert "Logs are plain text" in decision["text"]
    said = house.builder.git("log", "-1", "--format=%B", row["locator"]).decode().strip()
    assert said == WHY and said.splitlines()[-1] in commit["text"]
    assert nothing["problem"] == "unknown_ref"


def test_evidence__source_delete_reaches_derived(house: House) -> None:
    asked = "why is nothing kept in the cellar that floods?"
    (row,) = house.call("investigate_work", task=asked)["evidence"]
    (ref,) = house.refs("how are logs written?")
    assert [set(one) >= {"text"} for one in house.read(row["ref"], ref)] == [True, True]
    house.builder.remove("docs/rooms.md").remove(".citator/record").commit("Clear out")
    house.index()

    assert house.call("investigate_work", task=asked)["evidence"] == []
    assert house.rulings("how are logs written?") == []
    assert [one["problem"] for one in house.read(row["ref"], ref)] == ["unknown_ref"] * 2


def test_evidence__rebuild_from_retained(house: House) -> None:
    tasks = ("how are logs written?", COST, "the cellar floods")
    before = [house.call("investigate_work", task=one, read=3) for one in tasks]
    assert all(one["evidence"] or one.get("decisions") for one in before)

    house.lose_what_is_derived()

    assert [house.call("investigate_work", task=one, read=3) for one in tasks] == before
