"""What hooks left is taken in once, whatever dies; what they may say is worked out for one HEAD."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from citator.model.record import Sensitivity
from citator.service import capture_notes, hooks, hooks_table, notes, sessions
from citator.service.capture_notes import capture_commits
from citator.service.notes import Told
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.store import hook_files
from citator.store.layout import Layout
from citator.team.notes import Channel
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import ADA, approved
from tests.support.approving import files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

Open = Callable[[Builder], Workspace]


@pytest.fixture
def pinned(places: Places) -> None:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))


NOW = Moment(1_796_000_000_000, lambda size: b"e" * size)
WHY = "\n\nThe old one lost carts whenever two shoppers wrote at the same time."


def event(workspace: Workspace, name: str, **facts: object) -> bool:
    tree = hooks_table.tree_of(workspace)
    assert tree is not None
    said = {"event": name, "tree": str(tree.top), "head": workspace.head.commit, **facts}
    return hook_files.spool(workspace.place.directory, tree, said, time.time())


def captured(workspace: Workspace) -> list[Told]:
    found = notes.listing(workspace, NOW, everything=True).notes
    return [one for one in found if one.channel is Channel.CAPTURED]


def said(workspace: Workspace) -> dict[str, list[str]]:
    """The lines about each path, without the words of a ruling."""
    tree = hooks_table.tree_of(workspace)
    assert tree is not None
    path = hook_files.table_of(workspace.place.directory, tree)
    with closing(sqlite3.connect(path)) as db:
        rows = dict(db.execute("select path, said from said where path != ''").fetchall())
    return {path: [line for line, _ in json.loads(row)[1]] for path, row in rows.items()}


def test_a_commit_is_captured_once_and_says_which(history: Builder, open_workspace: Open) -> None:
    history.write("src/store.py", "x = 1\n")
    commit = history.commit(f"Switch to one SQLite file for carts{WHY}")
    workspace = open_workspace(history)
    event(workspace, "after-commit")
    assert hooks.work(workspace, NOW).captured == 1
    assert [(one.commit, one.text) for one in captured(workspace)] == [
        (commit, "Switch to one SQLite file for carts")
    ]
    event(workspace, "after-commit")
    done = hooks.work(workspace, NOW)
    assert (done.events, done.captured, len(captured(workspace))) == (1, 0, 1)
    assert hook_files.spooled(workspace.place.directory) == []


@pytest.mark.parametrize("subject", ["docs: Switch to X", "chore: Adopt Y", "ci: Drop Z", "wip"])
def test_noise_is_not_captured(history: Builder, open_workspace: Open, subject: str) -> None:
    history.write("src/store.py", "x = 1\n")
    history.commit(f"{subject}{WHY}")
    workspace = open_workspace(history)
    event(workspace, "after-commit")
    assert hooks.work(workspace, NOW) == hooks.Worked(1, 0, 0, True)
    assert captured(workspace) == []


def amended(builder: Builder, message: str) -> str:
    """What ``git commit --amend`` makes of HEAD: the same author, time and parents."""
    date = builder.git("log", "-1", "--format=%ad", "--date=raw").decode().strip()
    author = builder.git("log", "-1", "--format=%an <%ae>").decode().strip()
    builder.git(
        *("-c", "user.name=C", "-c", "user.email=c@example.org", "commit", "-q", "--amend"),
        *("--no-verify", "--allow-empty", f"--author={author}", f"--date={date}", "-m", message),
    )
    return builder.git("rev-parse", "HEAD").decode().strip()


def test_an_amended_commit_takes_over_the_note_and_doubles_none(
    history: Builder, open_workspace: Open
) -> None:
    history.write("src/store.py", "x = 1\n")
    history.commit(f"Switch to one SQLite file for carts{WHY}")
    before = open_workspace(history)
    assert capture_commits(before, [str(before.head.commit)], NOW).new == 1
    new = amended(history, f"Switch to two SQLite files for carts{WHY}")
    workspace = open_workspace(history)
    assert capture_commits(workspace, [new, str(before.head.commit)], NOW).examined == 0
    (note,) = captured(workspace)
    assert (note.commit, note.text) == (new, "Switch to two SQLite files for carts")
    last = amended(history, "wip")
    workspace = open_workspace(history)
    capture_commits(workspace, [last], NOW)
    assert notes.listing(workspace, NOW).notes == ()


def test_a_rebased_commit_takes_over_the_note(history: Builder, open_workspace: Open) -> None:
    history.write("src/store.py", "x = 1\n")
    old = history.commit(f"Switch to one SQLite file for carts{WHY}")
    assert capture_commits(open_workspace(history), [old], NOW).new == 1
    history.git("reset", "-q", "--hard", "HEAD~1")
    history.write("src/other.py", "y = 1\n")
    history.commit("Say y")
    who = ("-c", "user.name=C", "-c", "user.email=c@example.org")
    history.git(*who, "cherry-pick", old)
    new = history.git("rev-parse", "HEAD").decode().strip()
    assert new != old
    assert capture_commits(open_workspace(history), [new], NOW).new == 0
    assert [one.commit for one in captured(open_workspace(history))] == [new]


def test_commits_that_head_has_not_are_not_looked_at(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(history)
    for id in ("0" * 40, "HEAD", "--all", "x", ""):
        assert capture_commits(workspace, [id], NOW) == capture_notes.Backfill(0, 0, 0, {})


def test_a_session_ends_with_what_is_not_committed_unless_more_was_said(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(history)
    event(workspace, "session-end")
    assert hooks.work(workspace, NOW).saved == 0
    (history.path / "src" / "app.py").write_text("y = 2\n")
    event(workspace, "session-end")
    assert hooks.work(workspace, NOW).saved == 1
    latest = sessions.latest(workspace)
    assert latest is not None and latest.content is not None
    assert latest.content.wip == "not committed: 1 changed files"
    later = Moment(NOW.milliseconds + 1000, NOW.entropy)
    sessions.save(workspace, sessions.Draft(next="Count carts"), Channel.REMEMBERED, later)
    event(workspace, "session-end")
    assert hooks.work(workspace, later).saved == 0


def test_a_killed_worker_loses_nothing(
    history: Builder, open_workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.write("src/store.py", "x = 1\n")
    history.commit(f"Adopt one SQLite file for carts{WHY}")
    workspace = open_workspace(history)
    event(workspace, "after-commit")

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(hooks, "_capture", die)
        with pytest.raises(Killed):
            hooks.work(workspace, NOW)
    assert hooks.work(workspace, NOW).captured == 1


def test_what_another_work_tree_left_waits_for_it_and_what_is_no_event_goes(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    workspace = open_workspace(history)
    (tmp_path / "elsewhere").mkdir()
    event(workspace, "after-commit", tree=str(tmp_path / "elsewhere"))
    event(workspace, "after-commit", head=["x"])
    folder = workspace.place.directory / "local" / "hooks"
    (folder / "3.json").write_bytes(b"[" * 100_000)
    assert hooks.work(workspace, NOW).events == 1
    ((_, left),) = hook_files.spooled(workspace.place.directory)
    assert left["tree"] == str(tmp_path / "elsewhere")


def test_of_many_commits_at_once_one_is_who_starts_somebody(
    history: Builder, open_workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_workspace(history)
    assert [event(workspace, "after-commit") for _ in range(3)] == [True, False, False]
    late = iter([True])
    before = hooks._capture

    def capture(*given: Any) -> int:
        if next(late, False):  # one more commit while the first are taken in
            assert not event(workspace, "after-commit")
        return before(*given)

    monkeypatch.setattr(hooks, "_capture", capture)
    assert hooks.work(workspace, NOW).events == 4
    assert event(workspace, "after-commit")


@pytest.mark.usefixtures("pinned")
def test_a_file_is_told_of_rejections_first_then_of_decisions(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("Keep carts in SQLite", paths=["src/**"])
    made.decide("Be kind")
    made.decide("Use Redis for carts")
    *landed, refused = made.migrations
    told = [ADA.says(one) for one in landed]
    told.append(ADA.rejects(refused, "Use Redis for carts", scope=("src/app.py",)))
    for one in files(landed, approvals=told, proposals=[refused]):
        assert one.content is not None
        history.write(f".citator/{one.path}", one.content)
    history.commit("Say no")
    workspace = open_workspace(history)
    hooks_table.refresh(workspace, NOW)

    found = said(workspace)

    assert set(found) == {"src/app.py", "src/cache.py", hook_files.at_folder("src/app.py")}
    assert found["src/app.py"][0].startswith("rejected ")
    assert found["src/app.py"][1].startswith(f"decision {item} in_force decision:v1:")
    assert len(found["src/cache.py"]) == 1


def test_a_file_is_told_by_which_commit_something_was_taken_back(
    history: Builder, open_workspace: Open
) -> None:
    lines = "".join(f"def bill_{one}(cart):\n    return cart * {one} + 1\n" for one in range(9))
    history.write("src/bill.py", lines)
    history.commit("Bill carts")
    history.write("src/bill.py", "pass\n")
    commit = history.commit('Revert "Bill carts"\n\nIt billed twice.')
    workspace = open_workspace(history)
    hooks_table.refresh(workspace, NOW)
    assert said(workspace) == {"src/bill.py": [f"reverted by {commit[:12]} 2024-01-01"]}


@pytest.mark.usefixtures("pinned")
def test_what_the_audience_may_not_see_is_in_no_line(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    made = Ledger()
    made.decide("Keep sources below src", paths=["src/**"])
    made.decide("Hide it", paths=["docs/**"], sensitivity="restricted")
    approved(history, made)
    workspace = open_workspace(history)
    rules = (PathRule("src/app.py", Sensitivity.RESTRICTED),)
    Readerships(workspace.layout).set(
        workspace.repository_id, Readership(Sensitivity.INTERNAL, rules)
    )
    hooks_table.refresh(workspace, NOW)
    assert set(said(workspace)) == {"src/cache.py", hook_files.at_folder("src/cache.py")}
    hidden = Readership(Sensitivity.RESTRICTED, ())
    Readerships(workspace.layout).set(workspace.repository_id, hidden)
    assert not hooks_table.is_fresh(workspace)
    hooks_table.refresh(workspace, NOW)
    assert said(workspace) == {}


@pytest.mark.usefixtures("pinned")
def test_beside_a_second_ledger_nothing_of_the_record_is_worked_out(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    made = Ledger()
    made.decide("Keep sources below src", paths=["src/**"])
    approved(history, made)
    workspace = open_workspace(history)
    hooks_table.refresh(workspace, NOW)
    assert said(workspace) != {}
    SecondLedgers(workspace.layout).set(workspace.repository_id, tmp_path / "second")
    assert not hooks_table.is_fresh(workspace)
    hooks_table.refresh(workspace, NOW)
    assert said(workspace) == {}


def test_a_repository_that_is_not_registered_gets_nothing(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    assert hooks.work(open_workspace(history), NOW) == hooks.Worked()
    assert not places.data.exists()
