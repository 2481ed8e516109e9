"""The arithmetic of notes: every part exact, the same everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.team.scoring import DAY, Age, Facts, Feedback, Level, Periods, Score, age, score
from citator.team.similar import Likeness, Similar, shingles, similar

PERIODS = Periods(60, 90)


@pytest.mark.parametrize(
    ("facts", "points", "level"),
    [
        (Facts(0, 1, 0, explicit=False), 38, Level.WARM),
        (Facts(0, 1, 1, explicit=True), 57, Level.HOT),
        (Facts(0, 10, 5, explicit=True), 100, Level.HOT),
        (Facts(0, 99, 99, explicit=True), 100, Level.HOT),
        (Facts(45 * DAY, 1, 1, explicit=True), 39, Level.WARM),
        (Facts(45 * DAY, 1, 1, explicit=False), 24, Level.COLD),
        (Facts(90 * DAY, 1, 0, explicit=False), 3, Level.COLD),
        (Facts(-5 * DAY, 1, 0, explicit=False), 38, Level.WARM),
    ],
)
def test_the_points_are_the_sum_of_their_parts(facts: Facts, points: int, level: Level) -> None:
    found = score(facts, PERIODS)
    assert (found.points, found.level) == (points, level)


def test_each_part_has_its_share() -> None:
    assert score(Facts(0, 10, 5, explicit=True), PERIODS) == Score(3500, 3000, 2000, 1500)
    assert score(Facts(30 * DAY, 5, 2, explicit=False), PERIODS) == Score(2333, 1500, 800, 0)


@given(st.integers(0, 400 * DAY), st.integers(0, 400 * DAY))
def test_without_a_confirmation_a_note_never_rises(one: int, other: int) -> None:
    earlier, later = sorted((one, other))
    facts = [Facts(seconds, 3, 2, explicit=True) for seconds in (earlier, later)]
    assert score(facts[0], PERIODS).points >= score(facts[1], PERIODS).points


def test_a_note_becomes_suspect_and_then_stale() -> None:
    ages = [age(days * DAY, PERIODS) for days in (0, 59, 60, 89, 90, 4000)]
    assert ages == [Age.FRESH] * 2 + [Age.SUSPECT] * 2 + [Age.STALE] * 2
    assert age(-DAY, PERIODS) is Age.FRESH


def test_what_says_the_same_is_offered_and_what_is_near_may_be_succeeded() -> None:
    others = [
        ("a", "Never call the billing API from a migration"),
        ("b", "Call the billing API from a worker and never from a migration"),
        ("c", "The parser is pinned because 3.2 breaks anchors"),
    ]
    found = similar("never call the Billing-API from a migration!", others)
    assert found == (Similar("a", Likeness.DUPLICATE, 1.0), Similar("b", Likeness.SUCCEEDS, 0.67))


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    assert (
        similar("請求サービスを移行から呼ばない", [("a", "請求サービスを移行から呼ぶな")])[0].id
        == "a"
    )
    assert not shingles("!!! ---")
    assert similar("!!!", [("a", "...")]) == ()


@pytest.mark.parametrize(
    ("feedback", "worth"),
    [
        (Feedback(), 0),
        (Feedback(2, 0, 2), 0),
        (Feedback(3, 0, 3), -3000),
        (Feedback(99, 0, 99), -3000),
        (Feedback(5, 2, 3), -2000),
        (Feedback(9, 6, 3), 0),
        (Feedback(99, 99, 0), 1500),
        (Feedback(5, 1, 0), 500),
        (Feedback(6, 1, 0), 0),
        (Feedback(10, 0, 3), 0),
    ],
)
def test_feedback_moves_the_points_within_its_bounds(feedback: Feedback, worth: int) -> None:
    assert feedback.worth == worth
    plain = score(Facts(0, 10, 5, explicit=True), PERIODS)
    found = score(Facts(0, 10, 5, explicit=True), PERIODS, feedback)
    assert found.points == min(100, plain.points + worth // 100)
    assert (found.level, found.demoted) == ((Level.WARM, True) if worth < 0 else (Level.HOT, False))
