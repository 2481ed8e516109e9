"""Names of commits as git takes them, and nothing that could be taken for an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.git.repository import discover
from citator.git.revisions import branches_named, commit_named, main_branch
from citator.model.errors import NotFoundError
from tests.support.builder import Builder


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    made = Builder.init(tmp_path / "repo")
    made.write("a", "1").commit("One")
    made.tag("v1").tag("v2", "annotated")
    made.write("a", "2").commit("Two")
    return made


def test_a_commit_is_known_by_every_name_git_knows(builder: Builder) -> None:
    repo = discover(builder.path)
    first, second = builder.resolve("HEAD~1"), builder.head()
    for name in ("HEAD", "main", "refs/heads/main", second, second[:8], "@"):
        assert commit_named(repo, name) == second
    for name in ("HEAD~1", "v1", "v2", "main^", first[:12]):
        assert commit_named(repo, name) == first


@pytest.mark.parametrize(
    "name",
    ["", "nothing", "--all", "-1", "HEAD:a", "HEAD..main", "^HEAD", "a\nb", "\x00", "x" * 300],
)
def test_what_is_no_commit_is_not_there(builder: Builder, name: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        commit_named(discover(builder.path), name)
    assert caught.value.code == "unknown_commit"


def test_a_branch_is_found_here_and_as_remotes_had_it(builder: Builder) -> None:
    first, second = builder.resolve("HEAD~1"), builder.head()
    builder.git("update-ref", "refs/remotes/origin/main", first)
    builder.git("update-ref", "refs/remotes/fork/main", second)
    builder.git("update-ref", "refs/remotes/origin/feature/main", second)
    builder.git("update-ref", "refs/tags/main", second)
    repo = discover(builder.path)
    assert sorted(branches_named(repo, "main")) == sorted([second, first, second])
    assert branches_named(repo, "feature/main") == [second]
    assert branches_named(repo, "other") == []


def test_the_main_branch_is_what_the_remote_says_or_the_usual_name(builder: Builder) -> None:
    repo = discover(builder.path)
    assert main_branch(repo) == "main"
    builder.git("branch", "-m", "main", "master")
    assert main_branch(repo) == "master"
    builder.git("branch", "-m", "master", "work")
    assert main_branch(repo) is None
    builder.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    builder.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert main_branch(repo) == "trunk"
