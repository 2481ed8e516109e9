"""The asker's words in one scope of the record: what to look for, and how much of it is enough.

Words mean here what they mean over history (:mod:`citator.search.senses`): known, respelled,
induced from another language, or unknown. What differs:

- One word counts once, an identifier too.
- Japanese changes script where it changes word, so a run is taken apart there. What is written in
  katakana is a word of its own, and unknown unless the record holds all of it; hiragana between
  others joins them and is left out.
- Of a question of two or three words, a text may miss only what weighs no more than its share;
  words that the record never held are judged apart, over all texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from citator.index.analysis import Analyser
from citator.index.partition import Scope
from citator.index.partition_scoring import Wanted
from citator.index.partition_terms import neighbours, stems
from citator.model.evidence import AbstainReason
from citator.search.induction import Induction
from citator.search.question import Question, Word
from citator.search.senses import CHARACTERS_A_WORD, UNKNOWN_ACT, Sense, Speaker
from citator.search.stop_words import ACTS, plain_form

DECISIVE_SHARE: Final = 0.45
SMALL_SHARE: Final = 0.15
MARGIN: Final = 0.8
SHORT: Final = 3
SHORT_SHARE: Final = 0.666
MAX_PAIRS: Final = 48

_HIRAGANA: Final = "\u3040-\u309f"
_KATAKANA: Final = "\u30a0-\u30ff"
_PIECES: Final = re.compile(
    f"[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+[{_HIRAGANA}]*|[{_HIRAGANA}]+"
)
_ALL_HIRAGANA: Final = "".join(map(chr, range(0x3040, 0x30A0)))
_KATAKANA_WORD: Final = re.compile(f"[{_KATAKANA}]{{2,}}")
_HIRAGANA_WORD: Final = re.compile(f"[{_HIRAGANA}]+")
_JAPANESE: Final = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")


@dataclass(frozen=True)
class Inquiry:
    """A question in one scope. ``joining`` are terms that join the words, ``pairs`` neighbours."""

    scope: Scope
    senses: tuple[Sense, ...]
    wanted: tuple[Wanted, ...]
    weights: tuple[float, ...]
    joining: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """The asker's words that no passage holds."""
        return tuple(sense.word for sense in self.senses if not sense.known)

    @property
    def most(self) -> float:
        """The most that the words could score."""
        return sum(self.weights)

    @property
    def unknown_share(self) -> float:
        """The share of the question's weight in words that the record never held."""
        unknown = sum(
            weight
            for sense, weight in zip(self.senses, self.weights, strict=True)
            if not sense.known
        )
        return unknown / self.most if self.most else 0.0

    @cached_property
    def floor(self) -> float:
        """What the words of a passage have to score for it to be evidence.

        What a small record never held is no sign: few words are in it.
        """
        size = sum(one.scale for one in self.wanted)
        most = self.most * (1.0 - self.scope.smallness * self.unknown_share)
        return MARGIN * (0.15 + 0.95 / max(size, 4)) * most

    def share(self, units: range) -> float:
        """How much of the weight of the words that the record knows the units between them hold."""
        held = frozenset(self.matched(units))
        known = [
            (sense.word, weight)
            for sense, weight in zip(self.senses, self.weights, strict=True)
            if sense.known
        ]
        most = sum(weight for _, weight in known)
        return sum(weight for word, weight in known if word in held) / (most or 1.0)

    @property
    def is_short(self) -> bool:
        """Whether it has so few words that they stand together by chance in many a text."""
        return len(self.senses) <= SHORT

    def verdict(self, best: float) -> AbstainReason | None:
        """Why there is nothing to show where the best passage's words score ``best``, or None."""
        if self.unknown_share >= DECISIVE_SHARE + SMALL_SHARE * self.scope.smallness:
            return AbstainReason.UNKNOWN_TERMS
        if self.scope.smallness and not self._knows_a_thing():
            return AbstainReason.NO_MATCH
        if best <= 0:
            return AbstainReason.NO_MATCH
        if best < self.floor:
            return AbstainReason.WEAK_COVERAGE
        return None

    def _knows_a_thing(self) -> bool:
        """Whether a word that says more than that something is done is known."""
        return any(sense.known and plain_form(sense.word) not in ACTS for sense in self.senses)

    def matched(self, units: range) -> tuple[str, ...]:
        """Those of the asker's own words that the units between them hold."""
        names = {term for one in self.wanted for form in one.forms for term, _ in form}
        held = frozenset(term for term in names if self.scope.is_held(term, units))
        words = [sense.word for sense in self.senses if sense.is_held_by(held)]
        return tuple(dict.fromkeys(words))


