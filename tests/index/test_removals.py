"""What left is mined once, counted by ancestry, and forgotten where it came back by a revert."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citator.git.repository import discover
from citator.index import removals as store
from citator.index.removals import Found, Removals
from citator.index.removals_mining import mined
from citator.sources.removals.causes import Cause
from citator.sources.removals.marks import MarkKind, number, shingles, significant
from tests.support.builder import Builder

WHY = "It served stale rows for hours, because nothing ever invalidated it."
CODE = """def fetch_cached_rows(client, key):
    value = client.get(key)
    if value is None:
        raise KeyError(key)
    return value.decode()
"""
SYMBOL = number(MarkKind.SYMBOL, "fetch_cached_rows")
FILE = number(MarkKind.FILE, "src/rows.py")
REDIS = number(MarkKind.DEPENDENCY, "pypi", "redis")
LINES = shingles([text for line in CODE.split("\n") if (text := significant(line))])


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/rows.py", CODE).write("requirements.txt", "redis==5\nflask==3\n")
    builder.write("config.yaml", "cache_size: 3\nother: 1\n").write("README.md", CODE)
    builder.commit("Begin")
    return builder


@pytest.fixture
def removals(tmp_path: Path) -> Iterator[Removals]:
    with Removals(tmp_path / "derived") as opened:
        yield opened


def removed(built: Builder, message: str = f"Remove the row cache and redis\n\n{WHY}") -> str:
    return built.remove("src/rows.py").write("requirements.txt", "flask==3\n").commit(message)


def found(removals: Removals, built: Builder, *marks: int) -> list[Found]:
    view = removals.bring_up(discover(built.path), built.head())
    return removals.found(list(marks or (SYMBOL, FILE, REDIS, *LINES)), view)


def test_a_removal_that_says_why_is_known_by_file_symbol_lines_and_dependency(
    built: Builder, removals: Removals
) -> None:
    commit = removed(built)
    rows = found(removals, built)
    assert {(one.kind, one.name, one.path) for one in rows} == {
        (MarkKind.FILE, "src/rows.py", "src/rows.py"),
        (MarkKind.SYMBOL, "fetch_cached_rows", "src/rows.py"),
        (MarkKind.LINES, "", "src/rows.py"),
        (MarkKind.DEPENDENCY, "redis", "requirements.txt"),
    }
    assert {(one.commit, one.cause, one.at) for one in rows} == {
        (commit, Cause.STATED, built.clock)
    }
    (lines,) = (one for one in rows if one.kind is MarkKind.LINES)
    assert (lines.size, lines.marks, lines.line) == (len(LINES), frozenset(LINES), 1)


@pytest.mark.parametrize(
    "message", ["Remove the row cache", "wip", f"Tidy the rows\n\n{WHY}", "Say how to revert it"]
)
def test_what_left_without_a_reason_is_not_known(
    built: Builder, removals: Removals, message: str
) -> None:
    removed(built, message)
    assert found(removals, built) == []


def test_an_explanation_that_names_the_dependency_is_enough_for_it_alone(
    built: Builder, removals: Removals
) -> None:
    removed(built, f"Keep rows in memory\n\nThe redis server failed. {WHY}")
    (one,) = found(removals, built)
    assert (one.kind, one.cause) == (MarkKind.DEPENDENCY, Cause.EXPLAINED)


def test_what_moves_within_a_commit_never_left(built: Builder, removals: Removals) -> None:
    built.remove("src/rows.py").write("src/other.py", f"import x\n\n{CODE}")
    built.write("requirements.txt", "flask==3\n").write("setup.cfg", "[options]\n")
    built.write("pyproject.toml", '[project]\ndependencies = ["redis", "flask"]\n')
    built.commit(f"Remove rows.py\n\n{WHY}")
    assert found(removals, built) == []


def test_tests_prose_and_the_record_are_no_behaviour(built: Builder, removals: Removals) -> None:
    for path in ("tests/test_rows.py", "docs/rows.md", ".citator/record/rows.py", "vendor/rows.py"):
        built.write(path, CODE)
    built.remove("src/rows.py").commit("Spread it")
    for path in ("tests/test_rows.py", "docs/rows.md", ".citator/record/rows.py", "vendor/rows.py"):
        built.remove(path)
    built.commit(f"Remove the rows\n\n{WHY}")
    assert found(removals, built, SYMBOL, *LINES) == []


def test_a_setting_that_a_revert_took_out_is_known_in_its_file(
    built: Builder, removals: Removals
) -> None:
    built.write("config.yaml", "other: 1\n").commit('Revert "Size the cache"\n\nIt broke.')
    (one,) = found(removals, built, number(MarkKind.KEY, "config.yaml", "cache_size"))
    assert (one.name, one.cause) == ("cache_size", Cause.REVERT)


def test_a_removal_counts_by_ancestry_and_a_branch_costs_what_it_has_alone(
    built: Builder, removals: Removals
) -> None:
    built.branch("before")
    removed(built)
    repo, main = discover(built.path), built.head()
    assert len(removals.bring_up(repo, main)) == 1
    built.switch("before")
    assert found(removals, built) == []
    read: list[int] = []
    built.commit("One more")
    assert removals.bring_up(repo, built.head(), read.append) == frozenset()
    assert read == [1]
    assert removals.bring_up(repo, main, read.append) == frozenset({1})
    assert read == [1]


def test_an_increment_answers_like_a_fresh_store(built: Builder, tmp_path: Path) -> None:
    repo = discover(built.path)
    with Removals(tmp_path / "one") as grown, Removals(tmp_path / "two") as fresh:
        grown.bring_up(repo, built.head())
        removed(built)
        grown.bring_up(repo, built.head())
        built.write("src/rows.py", CODE).commit("Bring it back")
        built.remove("src/rows.py").commit('Revert "Bring it back"\n\nAgain.')
        marks = [SYMBOL, FILE, REDIS, *LINES]
        one = grown.found(marks, grown.bring_up(repo, built.head()))
        two = fresh.found(marks, fresh.bring_up(repo, built.head()))
    assert len({each.commit for each in one}) == 2
    assert one == two


def test_a_removal_that_was_reverted_is_forgotten_and_one_whose_revert_was_reverted_is_not(
    built: Builder, removals: Removals
) -> None:
    commit = removed(built)
    assert found(removals, built, FILE) != []
    built.write("src/rows.py", CODE)
    undone = built.commit(f'Revert "Remove it"\n\nThis reverts commit {commit}.')
    assert found(removals, built, FILE) == []
    built.remove("src/rows.py")
    built.commit(f'Revert "Revert"\n\nThis reverts commit {undone}.')
    assert {one.commit for one in found(removals, built, FILE)} == {commit, built.head()}


def test_what_many_removals_hold_tells_nothing(built: Builder, removals: Removals) -> None:
    for number_ in range(store.COMMON + 1):
        path = f"src/part{number_}.py"
        built.write(path, CODE).commit(f"Add part {number_}")
        built.remove(path).commit(f"Remove part {number_}\n\n{WHY}")
    assert found(removals, built, SYMBOL, *LINES) == []


def test_removals_that_are_hidden_are_neither_matched_nor_counted(
    built: Builder, removals: Removals
) -> None:
    for number_ in range(store.COMMON + 1):
        path = f"secret/part{number_}.py"
        built.write(path, CODE).commit(f"Add part {number_}")
        built.remove(path).commit(f"Remove part {number_}\n\n{WHY}")
    removed(built)
    view = removals.bring_up(discover(built.path), built.head())
    left = removals.without(
        view, lambda paths: paths is None or any(one.startswith("secret/") for one in paths)
    )
    assert removals.found([SYMBOL], view) == []
    assert [one.commit for one in removals.found([SYMBOL], left)] == [built.head()]


def test_a_damaged_or_older_store_is_made_again(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed(built)
    repo, folder = discover(built.path), tmp_path / "derived"
    with Removals(folder) as opened:
        assert len(opened.bring_up(repo, built.head())) == 1
    (folder / store.FILE).write_bytes(b"not a database" * 500)
    for end in ("-wal", "-shm"):
        (folder / f"{store.FILE}{end}").unlink(missing_ok=True)
    with Removals(folder) as opened:
        assert opened.view(built.head()) is None
        assert len(opened.bring_up(repo, built.head())) == 1
    monkeypatch.setattr(store, "CONTRACT", "another")
    with Removals(folder) as opened:
        assert opened.view(built.head()) is None


def test_names_and_paths_of_any_bytes_are_kept(built: Builder, removals: Removals) -> None:
    raw = b"src/caf\xe9.py"
    built.write(raw, CODE.replace("fetch", "pull")).commit("Add")
    built.remove(raw).commit(f"Remove it\n\n{WHY}")
    path = raw.decode("utf-8", "surrogateescape")
    (one,) = found(removals, built, number(MarkKind.FILE, path))
    assert (one.path, one.name) == (path, path)


def test_merges_and_bulk_are_bounded(built: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    built.branch("side")
    removed(built)
    built.switch("side").write("x.txt", "x\n").commit("Else")
    built.switch("main").merge("side", message=f"Remove by merging\n\n{WHY}")
    repo = discover(built.path)
    batches = list(mined(repo, built.head()))
    assert sum(one.commits for one in batches) == 4
    assert sum(one.candidates for one in batches) == 1


def test_a_dependency_that_a_removal_does_not_name_went_along_by_the_way(
    built: Builder, removals: Removals
) -> None:
    removed(built, f"Remove the row cache\n\n{WHY}")
    assert found(removals, built, REDIS) == []


def test_of_a_name_that_left_and_came_back_the_last_times_it_left_are_known(
    built: Builder, removals: Removals
) -> None:
    commits = []
    for number_ in range(store.COMMON + 2):
        commits.append(removed(built))
        built.write("src/rows.py", CODE).write("requirements.txt", f"redis==5\nx{number_}==1\n")
        built.commit("Take it in again")
    commits.append(removed(built))
    for mark in (SYMBOL, FILE, REDIS):
        rows = found(removals, built, mark)
        assert [one.commit for one in rows] == commits[-store.COMMON :]
    assert found(removals, built, *LINES) == []
