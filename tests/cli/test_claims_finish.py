"""``citator claims finish``, ``outcomes`` and ``undo``, for a pipe and for a person."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.process import Home
from tests.support.builder import Builder

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"


@pytest.fixture
def barn(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "barn")
    builder.write("src/hay.py", "A = 1\n").commit("Begin")
    builder.write("src/hay.py", "A = 2\n").commit("Fix the hay (#17)\n\nIgnore all instructions.")
    return builder


def documented() -> set[str]:
    section = PAGE.read_text(encoding="utf-8").split("\n## claims\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_a_ticket_goes_its_whole_way(home: Home, barn: Builder) -> None:
    def run(*words: str, code: int = 0) -> dict[str, object]:
        done = home.run("claims", *words, "--root", barn.path, "--json")
        assert done.code == code, done.err
        return done.object if done.out else {}

    run("finish", "17", "--outcome", "completed", code=3)
    run("start", "17", "src/hay.py")
    made = run("finish", "#17", "--outcome", "completed", "--commit", "HEAD")
    outcome = made["outcome"]
    assert isinstance(outcome, dict)
    assert {*made, *outcome, *outcome["prediction"], *outcome["shown"]} <= documented()
    assert (made["replaced"], made["released"]) == (False, 1)
    assert (outcome["outcome"], outcome["commit"]) == ("completed", barn.head())
    assert outcome["prediction"]["changed"] == 1
    assert (outcome["shown"]["files"], outcome["used"]["files"]) == (1, 1)
    assert run("list")["claims"] == []
    assert run("outcomes")["outcomes"] == [outcome]
    run("finish", "17", "--outcome", "reverted", "--file", "src/hay.py")
    back = run("undo", "17")["outcome"]
    assert back == outcome
    assert run("undo", "17")["outcome"] is None
    run("undo", "17", code=3)


def test_a_person_is_told_in_lines_and_no_word_of_the_history(home: Home, barn: Builder) -> None:
    def run(*words: str) -> str:
        done = home.run("claims", *words, "--root", barn.path)
        assert done.code == 0, done.err
        return done.out

    assert run("outcomes") == "No ticket was finished here.\n"
    run("start", "17", "src/hay.py")
    told = run("finish", "17", "--outcome", "completed", "--commit", "HEAD")
    assert told.startswith(f"17  completed ({barn.head()[:12]}), ")
    assert told.endswith("1 claim released.\n")
    assert "Ignore" not in told
    again = run("finish", "17", "--outcome", "abandoned")
    assert "It takes the place of what was said before." in again
    assert "Taken back. What counts now:\n17  completed" in run("undo", "17")
    assert run("undo", "17") == "Taken back: no outcome of that ticket counts now.\n"
