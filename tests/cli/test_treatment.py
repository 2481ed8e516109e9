"""``citator treatment``: what later history did, the latest first, and what leaves of its words."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from citator.cli.treatment import RULES, STRENGTHS, VERBS
from citator.model.treatment import Attested, Rule, Treatment
from citator.sources.treatment.drift import MAX_FILES
from tests.cli.process import Home
from tests.support.builder import Builder

WHY = "\n\nBecause ZEBRA words of the author stay behind."


@pytest.fixture
def mill(tmp_path: Path) -> tuple[Builder, list[str]]:
    built = Builder.init(tmp_path / "mill")
    commits = [built.write("a.txt", "one\ntwo\n").commit(f"Add ZEBRA a (#7){WHY}")]
    commits.append(built.remove("a.txt").commit(f'Revert "Add ZEBRA a (#7)" (#8){WHY}'))
    commits.append(
        built.write("a.txt", "one\ntwo\n").commit(
            f"Bring it back\n\nThis reverts commit {commits[1]}.{WHY}"
        )
    )
    return built, commits


def test_a_history_is_told_latest_first(home: Home, mill: tuple[Builder, list[str]]) -> None:
    built, (added, reverted, again) = mill
    done = home.run("treatment", added[:8], "--root", built.path)
    assert done.code == 0
    assert done.out.splitlines() == [
        f"commit {added[:12]}  in force (reinstated by {again[:12]})",
        "",
        f"  2024-01-01  {again[:12]} reinstates it: reverts its revert, by number",
        "",
        f"  2024-01-01  {reverted[:12]} reverts it: quotes its title, by number, its lines agree, "
        "no longer counts",
        "",
        f"    2024-01-01  {again[:12]} reverts {reverted[:12]}: says that it reverts it, by its "
        "whole id, its lines agree",
        "",
        "What it touched, since:",
        "  a.txt: holds",
        "",
        f"Seen: all of the history at {again[:12]}.",
    ]


def test_files_at_which_nobody_looked_are_one_line(home: Home, tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "farm")
    for number in range(MAX_FILES + 3):
        built.write(f"field_{number:02}.txt", f"{number}\n")
    sown = built.commit("Sow all fields\n\nBecause the rain comes late.")
    told = home.run("treatment", sown, "--root", built.path).out.splitlines()
    assert "  3 more files: not observed (too many)" in told
    assert sum(line.startswith("  field_") for line in told) == MAX_FILES


def test_the_object_is_as_documented(home: Home, mill: tuple[Builder, list[str]]) -> None:
    built, (added, reverted, again) = mill
    found = home.run("treatment", "#7", "--json", "--root", built.path).object
    assert set(found) == {
        "kind",
        "subject",
        "standing",
        "standing_reason",
        "standing_by",
        "treated",
        "treats",
        "claim_state",
        "drift",
        "symbols",
        "left_out",
        "horizon",
    }
    assert (found["subject"], found["standing"]) == (added, "in_force")
    assert (found["standing_reason"], found["standing_by"]) == ("reinstated", again)
    assert [(one["by"], one["counts"], one["depth"]) for one in found["treated"]] == [
        (again, True, 0),
        (reverted, False, 0),
        (again, True, 1),
    ]
    assert set(found["treated"][0]) == {
        *("treatment", "by", "of", "claimed", "rule", "strength", "date", "part", "confirmed"),
        *("counts", "depth"),
    }
    assert "ZEBRA" not in str(found)


def test_words_are_shown_to_whoever_asks(home: Home, mill: tuple[Builder, list[str]]) -> None:
    built, (added, *_) = mill
    home.run("index", "build", "--root", built.path)
    done = home.run("treatment", added, "--words", "--root", built.path)
    assert "    > Add ZEBRA a (#7)" in done.out.splitlines()


def test_the_picture_holds_ids_and_closed_words(
    home: Home, mill: tuple[Builder, list[str]], tmp_path: Path
) -> None:
    built, (added, reverted, _) = mill
    target = tmp_path / "picture.svg"
    home.run("treatment", added, "--svg", target, "--root", built.path)
    text = target.read_text(encoding="utf-8")
    picture = ElementTree.fromstring(text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert reverted[:12] in text
    assert "ZEBRA" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_what_is_not_there_is_not_found(home: Home, mill: tuple[Builder, list[str]]) -> None:
    built, _ = mill
    for name in ("#99", "nothing", "0" * 40, "--", "01J9ZK4E3M8QW7X2V5T6R1N0PA"):
        done = home.run("treatment", "--root", built.path, "--", name)
        assert (done.code, done.out) == (3, "")
        assert "unknown" in done.err or "nothing" in done.err


def test_every_closed_word_has_its_words() -> None:
    assert set(VERBS) == set(Treatment)
    assert set(RULES) == set(Rule)
    assert set(STRENGTHS) == set(Attested)
