"""What was asked is told from its shape."""

from __future__ import annotations

import pytest

from citator.model.docket import Shape
from citator.model.errors import UsageError
from citator.search.docket.target import Target, target_of

GONE = {"src/gone.py"}
PATHS = {"src/cache.py", "src", "README.md", "odd:12"}


def told(said: str) -> Target:
    return target_of(said, PATHS.__contains__, GONE.__contains__)


@pytest.mark.parametrize(
    ("said", "shape"),
    [
        ("src/cache.py", Shape.PATH),
        ("./src/", Shape.PATH),
        ("odd:12", Shape.PATH),
        ("src/gone.py", Shape.PATH),
        ("src/gone.py::evict", Shape.SYMBOL),
        ("src/cache.py:12", Shape.LINES),
        ("src/cache.py:12-20", Shape.LINES),
        ("src/cache.py:12:5", Shape.LINES),
        ("src/cache.py#L12-L20", Shape.LINES),
        ("src/cache.py::Cache.evict", Shape.SYMBOL),
        ("Cache::evict", Shape.SYMBOL),
        ("evict_all", Shape.SYMBOL),
        ("evict()", Shape.SYMBOL),
        ("2f141bbc54ae", Shape.COMMIT),
        ("01JZ8X3C5D6E7F8G9HJKMNPQRS", Shape.DECISION),
        ('"the barn is full"', Shape.TEXT),
        ("ValueError: the barn is full", Shape.TEXT),
        ("error[E0499]: cannot borrow", Shape.TEXT),
        ("why is the barn full?", Shape.QUESTION),
        ("src/nowhere.py:12", Shape.QUESTION),
    ],
)
def test_the_shape(said: str, shape: Shape) -> None:
    assert told(said).shape is shape


def test_lines_have_a_first_and_a_last() -> None:
    assert (told("src/cache.py:12").first, told("src/cache.py:12").last) == (12, 12)
    assert (told("src/cache.py:12-20").first, told("src/cache.py:12-20").last) == (12, 20)


@pytest.mark.parametrize("lines", ["0", "20-12", "0-3", "00"])
def test_lines_that_no_file_has_are_refused(lines: str) -> None:
    with pytest.raises(UsageError) as caught:
        told(f"src/cache.py:{lines}")
    assert caught.value.code == "no_such_lines"


def test_a_qualified_name_is_looked_for_by_its_last() -> None:
    assert told("src/cache.py::Cache.evict").symbols == ("evict",)
    assert told("Cache::evict()").symbols == ("evict",)


def test_an_error_is_looked_for_without_what_was_filled_in() -> None:
    texts = told("KeyError: no sack 'rye' in barn 12 of the farm").texts
    assert texts[0] == "no sack 'rye' in barn 12 of the farm"
    assert "no sack" not in texts
    assert "of the farm" in texts


def test_a_question_names_what_is_looked_for_exactly_first() -> None:
    asked = told('why does evict_all raise "the barn is full" when MouseTrap.set() fails?')
    assert asked.symbols == ("evict_all", "set")
    assert asked.texts == ("the barn is full",)
    assert asked.phrase == ""
    assert told("the barn is full").phrase == "the barn is full"


@pytest.mark.parametrize("piece", ["a.", "'", "{", "Error: ", "A:1", "::", '"', "%(", "$"])
def test_hostile_text_has_a_shape_too(piece: str) -> None:
    assert told(piece * 2000).shape in Shape
