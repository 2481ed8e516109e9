"""What the ends of tickets teach about notes: bounded, explained, undone with what taught it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from citator.locate.reasons import Cause, Reason
from citator.service import notes, outcomes
from citator.service.notes import Draft, Told
from citator.service.predicted import PredictedFile
from citator.service.reading_plan import ReadingPlan, plan_for, recalibrated
from citator.service.replayed_cases import Case
from citator.service.shown import note_shown
from citator.service.treatment import bring_up
from citator.service.workspace import Workspace
from citator.team.notes import Channel
from citator.team.outcomes import Outcome
from citator.team.scoring import Age, Feedback, Level
from tests.service.test_outcomes import at
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]
COMPLETED, REVERTED, ABANDONED = Outcome.COMPLETED, Outcome.REVERTED, Outcome.ABANDONED


@pytest.fixture
def workspace(history: Builder, open_workspace: Open) -> Workspace:
    return open_workspace(history)


def left(workspace: Workspace, channel: Channel = Channel.TYPED) -> Told:
    draft = Draft("Deliveries go through the queue", paths=("src/app.py",))
    return notes.add(workspace, draft, channel, at(-10)).note


def ticket(
    workspace: Workspace, number: int, outcome: Outcome, note: str, *files: str, commit: str = ""
) -> None:
    """A ticket in whose work the note was shown."""
    outcomes.started(workspace, at(10 * number), ticket=str(number))
    note_shown(workspace, at(10 * number + 1), notes=[note])
    outcomes.finish(
        workspace,
        at(10 * number + 2),
        ticket=str(number),
        outcome=outcome,
        files=files,
        commit=commit or None,
    )


def seen(workspace: Workspace, note: Told, minute: int = 200) -> Told:
    return notes.show(workspace, note.id, at(minute))[0]


def test_a_note_that_was_shown_before_three_reverted_tickets_is_demoted(
    workspace: Workspace,
) -> None:
    note = left(workspace)
    levels = []
    for number in (1, 2, 3):
        ticket(workspace, number, REVERTED, note.id)
        levels.append((seen(workspace, note).level, seen(workspace, note).score.feedback))
    assert levels == [(Level.HOT, 0), (Level.HOT, 0), (Level.WARM, -3000)]
    told = seen(workspace, note)
    assert told.feedback == Feedback(shown=3, helped=0, reverted=3)
    assert told.points == 26
    assert notes.earned(workspace, at(200)) == ()
    assert [one.id for one in notes.listing(workspace, at(200)).notes] == [note.id]


def test_one_ticket_counts_once_however_often_it_is_shown_and_finished(
    workspace: Workspace,
) -> None:
    note = left(workspace)
    ticket(workspace, 1, REVERTED, note.id)
    for minute in (13, 14, 15):
        note_shown(workspace, at(minute), notes=[note.id], ticket="1")
        outcomes.finish(workspace, at(minute), ticket="1", outcome=REVERTED)
    assert seen(workspace, note).feedback == Feedback(shown=1, helped=0, reverted=1)


def test_a_note_that_helped_rises_and_no_further_than_its_bound(workspace: Workspace) -> None:
    note = left(workspace, Channel.REMEMBERED)
    assert note.level is Level.WARM
    points = []
    for number in range(1, 6):
        ticket(workspace, number, COMPLETED, note.id, "src/app.py")
        points.append(seen(workspace, note).score.feedback)
    assert points == [500, 1000, 1500, 1500, 1500]
    assert seen(workspace, note).level is Level.HOT
    stale = seen(workspace, note, 91 * 24 * 60)
    assert (stale.age, stale.score.feedback) == (Age.STALE, 1500)


def test_what_helped_as_often_is_not_demoted_and_what_is_abandoned_teaches_nothing(
    workspace: Workspace,
) -> None:
    note = left(workspace)
    for number in range(1, 10):
        helps = number > 3
        ticket(workspace, number, COMPLETED if helps else REVERTED, note.id, "src/app.py")
    assert seen(workspace, note).score.feedback == 0
    ticket(workspace, 11, ABANDONED, note.id, "src/app.py")
    ticket(workspace, 12, COMPLETED, note.id, "docs/other.md")
    assert seen(workspace, note).feedback == Feedback(shown=10, helped=6, reverted=3)


def test_taking_an_outcome_back_takes_back_what_it_taught(workspace: Workspace) -> None:
    note = left(workspace)
    for number in (1, 2, 3):
        ticket(workspace, number, REVERTED, note.id)
    outcomes.undo(workspace, "2", at(100))
    assert seen(workspace, note).level is Level.HOT


def test_a_person_who_verifies_a_note_lets_it_be_judged_anew_and_an_agent_does_not(
    workspace: Workspace,
) -> None:
    note = left(workspace, Channel.REMEMBERED)
    for number in (1, 2, 3):
        ticket(workspace, number, REVERTED, note.id)
    notes.verify(workspace, note.id, Channel.REMEMBERED, at(50))
    assert seen(workspace, note).score.demoted
    notes.verify(workspace, note.id, Channel.TYPED, at(51))
    assert seen(workspace, note).feedback == Feedback()


def test_a_revert_that_is_found_later_is_learned_by_looking_at_notes(
    history: Builder, open_workspace: Open
) -> None:
    bring_up(workspace := open_workspace(history))
    note = left(workspace)
    made = []
    for number in (2, 3, 4):
        history.write("src/app.py", f"x = {number}\n")
        made.append(history.commit(f"Set x to {number}\n\nBecause the one before was too small."))
        ticket(open_workspace(history), number, COMPLETED, note.id, commit=made[-1])
    assert seen(open_workspace(history), note).score.feedback == 1500
    for commit, before in zip(reversed(made), (3, 2, 1), strict=True):
        history.write("src/app.py", f"x = {before}\n")
        history.commit(f'Revert "Set x"\n\nThis reverts commit {commit}.')
    told = seen(open_workspace(history), note)
    assert told.feedback == Feedback(shown=3, helped=0, reverted=3)
    assert told.level is Level.WARM


def sure_tickets(workspace: Workspace, right: int, wrong: int) -> None:
    """Completed tickets whose first file was predicted with nine tenths, right or wrong."""
    why = Reason(Cause.WORDS)
    for number in range(right + wrong):
        foreseen = [PredictedFile(f"src/{one}.py", 0.9, why, 0.9 - one / 10) for one in range(3)]
        outcomes.started(workspace, at(number), ticket=str(number), predicted=foreseen)
        changed = f"src/{0 if number % (right + wrong) < right else 2}.py"
        outcomes.finish(
            workspace, at(number), ticket=str(number), outcome=COMPLETED, files=[changed]
        )


def test_enough_tickets_say_how_sure_to_be_and_undoing_one_takes_that_back(
    workspace: Workspace,
) -> None:
    sure_tickets(workspace, 6, 24)
    plan = plan_for(workspace)
    assert plan is not None
    assert (plan.cases, plan.tickets, plan.kind) == (30, 30, "finished tickets")
    assert plan.held == (6, 6, 30, 30, 30, 30, 30, 30, 30, 30)
    assert plan.corrects
    assert plan.corrected(0.9) < 0.5
    outcomes.undo(workspace, "3", at(99))
    assert plan_for(workspace) is None


def cases(right: int, wrong: int) -> list[Case]:
    return [
        Case(f"ticket {number}", 1, (1,) if number < right else (3,), (0.9, 0.8), named=False)
        for number in range(right + wrong)
    ]


def test_tickets_join_past_fixes_and_leave_to_them_how_far_to_read() -> None:
    past = ReadingPlan(40, tuple(range(20, 40, 2)))
    plan = recalibrated(past, [], cases(8, 32))
    assert plan is not None
    assert (plan.cases, plan.held, plan.kind, plan.tickets) == (40, past.held, past.kind, 40)
    assert plan.corrected(0.9) < 0.5
    assert recalibrated(past, cases(8, 32), []) == replace(plan, tickets=0)
    assert recalibrated(past, cases(40, 0), cases(8, 32)) == plan  # each once, as the ticket


def test_tickets_that_bear_the_shipped_curve_out_change_nothing() -> None:
    plan = recalibrated(None, [], cases(36, 4))
    assert plan is not None
    assert not plan.corrects
    assert recalibrated(None, [], cases(20, 9)) is None
