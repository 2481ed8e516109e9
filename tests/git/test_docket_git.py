"""What dockets ask of git: who brought a commit, what a text did, what a file was called."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from citator.git.blame import unquoted
from citator.git.line_history import changes
from citator.git.merges import brought_by, last_touching
from citator.git.pickaxe import Held, can_be_searched, changing, count, holding
from citator.git.records import Repository
from citator.git.renames import Deleted, Renamed, deleted, renames, was_there
from citator.git.repository import discover
from citator.search.docket.patience import Patience
from tests.support.builder import Builder

AGES = 60.0


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def repo_of(built: Builder) -> Repository:
    return discover(built.path)


def ages() -> Patience:
    return Patience.of(AGES, time.monotonic)


def test_the_merge_that_brought_a_commit_is_found_and_no_other(built: Builder) -> None:
    first = built.write("a", "1").commit("One")
    built.git("checkout", "-q", "-b", "side")
    side = built.write("b", "1").commit("Side")
    built.git("checkout", "-q", "main")
    built.write("c", "1").commit("Two")
    merge = built.merge("side")
    built.write("d", "1").commit("Three")
    repo = repo_of(built)
    assert brought_by(repo, side, built.head(), AGES) == merge
    assert brought_by(repo, first, built.head(), AGES) is None
    assert brought_by(repo, merge, built.head(), AGES) is None
    assert brought_by(repo, side, built.head(), 0.0) is None


def test_lines_that_hold_a_text_are_found_literally(built: Builder) -> None:
    built.write("a.py", "x = 'a.*b'\ny = 'aXXb'\n").write("b\n\0.bin".replace("\0", "0"), "a.*b\n")
    built.write("bin", b"a.*b\0").commit("One")
    repo = repo_of(built)
    found = holding(repo, built.head(), "a.*b", AGES)
    assert Held("a.py", 1) in found
    assert all(one.path != "bin" for one in found)
    assert holding(repo, built.head(), "a.*b", AGES, paths=["a.py"]) == [Held("a.py", 1)]
    assert holding(repo, built.head(), "--help", AGES) == []
    assert holding(repo, built.head(), "x", AGES, word=True, paths=["a.py"]) == [Held("a.py", 1)]
    assert count(repo, built.head(), "=", ["a.py"], AGES) == 2


def test_a_text_of_several_lines_or_too_long_is_not_searched_for() -> None:
    assert can_be_searched("one line")
    assert not any(map(can_be_searched, ["", "two\nlines", "nul\0", "x" * 401]))


def test_commits_that_changed_how_often_a_text_stands_newest_first(built: Builder) -> None:
    added = built.write("a", "needle\n").commit("Add")
    built.write("b", "hay\n").commit("Else")
    gone = built.write("a", "hay\n").commit("Take away")
    repo = repo_of(built)
    found = changing(repo, built.head(), "needle", ages())
    assert [(one.commit, one.paths) for one in found.commits] == [(gone, ("a",)), (added, ("a",))]
    assert (found.looked_at, found.total, found.whole) == (3, 3, True)
    later = changing(repo, built.head(), "needle", ages(), skip=1)
    assert [one.commit for one in later.commits] == [added]
    none = changing(repo, built.head(), "needle", Patience.of(0.0, time.monotonic))
    assert (none.commits, none.whole) == ((), False)
    assert changing(repo, built.head(), "needle", ages(), paths=["b"]).commits == ()


def test_names_and_ends_of_files(built: Builder) -> None:
    text = "".join(f"line {number} of a file\n" for number in range(20))
    built.write("old.txt", text).commit("One")
    renamed = built.remove("old.txt").write("new.txt", text).commit("Name")
    gone = built.remove("new.txt").commit("Remove")
    repo, tip = repo_of(built), built.head()
    assert renames(repo, tip, "new.txt", AGES) == Renamed(renamed, "old.txt")
    assert renames(repo, tip, "old.txt", AGES) is None
    assert deleted(repo, tip, "old.txt", AGES) == Deleted(renamed, "new.txt")
    assert deleted(repo, tip, "new.txt", AGES) == Deleted(gone, None)
    assert was_there(repo, tip, "old.txt", AGES)
    assert not was_there(repo, tip, "never.txt", AGES)
    assert last_touching(repo, tip, "new.txt", 9, AGES) == [gone, renamed]


def test_changes_of_a_file_go_through_its_names(built: Builder) -> None:
    text = "".join(f"line {number} of a file\n" for number in range(20))
    made = built.write("old.txt", text).commit("One")
    built.remove("old.txt").write("sp ace/é.txt".encode(), text).commit("Name")
    last = built.write("sp ace/é.txt".encode(), f"--- a/other\n{text}").commit("More")
    found = list(changes(repo_of(built), built.head(), "sp ace/é.txt", AGES))
    assert [(one.commit == made, one.old_path, one.path) for one in found] == [
        (False, "sp ace/é.txt", "sp ace/é.txt"),
        (False, "old.txt", "sp ace/é.txt"),
        (True, None, "old.txt"),
    ]
    assert found[0].commit == last
    assert [(one.new, one.new_count, one.old_count) for one in found[0].hunks] == [(1, 1, 0)]


def test_a_path_that_git_quoted_is_read_as_it_is() -> None:
    assert unquoted(rb'"\a\b\f\n\r\t\v\"\\\303\244"') == b'\a\b\f\n\r\t\v"\\\xc3\xa4'
    assert unquoted(rb"a\tb") == rb"a\tb"
