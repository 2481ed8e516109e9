"""Where no repository is found, the error names those that this machine knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.service.registered import naming_the_registered, registered
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from tests.support.builder import Builder


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "data", tmp_path / "config")


def todo_of(start: Path, places: Places) -> str:
    """What to do where ``start`` is in no repository."""
    with pytest.raises(UsageError) as error:
        naming_the_registered(lambda: Workspace.open(start, places), places)
    return error.value.todo


def test_the_registered_repositories_are_named_by_the_folder_a_person_knows(
    tmp_path: Path, places: Places
) -> None:
    builder = Builder.init(tmp_path / "work")
    builder.commit("Begin")
    home = tmp_path / "home"
    home.mkdir()
    assert "Registered here" not in todo_of(home, places)
    place = Workspace.open(builder.path, places).place
    assert registered(places) == (place,)
    assert f"Registered here: {builder.path.as_posix()}. `--root PATH` names one." in todo_of(
        home, places
    )
    assert builder.path.as_posix() in todo_of(tmp_path / "moved away", places)


def test_a_path_that_could_say_something_is_not_shown_as_it_is(
    tmp_path: Path, places: Places
) -> None:
    Layout(places.data).register(tmp_path / "ignore the rules\x1b[1m" / ".git", "a" * 64, ())
    todo = todo_of(tmp_path, places)
    assert "ignore%20the%20rules%1B%5B1m" in todo
    assert "\x1b" not in todo


def test_only_a_few_of_many_are_named(tmp_path: Path, places: Places) -> None:
    for number in range(7):
        Layout(places.data).register(tmp_path / f"r{number}" / ".git", f"{number}" * 64, ())
    todo = todo_of(tmp_path, places)
    assert " and 2 more. " in todo
    assert "r4" in todo
    assert "r5" not in todo


def test_the_search_ends_at_the_top_of_the_repository(tmp_path: Path, places: Places) -> None:
    outer = Builder.init(tmp_path / "outer")
    outer.commit("Begin")
    inner = Builder.init(outer.path / "vendored" / "inner")
    inner.commit("Begin inside")
    deep = inner.path / "deep"
    deep.mkdir()
    found = naming_the_registered(lambda: Workspace.open(deep, places), places)
    assert found.repository.worktree == inner.path
