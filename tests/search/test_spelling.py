"""What an unknown word was probably meant to be."""

from __future__ import annotations

import pytest

from citator.index.analysis import Analyser
from citator.search.spelling import halves, respelled

HELD = {"drag": 9, "dragg": 1, "scrollbar": 4, "compress": 3, "cach": 5, "reach": 7, "merg": 2}


def holding(term: str) -> int:
    return HELD.get(term, 0)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("scrolbar", "scrollbar"),
        ("scrollbra", "scrollbar"),
        ("scrollbarr", "scrollbar"),
        ("scrollbat", "scrollbar"),
        ("compresion", "compress"),
        ("compressiom", "compress"),
        ("kompression", None),
        ("raech", "reach"),
        ("reeach", "reach"),
        ("react", None),
        ("gach", None),
        ("xcrollbar", None),
        ("größere", None),
        ("abcdefgh", None),
        ("v8engine", None),
        ("", None),
    ],
)
def test_one_slip_of_the_pen(analyser: Analyser, typed: str, meant: str | None) -> None:
    assert respelled(typed, analyser.stem, holding) == meant


def test_of_two_the_more_frequent_is_meant_then_the_first(analyser: Analyser) -> None:
    frequent = {"tracker": 2, "tracked": 5}.get
    assert respelled("trackes", lambda word: word, lambda term: frequent(term, 0)) == "tracked"
    equal = {"tracker": 2, "tracked": 2}.get
    assert respelled("trackes", lambda word: word, lambda term: equal(term, 0)) == "tracked"


@pytest.mark.parametrize(
    ("typed", "made_of"),
    [
        ("scrollbarcaching", ("scrollbar", "cach")),
        ("scrollbarcac", None),
        ("dragging", None),
        ("merge", None),
        ("überreach", None),
    ],
)
def test_two_words_written_as_one(
    analyser: Analyser, typed: str, made_of: tuple[str, str] | None
) -> None:
    assert halves(typed, analyser.stem, holding) == made_of
