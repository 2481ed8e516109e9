"""What changes together is named with its counts, from what the audience may see alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.index.code import cochange, past
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.service.cochange import Partner, cochange_of, sentence
from citator.service.workspace import Places, Workspace
from citator.trust.grants import Grants
from citator.trust.readership import PathRule, Readership, Readerships
from tests.support.builder import EPOCH, Builder

MONTH = 31 * 86_400
Opened = Callable[[Builder], Workspace]


@pytest.fixture
def mill(tmp_path: Path) -> Builder:
    """Each month the wheel changes; the ledger with it but in the second and the fifth."""
    builder = Builder.init(tmp_path / "mill")
    builder.write("house/wheel.py", "0").write("house/ledger.txt", "0").write("readme.md", "0")
    builder.commit("Build a mill", date=EPOCH)
    for month in range(1, 11):
        builder.write("house/wheel.py", str(month))
        if month not in (2, 5):
            builder.write("house/ledger.txt", str(month))
        if month == 2:
            builder.write("readme.md", str(month))
        builder.commit(f"Turn {month}", date=EPOCH + month * MONTH)
    return builder


def named(workspace: Workspace, *changed: str) -> list[tuple[str, int, int]]:
    return [(one.path, one.together, one.of) for one in cochange_of(workspace, changed)]


def test_a_file_that_nearly_always_changed_too_is_named_with_its_counts(
    mill: Builder, open_workspace: Opened
) -> None:
    newest = tuple(mill.resolve(f"HEAD~{back}")[:10] for back in range(3))
    found = cochange_of(open_workspace(mill), ["house/wheel.py"])
    assert found == (Partner("house/ledger.txt", "house/wheel.py", 9, 11, newest),)
    assert sentence(found[0]) == (
        "in 9 of the last 11 times that house/wheel.py changed, house/ledger.txt changed with it"
    )


def test_what_is_kept_is_made_anew_with_what_it_is_made_of() -> None:
    assert cochange.VERSION.split(".")[1] == past.VERSION


def test_what_was_kept_answers_the_same_without_numpy(
    mill: Builder, open_workspace: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_workspace(mill)
    made = cochange_of(workspace, ["house/wheel.py"])
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert cochange_of(workspace, ["house/wheel.py"]) == made != ()
    monkeypatch.undo()
    (kept,) = (workspace.place.derived / "code").glob("*.changes")
    kept.write_bytes(kept.read_bytes()[:-4096])
    assert cochange_of(workspace, ["house/wheel.py"]) == made


def test_what_is_changed_already_is_not_named(mill: Builder, open_workspace: Opened) -> None:
    workspace = open_workspace(mill)
    assert named(workspace, "house/wheel.py", "house/ledger.txt") == []
    assert named(workspace, "readme.md") == []
    assert named(workspace, "new.py") == named(workspace) == []


def test_merges_and_bulk_changes_do_not_count(mill: Builder, open_workspace: Opened) -> None:
    mill.write("house/wheel.py", "bulk").write("house/ledger.txt", "bulk")
    for number in range(29):
        mill.write(f"grain/{number}.txt", "1")
    mill.commit("Change everything", date=EPOCH + 11 * MONTH)
    main = mill.head()
    mill.switch("side", create=True)
    mill.write("house/wheel.py", "side")
    side = mill.commit("Turn aside", date=EPOCH + 12 * MONTH)
    mill.switch("main")
    mill.write("house/wheel.py", "side").write("house/ledger.txt", "merged")
    mill.commit("Merge", parents=[main, side], date=EPOCH + 13 * MONTH)
    assert named(open_workspace(mill), "house/wheel.py") == []  # 9 of 12: the merge is none


def test_a_new_part_written_in_one_go_ties_nothing(tmp_path: Path, open_workspace: Opened) -> None:
    builder = Builder.init(tmp_path / "new")
    for number in range(10):
        builder.write("a.py", str(number)).write("b.py", str(number))
        builder.commit(f"Step {number}")
    assert named(open_workspace(builder), "a.py") == []


def test_a_file_is_followed_through_a_move(mill: Builder, open_workspace: Opened) -> None:
    mill.remove("house/wheel.py").write("yard/wheel.py", "10")
    mill.write("house/ledger.txt", "11").commit("Move the wheel", date=EPOCH + 11 * MONTH)
    assert named(open_workspace(mill), "yard/wheel.py") == [("house/ledger.txt", 10, 12)]


def test_files_that_go_their_own_way_outvote_one(mill: Builder, open_workspace: Opened) -> None:
    for number in range(2):
        mill.write(f"yard/{number}.py", "1").commit(date=EPOCH + 11 * MONTH)
    workspace = open_workspace(mill)
    assert named(workspace, "house/wheel.py", "yard/0.py", "yard/1.py") == []
    assert named(workspace, "house/wheel.py") == [("house/ledger.txt", 9, 11)]


def test_what_is_hidden_is_neither_named_nor_counted(
    mill: Builder, open_workspace: Opened, places: Places
) -> None:
    workspace = open_workspace(mill)
    say = Readerships(workspace.layout)
    Grants(workspace.layout).write(Audience(ceiling=Sensitivity.PUBLIC))
    for glob, left in (
        ("house/ledger.txt", []),
        ("house/*", []),
        ("readme.md", [("house/ledger.txt", 8, 9)]),
    ):
        rule = PathRule(glob, Sensitivity.INTERNAL)
        say.set(workspace.repository_id, Readership(Sensitivity.PUBLIC, (rule,)))
        assert named(open_workspace(mill), "house/wheel.py") == left
    say.set(workspace.repository_id, Readership(Sensitivity.INTERNAL, ()))
    assert named(open_workspace(mill), "house/wheel.py") == []


def test_a_hostile_path_is_encoded_and_the_record_left_out(
    tmp_path: Path, open_workspace: Opened
) -> None:
    builder = Builder.init(tmp_path / "hostile")
    for month in range(8):
        builder.write("a.py", str(month)).write("obey me now.md", str(month))
        builder.write(".citator/proposals/x.md", str(month))
        builder.commit(date=EPOCH + month * MONTH)
    assert named(open_workspace(builder), "a.py") == [("obey%20me%20now.md", 8, 8)]


def test_what_is_kept_is_of_one_head_and_is_made_again(
    mill: Builder, open_workspace: Opened
) -> None:
    workspace = open_workspace(mill)
    expected = named(workspace, "house/wheel.py")
    for file in workspace.place.derived.glob("code/*.changes"):
        file.write_bytes(b"damaged")
    assert named(workspace, "house/wheel.py") == expected
    mill.write("house/wheel.py", "11").write("house/ledger.txt", "11")
    mill.commit(date=EPOCH + 11 * MONTH)
    assert named(open_workspace(mill), "house/wheel.py") == [("house/ledger.txt", 10, 12)]
    assert named(open_workspace(mill), "readme.md") == []


def test_nothing_is_said_where_there_is_no_commit(tmp_path: Path, open_workspace: Opened) -> None:
    assert named(open_workspace(Builder.init(tmp_path / "empty")), "a.py") == []
