"""Rankers side by side: one interface, answers kept, differences on the same instances."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from bench.localize.metrics import Placed
from bench.localize.peers import recorded
from bench.localize.plain import PLAIN, Tree, WordStore
from bench.localize.rankers import (
    External,
    answer_all,
    answers_of,
    candidates,
    paired,
    placed,
)

from citator.git import repository
from tests.support.builder import Builder

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["text"] == "die":
        sys.exit(3)
    files = [asked["commit"], *asked["candidates"]]
    print(json.dumps({"instance_id": asked["instance_id"], "files": files}), flush=True)
"""


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    return tmp_path / "mirrors"


@pytest.fixture
def commit(mirrors: Path) -> str:
    builder = Builder.init(mirrors / "o+n" / "repo")
    builder.write("pkg/lease.py", "def renew(worker): return worker\n" * 2)
    builder.write("pkg/clock.py", "def drift(): return 'renew'\n")
    builder.write("tests/test_lease.py", "renew renew renew").write("notes.md", "renew")
    return builder.commit("Begin")


def row(commit: str, text: str, instance: str = "o__n-1") -> dict[str, object]:
    return {
        "instance_id": instance, "repo": "o/n", "base_commit": commit, "created_at": "",
        "problem_statement": text, "gold_files": ["pkg/lease.py"],
    }  # fmt: skip


def external(tmp_path: Path) -> External:
    script = tmp_path / "echo.py"
    script.write_text(ECHO, "utf-8")
    return External("echo", [sys.executable, str(script)], patience=30)


def test_plain_rankers_order_the_candidates_that_are_not_tests(
    mirrors: Path, commit: str, tmp_path: Path
) -> None:
    here = repository.discover(mirrors / "o+n" / "repo")
    files = candidates(here, commit)
    assert sorted(files) == ["pkg/clock.py", "pkg/lease.py"]
    with WordStore(here, tmp_path / "words.sqlite") as store:
        tree = Tree(mirrors, files, store)
        asked = row(commit, "A worker does not renew, see pkg/lease.py")
        ranked = {one.name: one.rank(asked, tree) for one in PLAIN}
    assert ranked == {
        "bm25-raw": ["pkg/lease.py", "pkg/clock.py"],
        "word-count": ["pkg/lease.py", "pkg/clock.py"],
        "path-mention": ["pkg/lease.py"],
    }


def test_an_answer_that_is_kept_is_not_asked_for_again(
    mirrors: Path, commit: str, tmp_path: Path
) -> None:
    kept = tmp_path / "rankings" / "bm25-raw.jsonl"
    kept.parent.mkdir()
    kept.write_text(json.dumps({"instance_id": "o__n-1", "files": ["x.py"]}) + '\n{"insta', "utf-8")
    rows = [row(commit, "renew"), row("0" * 40, "renew", "o__n-2"), row(commit, "renew", "o__n-3")]
    answer_all(PLAIN, rows, mirrors, tmp_path)
    assert answers_of(kept) == {"o__n-1": ["x.py"], "o__n-3": ["pkg/lease.py", "pkg/clock.py"]}
    other = answers_of(tmp_path / "rankings" / "word-count.jsonl")
    both = ["pkg/lease.py", "pkg/clock.py"]
    assert other == {"o__n-1": both, "o__n-3": both}


def test_a_program_that_dies_has_found_nothing_there_and_is_started_again(
    mirrors: Path, commit: str, tmp_path: Path
) -> None:
    asked = [row(commit, "die", "o__n-1"), row(commit, "renew", "o__n-2")]
    echo = external(tmp_path)
    answer_all([echo], asked, mirrors, tmp_path)
    echo.close()
    answers = answers_of(tmp_path / "rankings" / "echo.jsonl")
    assert answers == {"o__n-1": [], "o__n-2": [commit, "pkg/clock.py", "pkg/lease.py"]}


def test_files_that_are_no_candidates_are_passed_over_when_gold_is_placed(commit: str) -> None:
    found = placed(row(commit, ""), ["notes.md", "tests/test_lease.py", "a.py", "pkg/lease.py"])
    assert found.places == (2,)


def test_a_difference_is_taken_on_the_instances_that_both_ranked() -> None:
    ours = [Placed(str(n), "r", (1,), 1, 0.0) for n in range(4)]
    other = [Placed(str(n), "r", (1 + n % 2,), 1, 0.0) for n in range(1, 6)]
    found = paired(ours, other, 1)
    assert (found["n"], found["won"], found["lost"], found["points"]) == (3, 2, 0, 66.7)
    assert found["low"] < 66.7 < found["high"]


def test_released_answers_are_read_in_each_of_their_shapes(tmp_path: Path) -> None:
    file = tmp_path / "released.jsonl"
    shapes: list[dict[str, object]] = [
        {"files": ["a.py"]}, {"found_files": ["b.py"]}, {"hybrid_top": [{"file": "c.py"}]}, {},
    ]  # fmt: skip
    lines = [json.dumps({"instance_id": "i", **one}) for one in shapes]
    file.write_text("\n".join(lines), "utf-8")
    assert [one["files"] for one in recorded(file)] == [["a.py"], ["b.py"], ["c.py"], []]
