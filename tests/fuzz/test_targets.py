"""Every parser, on kept and on changed inputs: only declared errors come out.

The same inputs in every run. Longer, and guided by what they reach: ``make fuzz`` (bench/fuzz).
"""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

import pytest

import citator.formats
from citator.mcp.definitions import PROFILES
from tests.fuzz import harness
from tests.fuzz.harness import CORPUS, FindingError, Target, corpus, inputs, tried
from tests.fuzz.targets import TARGETS

CHANGED = 60
LARGEST_KEPT = 16_384
# Modules of ``formats`` that write and read nothing of an author.
WRITERS = {"html_assets", "html_page", "treatment_svg", "madr"}
# What once grew with the square of its input: the target, what came first, what was repeated.
GREW = [
    ("markdown", b"", b" ", b"x"),
    ("markdown", b"# a\n\n", b"\t", b"x"),
    ("markdown", b"", b"# \n", b""),
    ("commit", b"tree a\n\nSubject\n\nWhy", b" ", b"x"),
    ("folding", b"", b"9", b""),
    ("html-words", b"", b"<!--", b""),
    ("tree", b"", b"40000 ", b""),
    ("code", b"a.py\n", b"<!--", b""),
    ("code", b"a.rb\n", b"<!--", b""),
]


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_kept_and_what_it_becomes_raise_nothing_undeclared(name: str) -> None:
    target = TARGETS[name]
    kept = corpus(target)
    for data in (*kept, b"", b"\0", *islice(inputs(target, kept, 1), CHANGED)):
        tried(target, data)


@pytest.mark.parametrize(("name", "before", "piece", "after"), GREW)
def test_what_once_grew_with_the_square_of_its_input_no_longer_does(
    name: str, before: bytes, piece: bytes, after: bytes
) -> None:
    data = before + piece * (200_000 // len(piece)) + after
    assert tried(TARGETS[name], data) < harness.PATIENCE


def test_every_target_has_inputs_of_its_own_and_small_ones() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) <= LARGEST_KEPT
    assert len(TARGETS) >= 50


def test_every_format_is_in_a_target() -> None:
    folder = Path(citator.formats.__path__[0])
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    said = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("*_targets.py"))
    reached = {one for one in modules if f"citator.formats.{one} " in said or f" {one}" in said}
    through = {"adr", "adr_text", "okf", "theurian", "ruling", "review_gathering"}
    assert modules - reached - through == WRITERS - reached
    assert len(PROFILES["all"]) >= 7


def test_the_same_seed_makes_the_same_inputs_and_another_makes_others() -> None:
    target = TARGETS["patch"]
    first, again, other = (
        list(islice(inputs(target, corpus(target), seed), 20)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert all(len(data) <= target.most for data in first)


def test_an_error_that_is_not_declared_is_a_finding_and_a_declared_one_is_none() -> None:
    def fail(data: bytes) -> None:
        raise LookupError

    assert tried(Target("fails", fail, (KeyError, LookupError)), b"") >= 0
    with pytest.raises(FindingError, match="LookupError is not declared"):
        tried(Target("fails", fail, (KeyError,)), b"")


def test_an_answer_that_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "PATIENCE", 0.0)

    def work(data: bytes) -> None:
        end = time.process_time() + 0.01
        while time.process_time() < end:
            pass

    with pytest.raises(FindingError, match=r"0\.0 s for 3 bytes"):
        tried(Target("slow", work), b"abc")
