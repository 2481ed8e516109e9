"""The asker's words → what each is looked for as, in one view.

- A word is known where the view holds its term: the whole identifier, or every part of it.
- An unknown word is looked for as what was probably meant (:mod:`citator.search.spelling`), or
  as the corpus words that were induced for it; what induction found to say nothing is dropped.
- An induced word is measured against one that surely means the same: a far-fetched translation
  that is found is less evidence than a plain one.
- Whatever became of it, a sense keeps the word as typed, and the most it could have added to a
  passage's score: that is what the evidence is measured against.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from citator.index.analysis import Analyser
from citator.index.protocol import Statistics, WeightedTerm
from citator.index.scoring import idf
from citator.search.induction import Induction
from citator.search.question import Question, Word
from citator.search.spelling import halves, respelled
from citator.search.stop_words import ACTS, plain_form

RESPELLED_WEIGHT = 0.8
HALF_WEIGHT = 0.5
UNKNOWN_ACT = 0.3
MAX_RESPELLED = 3
RUN_SHARE = 0.5
CHARACTERS_A_WORD = 2.5
# What an induced word weighs where it surely means the same; in a run, what a piece of it does.
CERTAIN = 0.5
CERTAIN_RUN = 0.25


@dataclass(frozen=True, slots=True)
class Sense:
    """One of the asker's words as it is looked for.

    ``most`` is the most it can add to a score, ``size`` how many of a question's terms it
    stands for. A passage holds the word where it holds ``share`` of one of its ``forms``. A
    sense that is not ``known`` can still have terms: a part, or two halves.
    """

    word: str
    terms: tuple[WeightedTerm, ...]
    most: float
    size: int = 1
    known: bool = True
    forms: tuple[frozenset[str], ...] = ()
    share: float = 1.0

    def is_held_by(self, terms: frozenset[str]) -> bool:
        """Whether a passage that holds ``terms`` holds the word."""
        return any(len(form & terms) >= self.share * len(form) for form in self.forms)


class Counted(Protocol):
    """What is asked of a view, or of anything else that counts its passages."""

    @property
    def statistics(self) -> Statistics: ...

    def document_frequency(self, term: str) -> int: ...


class Speaker:
    """Turns words into senses of one view; remembers what it asked the view."""

    def __init__(self, view: Counted, analyser: Analyser) -> None:
        self._view = view
        self._stem = analyser.stem
        self._passages = view.statistics.passages
        self._held: dict[str, int] = {}

    def holding(self, term: str) -> int:
        """Visible passages that hold ``term``."""
        if term not in self._held:
            self._held[term] = self._view.document_frequency(term)
        return self._held[term]

    def idf(self, term: str) -> float:
        """The weight of ``term`` in this view; the highest there is where none holds it."""
        return idf(self._passages, self.holding(term))

    def weighted(self, terms: Iterable[WeightedTerm]) -> float:
        """Weights times idf, added up."""
        return sum(one.weight * self.idf(one.term) for one in terms)

    def senses(self, question: Question, induction: Induction) -> tuple[Sense, ...]:
        """The senses of a question's words, in its order."""
        replaced = {one.word: one.terms for one in induction.replaced}
        dropped = frozenset(induction.dropped)
        found: list[Sense] = []
        guesses = MAX_RESPELLED
        for word in question.words:
            folded = word.text.casefold()
            if folded in dropped:
                continue
            sense = self._known(word)
            if sense is None and folded in replaced:
                sense = self._induced(word, replaced)
            if sense is None and guesses:
                guesses -= 1
                sense = self._guessed(word)
            found.append(sense or self._unknown(word))
        return tuple(found)

    def _known(self, word: Word) -> Sense | None:
        held = tuple(WeightedTerm(term) for term in word.terms if self.holding(term))
        names = {one.term for one in held}
        if _is_run(word):
            share = RUN_SHARE
            forms: tuple[frozenset[str], ...] = (frozenset(word.terms),)
        else:
            share, forms = 1.0, _forms(word)
        if not any(len(form & names) >= share * len(form) for form in forms):
            return None
        return Sense(word.text, held, self.weighted(held), len(held), forms=forms, share=share)

    def _induced(self, word: Word, replaced: Mapping[str, tuple[WeightedTerm, ...]]) -> Sense:
        own = tuple(WeightedTerm(term) for term in word.terms if self.holding(term))
        terms = replaced[word.text.casefold()]
        is_run = _is_run(word)
        certain = CERTAIN_RUN if is_run else CERTAIN
        words = max(1, round(len(word.text) / CHARACTERS_A_WORD)) if is_run else 1
        heaviest = sorted(
            (max(one.weight, certain) * self.idf(one.term) for one in terms), reverse=True
        )
        forms = tuple(frozenset({one.term}) for one in (*own, *terms))
        return Sense(word.text, (*own, *terms), sum(heaviest[:words]), words, forms=forms)

    def _guessed(self, word: Word) -> Sense | None:
        if len(word.terms) != 1:
            return None
        plain = plain_form(word.text)
        meant = respelled(plain, self._stem, self.holding)
        if meant is not None:
            one = (WeightedTerm(meant, RESPELLED_WEIGHT),)
            return Sense(word.text, one, self.weighted(one), forms=(frozenset({meant}),))
        two = halves(plain, self._stem, self.holding)
        if two is not None:
            terms = tuple(WeightedTerm(term, HALF_WEIGHT) for term in two)
            missing = self.idf(word.terms[0])
            return Sense(word.text, terms, missing, known=False, forms=(frozenset(two),))
        return None

    def _unknown(self, word: Word) -> Sense:
        held = tuple(WeightedTerm(term) for term in word.terms if self.holding(term))
        missing = self.idf(_unheld(word, held))
        if plain_form(word.text) in ACTS:
            missing *= UNKNOWN_ACT
        return Sense(word.text, held, self.weighted(held) + missing, len(held) + 1, known=False)


def _forms(word: Word) -> tuple[frozenset[str], ...]:
    """The whole; or all of the parts."""
    whole, parts = frozenset(word.terms[:1]), frozenset(word.terms[1:])
    return (whole, parts) if parts else (whole,)


def _unheld(word: Word, held: tuple[WeightedTerm, ...]) -> str:
    names = {one.term for one in held}
    return next((term for term in word.terms if term not in names), word.terms[0])


def _is_run(word: Word) -> bool:
    """Whether a word is a run of a script without spaces, cut into pairs."""
    return len(word.terms) > 1 and not word.terms[0].isascii()