def understood(asked: Question, scope: Scope, analyser: Analyser, induction: Induction) -> Inquiry:
    """What ``asked`` means in ``scope``."""
    kept = {one.word for one in induction.replaced} | set(induction.dropped)
    words = tuple(piece for word in asked.words for piece in _pieces(word, kept, analyser))
    typed = {word.text: word for word in words}
    found = Speaker(scope, analyser).senses(replace(asked, words=words), induction)
    senses = tuple(_stemmed(_whole(sense, scope, typed[sense.word]), scope) for sense in found)
    wanted = tuple(_wanted(sense, typed[sense.word]) for sense in senses)
    terms = {term for one in wanted for form in one.forms for term, _ in form}
    joining = dict.fromkeys(word.terms[0] for word in asked.joining)
    pairs = dict.fromkeys(neighbours(terms for _, terms in analyser.words(asked.spoken)))
    return Inquiry(
        scope,
        senses,
        wanted,
        tuple(_weight(*one, scope) for one in zip(senses, wanted, strict=True)),
        tuple(term for term in joining if term not in terms),
        tuple(pairs)[:MAX_PAIRS],
    )


def _pieces(word: Word, kept: Collection[str], analyser: Analyser) -> Iterator[Word]:
    """A run of Japanese as the words it is made of; anything else as it is."""
    if not _JAPANESE.search(word.text) or word.text.casefold() in kept:
        yield word
        return
    pieces = [_uninflected(one) for one in _PIECES.findall(word.text) if len(one) > 1]
    said = [one for one in pieces if not _HIRAGANA_WORD.fullmatch(one)]
    if not said:
        yield word
    for one in dict.fromkeys(said):
        yield Word(one, tuple(analyser.terms(one)))


def _uninflected(piece: str) -> str:
    """A piece without what inflects it, where two characters or more are left."""
    bare = piece.rstrip(_ALL_HIRAGANA)
    return bare if len(bare) > 1 else piece


def _stemmed(sense: Sense, scope: Scope) -> Sense:
    """The sense, which an inflected Japanese word also has by its stem."""
    known = [one for one in stems(sense.word) if scope.document_frequency(one)]
    if not known or len(sense.word) > 3:
        return sense
    forms = (*sense.forms, *(frozenset({one}) for one in known))
    return replace(sense, known=True, forms=forms, share=1.0)


def _whole(sense: Sense, scope: Scope, word: Word) -> Sense:
    """The sense; not known where it is a katakana word that the scope holds in pieces only."""
    if sense.known and _KATAKANA_WORD.fullmatch(word.text):
        if all(scope.document_frequency(term) for term in word.terms):
            return replace(sense, share=1.0)
        return replace(sense, known=False, forms=())
    return sense


def _wanted(sense: Sense, word: Word) -> Wanted:
    weights = {one.term: one.weight for one in sense.terms}
    is_run = len(word.terms) > 1 and not word.terms[0].isascii()
    if is_run and sense.known and len(sense.forms) == 1:
        words = 1 if _KATAKANA_WORD.fullmatch(word.text) else len(word.text) / CHARACTERS_A_WORD
        return Wanted((_form(word.terms, weights),), float(max(1, round(words))))
    forms = [_form(sorted(form), weights) for form in sense.forms if form]
    return Wanted(tuple(forms) or (_form(word.terms, weights),))


def _weight(sense: Sense, wanted: Wanted, scope: Scope) -> float:
    """The most that a word could score. One that the scope never held counts as the rarest, or
    as little where it only says *do*."""
    if sense.known:
        return wanted.most(scope)
    rarest = max(scope.idf(term) for form in wanted.forms for term, _ in form)
    return rarest * (UNKNOWN_ACT if plain_form(sense.word) in ACTS else 1.0)


def _form(terms: Iterable[str], weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((term, weights.get(term, 1.0)) for term in terms)
