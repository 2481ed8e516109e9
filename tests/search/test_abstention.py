"""When there is no evidence to show."""

from __future__ import annotations

import pytest

from citator.index.analysis import Analyser
from citator.index.protocol import WeightedTerm
from citator.model.document import Document
from citator.model.evidence import AbstainReason
from citator.search.abstention import (
    MARGIN,
    MIN_SUBJECTS,
    Calibration,
    Evidence,
    calibrate,
)
from citator.search.senses import Sense
from tests.search.conftest import ViewOf
from tests.support.corpus import commit

CHANCE = Calibration(base=0.1, slope=0.8)


def known(most: float, size: int = 1) -> Sense:
    return Sense("known", (WeightedTerm("known"),), most, size)


def unknown(most: float) -> Sense:
    return Sense("unknown", (), most, known=False)


def test_chance_falls_with_the_number_of_words_down_from_four() -> None:
    assert CHANCE.chance(8) == pytest.approx(0.2)
    assert CHANCE.chance(4) == CHANCE.chance(1) == pytest.approx(0.3)


def test_what_does_not_beat_chance_is_weak_coverage() -> None:
    senses = (known(5.0), known(5.0))
    assert Evidence(0.0, senses).floor(CHANCE) == pytest.approx(MARGIN * 0.3 * 10)
    assert Evidence(2.4, senses).verdict(CHANCE) is AbstainReason.WEAK_COVERAGE
    assert Evidence(2.6, senses).verdict(CHANCE) is None


def test_a_question_whose_weight_lies_in_unknown_words_is_not_answered_by_the_rest() -> None:
    assert Evidence(5.5, (known(5.5), unknown(4.5))).verdict(CHANCE) is AbstainReason.UNKNOWN_TERMS
    assert Evidence(5.6, (known(5.6), unknown(4.4))).verdict(CHANCE) is None


def test_weak_coverage_with_unknown_words_blames_the_words() -> None:
    senses = (known(7.0), unknown(3.0))
    assert Evidence(0.1, senses).verdict(CHANCE) is AbstainReason.UNKNOWN_TERMS


def test_nothing_found_is_no_match() -> None:
    assert Evidence(0.0, (known(7.0),)).verdict(CHANCE) is AbstainReason.NO_MATCH
    assert Evidence(0.0, ()).verdict(CHANCE) is AbstainReason.NO_MATCH


TOPICS = ["cache", "lock", "parser", "socket", "thread", "window", "cursor", "mailer", "router"]
VERBS = ["guard", "shrink", "rename", "shelve", "revive", "gather", "polish", "scatter", "widen"]


def histories(count: int) -> list[Document]:
    return [
        commit(
            n,
            f"{VERBS[n % 9]} the {TOPICS[n // 9 % 9]} of {TOPICS[n * 5 % 9]}",
            f"part {n} of the {TOPICS[n * 2 % 9]} was too {VERBS[n * 4 % 9]}",
        )
        for n in range(count)
    ]


def test_a_small_corpus_is_not_measured(view_of: ViewOf, analyser: Analyser) -> None:
    assert calibrate(view_of(*histories(MIN_SUBJECTS - 1)), analyser) == Calibration()


def test_measuring_is_a_function_of_the_view_alone(view_of: ViewOf, analyser: Analyser) -> None:
    documents = histories(90)
    measured = calibrate(view_of(*documents), analyser)
    assert measured == calibrate(view_of(*reversed(documents)), analyser)
    assert measured != Calibration()


def test_unrelated_words_of_the_corpus_itself_reach_about_what_was_measured(
    view_of: ViewOf, analyser: Analyser
) -> None:
    """In a corpus where every pair of words occurs somewhere, chance is high; in one where
    documents share no word, it is what one word of several is worth."""
    mixed = calibrate(view_of(*histories(90)), analyser)
    apart = [commit(n, f"alpha{n:03}x beta{n:03}x", f"gamma{n:03}x") for n in range(90)]
    separate = calibrate(view_of(*apart), analyser)
    assert separate.chance(6) < mixed.chance(6)


def test_a_large_corpus_is_sampled_by_reference(view_of: ViewOf, analyser: Analyser) -> None:
    documents = [
        commit(n, f"{VERBS[n % 9]} the {TOPICS[n // 9 % 9]}", *(f"part {p}" for p in range(9)))
        for n in range(460)
    ]
    view = view_of(*documents)
    assert view.statistics.passages > 4096
    assert calibrate(view, analyser) == calibrate(view, analyser)
