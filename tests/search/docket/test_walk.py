"""Lines walk back to the commits that gave them their behaviour, past those that gave them form."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from citator.git.repository import discover
from citator.search.docket.patience import Patience
from citator.search.docket.steps import Skip
from citator.search.docket.walk import Origin, Place, Walk, Walked
from tests.support.barn import BARN
from tests.support.barn import FORMATTED as FORMATTED_KEEP
from tests.support.builder import Builder

FORMATTED = f"{FORMATTED_KEEP}\n\ndef sweep(floor):\n    return floor\n"


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def walked(
    built: Builder,
    path: str,
    line: int,
    ignored: frozenset[str] = frozenset(),
    seconds: float = 60.0,
) -> Walked:
    repo = discover(built.path)
    with Walk(repo, ignored) as walk:
        start: dict[int, Sequence[Place]] = {line: [Place(built.head(), path, line)]}
        return walk.back(start, Patience.of(seconds, time.monotonic))


def origin(built: Builder, path: str, line: int, ignored: frozenset[str] = frozenset()) -> Origin:
    found = walked(built, path, line, ignored)
    assert found.ended
    return found.origins[line][0]


def passed(one: Origin) -> list[tuple[str, Skip]]:
    return [(skipped.commit, skipped.skip) for skipped in one.skipped]


def test_a_formatter_run_is_passed_and_said(built: Builder) -> None:
    made = built.write("barn.py", BARN).commit("Keep grain")
    formatted = built.write("barn.py", FORMATTED).commit("Format")
    found = origin(built, "barn.py", 7)
    assert (found.commit, found.path, found.line) == (made, "barn.py", 2)
    assert passed(found) == [(formatted, Skip.FORMAT)]
    assert origin(built, "barn.py", 16).skipped == ()


def test_a_change_inside_what_was_formatted_is_the_lines_own(built: Builder) -> None:
    made = built.write("barn.py", BARN).commit("Keep grain")
    changed = FORMATTED.replace("limit=40,", "limit=50,")
    formatted = built.write("barn.py", changed).commit("Format, and hold more")
    assert (origin(built, "barn.py", 3).commit, origin(built, "barn.py", 3).skipped) == (
        formatted,
        (),
    )
    assert origin(built, "barn.py", 4).commit == made


def test_indentation_is_passed(built: Builder) -> None:
    made = built.write("a.py", "total = count(sacks) + rest\n").commit("Count")
    indented = built.write("a.py", "if sacks:\n    total = count(sacks) + rest\n").commit("Guard")
    found = origin(built, "a.py", 2)
    assert (found.commit, passed(found)) == (made, [(indented, Skip.WHITESPACE)])
    assert origin(built, "a.py", 1).commit == indented


def test_what_is_said_beside_code_is_passed(built: Builder) -> None:
    made = built.write("a.py", "total = count(sacks)\n").commit("Count")
    said = built.write("a.py", "total = count(sacks)  # noqa\n").commit("Silence")
    found = origin(built, "a.py", 1)
    assert (found.commit, passed(found)) == (made, [(said, Skip.COMMENT)])


def test_sorted_imports_are_passed_by_the_names_they_bind(built: Builder) -> None:
    before = "import zlib\nfrom farm import sow, reap\nimport ast\n\nx = 1\n"
    after = "import ast\nimport zlib\n\nfrom farm import (\n    reap,\n    sow,\n)\n\nx = 1\n"
    made = built.write("a.py", before).commit("Begin")
    built.write("a.py", after).commit("Sort imports")
    for line in (1, 2, 5, 6):
        assert origin(built, "a.py", line).commit == made


def test_moves_and_renames_are_followed_each_said(built: Builder) -> None:
    whole = BARN + "\n\ndef close(door):\n    door.shut()\n"
    made = built.write("barn.py", whole).commit("Make")
    renamed = built.remove("barn.py").write("granary.py", whole).commit("Name")
    helper = "import math\n\n\n" + "\n".join(BARN.splitlines()[:3]) + "\n"
    rest = "def sweep(floor):\n    return floor\n\n\ndef close(door):\n    door.shut()\n"
    split = built.write("granary.py", rest).write("keeping.py", helper).commit("Split")
    found = origin(built, "keeping.py", 5)
    assert (found.commit, found.path, found.line) == (made, "barn.py", 2)
    assert passed(found) == [(split, Skip.MOVED_BETWEEN), (renamed, Skip.RENAMED)]


def test_a_copy_that_stays_is_no_move(built: Builder) -> None:
    built.write("barn.py", BARN).commit("Make")
    copied = built.write("other.py", BARN).commit("Copy")
    assert origin(built, "other.py", 2).commit == copied


def test_within_a_file_lines_move(built: Builder) -> None:
    one = "def first(sacks):\n    return count(sacks) + spare_sacks\n"
    two = "def second(mice):\n    return chase(mice, with_cat=True)\n"
    made = built.write("a.py", f"{one}\n\n{two}\n\nx = 1\n").commit("Make")
    moved = built.write("a.py", f"{two}\n\nx = 1\n\n\n{one}").commit("Order")
    found = [origin(built, "a.py", line) for line in (1, 2, 8, 9)]
    assert [one.commit for one in found] == [made] * 4
    assert {skip for one in found for _, skip in passed(one)} == {Skip.MOVED}
    assert moved in {commit for one in found for commit, _ in passed(one)}


def test_a_commit_that_is_to_be_ignored_is_passed_where_the_line_stood_before(
    built: Builder,
) -> None:
    made = built.write("a.py", 'said = "%s sacks" % count\n').commit("Say")
    mended = built.write("a.py", 'said = f"{count} sacks"\n').commit("Modernise")
    assert origin(built, "a.py", 1).commit == mended
    found = origin(built, "a.py", 1, frozenset({mended}))
    assert (found.commit, passed(found)) == (made, [(mended, Skip.IGNORED)])


def test_a_joined_line_has_its_newest_origin_first(built: Builder) -> None:
    older = built.write("a.py", "x = make(\n    wheat,\n)\n").commit("One")
    newer = built.write("a.py", "x = make(\n    wheat, barley_and_rye,\n)\n").commit("Two")
    built.write("a.py", "x = make(wheat, barley_and_rye)\n").commit("Join")
    found = walked(built, "a.py", 1).origins[1]
    assert [one.commit for one in found] == [newer, older]


def test_at_the_edge_of_a_shallow_clone_it_is_of_that_commit_or_older(
    built: Builder, tmp_path: Path
) -> None:
    built.write("a.py", "x = 1\n").commit("One")
    edge = built.write("b.py", "y = 1\n").commit("Two")
    clone = built.clone(tmp_path / "clone", depth=1)
    found = origin(clone, "a.py", 1)
    assert (found.commit, found.edge) == (edge, True)
    assert origin(built, "a.py", 1).edge is False


def test_a_partial_clone_fetches_nothing_and_says_that_an_object_is_missing(
    built: Builder, tmp_path: Path
) -> None:
    built.write("a.py", "x = 1\n").commit("One")
    built.write("a.py", "x = 2\n").commit("Two")
    clone = built.clone(tmp_path / "clone", filter="blob:none")
    found = walked(clone, "a.py", 1)
    assert (found.missing, found.ended) == (True, False)


def test_without_time_a_line_stands_where_the_walk_was(built: Builder) -> None:
    built.write("a.py", "x = 1\n").commit("One")
    found = walked(built, "a.py", 1, seconds=0.0)
    assert not found.ended
    assert [one.commit for one in found.origins[1]] == [built.head()]


def test_paths_that_look_like_options_or_need_quotes_are_read(built: Builder) -> None:
    names = ["--output=x", "sp ace/é\tü.txt", 'quo"te.txt']
    for name in names:
        built.write(name.encode(), "one line of text\n")
    made = built.commit("Make")
    for name in names:
        assert (origin(built, name, 1).commit, origin(built, name, 1).path) == (made, name)


def test_a_sha256_repository_is_walked(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "long", object_format="sha256")
    made = built.write("barn.py", BARN).commit("Keep grain")
    built.write("barn.py", FORMATTED).commit("Format")
    assert origin(built, "barn.py", 7).commit == made


def test_of_a_line_cut_out_of_a_longer_one_its_own_tokens_are_followed(built: Builder) -> None:
    line = "def keep(grain, limit=40, where='barn'):\n    pass\n"
    made = built.write("a.py", line).commit("One")
    changed = built.write("a.py", line.replace("barn", "mill")).commit("Two")
    text = "def keep(\n    grain,\n    limit=40,\n    where='mill',\n):\n    pass\n"
    built.write("a.py", text).commit("Format")
    found = [origin(built, "a.py", line) for line in (1, 2, 3, 4)]
    assert [one.commit for one in found] == [made, made, made, changed]
    assert (changed, Skip.BESIDE) in passed(found[1])


def test_a_comma_at_the_end_and_quotes_around_a_key_only_separate(built: Builder) -> None:
    made = built.write("a.js", 'x = { "first": ["always", "never"] }\n').commit("One")
    more = 'x = {\n  first: ["always", "never"],\n  second: true,\n}\n'
    built.write("a.js", more).commit("Two")
    assert origin(built, "a.js", 2).commit == made
