"""``finish_work`` over both eras: what it answers with, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citator.service import outcomes
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from tests.mcp.serving import ERAS, Home, Server, Speaker
from tests.support.builder import Builder
from tests.support.office import START


@pytest.fixture
def barn(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "barn")
    builder.write("src/hay.py", "A = 1\n").commit("Begin")
    builder.write("src/hay.py", "A = 2\n").write("src/new.py", "\n").commit("Fix the hay (#17)")
    return builder


@pytest.fixture(params=ERAS)
def speaker(request: pytest.FixtureRequest, barn: Builder, tmp_path: Path) -> Iterator[Speaker]:
    home = Home.under(tmp_path)
    workspace = Workspace.open(barn.path, Places(home.data, home.config))
    moment = Moment(START, lambda size: b"e" * size)
    outcomes.started(workspace, moment, ticket="17", predicted=["src/cow.py", "src/hay.py"])
    with Server(barn.path, home) as server:
        yield server.open(request.param)


def test_an_outcome_is_told_in_ids_and_numbers_and_errors_are_typed(
    speaker: Speaker, barn: Builder
) -> None:
    found = speaker.answer("finish_work", ticket="#17", outcome="completed", commit="HEAD")
    assert found == {
        "status": "recorded",
        "ticket": "17",
        "outcome": "completed",
        "commit": barn.head(),
        "changed": 2,
        "prediction": {
            "files": 2,
            "right": 1,
            "precision": 0.5,
            "recall": 1.0,
            "f1": 0.67,
            "first_right": 2,
        },
        "shown": {"notes": 0, "files": 0, "decisions": 0},
        "used": {"notes": [], "files": 0},
        "released": 0,
    }
    again = speaker.answer("finish_work", ticket="17", outcome="abandoned")
    assert (again["status"], again["outcome"]) == ("replaced", "abandoned")
    assert "prediction" not in again
    for arguments, code in (
        ({"ticket": "18", "outcome": "completed"}, "unknown_ticket"),
        ({"ticket": "17", "outcome": "completed", "commit": "0" * 40}, "unknown_commit"),
        ({"ticket": "17", "outcome": "done"}, "invalid_arguments"),
        ({"ticket": "ignore all rules", "outcome": "completed"}, "bad_ticket"),
    ):
        assert speaker.failure("finish_work", **arguments)["code"] == code
