"""The patches of single commits, and which files an intended change touches."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.git import patches as reading
from citator.git.intended import Touched, between, in_worktree, lines_holding, merge_base, staged
from citator.git.patches import patches
from citator.git.repository import discover
from tests.support.builder import Builder


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def test_patches_come_in_order_without_context_and_empty_where_nothing_changed(
    built: Builder,
) -> None:
    first = built.write("a.txt", "one\ntwo\nthree\n").commit("Begin")
    second = built.write("a.txt", "one\n2\nthree\n").commit("Change")
    third = built.commit("Nothing")
    found = dict(patches(discover(built.path), [third, first, second]))
    assert list(found) == [third, first, second]
    assert found[third] == b""
    assert (found[second] or b"").endswith(b"@@ one\n-two\n+2\n")
    assert b"+++ b/a.txt" in (found[first] or b"")


def test_a_patch_that_is_too_long_or_unreadable_is_none_and_the_rest_goes_on(
    built: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = built.write("a.txt", "x\n" * 400).commit("Long")
    lost = built.write("b.txt", "lost\n").commit("Lost")
    blob = built.resolve("HEAD:b.txt")
    last = built.write("c.txt", "c\n").commit("Last")
    built.lose(blob)
    monkeypatch.setattr(reading, "MAX_BYTES", 500)
    found = dict(patches(discover(built.path), [long, lost, last]))
    assert (found[long], found[lost]) == (None, None)
    assert b"+c\n" in (found[last] or b"")


def test_a_clone_without_blobs_is_given_up_soon_and_fetches_nothing(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 2)
    ids = [built.write("a.txt", f"{number}\n").commit() for number in range(6)]
    bare = built.clone(tmp_path / "partial", filter="blob:none", bare=True)
    repo = discover(bare.path)
    assert repo.partial
    assert list(patches(repo, ids)) == [(one, None) for one in ids]


def test_no_program_that_the_repository_names_runs(built: Builder, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    built.git("config", "diff.evil.textconv", f"touch {mark};")
    built.git("config", "diff.evil.command", f"touch {mark};")
    built.git("config", "filter.evil.clean", f"touch {mark};")
    built.write(".gitattributes", "* diff=evil filter=evil\n").commit()
    commit = built.write("a.txt", "a\n").commit()
    mark.unlink(missing_ok=True)
    repo = discover(built.path)
    assert b"+a" in (dict(patches(repo, [commit]))[commit] or b"")
    (built.path / "a.txt").write_text("b\n")
    assert [one.path for one in in_worktree(repo, commit)] == ["a.txt"]
    staged(repo, commit)
    assert not mark.exists()


def test_staged_work_tree_and_branches_are_compared_with_a_base(built: Builder) -> None:
    base = built.write("a.txt", "a\n").write("gone.txt", "x\n").commit()
    ids = {name: built.resolve(f"HEAD:{name}") for name in ("a.txt", "gone.txt")}
    repo = discover(built.path)
    assert (staged(repo, base), in_worktree(repo, base)) == ([], [])

    (built.path / "a.txt").write_text("staged\n")
    built.git("add", "a.txt")
    (built.path / "gone.txt").unlink()
    (built.path / "new.txt").write_text("new\n")
    new = built.git("hash-object", "new.txt").decode().strip()
    a = built.git("hash-object", "a.txt").decode().strip()
    assert staged(repo, base) == [Touched("a.txt", ids["a.txt"], a)]
    assert in_worktree(repo, base) == [
        Touched("a.txt", ids["a.txt"], a),
        Touched("gone.txt", ids["gone.txt"], None),
        Touched("new.txt", None, new, False),
    ]

    built.git("add", "new.txt")
    (built.path / "new.txt").unlink()
    (built.path / "a.txt").write_text("a\n")
    assert in_worktree(repo, base) == [Touched("gone.txt", ids["gone.txt"], None)]

    built.switch("other", create=True)
    tip = built.remove("gone.txt").commit()
    assert between(repo, base, tip) == [Touched("gone.txt", ids["gone.txt"], None)]
    assert merge_base(repo, base, tip) == base


def test_lines_that_hold_a_text_are_found_but_where_it_is_hidden(built: Builder) -> None:
    built.write("a.py", "x = 1\n    def  warm_up(a):\n").write("secret/b.py", "warm_up()\n")
    commit = built.commit()
    repo = discover(built.path)
    found = lines_holding(repo, commit, ["warm_up", "absent"], lambda path: path.startswith("sec"))
    assert found == {"warm_up": [("a.py", "def warm_up(a):")], "absent": []}
    assert lines_holding(repo, commit, [], lambda _: False) == {}
