"""The figures of an order of files, worked out by hand."""

from __future__ import annotations

import pytest

from citator.service.measures import Placed, curve, expected_error, measured, wilson

FIRST = Placed("a", "r", (1, 3), 2, 0.95)
THIRD = Placed("b", "r", (3,), 1, 0.31)
NEVER = Placed("c", "r", (), 1, 0.38)
PARTLY = Placed("d", "r", (1,), 2, 1.0)


def test_each_figure_is_what_its_definition_says() -> None:
    figures = {one.name: one.value for one in measured([FIRST, THIRD, NEVER, PARTLY])}
    assert {name: round(value, 4) for name, value in figures.items()} == {
        "hit@1": 0.5,
        "hit@3": 0.75,
        "hit@5": 0.75,
        "hit@10": 0.75,
        "acc@1": 0.0,
        "acc@3": 0.5,
        "acc@5": 0.5,
        "acc@10": 0.5,
        "recall@1": 0.25,
        "recall@3": 0.625,
        "recall@5": 0.625,
        "recall@10": 0.625,
        "map@10": round(((1 + 2 / 3) / 2 + 1 / 3 + 0 + 1 / 2) / 4, 4),
        "mrr": round((1 + 1 / 3 + 0 + 1) / 4, 4),
    }
    assert measured([]) == ()


def test_intervals_hold_the_figure_and_stay_within_bounds() -> None:
    for one in measured([FIRST, THIRD, NEVER, PARTLY]):
        assert 0 <= one.low <= one.value <= one.high <= 1
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(1.0, 10)[1] == 1.0
    assert wilson(0.3, 0) == (0.0, 1.0)


def test_a_curve_has_a_bin_for_each_tenth_that_holds_something() -> None:
    bins = curve([0.95, 0.31, 0.38, 1.0], [True, False, True, False])
    assert [(one.low, one.high, one.count, one.right) for one in bins] == [
        (0.3, 0.4, 2, 1),
        (0.9, 1.0, 2, 1),
    ]
    assert [one.mean for one in bins] == pytest.approx([0.345, 0.975])
    assert expected_error(bins) == pytest.approx((2 * 0.155 + 2 * 0.475) / 4)
    assert expected_error(()) == 0.0
