"""What comes back: named, measured, and silent where it never left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from citator.git.repository import discover
from citator.guard.change import Change, changed, compared, named
from citator.guard.resurrections import (
    Resurrection,
    Strength,
    brought_by,
    brought_by_words,
    resurrections,
    settled,
)
from citator.index.removals import Removals
from citator.sources.removals.marks import MarkKind
from tests.index.test_removals import CODE, WHY
from tests.support.builder import Builder

Lines = Mapping[str, Sequence[tuple[str, str]]]


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    """A history that took the row cache out, and a retry by a revert."""
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/rows.py", CODE).write("requirements.txt", "redis==5\nflask==3\n")
    builder.write("src/retry.py", "def retry():\n    attempts_before_giving_up = 17\n    go()\n")
    builder.write("src/cli.py", 'add_option("--keep-rows", default=False)\nother = 1\n')
    builder.commit("Begin")
    builder.remove("src/rows.py").write("requirements.txt", "flask==3\n")
    builder.write("src/cli.py", "other = 1\n").commit(f"Remove the row cache and redis\n\n{WHY}")
    builder.write("src/retry.py", "def retry():\n    attempts_before_giving_up = 3\n    go()\n")
    builder.commit('Revert "Retry more often"\n\nThis reverts commit 1234567.')
    return builder


def back(
    built: Builder, change: Change, lines: Lines | None = None, words: Sequence[str] | None = None
) -> list[Resurrection]:
    with Removals(built.path.parent / "derived") as removals:
        view = removals.bring_up(discover(built.path), built.head())
        brought = brought_by(change) if words is None else brought_by_words(words)
        found = removals.found(list(brought.places), view)
    return settled(resurrections(brought, found), lines or {})


def facts(found: Sequence[Resurrection]) -> list[tuple[MarkKind, Strength, str, int, int]]:
    return [(o.found.kind, o.strength, o.place.path, o.place.line, o.also) for o in found]


def test_a_file_that_comes_back_is_one_finding_with_what_else_came_along(built: Builder) -> None:
    change = changed([compared(None, "src/rows.py", None, CODE.encode())])
    assert facts(back(built, change)) == [
        (MarkKind.FILE, Strength.STRONG, "src/rows.py", 0, 2),
    ]


def test_lines_that_come_back_elsewhere_count_where_most_of_a_run_does(built: Builder) -> None:
    whole = changed([compared(None, "src/new.py", None, b"import os\n\n" + CODE.encode())])
    (one,) = back(built, whole)
    assert (one.found.kind, one.strength, one.place.line) == (MarkKind.LINES, Strength.FAIR, 3)
    assert one.share == 1.0
    part = CODE.split("\n", 2)[2].encode()
    (some,) = back(built, changed([compared(None, "src/new.py", None, part)]))
    assert some.strength is Strength.WEAK


def test_a_dependency_comes_back_by_its_name_whatever_its_version(built: Builder) -> None:
    old = b"flask==3\n"
    change = changed(
        [compared("requirements.txt", "requirements.txt", old, old + b"Redis[hiredis]>=9\n")]
    )
    assert facts(back(built, change)) == [
        (MarkKind.DEPENDENCY, Strength.STRONG, "requirements.txt", 2, 0)
    ]
    lines = {"redis": [("pyproject.toml", 'dependencies = ["redis"]')]}
    assert back(built, change, lines) == []
    assert back(built, change, {"redis": [("README.md", "redis was removed")]}) != []


def test_one_line_that_a_revert_took_out_comes_back_in_its_own_file_alone(built: Builder) -> None:
    old = b"def retry():\n    attempts_before_giving_up = 3\n    go()\n"
    new = old.replace(b"= 3", b"= 17")
    assert facts(back(built, changed([compared("src/retry.py", "src/retry.py", old, new)]))) == [
        (MarkKind.LINES, Strength.FAIR, "src/retry.py", 2, 0)
    ]
    assert back(built, changed([compared("src/x.py", "src/x.py", old, new)])) == []


def test_what_never_left_or_came_back_before_is_no_news(built: Builder) -> None:
    change = changed([compared(None, "src/new.py", None, CODE.encode())])
    (one,) = back(built, change)
    assert back(built, change, {one.place.text: [("src/a.py", one.place.text)]})[0].strength is (
        Strength.WEAK
    )
    assert back(built, change, {one.place.text: [("tests/test_a.py", one.place.text)]})[0] == one


def test_an_option_comes_back_by_its_name(built: Builder) -> None:
    change = changed([compared("src/x.py", "src/x.py", b"", b'parser.add("--keep-rows", int)\n')])
    assert facts(back(built, change)) == [(MarkKind.FLAG, Strength.FAIR, "src/x.py", 1, 0)]


def test_words_name_dependencies_symbols_and_options(built: Builder) -> None:
    (one,) = back(built, Change(), words=["cache", "with", "Redis", "again"])
    assert (one.found.kind, one.found.name) == (MarkKind.DEPENDENCY, "redis")
    (one,) = back(built, Change(), words=["call", "fetch_cached_rows"])
    assert one.found.kind is MarkKind.SYMBOL
    assert back(built, Change(), words=["use", "a", "cache"]) == []


def test_a_change_of_other_things_brings_nothing_back(built: Builder) -> None:
    change = changed(
        [
            compared("src/cli.py", "src/cli.py", b"other = 1\n", b"other = 2\n"),
            compared("tests/test_rows.py", "tests/test_rows.py", b"", CODE.encode()),
            compared("rows.md", "rows.md", b"", CODE.encode()),
            named("src/cli.py"),
        ]
    )
    assert back(built, change) == []


def test_a_line_of_a_large_revert_tells_nothing_by_itself(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "repo")
    lines = [f"setting_number_{n} = choose_value({n})\n" for n in range(9)]
    spaced = "keep_this_in_between = 1\n".join(lines)
    builder.write("src/a.py", spaced).commit("Begin")
    kept = "keep_this_in_between = 1\n" * 8
    builder.write("src/a.py", kept).commit('Revert "Choose"\n\nThis reverts commit 1234567.')

    def strengths(count: int) -> set[Strength]:
        new = kept + "".join(f"\n{line}" for line in lines[:count])
        change = changed([compared("src/a.py", "src/a.py", kept.encode(), new.encode())])
        return {one.strength for one in back(builder, change)}

    assert strengths(1) == {Strength.WEAK}
    assert strengths(2) == {Strength.FAIR}


def test_of_what_left_twice_the_last_time_is_told(built: Builder) -> None:
    built.write("src/rows.py", CODE).commit("Bring it back")
    built.remove("src/rows.py")
    last = built.commit('Revert "Bring it back"\n\nIt broke again.')
    change = changed([compared(None, "src/rows.py", None, CODE.encode())])
    assert [one.found.commit for one in back(built, change)] == [last]


def test_what_a_program_put_into_a_lock_file_is_weak(built: Builder) -> None:
    lock = b'[[package]]\nname = "redis"\n'
    change = changed([compared("poetry.lock", "poetry.lock", b"", lock)])
    assert [one.strength for one in back(built, change)] == [Strength.WEAK]
