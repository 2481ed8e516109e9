"""Scores of several legs in one order."""

from __future__ import annotations

import pytest

from citator.search.fusion import combined, normalised


def test_a_leg_that_found_few_is_measured_from_zero() -> None:
    assert normalised({1: 4.0, 2: 2.0, 3: 1.0}) == {1: 1.0, 2: 0.5, 3: 0.25}


def test_a_full_leg_is_measured_from_its_last() -> None:
    assert normalised({1: 4.0, 2: 3.0, 3: 2.0}, depth=3) == {1: 1.0, 2: 0.5, 3: 0.0}


def test_scores_below_zero_are_moved_up() -> None:
    assert normalised({1: 0.5, 2: -0.5}) == {1: 1.0, 2: 0.0}


@pytest.mark.parametrize("scores", [{}, {7: 0.0}, {7: 0.0, 8: 0.0}])
def test_nothing_to_normalise(scores: dict[int, float]) -> None:
    assert normalised(scores) == dict.fromkeys(scores, 0.0)


def test_equal_scores_are_all_the_best() -> None:
    assert normalised({1: 2.0, 2: 2.0}, depth=2) == {1: 1.0, 2: 1.0}


def test_without_a_vector_leg_the_lexical_scores_stand_alone() -> None:
    assert combined({1: 4.0, 2: 2.0}, (), 0.7) == {1: 1.0, 2: 0.5}


def test_both_legs_count_by_the_lexical_weight() -> None:
    fused = combined({1: 4.0, 2: 2.0}, [(2, 1.0), (3, 0.5)], 0.7)
    assert fused == pytest.approx({1: 0.7, 2: 0.35 + 0.3, 3: 0.15})
