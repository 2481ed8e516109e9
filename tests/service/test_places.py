"""Which repository a call is about, and whose data: moves, clones, worktrees, submodules, homes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.service.index_history import current_generation, status, update
from citator.service.registered import opened_at, registered
from citator.service.workspace import Places, Workspace
from citator.store import locks
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]


def generation(workspace: Workspace) -> int:
    found = current_generation(workspace)
    assert found is not None
    return found.number


def indexed(workspace: Workspace, note: bytes) -> Workspace:
    """Index it and leave something that cannot be made again."""
    update(workspace)
    workspace.place.local.mkdir()
    (workspace.place.local / "note").write_bytes(note)
    return workspace


def test_a_moved_folder_finds_what_was_kept_for_it(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    before = indexed(open_workspace(history), b"mine")
    generations = status(before).generations
    moved = Builder(history.path.rename(tmp_path / "elsewhere"))
    after = open_workspace(moved)
    assert after.repository_id == before.repository_id
    assert (after.place.local / "note").read_bytes() == b"mine"
    assert not update(after).built
    assert status(after).generations == generations
    assert registered(places) == (after.place,)
    back = open_workspace(Builder(moved.path.rename(history.path)))
    assert back.place == before.place
    assert (back.place.local / "note").read_bytes() == b"mine"


def test_a_second_clone_has_data_of_its_own(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    first = indexed(open_workspace(history), b"first")
    second = open_workspace(history.clone(tmp_path / "clone"))
    assert second.repository_id == first.repository_id
    assert current_generation(second) is None
    assert not second.place.local.exists()
    assert {place.directory for place in registered(places)} == {
        first.place.directory,
        second.place.directory,
    }


def test_where_two_clones_are_gone_nobody_guesses_which_was_moved(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    paths = [history.path, history.clone(tmp_path / "clone").path]
    first, second = (indexed(open_workspace(Builder(path)), b"x") for path in paths)
    paths[1].rename(tmp_path / "moved")
    shutil.rmtree(paths[0])
    moved = open_workspace(Builder(tmp_path / "moved"))
    assert current_generation(moved) is None
    assert moved.place.directory not in (first.place.directory, second.place.directory)
    assert (first.place.local / "note").exists()
    assert (second.place.local / "note").exists()


def test_a_directory_that_is_written_is_not_taken_along(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    before = indexed(open_workspace(history), b"mine")
    moved = Builder(history.path.rename(tmp_path / "elsewhere"))
    with locks.exclusive(before.place.index_lock):
        after = open_workspace(moved)
        assert after.place.directory != before.place.directory
        assert not after.place.local.exists()
    assert (before.place.local / "note").read_bytes() == b"mine"


def test_a_move_that_was_interrupted_is_finished_by_the_next_call(
    history: Builder, open_workspace: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citator.store import layout

    indexed(open_workspace(history), b"mine")
    moved = Builder(history.path.rename(tmp_path / "elsewhere"))

    def dies(place: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(layout, "_describe", dies)
        with pytest.raises(KeyboardInterrupt):
            _ = open_workspace(moved).place
    again = open_workspace(moved)
    assert (again.place.local / "note").read_bytes() == b"mine"
    assert not update(again).built


def test_a_linked_worktree_shares_everything_but_its_head(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    main = open_workspace(history)
    update(main)
    tree = history.worktree(tmp_path / "tree", "side")
    tree.commit("Go another way\n\nBecause the first way was closed for the season.")
    linked = open_workspace(tree)
    assert linked.place == main.place
    assert linked.head.commit != main.head.commit
    assert update(linked).built
    assert generation(open_workspace(history)) == 2


def test_a_submodule_is_a_repository_of_its_own(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    outer = Builder.init(tmp_path / "outer")
    outer.submodule("parts/engine", history)
    outer.commit("Build on the engine\n\nBecause two copies of it drifted apart.")
    inner = Workspace.open(outer.path / "parts" / "engine" / "docs", places)
    assert inner.repository.worktree == outer.path / "parts" / "engine"
    assert inner.repository_id == open_workspace(history).repository_id
    assert inner.repository_id != open_workspace(outer).repository_id
    update(inner)
    outer.path.rename(tmp_path / "moved")
    after = Workspace.open(tmp_path / "moved" / "parts" / "engine", places)
    assert generation(after) == 1


def test_a_bare_repository_is_found_from_inside_and_by_name(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    bare = history.clone(tmp_path / "engine.git", bare=True)
    for start in (bare.path, bare.path / "objects"):
        workspace = Workspace.open(start, places)
        assert workspace.repository.worktree is None
        assert workspace.place.common_dir == bare.path
    assert update(workspace).built


@pytest.mark.skipif(sys.platform == "win32", reason="Windows needs a privilege to make a link")
def test_a_link_leads_to_the_same_data(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(history.path)
    assert open_workspace(Builder(tmp_path / "link")).place == open_workspace(history).place


@pytest.fixture
def at_home(tmp_path: Path, places: Places) -> tuple[Builder, Places]:
    """A home directory that is a repository, with a folder that is none."""
    home = Builder.init(tmp_path / "home")
    home.write(".profile", "x\n")
    home.commit("Keep my settings\n\nBecause the disk of the last machine died with them.")
    (home.path / "Downloads").mkdir()
    return home, replace(places, home=home.path)


@pytest.mark.parametrize("folder", [".", "Downloads"])
def test_a_home_directory_that_is_a_repository_is_not_indexed_by_accident(
    folder: str,
    at_home: tuple[Builder, Places],
    history: Builder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home, places = at_home
    _ = Workspace.open(history.path, places).place
    monkeypatch.chdir(home.path / folder)
    with pytest.raises(UsageError) as error:
        opened_at(Path(), places)
    assert error.value.code == "home_repository"
    assert "--root" in error.value.todo
    assert f"Registered here: {history.path.as_posix()}." in error.value.todo
    assert len(registered(places)) == 1


def test_a_home_directory_that_was_named_once_is_a_repository_like_any_other(
    at_home: tuple[Builder, Places], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, places = at_home
    named = opened_at(home.path, places)
    _ = named.place
    monkeypatch.chdir(home.path / "Downloads")
    assert opened_at(Path(), places).place == named.place


def test_a_repository_inside_a_home_that_is_one_is_found_without_being_named(
    at_home: tuple[Builder, Places], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, places = at_home
    inner = Builder.init(home.path / "src" / "engine")
    inner.commit("Begin")
    monkeypatch.chdir(inner.path)
    assert opened_at(Path(), places).repository.worktree == inner.path


def test_a_folder_above_the_home_directory_is_not_taken_either(
    at_home: tuple[Builder, Places], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, places = at_home
    deep = home.path / "Downloads" / "user"
    deep.mkdir()
    monkeypatch.chdir(deep)
    with pytest.raises(UsageError) as error:
        opened_at(Path(), replace(places, home=deep))
    assert error.value.code == "home_repository"
