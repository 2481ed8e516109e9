"""Listing the files of a commit, and what differs between two."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.git import tree_objects, trees
from citator.git.records import TreeEntry
from citator.git.repository import discover
from citator.git.trees import changed, entries
from citator.model.errors import GitRefusedError, NotFoundError, UsageError
from tests.support.builder import Builder

ABSENT = "1" * 40


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def listed(built: Builder, *pathspecs: str, commit: str | None = None) -> list[TreeEntry]:
    return list(entries(discover(built.path), commit or built.head(), pathspecs))


def names(found: list[TreeEntry]) -> list[str]:
    return [entry.path for entry in found]


def test_every_kind_of_entry_is_listed_in_tree_order(built: Builder) -> None:
    built.write("run.sh", "#!/bin/sh\n", mode="100755").write("b/c.md", "# C\n")
    built.symlink("link", "../../etc/passwd").gitlink("libs/x", "2" * 40).write("a.md", "")
    built.commit()
    ids = {name: built.resolve(f"HEAD:{name}") for name in ("run.sh", "b/c.md", "link", "a.md")}
    assert listed(built) == [
        TreeEntry("100644", "blob", ids["a.md"], "a.md", 0),
        TreeEntry("100644", "blob", ids["b/c.md"], "b/c.md", 4),
        TreeEntry("160000", "commit", "2" * 40, "libs/x", None),
        TreeEntry("120000", "blob", ids["link"], "link", 16),
        TreeEntry("100755", "blob", ids["run.sh"], "run.sh", 10),
    ]


def test_an_empty_tree_lists_nothing(built: Builder) -> None:
    built.commit()
    assert listed(built) == []


def test_the_listing_is_the_commits_and_not_the_work_trees(built: Builder) -> None:
    built.write("kept", "x").commit()
    (built.path / "kept").unlink()
    (built.path / "new").write_text("y")
    built.git("add", "new")
    assert names(listed(built)) == ["kept"]


def test_paths_are_whole_from_a_subfolder_and_a_linked_worktree(
    built: Builder, tmp_path: Path
) -> None:
    built.write("src/a", "x").write("b", "y").commit()
    linked = built.worktree(tmp_path / "linked", "side")
    for start in (built.path / "src", linked.path / "src"):
        assert names(list(entries(discover(start), built.head()))) == ["b", "src/a"]


@pytest.mark.parametrize(
    "path",
    [b"two words", b'"quoted"', b"tab\t", b"new\nline", b"\xff\xe9", b"-x", b":(top)x", b"*.md"],
)
def test_any_path_is_listed_byte_for_byte_and_can_be_asked_for(tmp_path: Path, path: bytes) -> None:
    built = Builder.init(tmp_path / "repo.git", bare=True)
    built.write(path, "x").write(b"dir/" + path, "y").write("other.md", "z").commit()
    text = os.fsdecode(path) if os.name != "nt" else path.decode("utf-8", "surrogateescape")
    assert sorted(names(listed(built))) == sorted([text, f"dir/{text}", "other.md"])
    assert names(listed(built, text)) == [text]
    assert names(listed(built, f"dir/{text}")) == [f"dir/{text}"]


def test_pathspecs_name_files_and_folders_literally(built: Builder) -> None:
    for name in ("docs/a.md", "docs/deep/b.md", "docs.md", "docsx/c.md", "z.md"):
        built.write(name, "x")
    built.commit()
    assert names(listed(built, "docs")) == ["docs/a.md", "docs/deep/b.md"]
    assert names(listed(built, "docs/")) == ["docs/a.md", "docs/deep/b.md"]
    assert names(listed(built, "docs/a.md", "z.md")) == ["docs/a.md", "z.md"]
    for nothing in ("*.md", "doc", "nowhere", "../repo", ":/", ""):
        assert names(listed(built, nothing)) == []


def test_a_hostile_work_tree_setting_changes_no_listing(built: Builder) -> None:
    built.write("a/b", "x").commit()
    repo = discover(built.path)
    built.git("config", "core.worktree", os.fspath(built.path.anchor))
    assert names(list(entries(repo, built.head()))) == ["a/b"]


def test_a_sha256_tree_is_listed(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo", object_format="sha256")
    built.write("a", "x").commit()
    (only,) = listed(built)
    assert (only.object_id, only.size) == (built.resolve("HEAD:a"), 1)
    assert len(only.object_id) == 64


def test_a_missing_blob_is_listed_without_a_size(built: Builder, tmp_path: Path) -> None:
    built.write("a", "here").write("b", "gone").commit()
    built.lose(built.resolve("HEAD:b"))
    assert [(entry.path, entry.size) for entry in listed(built)] == [("a", 4), ("b", None)]


def test_a_clone_without_blobs_is_listed_without_sizes(built: Builder, tmp_path: Path) -> None:
    built.write("a", "one").write("d/b", "two").commit()
    clone = built.clone(tmp_path / "clone", filter="blob:none", checkout=False)
    assert [(e.path, e.size) for e in listed(clone)] == [("a", None), ("d/b", None)]


def test_a_clone_without_trees_says_that_its_tree_cannot_be_read(
    built: Builder, tmp_path: Path
) -> None:
    built.write("a", "one").commit()
    clone = built.clone(tmp_path / "clone", filter="tree:0", checkout=False)
    tree = built.resolve("HEAD^{tree}")
    assert listed(clone) == [TreeEntry("040000", "tree", tree, "", None)]
    assert listed(clone, "a") == [TreeEntry("040000", "tree", tree, "", None)]


def test_a_folder_that_cannot_be_read_stands_for_itself_and_hides_nothing_else(
    built: Builder,
) -> None:
    for name in ("a", "m/one/x", "m/two/y", "z"):
        built.write(name, name)
    built.commit()
    lost = built.resolve("HEAD:m/one")
    built.lose(lost)
    assert [(e.kind, e.path, e.size) for e in listed(built)] == [
        ("blob", "a", 1),
        ("tree", "m/one", None),
        ("blob", "m/two/y", 7),
        ("blob", "z", 1),
    ]
    assert names(listed(built, "m/one/x")) == ["m/one"]
    assert names(listed(built, "m/two", "z")) == ["m/two/y", "z"]


def test_folders_nested_beyond_measure_cannot_be_read(
    built: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.write("lost/x", "1").write("z/" * 5 + "deep", "2").write("z/y", "3").commit()
    built.lose(built.resolve("HEAD:lost"))
    assert [(e.kind, e.path) for e in listed(built)][1:] == [
        ("blob", "z/y"),
        ("blob", "z/z/z/z/z/deep"),
    ]
    monkeypatch.setattr(tree_objects, "MAX_DEPTH", 3)
    assert [(e.kind, e.path) for e in listed(built)][1:] == [
        ("blob", "z/y"),
        ("tree", "z/z/z/z"),
    ]


def test_a_path_with_a_nul_byte_is_refused(built: Builder) -> None:
    built.commit()
    with pytest.raises(GitRefusedError) as raised:
        listed(built, "a\0b")
    assert raised.value.code == "git_not_started"


@pytest.mark.parametrize("name", ["HEAD", "--help", ABSENT[:12], ABSENT + "^{tree}", ""])
def test_only_whole_commit_ids_are_taken(built: Builder, name: str) -> None:
    tip = built.commit()
    repo = discover(built.path)
    for ask in (
        lambda: list(entries(repo, name)),
        lambda: changed(repo, name, tip),
        lambda: changed(repo, tip, name),
    ):
        with pytest.raises(UsageError):
            ask()


def test_an_unknown_commit_is_not_found(built: Builder) -> None:
    tip = built.write("a", "x").commit()
    repo = discover(built.path)
    for ask in (
        lambda: list(entries(repo, ABSENT)),
        lambda: list(entries(repo, built.resolve("HEAD:a"))),
        lambda: changed(repo, ABSENT, tip),
        lambda: changed(repo, tip, ABSENT),
    ):
        with pytest.raises(NotFoundError) as raised:
            ask()
        assert raised.value.code == "unknown_commit"


# -- changed


def test_what_differs_is_told_with_both_sides(built: Builder) -> None:
    built.write("same", "s").write("gone", "g").write("edited", "1").write("kind", "k")
    old = built.commit("old")
    built.remove("gone").write("edited", "22").symlink("kind", "abc").write("new", "nnnn")
    new = built.commit("new")
    before = {entry.path: entry for entry in listed(built, commit=old)}
    after = {entry.path: entry for entry in listed(built, commit=new)}
    expected = [
        (before["edited"], after["edited"]),
        (before["gone"], None),
        (before["kind"], after["kind"]),
        (None, after["new"]),
    ]
    assert changed(discover(built.path), old, new) == expected
    assert changed(discover(built.path), new, new) == []
    assert changed(discover(built.path), new, old) == [(b, a) for a, b in expected]


def test_a_moved_file_is_one_removed_and_one_added(built: Builder) -> None:
    old = built.write("old name", "content " * 50).commit()
    built.git("config", "diff.renames", "true")
    new = built.remove("old name").write("new name", "content " * 50).commit()
    pairs = changed(discover(built.path), old, new)
    assert [(a and a.path, b and b.path) for a, b in pairs] == [
        (None, "new name"),
        ("old name", None),
    ]


def test_a_submodule_and_odd_paths_differ_too(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo.git", bare=True)
    old = built.gitlink("sub", "1" * 40).commit()
    built.git("config", "diff.ignoreSubmodules", "all")
    new = built.gitlink("sub", "2" * 40).write(b"\xff\n\t", "odd").commit()
    assert changed(discover(built.path), old, new) == [
        (
            TreeEntry("160000", "commit", "1" * 40, "sub", None),
            TreeEntry("160000", "commit", "2" * 40, "sub", None),
        ),
        (None, TreeEntry("100644", "blob", built.resolve("HEAD:\udcff\n\t"), "\udcff\n\t", 3)),
    ]


def test_a_submodule_differs_whatever_the_configuration_ignores(built: Builder) -> None:
    module = '[submodule "x"]\n\tpath = libs/x\n\turl = u\n\tignore = all\n'
    old = built.write(".gitmodules", module).gitlink("libs/x", "1" * 40).commit()
    new = built.gitlink("libs/x", "2" * 40).commit()
    built.git("config", "submodule.x.ignore", "all")
    ((before, after),) = changed(discover(built.path), old, new)
    assert before is not None and after is not None
    assert (before.object_id, after.object_id) == ("1" * 40, "2" * 40)


def test_a_folder_that_became_a_file_differs_in_both(built: Builder) -> None:
    old = built.write("a/b", "x").write("a.txt", "t").commit()
    new = built.remove("a/b").write("a", "file").commit()
    pairs = changed(discover(built.path), old, new)
    assert [(a and a.path, b and b.path) for a, b in pairs] == [(None, "a"), ("a/b", None)]


def test_tree_by_tree_the_differences_are_the_same(
    built: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.write("a/b", "1").write("a.txt", "2").write("d/e/f", "3").write("same/x", "4")
    old = built.commit()
    built.remove("d").write("d", "file").write("a/b", "5").gitlink("g", "1" * 40)
    new = built.remove("a.txt").commit()
    repo = discover(built.path)
    quick = changed(repo, old, new)
    monkeypatch.setattr(trees, "_compared_by_git", lambda *_: None)
    assert changed(repo, old, new) == quick


def test_an_unread_folder_outside_the_difference_does_not_matter(built: Builder) -> None:
    old = built.write("lost/x", "1").write("a", "1").commit()
    new = built.write("a", "2").commit()
    built.lose(built.resolve("HEAD:lost"))
    ((before, after),) = changed(discover(built.path), old, new)
    assert before is not None and after is not None
    assert (before.path, after.path) == ("a", "a")


def test_an_unread_folder_inside_the_difference_is_a_broken_repository(built: Builder) -> None:
    old = built.write("lost/x", "1").commit()
    new = built.write("lost/x", "2").commit()
    built.lose(built.resolve("HEAD:lost"))
    with pytest.raises(GitRefusedError) as raised:
        changed(discover(built.path), old, new)
    assert raised.value.code == "broken_repository"
