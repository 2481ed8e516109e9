"""How tickets end on one machine: what is counted, what history corrects, what is never told."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from citator.git.rewritten import mark_of, marked
from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.record import Sensitivity
from citator.service import notes, outcomes
from citator.service.claims import wished
from citator.service.outcomes import Finished
from citator.service.proposing import Moment
from citator.service.shown import note_shown
from citator.service.start_work import start_work
from citator.service.treatment import bring_up
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.team.notes import Channel
from citator.team.outcomes import Judged, Outcome, judged
from citator.trust.readership import PathRule, Readership, Readerships
from tests.support.builder import Builder
from tests.support.office import START

Open = Callable[[Builder], Workspace]
COMPLETED, REVERTED, ABANDONED = Outcome.COMPLETED, Outcome.REVERTED, Outcome.ABANDONED
WHY = "\n\nBecause the old way lost a third of the harvest every year."


def at(minute: int) -> Moment:
    return Moment(START + minute * 60_000, lambda size: b"e" * size)


@pytest.fixture
def barn(tmp_path: Path) -> Builder:
    """Two sources and a test; the last commit changes both sources, the test and a new file."""
    builder = Builder.init(tmp_path / "barn")
    builder.write("src/hay.py", "A = 1\n").write("src/cow.py", "B = 1\n")
    builder.write("tests/test_hay.py", "\n")
    builder.commit("Begin the barn")
    as_mended(builder).commit("Fix the hay of the cow (#17)" + WHY)
    return builder


def as_mended(barn: Builder) -> Builder:
    barn.write("src/hay.py", "A = 2\n").write("src/cow.py", "B = 2\n")
    return barn.write("tests/test_hay.py", "x = 1\n").write("src/new.py", "C = 1\n")


def as_before(barn: Builder) -> Builder:
    barn.write("src/hay.py", "A = 1\n").write("src/cow.py", "B = 1\n")
    return barn.write("tests/test_hay.py", "\n").remove("src/new.py")


def done(
    workspace: Workspace,
    ticket: str = "17",
    outcome: Outcome = COMPLETED,
    *,
    minute: int = 60,
    commit: str | None = None,
    files: Sequence[str] = (),
) -> Finished:
    return outcomes.finish(
        workspace, at(minute), ticket=ticket, outcome=outcome, files=files, commit=commit
    )


def began(workspace: Workspace, ticket: str = "17", *predicted: str, minute: int = 0) -> None:
    outcomes.started(workspace, at(minute), ticket=ticket, predicted=predicted)


def test_a_prediction_is_judged_by_what_could_be_foreseen(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace, "#17", "src/gate.py", "src/hay.py", "src/barn.py")
    told = done(workspace, commit=barn.head()).told
    assert (told.ticket, told.outcome, told.commit) == ("17", COMPLETED, barn.head())
    assert told.judged == Judged(foreseen=3, right=1, changed=4, gold=2, places=(2,))
    assert (told.judged.precision, told.judged.recall, told.judged.first) == (1 / 3, 1 / 2, 2)
    assert told.judged.f1 == pytest.approx(0.4)


def test_one_right_file_of_five_is_a_perfect_prediction_of_a_change_of_one_file() -> None:
    found = judged(["a", "b", "c", "d", "e"], ["a"], ["a"])
    assert (found.recall, found.first, found.precision) == (1.0, 1, 0.2)


def test_nothing_is_measured_where_nothing_is_known(barn: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(barn)
    began(workspace, "17", "src/hay.py")
    assert done(workspace, outcome=ABANDONED).told.judged is None
    found = judged([], ["a"], [])
    assert (found.precision, found.recall, found.f1, found.first) == (None, None, None, None)


def test_a_second_outcome_takes_the_place_of_the_first_and_undoing_brings_that_back(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace)
    assert not done(workspace).replaced
    assert done(workspace, outcome=REVERTED, minute=61).replaced
    assert [one.outcome for one in outcomes.listing(workspace)] == [REVERTED]
    back = outcomes.undo(workspace, "17", at(62))
    assert back is not None
    assert back.outcome is COMPLETED
    assert outcomes.undo(workspace, "17", at(63)) is None
    with pytest.raises(NotFoundError) as caught:
        outcomes.undo(workspace, "17", at(64))
    assert caught.value.code == "unknown_ticket"


def test_what_was_not_started_cannot_be_finished(barn: Builder, open_workspace: Open) -> None:
    with pytest.raises(NotFoundError) as caught:
        done(open_workspace(barn), "18")
    assert caught.value.code == "unknown_ticket"


@pytest.mark.parametrize("ticket", ["", "#", "a b", "1" * 65, "naïve", "1\n2", "##1"])
def test_a_ticket_is_a_number_or_a_key(ticket: str, barn: Builder, open_workspace: Open) -> None:
    with pytest.raises(UsageError) as caught:
        began(open_workspace(barn), ticket)
    assert caught.value.code == "bad_ticket"


@pytest.mark.parametrize("name", ["0" * 40, "--all", "nothing", "", "HEAD:src"])
def test_a_commit_that_is_not_here_is_refused_and_nothing_is_said(
    name: str, barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace)
    with pytest.raises(NotFoundError) as caught:
        done(workspace, commit=name)
    assert caught.value.code == "unknown_commit"
    assert outcomes.listing(workspace) == ()


def test_at_the_edge_of_a_shallow_clone_the_files_are_to_be_named(
    barn: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    workspace = open_workspace(barn.clone(tmp_path / "shallow", depth=1))
    began(workspace, "17", "src/hay.py")
    with pytest.raises(RefusedError) as caught:
        done(workspace, commit="HEAD")
    assert caught.value.code == "commit_at_the_edge"
    held = done(workspace, files=["./src/hay.py", "README.md"]).told.judged
    assert held == Judged(1, 1, 2, 1, (1,))
    rule = PathRule("secret/**", Sensitivity.RESTRICTED)
    said = Readership(Sensitivity.PUBLIC, (rule,))
    Readerships(workspace.layout).set(workspace.repository_id, said)
    with pytest.raises(NotFoundError):  # it may touch what is hidden
        done(workspace, commit="HEAD")


def test_what_is_hidden_takes_no_part(barn: Builder, open_workspace: Open, places: Places) -> None:
    workspace = open_workspace(barn)
    began(workspace, "17", "src/hay.py")
    began(workspace, "18")
    before = done(workspace, commit="HEAD").told
    assert before.judged is not None
    rule = PathRule("src/cow.py", Sensitivity.RESTRICTED)
    said = Readership(Sensitivity.PUBLIC, (rule,))
    Readerships(Layout(places.data)).set(workspace.repository_id, said)
    with pytest.raises(NotFoundError) as caught:
        done(workspace, "18", commit="HEAD")
    assert caught.value.code == "unknown_commit"
    held = done(workspace, "18", files=["src/cow.py", "src/hay.py"]).told.judged
    assert held is not None
    assert (held.changed, held.gold) == (1, 1)
    (withheld,) = [one for one in outcomes.listing(workspace) if one.ticket == "17"]
    assert (withheld.outcome, withheld.commit, withheld.judged) == (COMPLETED, None, None)


def test_what_was_shown_in_the_work_and_what_was_of_use(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)

    def note(text: str, *paths: str) -> str:
        made = notes.add(workspace, notes.Draft(text, paths=paths), Channel.TYPED, at(-100))
        return made.note.id

    about, other, checked = note("of the hay", "src"), note("of milk", "milk.py"), note("of all")
    note_shown(workspace, at(-90), notes=[note("long before")])
    note_shown(workspace, at(-30), notes=[about], files=["src/hay.py"])
    began(workspace)
    note_shown(workspace, at(5), notes=[other, about], decisions=["01J"], ticket="#17")
    note_shown(workspace, at(6), notes=[checked], files=["src/gate.py"])
    note_shown(workspace, at(7), notes=["elsewhere"], ticket="99")
    notes.verify(workspace, checked, Channel.TYPED, at(8))
    note_shown(workspace, at(61), notes=["later"])
    told = done(workspace, commit="HEAD").told
    assert told.notes == (about, other, checked)
    assert told.used == (about, checked)
    assert (told.files, told.files_used, told.decisions) == (2, 1, 1)


def test_what_was_shown_while_two_tickets_were_in_work_is_of_neither(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace, "17", minute=0)
    began(workspace, "18", minute=10)
    note_shown(workspace, at(5), notes=["first"])
    note_shown(workspace, at(15), notes=["both"])
    note_shown(workspace, at(16), notes=["second"], ticket="18")
    assert done(workspace, "17", minute=20).told.notes == ("first",)
    assert done(workspace, "18", minute=30).told.notes == ("second",)


def test_showing_never_stops_whoever_shows(barn: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(barn)
    folder = workspace.place.local / "outcomes"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    note_shown(workspace, at(0), notes=["a"])
    note_shown(workspace, at(0), notes=["a"], ticket="not a ticket")


def test_a_revert_that_head_has_corrects_an_outcome_once(
    barn: Builder, open_workspace: Open
) -> None:
    mended = barn.head()
    bring_up(workspace := open_workspace(barn))
    began(workspace)
    done(workspace, commit=mended)
    assert outcomes.correct(workspace, at(70)) == 0
    gone = as_before(barn).commit(f'Revert "Fix the hay"\n\nThis reverts commit {mended}.')
    workspace = open_workspace(barn)
    assert (outcomes.correct(workspace, at(71)), outcomes.correct(workspace, at(72))) == (1, 0)
    (told,) = outcomes.listing(workspace)
    assert (told.outcome, told.corrected_by) == (REVERTED, gone)
    barn.git("checkout", "-q", mended)
    assert outcomes.correct(open_workspace(barn), at(73)) == 0
    barn.git("checkout", "-q", "main")
    undone = outcomes.undo(workspace, "17", at(74))
    assert undone is not None
    assert (undone.outcome, undone.corrected_by) == (COMPLETED, None)
    assert outcomes.correct(open_workspace(barn), at(75)) == 0


def test_a_revert_that_was_taken_back_corrects_it_again(
    barn: Builder, open_workspace: Open
) -> None:
    mended = barn.head()
    bring_up(workspace := open_workspace(barn))
    began(workspace)
    done(workspace, commit=mended)
    gone = as_before(barn).commit(f'Revert "Fix the hay"\n\nThis reverts commit {mended}.')
    assert outcomes.correct(open_workspace(barn), at(71)) == 1
    as_mended(barn).commit(f'Revert "Revert "Fix the hay""\n\nThis reverts commit {gone}.')
    assert outcomes.correct(open_workspace(barn), at(72)) == 1
    assert [one.outcome for one in outcomes.listing(workspace)] == [COMPLETED]


def test_the_revert_of_a_commit_that_was_amended_is_found(
    barn: Builder, open_workspace: Open
) -> None:
    bring_up(workspace := open_workspace(barn))
    began(workspace)
    done(workspace, commit="HEAD")
    first, made = barn.head(), int(barn.git("log", "-1", "--format=%at"))
    amended = barn.amend("Fix the hay of the cow, told better" + WHY, date=made)
    assert marked(workspace.repository, amended, [mark_of(workspace.repository, first)])
    gone = as_before(barn).commit(f'Revert "Fix"\n\nThis reverts commit {amended}.')
    assert outcomes.correct(open_workspace(barn), at(71)) == 1
    assert [one.corrected_by for one in outcomes.listing(workspace)] == [gone]


def test_what_is_abandoned_or_was_said_to_be_reverted_is_not_corrected(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    for ticket, outcome in (("17", REVERTED), ("18", ABANDONED)):
        began(workspace, ticket)
        done(workspace, ticket, outcome, commit="HEAD")
    bring_up(workspace)
    barn.commit(f'Revert "Fix"\n\nThis reverts commit {barn.head()}.')
    assert outcomes.correct(open_workspace(barn), at(71)) == 0


def test_a_ticket_that_is_taken_up_again_keeps_one_outcome(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace, "17", "src/hay.py")
    done(workspace, outcome=REVERTED)
    began(workspace, "17", "src/cow.py", minute=100)
    note_shown(workspace, at(101), notes=["again"])
    assert [one.outcome for one in outcomes.listing(workspace)] == [REVERTED]
    told = done(workspace, minute=110, files=["src/cow.py"]).told
    assert (told.notes, told.judged) == (("again",), Judged(1, 1, 1, 1, (1,)))
    assert len(outcomes.listing(workspace)) == 1


def test_claiming_files_again_takes_a_finished_ticket_up_again(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    start_work(workspace, wished("17", ("src/hay.py",), "", 3600), "", at(0))
    start_work(workspace, wished("17", ("src/cow.py",), "", 3600), "", at(1))
    first = done(workspace, commit="HEAD")
    assert (first.released, first.told.files, first.told.files_used) == (1, 2, 2)
    start_work(workspace, wished("17", ("src/cow.py",), "", 3600), "", at(100))
    again = done(workspace, commit="HEAD", minute=110)
    assert (again.replaced, again.told.files) == (True, 1)


def test_two_processes_that_finish_tickets_lose_none(
    barn: Builder, open_workspace: Open, places: Places
) -> None:
    workspace = open_workspace(barn)
    for number in range(12):
        began(workspace, str(number))
    context = multiprocessing.get_context("spawn")
    both = [
        context.Process(target=finish_all, args=(barn.path, places.data, range(first, 12, 2)))
        for first in (0, 1)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    assert {one.ticket for one in outcomes.listing(workspace)} == set(map(str, range(12)))


def finish_all(root: Path, data: Path, numbers: range) -> None:
    """What one of the processes does."""
    workspace = Workspace.open(root, Places(data, data / "config"))
    for number in numbers:
        note_shown(workspace, at(number), notes=[f"n{number}"], ticket=str(number))
        done(workspace, str(number), minute=number + 1, files=["src/hay.py"])


def test_what_a_killed_writer_left_does_not_count(barn: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(barn)
    began(workspace)
    (segment,) = (workspace.place.local / "outcomes" / "journal").glob("*.jsonl")
    with segment.open("ab") as file:
        file.write(b'{"v":1,"n":2,"previous":"torn')
    shown = workspace.place.local / "outcomes" / "shown.jsonl"
    note_shown(workspace, at(1), notes=["whole"], ticket="17")
    with shown.open("ab") as file:
        file.write(b'{"v":1,"t":"2026')
    assert outcomes.listing(workspace) == ()
    note_shown(workspace, at(2), notes=["after"], ticket="17")
    note_shown(workspace, at(3), notes=["later"], ticket="17")
    assert "whole" in done(workspace).told.notes
    assert len(outcomes.listing(workspace)) == 1


def test_a_damaged_outcome_counts_as_it_was_said_and_measures_nothing(
    barn: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(barn)
    began(workspace, "17", "src/hay.py")
    done(workspace, commit="HEAD")
    for path in (workspace.place.local / "outcomes" / "files").glob("*/*.json"):
        path.write_bytes(b"{}")
    (told,) = outcomes.listing(workspace)
    assert (told.outcome, told.commit, told.judged) == (COMPLETED, None, None)
    assert outcomes.correct(workspace, at(70)) == 0
