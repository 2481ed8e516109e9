from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.service.forget import carry_out, plan
from citator.service.index_history import update
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder


def test_clones_share_an_id_and_not_a_directory(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    clone = history.clone(tmp_path / "clone")
    one, two = (Workspace.open(path, places) for path in (history.path, clone.path))
    assert one.repository_id == two.repository_id
    assert one.place.directory != two.place.directory


def test_worktrees_and_subdirectories_share_everything(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    tree = history.worktree(tmp_path / "tree", "side")
    opened = [Workspace.open(p, places) for p in (history.path, history.path / "docs", tree.path)]
    assert len({workspace.place.directory for workspace in opened}) == 1


def test_another_repository_at_the_same_path_is_not_taken_for_the_first(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    first = Workspace.open(history.path, places)
    update(first)
    history.path.rename(tmp_path / "moved")
    other = Builder.init(history.path)
    other.commit("Something else\n\nElse, because this is another repository altogether.")
    second = Workspace.open(other.path, places)
    assert second.repository_id != first.repository_id
    assert second.place.directory != first.place.directory


def test_a_folder_that_is_no_repository_is_a_usage_error(tmp_path: Path, places: Places) -> None:
    with pytest.raises(UsageError) as error:
        Workspace.open(tmp_path, places)
    assert error.value.code == "not_a_repository"
    assert error.value.todo


def test_the_secret_is_made_once_and_kept(history: Builder, places: Places) -> None:
    first = Workspace.open(history.path, places).secret
    other = replace(places, entropy=lambda size: b"z" * size)
    assert Workspace.open(history.path, other).secret == first == b"k" * 32


def test_forgetting_lists_first_and_leaves_other_repositories(
    history: Builder, places: Places, tmp_path: Path
) -> None:
    clone = history.clone(tmp_path / "clone")
    for path in (history.path, clone.path):
        update(Workspace.open(path, places))
    workspace = Workspace.open(history.path, places)
    listed = plan(workspace)
    assert sum(item.bytes for item in listed) > 0
    assert all(item.path.is_relative_to(places.data) for item in listed)
    freed = carry_out(workspace)
    assert freed == sum(item.bytes for item in listed)
    assert not listed[0].path.exists()
    assert plan(Workspace.open(history.path, places)) == ()
    assert plan(Workspace.open(clone.path, places)) != ()


def test_forgetting_what_was_never_kept_does_nothing(history: Builder, places: Places) -> None:
    workspace = Workspace.open(history.path, places)
    assert plan(workspace) == ()
    assert carry_out(workspace) == 0
    assert not places.data.exists()
