"""``citator stats``: what a person reads and what a program does."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from citator.service.call_log import CallLog
from citator.service.workspace import Places
from tests.cli.process import Home
from tests.support.builder import Builder

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/a.py", "x").commit("Begin")
    return builder.path


def test_numbers_are_told_to_a_person_and_to_a_program(home: Home, repository: Path) -> None:
    first = home.run("stats", "--root", repository)
    assert "No tool was called." in first.out
    assert "Tickets: 0 completed, 0 reverted, 0 abandoned." in first.out
    log = CallLog(repository, Places(home.path / "data", home.path / "config"))
    log.keep("why", time.time(), 0.0421, 401)
    told = home.run("stats", "--root", repository).out
    assert re.search(r"^why +1 +0 +42 +42 +42 +101$", told, re.MULTILINE)
    found = home.run("stats", "--root", repository, "--json").object
    assert found["tools"][0]["tool"] == "why"
    documented = set(
        re.findall(r"`([^`]+)`", PAGE.read_text(encoding="utf-8").split("\n## stats\n")[1])
    )
    keys = {*found, *found["tools"][0], *found["predictions"]}
    assert keys <= documented


def test_a_window_that_is_none_is_refused(home: Home, repository: Path) -> None:
    done = home.run("stats", "--since", "0", "--root", repository)
    assert (done.code, "a window is of 1" in done.err) == (2, True)
