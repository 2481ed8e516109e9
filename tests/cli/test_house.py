"""``init``, ``index``, ``doctor`` and ``forget``, as a user meets them."""

from __future__ import annotations

from pathlib import Path

from tests.cli.process import Home
from tests.cli.test_ask import EVIDENCE_KEYS, contents

GENERATION_KEYS = {
    "number",
    "tip",
    "documents",
    "passages",
    "bytes",
    "current",
    "versions",
    "details",
}


def test_init_ends_with_three_cited_findings_of_this_history(home: Home, ferry: Path) -> None:
    before = contents(ferry)
    report = home.run("init", "--json", "--root", ferry).object
    assert set(report) == {
        "repository_id",
        "head",
        "commits",
        "explained",
        "documents",
        "passages",
        "few_reasons",
        "findings",
        "horizon",
    }
    assert (report["commits"], report["explained"]) == (25, 21)
    assert report["few_reasons"] is False
    found = {item["kind"]: item for item in report["findings"]}
    assert set(found) == {"revert_with_reason", "removal_with_reason", "most_cited_decision"}
    assert all(set(item["evidence"]) == EVIDENCE_KEYS for item in found.values())
    assert found["revert_with_reason"]["evidence"]["locator"].startswith("a1130539")
    assert contents(ferry) == before


def test_init_speaks_to_people_without_the_words_of_the_repository(
    indexed: Home, ferry: Path
) -> None:
    told = indexed.run("init", "--root", ferry)
    assert told.code == 0
    assert "21 of 25 commits say why (84%)." in told.out
    assert "A change that was taken back, with the reason" in told.out
    assert "Raise the retry limit" not in told.out
    assert "Raise the retry limit" in indexed.run("init", "--root", ferry, "--words").out


def test_an_index_is_built_once_inspected_and_rolled_back(home: Home, ferry: Path) -> None:
    nothing = home.run("index", "status", "--root", ferry)
    assert "Nothing is indexed yet" in nothing.out
    built = home.run("index", "build", "--json", "--root", ferry).object
    assert set(built) == {"built", "generation", "examined", "explained"}
    assert set(built["generation"]) == GENERATION_KEYS
    assert built["built"] is True
    assert home.run("index", "build", "--json", "--root", ferry).object["built"] is False
    fresh = home.run("index", "build", "--fresh", "--json", "--root", ferry).object
    assert fresh["generation"]["number"] > built["generation"]["number"]
    back = home.run("index", "rollback", "--json", "--root", ferry).object
    assert back["number"] == built["generation"]["number"]
    forth = home.run("index", "promote", fresh["generation"]["number"], "--root", ferry)
    assert f"generation {fresh['generation']['number']} " in forth.out
    status = home.run("index", "status", "--json", "--root", ferry).object
    assert set(status) == {"head", "current", "generations", "behind", "examined", "explained"}
    assert status["behind"] == 0
    assert status["current"]["number"] == fresh["generation"]["number"]
    assert home.run("index", "promote", "999", "--root", ferry).code == 3


def test_doctor_says_what_is_missing_and_then_that_all_is_well(home: Home, ferry: Path) -> None:
    sick = home.run("doctor", "--json", "--root", ferry)
    assert sick.code == 1
    assert sick.object["healthy"] is False
    assert not (home.path / "data").exists()
    assert home.run("ask", "why the retry limit", "--root", ferry).code == 0
    well = home.run("doctor", "--json", "--root", ferry)
    assert well.code == 0, well.out
    assert all(set(check) == {"name", "ok", "detail", "todo"} for check in well.object["checks"])
    told = home.run("doctor", "--root", ferry)
    assert all(line.startswith("ok  ") for line in told.out.splitlines())


def test_forget_lists_first_and_deletes_only_after_a_yes(home: Home, ferry: Path) -> None:
    assert home.run("index", "build", "--root", ferry).code == 0
    before = contents(ferry)
    listed = home.run("forget", "--root", ferry)
    assert listed.code == 1
    assert "Kept about this repository:" in listed.out
    assert "nothing was deleted" in listed.err
    refused = home.run("forget", "--json", "--root", ferry)
    assert (refused.code, refused.object["deleted"]) == (1, False)
    assert home.run("index", "status", "--json", "--root", ferry).object["current"] is not None
    done = home.run("forget", "--yes", "--json", "--root", ferry)
    assert (done.code, done.object["deleted"]) == (0, True)
    assert done.object["freed"] > 0
    assert not any(Path(item["path"]).exists() for item in done.object["belongings"])
    assert home.run("forget", "--root", ferry).out == (
        "Nothing is kept about this repository on this machine.\n"
    )
    assert contents(ferry) == before
