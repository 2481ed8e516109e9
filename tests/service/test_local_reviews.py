"""Threads that one machine keeps are found there, by questions and by reading, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.formats.reviews import About, ChangeState, Comment, Kept, Thread, ThreadState, render
from citator.model.evidence import Answer, ReviewEvidence
from citator.model.horizon import Limit
from citator.model.reference import DocumentKind
from citator.service import local_reviews
from citator.service.index_history import needs_update, update
from citator.service.investigate import Question, investigate
from citator.service.read_evidence import read_evidence
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]
SAID = "The escrow ledger loses entries when the clock is stepped back, so keep a counter."
QUESTION = Question("why does the escrow ledger keep a counter")
NAME = "github/change-7/0123456789ab.md"


def thread(said: str = SAID, state: ThreadState = ThreadState.RESOLVED) -> str:
    spoken = Thread("10", state, (Comment("grace", "2024-01-01T00:01:00Z", said),), "src/app.py", 7)
    return render(Kept("github", 7, About.CHANGE, ChangeState.MERGED, "Ledger", spoken))


def keep(workspace: Workspace, text: str, name: str = NAME) -> Path:
    path = workspace.place.local / "reviews" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def reviews(answer: Answer) -> list[ReviewEvidence | None]:
    return [one.review for one in answer.evidence if one.kind is DocumentKind.REVIEW]


def asked(builder: Builder, places: Places) -> Answer:
    return investigate(Workspace.open(builder.path, places), QUESTION).answer


def test_a_local_thread_is_found_and_read_on_its_machine(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    keep(open_workspace(history), thread())
    update(open_workspace(history))
    (first, *_) = asked(history, places).evidence
    assert first.locator.startswith(f"local/reviews/{NAME}:")
    assert first.review == ReviewEvidence(ThreadState.RESOLVED, 7, path="src/app.py", line=7)
    (item,) = read_evidence(open_workspace(history), [first.ref])
    assert SAID in item.text


def test_it_is_served_to_no_other_clone_and_no_other_data_directory(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    keep(open_workspace(history), thread())
    update(open_workspace(history))
    assert reviews(asked(history, places))
    elsewhere = replace(places, data=tmp_path / "elsewhere")
    update(Workspace.open(history.path, elsewhere))
    assert reviews(asked(history, elsewhere)) == []
    history.git("clone", "-q", str(history.path), str(tmp_path / "clone"))
    clone = Workspace.open(tmp_path / "clone", places)
    update(clone)
    assert reviews(investigate(clone, QUESTION).answer) == []
    assert clone.repository_id == open_workspace(history).repository_id


def test_what_changes_is_seen_and_what_goes_is_gone(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    update(open_workspace(history))
    path = keep(open_workspace(history), thread())
    assert needs_update(open_workspace(history))
    assert update(open_workspace(history)).built
    assert not needs_update(open_workspace(history))
    assert not update(open_workspace(history)).built
    path.write_text(thread(state=ThreadState.OPEN), encoding="utf-8")
    assert update(open_workspace(history)).built
    assert [one and one.state for one in reviews(asked(history, places))] == [ThreadState.OPEN]
    path.unlink()
    assert update(open_workspace(history)).built
    assert reviews(asked(history, places)) == []


def test_an_increment_keeps_them_and_answers_like_a_fresh_build(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    keep(open_workspace(history), thread())
    update(open_workspace(history))
    history.commit("Count the ledger\n\nThe counter is there, because clocks are stepped back.")
    report = update(open_workspace(history))
    assert report.generation is not None
    assert report.examined == 5
    after = asked(history, places)
    assert reviews(after)
    update(open_workspace(history), fresh=True)
    assert asked(history, places) == after


def test_another_branch_finds_them_too(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    history.branch("old", "HEAD~1")
    keep(open_workspace(history), thread())
    update(open_workspace(history))
    history.switch("old")
    assert reviews(asked(history, places))


def test_what_is_no_thread_is_left_out_and_what_cannot_be_read_is_said(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    workspace = open_workspace(history)
    keep(workspace, "# Escrow ledger counter\n\nNotes.\n", "notes.md")
    keep(workspace, thread().replace('"resolved"', "[]"), "github/change-8/x.md")
    keep(workspace, thread(), "a/b/c/d/e/too-deep.md")
    big = keep(workspace, "", "big.md")
    os.truncate(big, local_reviews.MAX_BYTES + 1)
    keep(workspace, thread(), "fine.md")
    (tmp_path / "secret.md").write_text(thread(), encoding="utf-8")
    (workspace.place.local / "reviews" / "link.md").symlink_to(tmp_path / "secret.md")
    update(open_workspace(history))
    answer = asked(history, places)
    assert [one.locator.split(":")[0] for one in answer.evidence if one.review] == [
        "local/reviews/fine.md"
    ]
    limits = {fact.limit for fact in answer.horizon.facts}
    assert limits == {Limit.TOO_LARGE, Limit.SYMLINKS_NOT_FOLLOWED}


def test_a_folder_that_is_a_link_is_not_followed(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    place = open_workspace(history).place.local
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.md").write_text(thread(), encoding="utf-8")
    place.mkdir(parents=True, exist_ok=True)
    (place / "reviews").symlink_to(tmp_path / "other")
    assert local_reviews.fingerprint(place) == 0


@pytest.mark.parametrize("made", [False, True])
def test_where_nothing_is_kept_nothing_is_counted(
    made: bool, history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(history)
    if made:
        (workspace.place.local / "reviews").mkdir(parents=True)
    report = update(workspace)
    assert report.generation is not None
    assert local_reviews.DETAIL not in report.generation.details
    assert not needs_update(open_workspace(history))
