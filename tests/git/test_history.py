"""Walking a history: each commit once, parents first, with the files it touched."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from citator.git import touched
from citator.git.history import Walk, between, commits, count_between, reachable
from citator.git.records import RawCommit
from citator.git.repository import discover
from citator.model.errors import GitRefusedError, NotFoundError, UsageError
from citator.model.horizon import HorizonFact, Limit
from tests.support.builder import Builder

ABSENT = "1" * 40


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def walk(built: Builder, tip: str | None = None, without: Sequence[str] = ()) -> Walk:
    return commits(discover(built.path), tip or built.head(), without)


def ids(found: Sequence[RawCommit]) -> list[str]:
    return [commit.object_id for commit in found]


def paths(found: Sequence[RawCommit]) -> dict[str, tuple[str, ...] | None]:
    return {commit.message.strip(): commit.paths for commit in found}


# -- order and reach


def test_parents_come_before_children_and_each_commit_once(built: Builder) -> None:
    root = built.write("a", "1").commit("root")
    tips = []
    for name in ("left", "right", "middle"):
        built.switch(name, create=True).write(name, name)
        tips.append(built.commit(name))
        built.switch("main")
    here = built.write("a", "2").commit("here")
    octopus = built.merge("left", "right", "middle")
    found = list(walk(built))
    assert sorted(ids(found)) == sorted([root, *tips, here, octopus])
    seen: set[str] = set()
    for commit in found:
        assert seen.issuperset(commit.parents)
        seen.add(commit.object_id)
    assert found[-1].parents == (here, *tips)


def test_children_dated_before_their_parents_still_come_after_them(built: Builder) -> None:
    order = [built.commit(str(number), date=1_700_000_000 - number) for number in range(5)]
    assert ids(list(walk(built))) == order


def test_a_parent_dated_between_its_children_still_comes_before_both(built: Builder) -> None:
    base = built.commit("base", date=1_700_000_000)
    late = built.commit("late child", date=1_700_000_500)
    early = built.commit("early child", date=1_600_000_000, parents=[base])
    merge = built.commit("merge", date=1_700_000_900, parents=[late, early])
    found = ids(list(walk(built)))
    assert sorted(found) == sorted([base, late, early, merge])
    assert (found[0], found[-1]) == (base, merge)


def test_a_merge_touches_what_it_changes_for_its_first_parent(built: Builder) -> None:
    built.write("a", "1").commit("root")
    built.switch("side", create=True).write("b", "2").write("c", "3").commit("side")
    built.switch("main")
    built.write("a", "4").commit("here")
    built.merge("side", message="merge")
    assert paths(list(walk(built)))["merge"] == ("b", "c")


def test_removed_changed_retyped_and_moved_files_are_touched(built: Builder) -> None:
    built.write("gone", "1").write("mode", "2").write("kind", "3").write("old/name", "4" * 99)
    built.commit("root")
    built.remove("gone").write("mode", "2", mode="100755").symlink("kind", "elsewhere")
    built.remove("old/name").write("new/name", "4" * 99).commit("all of it")
    assert paths(list(walk(built)))["all of it"] == ("gone", "kind", "mode", "new/name", "old/name")


def test_paths_are_sorted_by_their_bytes(built: Builder) -> None:
    names = ["a/b", "a.txt", "a-b", "A", "b", "ä", "a"]
    for name in names[:-1]:
        built.write(name, "x")
    built.commit("root")
    assert paths(list(walk(built)))["root"] == ("A", "a-b", "a.txt", "a/b", "b", "ä")
    built.remove("a/b").write("a", "a file now").commit("folder to file")
    assert paths(list(walk(built)))["folder to file"] == ("a", "a/b")


@pytest.mark.parametrize(
    "path",
    [
        b"with space",
        b'double " quote',
        b"single ' quote",
        b"back\\slash",
        b"tab\there",
        b"new\nline",
        b"\xff\xfe not UTF-8 \xe9",
        "日本語/🚀.md".encode(),
        "bidi \u202e".encode(),
        b" leading and trailing ",
        b"-option",
        b":(glob)**",
        b"1" * 40,
        b"M",
        b"esc \x1b[0m\r",
    ],
)
def test_any_path_comes_through_byte_for_byte(tmp_path: Path, path: bytes) -> None:
    built = Builder.init(tmp_path / "repo.git", bare=True)
    built.write(path, "1").commit("add")
    built.write(b"dir/" + path, "2").commit("nest")
    text = path.decode("utf-8", "surrogateescape")
    assert paths(list(walk(built))) == {"add": (text,), "nest": ("dir/" + text,)}


def test_a_path_that_looks_like_another_commits_id_stays_a_path(built: Builder) -> None:
    root = built.commit("root")
    later = built.commit("later", parents=[root])
    built.write(later, "x").write("z", "y").commit("sibling", parents=[root])
    sibling = built.head()
    built.commit("joins", parents=[sibling, later])
    found = paths(list(walk(built)))
    assert found["sibling"] == tuple(sorted([later, "z"]))
    assert found["later"] == ()


def test_a_submodule_that_moved_is_touched_whatever_the_configuration_ignores(
    built: Builder,
) -> None:
    built.gitlink("libs/x", "1" * 40).write(
        ".gitmodules", '[submodule "x"]\n\tpath = libs/x\n\turl = u\n\tignore = all\n'
    )
    built.commit("add")
    built.gitlink("libs/x", "2" * 40).commit("move")
    built.git("config", "submodule.x.ignore", "all")
    built.git("config", "diff.ignoreSubmodules", "all")
    assert paths(list(walk(built)))["move"] == ("libs/x",)


def test_what_another_commit_reaches_can_be_left_out(built: Builder) -> None:
    first, second, third = (built.commit(str(number)) for number in range(3))
    side = built.commit("side", parents=[first])
    assert ids(list(walk(built, third, [first]))) == [second, third]
    assert ids(list(walk(built, third, [side]))) == [second, third]
    assert ids(list(walk(built, third, [second, side]))) == [third]
    assert list(walk(built, first, [third])) == []


def test_a_commit_after_an_excluded_parent_has_the_paths_it_changed(built: Builder) -> None:
    first = built.write("a", "1").write("b", "1").commit("first")
    built.write("b", "2").commit("second")
    (only,) = walk(built, None, [first])
    assert (only.parents, only.paths) == ((first,), ("b",))


def test_the_order_does_not_depend_on_packing_or_a_commit_graph(built: Builder) -> None:
    built.many(10)
    for number in range(6):
        built.switch(f"b{number}", create=True).write(f"f{number}", "x")
        built.commit(f"on b{number}", date=1_700_000_000 - 7 * number % 5)
        built.switch("main")
        built.commit(f"on main {number}", date=1_700_000_000)
        built.merge(f"b{number}")
    before = list(walk(built))
    built.git("gc", "-q")
    built.git("commit-graph", "write", "--reachable")
    assert list(walk(built)) == before


def test_some_thousand_commits_stream(built: Builder) -> None:
    tip = built.many(3000)
    count = 0
    for commit in walk(built):
        assert commit.message == (
            f"Change number {count}\n\nBecause case {count} needed it, "
            "and the other way was slower.\n"
        )
        assert commit.paths == (f"doc/page{count % 7}.md", f"src/part{count % 200}.txt")
        count += 1
    assert (count, commit.object_id) == (3000, tip)


# -- kinds of repositories


def test_a_linked_worktree_walks_the_shared_history(built: Builder, tmp_path: Path) -> None:
    root = built.write("a", "1").commit("root")
    linked = built.worktree(tmp_path / "linked", "side")
    tip = linked.write("b", "2").commit("side")
    assert ids(list(walk(linked))) == [root, tip]
    assert ids(list(walk(built, tip))) == [root, tip]


def test_a_sha256_repository_is_walked(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo", object_format="sha256")
    first = built.write("a", "1").commit("first")
    second = built.write("b/c", "2").commit("second")
    found = list(walk(built))
    assert ids(found) == [first, second]
    assert found[1].parents == (first,)
    assert paths(found) == {"first": ("a",), "second": ("b/c",)}
    assert list(reachable(discover(built.path), second)) == [second, first]


def test_at_the_edge_of_a_shallow_clone_nothing_is_said_to_be_introduced(
    built: Builder, tmp_path: Path
) -> None:
    built.write("old", "1").commit("beyond")
    edge = built.write("a", "1").commit("edge")
    tip = built.write("b", "2").commit("tip")
    clone = built.clone(tmp_path / "clone", depth=2)
    found = list(walk(clone))
    assert ids(found) == [edge, tip]
    assert paths(found) == {"edge": None, "tip": ("b",)}
    assert found[0].parents == (built.resolve("HEAD~2"),)


def test_a_clone_without_blobs_is_walked_whole(built: Builder, tmp_path: Path) -> None:
    built.write("a", "1").commit("one")
    built.write("b", "2").commit("two")
    clone = built.clone(tmp_path / "clone", filter="blob:none", checkout=False)
    assert list(walk(clone)) == list(walk(built))


def test_a_clone_without_trees_has_messages_and_no_paths(built: Builder, tmp_path: Path) -> None:
    count = touched.PATIENCE * 3
    for number in range(count):
        built.write("a", str(number)).commit(f"number {number}")
    clone = built.clone(tmp_path / "clone", filter="tree:0", checkout=False)
    assert paths(list(walk(clone))) == {f"number {number}": None for number in range(count)}


def test_history_is_read_past_replace_refs_and_grafts(built: Builder) -> None:
    first, second, third = (built.write("a", c).commit(c) for c in "123")
    expected = list(walk(built, third))
    built.replace(third, first)
    built.graft(second)
    assert built.git("rev-list", "--count", third) == b"1\n"
    assert built.git("rev-list", "--count", second) == b"1\n"
    assert list(walk(built, third)) == expected
    assert list(reachable(discover(built.path), third)) == [third, second, first]
    assert count_between(discover(built.path), first, third) == 2


def test_a_commit_graph_that_tells_another_history_is_not_believed(built: Builder) -> None:
    order = [built.write("a", str(number)).commit(str(number)) for number in range(4)]
    built.git("commit-graph", "write", "--reachable")
    graph = built.git_dir() / "objects" / "info" / "commit-graph"
    content = bytearray(graph.read_bytes())
    parent = content.index(bytes.fromhex(built.resolve("HEAD^{tree}"))) + 20
    content[parent : parent + 4] = sorted(order).index(order[0]).to_bytes(4, "big")
    graph.chmod(0o600)
    graph.write_bytes(content)
    assert built.git("rev-list", "HEAD").decode().split() == [order[3], order[0]]
    repo = discover(built.path)
    assert ids(list(walk(built))) == order
    assert list(reachable(repo, order[3])) == order[::-1]
    assert between(repo, order[0], order[3]) == ([], sorted(order[1:]))
    assert count_between(repo, order[0], order[3]) == 3


# -- damage


def test_a_missing_tree_hides_the_paths_of_its_neighbours_alone(built: Builder) -> None:
    for number in range(5):
        built.write("a", "same").write("sub/f", str(number)).write("z", str(number))
        built.commit(f"number {number}")
    built.lose(built.resolve("HEAD~2:sub"))
    usual = ("sub/f", "z")
    assert paths(list(walk(built))) == {
        "number 0": ("a", *usual),
        "number 1": usual,
        "number 2": None,
        "number 3": None,
        "number 4": usual,
    }


def test_a_damaged_tree_counts_as_a_missing_one(built: Builder) -> None:
    for number in range(3):
        built.write("sub/f", str(number) * 50).commit(f"number {number}")
    built.corrupt(built.resolve("HEAD:sub"))
    assert paths(list(walk(built))) == {
        "number 0": ("sub/f",),
        "number 1": ("sub/f",),
        "number 2": None,
    }


def test_the_slow_way_finds_the_same_paths(built: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    built.write("a/b", "1").write("a.txt", "2").write("kind/x", "3").commit("root")
    built.remove("kind").symlink("kind", "a").write("a/c", "4").commit("folder to link")
    built.switch("side", create=True).write("side/s", "5").commit("side")
    built.switch("main")
    built.write("a.txt", "2", mode="100755").gitlink("g", "1" * 40).commit("mode and link")
    built.merge("side")
    built.commit("empty")
    built.write(b"\xff\n", "odd").commit("odd")
    quick = list(walk(built))
    monkeypatch.setattr(touched, "PATIENCE", 0)
    assert list(walk(built)) == quick


def test_a_missing_commit_is_a_broken_repository(built: Builder) -> None:
    first, _second, third = (built.commit(str(number)) for number in range(3))
    built.lose(first)
    with pytest.raises(GitRefusedError) as raised:
        list(walk(built, third))
    assert raised.value.code == "broken_repository"


def test_a_commit_whose_bytes_are_another_is_left_out_and_told(built: Builder) -> None:
    first, second, third = (built.commit(f"number {number}") for number in range(3))
    forged = built.git("cat-file", "commit", second).replace(b"number 1", b"forged 1")
    file = built.object_file(second)
    file.chmod(0o600)
    file.write_bytes(zlib.compress(b"commit %d\0" % len(forged) + forged))
    found = walk(built, third)
    assert ids(list(found)) == [first, third]
    assert found.facts == (HorizonFact(Limit.UNREADABLE_COMMITS, 1, second),)


def test_an_unknown_commit_is_not_found(built: Builder) -> None:
    tip = built.commit()
    repo = discover(built.path)
    for ask in (
        lambda: list(commits(repo, ABSENT)),
        lambda: list(commits(repo, tip, [ABSENT])),
        lambda: list(reachable(repo, ABSENT)),
        lambda: between(repo, ABSENT, tip),
        lambda: between(repo, tip, ABSENT),
        lambda: count_between(repo, tip, ABSENT),
    ):
        with pytest.raises(NotFoundError) as raised:
            ask()
        assert raised.value.code == "unknown_commit"


@pytest.mark.parametrize(
    "name", ["HEAD", "main", "--all", "-h", "", "--output=x", "^" + ABSENT, ABSENT[:12], "a\nb"]
)
def test_only_whole_object_ids_name_commits(built: Builder, name: str) -> None:
    tip = built.commit()
    repo = discover(built.path)
    for ask in (
        lambda: list(commits(repo, name)),
        lambda: list(commits(repo, tip, [name])),
        lambda: list(reachable(repo, name)),
        lambda: between(repo, name, tip),
        lambda: count_between(repo, tip, name),
    ):
        with pytest.raises(UsageError) as raised:
            ask()
        assert raised.value.code == "malformed_object_id"


# -- differences


def test_between_tells_what_each_side_alone_reaches(built: Builder) -> None:
    root, left1, left2 = (built.commit(str(number)) for number in range(3))
    right = built.commit("right", parents=[root])
    repo = discover(built.path)
    assert between(repo, left2, right) == (sorted([left1, left2]), [right])
    assert between(repo, root, left2) == ([], sorted([left1, left2]))
    assert between(repo, left2, left2) == ([], [])
    assert count_between(repo, right, left2) == 2
    assert count_between(repo, left2, root) == 0
