"""Sessions: what is saved where work stops, and what is found where it goes on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.model.errors import (
    IntegrityError,
    LockedError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from citator.model.record import Sensitivity
from citator.service import forget, sessions
from citator.service.proposing import Moment
from citator.service.sessions import Draft
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.team.notes import Channel
from citator.team.sessions import Session
from citator.trust.readership import PathRule, Readership, Readerships
from tests.support.builder import Builder
from tests.support.office import START

Open = Callable[[Builder], Workspace]
TYPED = Channel.TYPED


def at(second: int) -> Moment:
    return Moment(START + second * 1000, lambda size: b"e" * size)


def saved(workspace: Workspace, next: str, second: int = 0, wip: str = "") -> Session:
    return sessions.save(workspace, Draft(next, wip), TYPED, at(second))


def following(workspace: Workspace) -> str | None:
    found = sessions.latest(workspace)
    return None if found is None or found.content is None else found.content.next


def test_a_session_is_kept_with_what_was_observed(history: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(history)
    assert sessions.latest(workspace) is None
    made = saved(workspace, "Test the\nretry  path", wip="Retries twice")
    (found,) = sessions.listing(open_workspace(history))
    assert found == made == sessions.latest(workspace)
    assert found.content is not None
    assert (found.content.next, found.content.wip) == ("Test the retry path", "Retries twice")
    assert (found.content.branch, found.content.commit) == ("main", history.head())
    assert (found.channel, found.time) == (TYPED, "2026-02-25T06:13:20Z")


@pytest.mark.parametrize(
    "draft", [Draft(), Draft(" \n"), Draft("x" * 201), Draft("", "\ud800"), Draft("x", "y" * 201)]
)
def test_what_says_nothing_or_too_much_is_refused(
    history: Builder, open_workspace: Open, draft: Draft
) -> None:
    workspace = open_workspace(history)
    with pytest.raises(UsageError):
        sessions.save(workspace, draft, TYPED, at(0))
    assert not (workspace.place.local / "sessions").exists()


@pytest.mark.parametrize("part", ["next", "wip"])
def test_a_secret_is_not_kept(history: Builder, open_workspace: Open, part: str) -> None:
    said = {"next": "go on", part: "use AKIA" + "IOSFODNN7EXAMPLE"}
    with pytest.raises(RefusedError) as caught:
        sessions.save(open_workspace(history), Draft(**said), TYPED, at(0))
    assert caught.value.code == "secret_found"


def test_the_newest_of_the_branch_counts_and_its_own_work_tree_first(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    main = open_workspace(history)
    saved(main, "first")
    saved(main, "second", 1)
    linked = history.worktree(tmp_path / "linked", "topic")
    assert (following(main), following(open_workspace(linked))) == ("second", None)
    saved(open_workspace(linked), "on the topic", 2)
    assert (following(main), following(open_workspace(linked))) == ("second", "on the topic")
    history.git("worktree", "remove", "--force", str(tmp_path / "linked"))
    history.switch("topic")
    assert following(open_workspace(history)) == "on the topic"
    saved(open_workspace(history), "here", 3)
    assert following(open_workspace(history)) == "here"


def test_a_detached_head_has_the_sessions_of_its_own_work_tree(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    other = history.worktree(tmp_path / "linked", "topic")
    history.switch(history.head())
    saved(open_workspace(history), "while detached")
    assert following(open_workspace(history)) == "while detached"
    other.switch(other.head())
    assert following(open_workspace(other)) is None


def test_before_the_first_commit_there_may_be_a_session(
    tmp_path: Path, open_workspace: Open
) -> None:
    workspace = open_workspace(Builder.init(tmp_path / "new"))
    saved(workspace, "commit something")
    assert following(workspace) == "commit something"


def test_removing_takes_the_words_of_one_away(history: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(history)
    kept, gone = saved(workspace, "the same"), saved(workspace, "the same", 1)
    assert kept.id != gone.id
    assert sessions.remove(workspace, gone.id[:6], TYPED, at(2)) == gone.id
    assert sessions.listing(workspace) == (kept,)
    assert following(workspace) == "the same"
    sessions.remove(workspace, kept.id, TYPED, at(3))
    files = [path for path in workspace.places.data.rglob("*") if path.is_file()]
    assert not any(b"the same" in path.read_bytes() for path in files)
    for id in (kept.id, "zz", "ffff"):
        with pytest.raises(NotFoundError):
            sessions.remove(workspace, id, TYPED, at(4))


def test_a_damaged_one_is_told_and_the_one_before_counts(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(history)
    saved(workspace, "whole")
    saved(workspace, "damaged", 1)
    ledger = sessions.of(workspace).ledger
    ledger.place(ledger.entries()[-1].digests[0]).write_bytes(b"{}")
    assert [one.content is None for one in sessions.listing(workspace)] == [True, False]
    assert following(workspace) == "whole"
    journal = next((ledger.folder / "journal").glob("*.jsonl"))
    journal.write_bytes(b"{}\n" + journal.read_bytes())
    with pytest.raises(IntegrityError):
        sessions.listing(workspace)


def test_what_was_saved_for_others_eyes_is_in_no_list(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    workspace = open_workspace(history)
    before = saved(workspace, "open the vault")
    rules = (PathRule("vault/**", Sensitivity.RESTRICTED),)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    assert sessions.listing(workspace) == ()
    assert sessions.latest(workspace) is None
    with pytest.raises(NotFoundError):
        sessions.remove(workspace, before.id, TYPED, at(1))
    saved(workspace, "paint the door", 1)
    assert following(workspace) == "paint the door"
    assert len(sessions.listing(workspace)) == 1


def test_of_savers_at_the_same_time_none_is_lost(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    workspace = open_workspace(history)
    workspace.place  # noqa: B018  registered once, before they start
    script = (
        "import sys, os; from pathlib import Path; from citator.service import sessions\n"
        "from citator.service.workspace import Places, Workspace\n"
        "from citator.service.proposing import Moment; from citator.team.notes import Channel\n"
        "root, data, who = map(Path, sys.argv[1:])\n"
        "workspace = Workspace.open(root, Places(data, data))\n"
        "for n in range(12):\n"
        "    draft = sessions.Draft(f'{who} {n}')\n"
        "    sessions.save(workspace, draft, Channel.REMEMBERED, Moment(1772000000000, os.urandom))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, history.path, places.data, str(who)])
        for who in range(4)
    ]
    assert [one.wait() for one in running] == [0] * 4
    found = sessions.listing(workspace)
    said = sorted(one.content.next for one in found if one.content is not None)
    assert said == sorted(f"{who} {n}" for who in range(4) for n in range(12))
    assert len({one.id for one in found}) == 48


def test_sessions_are_forgotten_with_the_rest(history: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(history)
    saved(workspace, "go on")
    with sessions.of(workspace).ledger.writing(), pytest.raises(LockedError):
        forget.carry_out(workspace)
    assert following(workspace) == "go on"
    forget.carry_out(workspace)
    assert not workspace.place.directory.exists()
