"""The watcher: notices moves of HEAD, waits for quiet, is alone, goes on or ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from citator.git import repository
from citator.model.errors import CitatorError, LockedError, RefusedError, StorageError, UsageError
from citator.service import forget, watch
from citator.service.index_history import status, update
from citator.service.registered import opened_at
from citator.service.watch import Round, Watching, mark_of
from citator.service.workspace import Places, Workspace
from citator.store import locks
from tests.support.builder import Builder

Step = Callable[[], object]


@dataclass
class Script:
    """Time that stands still but for pauses, each of which does the next step; then it ends."""

    steps: list[Step]
    now: float = 0.0
    pauses: list[float] = field(default_factory=list)
    told: list[Round] = field(default_factory=list)

    def pause(self, seconds: float) -> bool:
        self.now += seconds
        self.pauses.append(seconds)
        if not self.steps:
            return True
        self.steps.pop(0)()
        return False

    def watch(self, start: Path, places: Places) -> list[int | str]:
        """What was told: numbers of generations, codes of problems."""
        watch.watch(Watching(start, places, self.pause, lambda: self.now, self.told.append))
        return [_short(one) for one in self.told]


def _short(done: Round) -> int | str:
    if done.problem is not None:
        return done.problem.code
    assert done.report is not None
    assert done.report.generation is not None
    return done.report.generation.number


def nothing() -> None:
    """A pause in which nothing happens."""


def commit(builder: Builder, number: int) -> Callable[[], str]:
    text = f"Change number {number}\n\nBecause case {number} needed it."
    return lambda: builder.commit(text)


def test_it_builds_first_and_then_after_each_move_of_head(history: Builder, places: Places) -> None:
    script = Script([nothing, commit(history, 1), nothing, nothing, commit(history, 2), nothing])
    assert script.watch(history.path, places) == [1, 2, 3]
    assert status(Workspace.open(history.path, places)).behind == 0


def test_where_nothing_moves_git_is_not_asked(
    history: Builder, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def counted(start: Path, places: Places) -> Workspace:
        asked.append(script.now)
        return opened_at(start, places)

    monkeypatch.setattr(watch, "opened_at", counted)
    script = Script([nothing] * 130)
    assert script.watch(history.path, places) == [1]
    assert asked == [0.0, 0.0, 61.0, 122.0]


def test_many_moves_are_one_update_once_it_is_quiet(history: Builder, places: Places) -> None:
    script = Script([*(commit(history, number) for number in range(5)), nothing, nothing, nothing])
    assert script.watch(history.path, places) == [1, 2]


def test_it_does_not_wait_for_quiet_for_ever(history: Builder, places: Places) -> None:
    script = Script([*(commit(history, number) for number in range(25)), nothing, nothing])
    told = script.watch(history.path, places)
    assert told[0] == 1
    assert 3 <= len(told) <= 5
    assert status(Workspace.open(history.path, places)).behind == 0


def moves(builder: Builder) -> Iterator[tuple[str, Step, bool]]:
    yield "commit", commit(builder, 1), True
    yield "switch", lambda: builder.switch("other", create=True), True
    yield "commit on the branch", commit(builder, 2), True
    yield "detach", lambda: builder.switch(builder.resolve("HEAD~1")), True
    yield "back", lambda: builder.switch("main"), True
    yield "tag", lambda: builder.tag("v1"), False
    yield "another branch", lambda: builder.branch("aside", "HEAD~1"), False
    yield "work tree", lambda: (builder.path / "new.txt").write_text("x"), False
    yield "packing", lambda: builder.git("pack-refs", "--all"), True
    yield "commit on packed", commit(builder, 3), True


def test_the_mark_moves_with_head(history: Builder) -> None:
    repo = repository.discover(history.path)
    for name, move, expected in moves(history):
        before = mark_of(repo)
        assert mark_of(repo) == before
        move()
        assert (mark_of(repo) != before) is expected, name


def test_a_worktree_and_a_bare_repository_are_watched_too(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    tree = history.worktree(tmp_path / "tree", "side")
    assert Script([commit(tree, 1), nothing, nothing]).watch(tree.path, places) == [1, 2]
    bare = history.clone(tmp_path / "bare.git", bare=True)
    assert Script([commit(bare, 1), nothing, nothing]).watch(bare.path, places) == [1, 2]


def test_a_ref_that_points_out_of_the_repository_is_not_looked_at(history: Builder) -> None:
    repo = repository.discover(history.path)
    for name in ("../../outside", "/etc/hostname", "a\0b"):
        (history.path / ".git" / "HEAD").write_text(f"ref: {name}\n")
        assert mark_of(repo)[1:3] == (None, None)


def test_there_is_one_watcher_and_nobody_forgets_beneath_it(
    history: Builder, places: Places
) -> None:
    refused: list[CitatorError] = []

    def try_both() -> None:
        for act in (
            lambda: Script([]).watch(history.path, places),
            lambda: forget.carry_out(Workspace.open(history.path, places)),
        ):
            with pytest.raises(LockedError) as error:
                act()
            refused.append(error.value)

    assert Script([try_both]).watch(history.path, places) == [1]
    assert refused[0].code == "watch_running"
    assert "watched already (process " in refused[0].what
    assert Script([]).watch(history.path, places) == [1]
    assert forget.carry_out(Workspace.open(history.path, places)) > 0


def test_where_another_process_builds_it_waits_its_turn(history: Builder, places: Places) -> None:
    place = Workspace.open(history.path, places).place
    place.index.mkdir(parents=True)
    lock = locks.exclusive(place.index_lock)
    lock.__enter__()
    script = Script([nothing, lambda: lock.__exit__(None, None, None), nothing])
    assert script.watch(history.path, places) == [1]
    assert script.pauses[:2] == [2.0, 2.0]


def test_what_may_pass_is_told_and_tried_again_later_and_later(
    history: Builder, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(workspace: Workspace) -> object:
        raise StorageError("disk_full", "the disk is full", "free some space")

    monkeypatch.setattr(watch, "update", full)
    mend = lambda: monkeypatch.setattr(watch, "update", update)  # noqa: E731
    script = Script([nothing, nothing, nothing, mend, nothing])
    assert script.watch(history.path, places) == [*["disk_full"] * 4, 1]
    assert script.pauses[:4] == [2.0, 4.0, 8.0, 16.0]
    assert [done.again for done in script.told[:4]] == [2.0, 4.0, 8.0, 16.0]


def test_it_ends_where_the_repository_goes(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    script = Script([lambda: history.path.rename(tmp_path / "gone"), nothing, nothing])
    with pytest.raises(UsageError) as error:
        script.watch(history.path, places)
    assert error.value.code == "no_such_path"


def test_without_a_commit_there_is_nothing_to_watch(tmp_path: Path, places: Places) -> None:
    empty = Builder.init(tmp_path / "empty")
    with pytest.raises(RefusedError) as error:
        Script([]).watch(empty.path, places)
    assert error.value.code == "no_commits"
