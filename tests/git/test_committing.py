"""A commit of named paths holds these and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.git.committing import commit
from citator.git.repository import discover
from citator.model.errors import RefusedError
from tests.support.builder import Builder


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    made = Builder.init(tmp_path / "repo")
    made.write("a/one.md", "1").write("a/two.md", "2").commit("Begin")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    return made


def named(builder: Builder) -> list[str]:
    shown = builder.git("show", "--name-status", "--no-renames", "--format=", "HEAD").decode()
    return sorted(line.replace("\t", " ") for line in shown.splitlines() if line)


def test_new_changed_and_removed_files_are_committed(builder: Builder) -> None:
    (builder.path / "a/one.md").write_text("changed")
    (builder.path / "a/two.md").unlink()
    (builder.path / "a/three.md").write_text("new")
    (builder.path / "a/four.md").write_text("not asked for")
    paths = ["a/one.md", "a/two.md", "a/three.md", "a/none.md"]
    made = commit(discover(builder.path), paths, "Land it")
    assert made == builder.head()
    assert named(builder) == ["A a/three.md", "D a/two.md", "M a/one.md"]


def test_what_is_staged_besides_stays_staged(builder: Builder) -> None:
    (builder.path / "mine").write_text("x")
    builder.git("add", "mine")
    (builder.path / "a/one.md").write_text("changed")
    commit(discover(builder.path), ["a/one.md"], "Land it")
    assert named(builder) == ["M a/one.md"]
    assert builder.git("diff", "--cached", "--name-only") == b"mine\n"


def test_where_nothing_differs_nothing_is_committed(builder: Builder) -> None:
    before = builder.head()
    assert commit(discover(builder.path), ["a/one.md", "a/none.md"], "Land it") is None
    assert commit(discover(builder.path), [], "Land it") is None
    assert builder.head() == before


def test_an_ignored_file_and_an_odd_name_are_committed_as_they_are(builder: Builder) -> None:
    (builder.path / ".gitignore").write_text("a/\n")
    odd = "a/*.md" if os.name != "nt" else "a/[x].md"
    (builder.path / odd).write_text("odd")
    (builder.path / "a/five.md").write_text("beside it")
    assert commit(discover(builder.path), [odd], "Land it")
    assert named(builder) == [f"A {odd}"]


def test_from_a_folder_inside_the_paths_are_still_those_of_the_tree(builder: Builder) -> None:
    (builder.path / "a/one.md").write_text("changed")
    assert commit(discover(builder.path / "a"), ["a/one.md"], "Land it")
    assert named(builder) == ["M a/one.md"]


def test_in_a_linked_worktree_its_own_branch_moves(builder: Builder, tmp_path: Path) -> None:
    other = builder.worktree(tmp_path / "other", "feature")
    before = builder.head()
    (other.path / "a/one.md").write_text("changed")
    assert commit(discover(other.path), ["a/one.md"], "Land it") == other.head()
    assert builder.head() == before


def test_where_git_refuses_it_is_told_and_the_files_stay(builder: Builder) -> None:
    (builder.path / "a/one.md").write_text("changed")
    (builder.git_dir() / "index.lock").write_text("")
    with pytest.raises(RefusedError) as caught:
        commit(discover(builder.path), ["a/one.md"], "Land it")
    assert caught.value.code == "not_committed"
    assert (builder.path / "a/one.md").read_text() == "changed"
