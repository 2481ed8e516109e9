"""What the asker's words are looked for as, in one view."""

from __future__ import annotations

import pytest

from citator.index.analysis import Analyser
from citator.index.protocol import View, WeightedTerm
from citator.index.scoring import idf
from citator.search.induction import Induction, Replaced
from citator.search.question import parse
from citator.search.senses import CERTAIN, RESPELLED_WEIGHT, UNKNOWN_ACT, Sense, Speaker
from tests.search.conftest import ViewOf
from tests.support.corpus import commit


@pytest.fixture
def view(view_of: ViewOf) -> View:
    return view_of(
        commit(1, "Cache the ScrollBar position", "the scrollbar jumped", paths=["ui/scroll.py"]),
        commit(2, "Move the gateway", "feature flags were read twice"),
        commit(3, "选择数据库", "我们选择数据库是因为它简单"),
        commit(4, "Another cache", "caching again"),
    )


def senses(
    view: View, analyser: Analyser, text: str, induction: Induction | None = None
) -> tuple[Sense, ...]:
    return Speaker(view, analyser).senses(parse(text, analyser), induction or Induction())


def test_a_known_word_is_looked_for_as_it_is(view: View, analyser: Analyser) -> None:
    (sense,) = senses(view, analyser, "caches")
    assert sense.word == "caches"
    assert sense.terms == (WeightedTerm("cach"),)
    assert sense.known
    assert sense.most == idf(4, 2)


def test_an_identifier_counts_for_its_whole_and_its_parts(view: View, analyser: Analyser) -> None:
    (sense,) = senses(view, analyser, "scroll_bar")
    assert [one.term for one in sense.terms] == ["scrollbar", "scroll", "bar"]
    assert sense.size == 3
    assert sense.is_held_by(frozenset({"scrollbar"}))
    assert sense.is_held_by(frozenset({"scroll", "bar"}))
    assert not sense.is_held_by(frozenset({"scroll"}))


def test_an_identifier_is_known_by_all_of_its_parts(view: View, analyser: Analyser) -> None:
    (sense,) = senses(view, analyser, "FeatureFlags")
    assert sense.known
    assert [one.term for one in sense.terms] == ["featur", "flag"]
    (half,) = senses(view, analyser, "FeatureToggles")
    assert not half.known
    assert [one.term for one in half.terms] == ["featur"]
    assert half.most == idf(4, 1) + idf(4, 0)


def test_an_unknown_word_weighs_as_the_rarest_and_an_unknown_act_little(
    view: View, analyser: Analyser
) -> None:
    drop, grpc, gateway = senses(view, analyser, "why did we drop the gRPC gateway")
    assert (drop.known, grpc.known, gateway.known) == (False, False, True)
    assert grpc.most == idf(4, 0)
    assert grpc.terms == ()
    assert drop.most == pytest.approx(UNKNOWN_ACT * idf(4, 0))


def test_a_slip_of_the_pen_is_known_and_counts_less(view: View, analyser: Analyser) -> None:
    (sense,) = senses(view, analyser, "scrolbars")
    assert sense.known
    assert sense.terms == (WeightedTerm("scrollbar", RESPELLED_WEIGHT),)
    assert sense.is_held_by(frozenset({"scrollbar"}))


def test_two_words_in_one_help_to_find_but_stay_unknown(view: View, analyser: Analyser) -> None:
    (sense,) = senses(view, analyser, "gatewayposition")
    assert not sense.known
    assert {one.term for one in sense.terms} == {"gateway", "posit"}


def test_induced_words_stand_for_the_word_and_empty_ones_are_dropped(
    view: View, analyser: Analyser
) -> None:
    induction = Induction(
        foreign=True,
        replaced=(Replaced("pasarela", (WeightedTerm("gateway", 0.5), WeightedTerm("cach", 0.4))),),
        dropped=("porque",),
    )
    (sense,) = senses(view, analyser, "Pasarela porque", induction)
    assert sense.word == "Pasarela"
    assert sense.known
    assert sense.most == pytest.approx(0.5 * idf(4, 1))
    assert sense.is_held_by(frozenset({"gateway"}))


def test_a_far_fetched_translation_falls_short_of_a_sure_one(
    view: View, analyser: Analyser
) -> None:
    far = Induction(foreign=True, replaced=(Replaced("puerta", (WeightedTerm("gateway", 0.35),)),))
    near = Induction(foreign=True, replaced=(Replaced("puerta", (WeightedTerm("gateway", 0.9),)),))
    assert senses(view, analyser, "puerta", far)[0].most == pytest.approx(CERTAIN * idf(4, 1))
    assert senses(view, analyser, "puerta", near)[0].most == pytest.approx(0.9 * idf(4, 1))


def test_a_run_without_spaces_is_known_by_half_of_its_pairs(view: View, analyser: Analyser) -> None:
    (known,) = senses(view, analyser, "选择数据库吗")
    assert known.known
    assert known.is_held_by(frozenset({"选择", "择数", "数据"}))
    assert not known.is_held_by(frozenset({"选择"}))
    (unknown,) = senses(view, analyser, "我们喜欢选择")
    assert not unknown.known
    assert [one.term for one in unknown.terms] == ["我们", "选择"]
