"""What is counted of the use of the product on one machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.service import call_log, notes, outcomes
from citator.service.call_log import CallLog
from citator.service.proposing import Moment
from citator.service.shown import note_shown
from citator.service.stats import ToolStats, percentile, stats
from citator.service.workspace import Places, Workspace
from citator.team.notes import Channel
from citator.team.outcomes import Outcome
from tests.support.builder import Builder
from tests.support.office import START

Open = Callable[[Builder], Workspace]
DAY = 86_400


def at(days: float) -> Moment:
    return Moment(START + int(days * DAY * 1000), lambda size: b"e" * size)


@pytest.fixture
def workspace(tmp_path: Path, open_workspace: Open) -> Workspace:
    builder = Builder.init(tmp_path / "barn")
    builder.write("src/hay.py", "A = 1\n").write("src/cow.py", "B = 1\n").commit("Begin")
    builder.write("src/hay.py", "A = 2\n").commit("Fix the hay (#17)")
    found = open_workspace(builder)
    assert found.place
    return found


def log_of(workspace: Workspace) -> CallLog:
    return CallLog(workspace.repository.common_dir, workspace.places)


def test_calls_are_told_by_tool_with_observed_percentiles(workspace: Workspace) -> None:
    log = log_of(workspace)
    for number in range(1, 101):
        log.keep("why", START / 1000, number / 1000, 40)
    log.keep("check_change", START / 1000, 0.5, 10, "bad_path")
    log.keep("why", START / 1000 - 40 * DAY, 9.0, 4_000)
    assert stats(workspace, at(1)).tools == (
        ToolStats("check_change", 1, 1, 500.0, 500.0, 500.0, 3, 3),
        ToolStats("why", 100, 0, 50.0, 95.0, 99.0, 1_000, 10),
    )
    assert sum(one.calls for one in stats(workspace, at(1), 60).tools) == 102


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 2.0), (0.51, 3.0), (0.95, 4.0), (0.0, 1.0), (1.0, 4.0)]
)
def test_a_percentile_is_a_value_that_was_observed(share: float, value: float) -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], share) == value


def test_nothing_that_was_asked_is_kept(workspace: Workspace) -> None:
    log_of(workspace).keep("why", START / 1000, 0.01, 40, "unknown_ref")
    path = workspace.place.local / call_log.FOLDER / call_log.FILE
    row = json.loads(path.read_text("ascii"))
    assert set(row) == {"v", "t", "tool", "ms", "size", "error"}


def test_a_call_about_what_is_not_registered_registers_nothing(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "shed")
    builder.commit("Begin")
    places = Places(tmp_path / "data", tmp_path / "config")
    CallLog(builder.path, places).keep("why", START / 1000, 0.01, 40)
    CallLog(tmp_path / "nowhere", places).keep("why", START / 1000, 0.01, 40)
    assert not places.data.exists()


def test_lines_that_are_not_ours_are_left_out(workspace: Workspace) -> None:
    log_of(workspace).keep("why", START / 1000, 0.01, 40)
    path = workspace.place.local / call_log.FOLDER / call_log.FILE
    strange = [{"v": 2}, {"v": 1, "tool": 3}, {"v": 1, "tool": "why", "t": "2026", "ms": "x"}, 7]
    with path.open("a", encoding="ascii") as file:
        file.writelines(json.dumps(one) + "\n" for one in strange)
        file.write("{torn")
    assert [one.calls for one in stats(workspace, at(1)).tools] == [1]


def test_predictions_are_means_over_what_could_be_judged(workspace: Workspace) -> None:
    ends = [("17", ["src/hay.py"], Outcome.COMPLETED), ("18", ["src/cow.py"], Outcome.REVERTED)]
    for ticket, predicted, outcome in ends:
        outcomes.started(workspace, at(0), ticket=ticket, predicted=predicted)
        outcomes.finish(workspace, at(1), ticket=ticket, outcome=outcome, files=["src/hay.py"])
    outcomes.started(workspace, at(0), ticket="19")
    outcomes.finish(workspace, at(1), ticket="19", outcome=Outcome.ABANDONED)
    found = stats(workspace, at(2)).predictions
    assert (found.completed, found.reverted, found.abandoned, found.judged) == (1, 1, 1, 2)
    assert (found.recall, found.precision, found.first) == (0.5, 0.5, 0.5)
    assert stats(workspace, at(40)).predictions.judged == 0
    assert stats(workspace, at(40)).predictions.recall is None


def test_a_note_that_was_shown_and_never_of_use_is_noise(workspace: Workspace) -> None:
    draft = notes.Draft("The cow eats first", "pattern", ("src/cow.py",))
    noise = notes.add(workspace, draft, Channel.TYPED, at(0)).note.id
    draft = notes.Draft("The hay is dry", "pattern", ("src/hay.py",))
    useful = notes.add(workspace, draft, Channel.TYPED, at(0)).note.id
    for number in range(3):
        ticket = str(20 + number)
        outcomes.started(workspace, at(1 + number), ticket=ticket)
        note_shown(workspace, at(1.1 + number), notes=[noise, useful], ticket=ticket)
        outcomes.finish(
            workspace,
            at(1.5 + number),
            ticket=ticket,
            outcome=Outcome.COMPLETED,
            files=["src/hay.py"],
        )
    assert [(one.id, one.shown, one.helped) for one in stats(workspace, at(5)).noisy] == [
        (noise, 3, 0)
    ]


@pytest.mark.parametrize("days", [0, -1, 4_000])
def test_a_window_has_bounds(workspace: Workspace, days: int) -> None:
    with pytest.raises(UsageError) as caught:
        stats(workspace, at(1), days)
    assert caught.value.code == "bad_window"
