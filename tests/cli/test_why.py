"""``citator why``: its lines, its object, and what leaves of a repository's words."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from citator.cli.docket_lines import MOST_PLACES, PASSED, RELATIONS, ROLES
from citator.model import docket as dockets
from citator.search.docket.steps import Skip
from citator.service.docket_groups import FORM
from tests.cli.process import Home
from tests.support.builder import Builder

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
WHY = "\n\nBecause ledgers overflowed; ZEBRA words of the author stay behind."


@pytest.fixture
def farm(tmp_path: Path) -> Builder:
    built = Builder.init(tmp_path / "farm")
    built.write("barn.py", "def keep(grain): return store(grain, where='barn')\n")
    built.commit(f"Keep ZEBRA grain (#7){WHY}")
    formatted = 'def keep(grain):\n    return store(grain, where="barn")\n'
    built.write("barn.py", formatted).commit("Format ZEBRA")
    built.write("mill.py", "from barn import keep\n\n\ndef grind(wheat):\n    keep(wheat)\n")
    built.commit(f"Grind{WHY}")
    return built


def test_lines_for_people_name_every_commit_that_was_passed(home: Home, farm: Builder) -> None:
    made, formatted, _ = reversed(farm.git("rev-list", "HEAD").decode().split())
    done = home.run("why", "barn.py:2", "--root", farm.path)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == f"  barn.py:2  since {made[:12]}, there barn.py:1"
    assert lines[1] == f"    passed: {formatted[:12]} formatted it"
    start = f"commit {made[:12]}, 2024-01-01, change 7, gave it its behaviour, 1 line"
    assert any(line.startswith(start) for line in lines)
    assert "ZEBRA" not in done.out


def test_at_the_edge_of_a_shallow_clone_nothing_is_said_to_have_brought_it(
    home: Home, farm: Builder, tmp_path: Path
) -> None:
    clone = farm.clone(tmp_path / "clone", depth=1)
    tip = farm.head()
    done = home.run("why", "barn.py:2", "--root", clone.path)
    edge = f"  barn.py:2  at or before {tip[:12]}, the edge of what this clone has"
    assert done.out.splitlines()[0] == edge
    start = f"commit {tip[:12]}, 2024-01-01, it is of this or an older one, 1 line"
    assert any(line.startswith(start) for line in done.out.splitlines())
    assert "behaviour" not in done.out
    given = home.run("why", "barn.py:2", "--json", "--root", clone.path).object
    assert [one["role"] for one in given["docket"]["commits"]] == ["at_or_before"]


def test_a_range_of_many_commits_is_not_listed_line_by_line(home: Home, farm: Builder) -> None:
    for number in range(MOST_PLACES + 2):
        farm.write("log.py", "".join(f"entry_{one} = {one}\n" for one in range(number + 1)))
        farm.commit(f"Enter {number}{WHY}")
    done = home.run("why", f"log.py:1-{MOST_PLACES + 2}", "--root", farm.path)
    told = [line for line in done.out.splitlines() if line.startswith("  log.py:")]
    assert len(told) == MOST_PLACES
    assert "  2 more places: name fewer lines, or ask with --json." in done.out.splitlines()


def test_words_are_shown_to_whoever_asks(home: Home, farm: Builder) -> None:
    done = home.run("why", "barn.py:2", "--words", "--root", farm.path)
    assert "    > Keep ZEBRA grain (#7)" in done.out.splitlines()
    given = home.run("why", "barn.py:2", "--words", "--json", "--root", farm.path).object
    (commit,) = given["docket"]["commits"]
    assert commit["words"] == {"subject": "Keep ZEBRA grain (#7)", "author": "Ada Author"}


def test_the_object_is_as_documented(home: Home, farm: Builder) -> None:
    done = home.run("why", "barn.py::keep", "--json", "--root", farm.path)
    assert set(done.object) == {"docket", "horizon"}
    docket = done.object["docket"]
    names = {field.name for field in dataclasses.fields(dockets.Docket)}
    extra = {"rejections", "decisions", "decisions_left_out"}
    assert set(docket) == (names - {"record", "horizon"}) | extra
    assert docket["callers"] == [{"path": "mill.py", "first": 4, "last": 5, "name": "grind"}]
    assert "ZEBRA" not in done.out


@pytest.mark.parametrize(
    "form",
    [
        dockets.Docket,
        dockets.DocketCommit,
        dockets.DocketLines,
        dockets.DocketPlace,
        dockets.Partner,
        dockets.Passed,
        dockets.Removal,
    ],
)
def test_every_key_is_documented(form: type) -> None:
    quoted = set(re.findall(r"`([^`]+)`", PAGE.read_text(encoding="utf-8")))
    keys = {field.name for field in dataclasses.fields(form)} - {"record"}
    assert keys - quoted == set()


def test_every_word_is_documented_and_has_its_sentence() -> None:
    quoted = set(re.findall(r"`([^`]+)`", PAGE.read_text(encoding="utf-8")))
    said = {one.value for one in Skip} | {FORM}
    assert set(PASSED) == said
    assert set(RELATIONS) == set(dockets.Relation)
    assert set(ROLES) == set(dockets.Role)
    words = {one.value for kind in (dockets.Shape, dockets.Relation, dockets.Role) for one in kind}
    assert (words | said) - quoted == set()


def test_nothing_that_bears_on_it_is_exit_code_3(home: Home, farm: Builder) -> None:
    done = home.run("why", "why do zeppelins moor at the hangar?", "--root", farm.path)
    assert done.code == 3
    assert home.run("why", "barn.py:90", "--root", farm.path).code == 3
    assert home.run("why", " ", "--root", farm.path).code == 2


def test_what_is_gone_is_told(home: Home, farm: Builder) -> None:
    gone = farm.remove("mill.py").commit(f"Sell the mill{WHY}")
    done = home.run("why", "--removed", "mill.py", "--root", farm.path)
    assert done.out.splitlines()[0] == f"  mill.py  gone since {gone[:12]}, with 5 lines"
