"""A text of the record → what it is found by.

- A title counts three times, a ruling twice (where it says more than the title); labels, aliases
  and scope paths once; a passage's own words once.
- *Neighbours* are two content words that follow each other, words that carry nothing left out.
- Japanese writes the stem of a word in kanji and what inflects in hiragana: where the stem is a
  single character, which no pair of characters is, it is a term as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from citator.index.analysis import Analyser
from citator.index.tokens import clean

if TYPE_CHECKING:
    from citator.sources.decisions import Decision

TITLE = 3
RULING = 2
MAX_SCOPE_TERMS = 48

_KANJI = "\u3400-\u9fff\uf900-\ufaff"
_STEM = re.compile(f"(?<![{_KANJI}])[{_KANJI}](?=[\u3040-\u309f])")

# Words that carry nothing between two that do, as the analyser stems them.
_NOTHING = """
a about all also an and ani are as at be been but by can could did do doe for from had has have
how i if in into is it just may must nor not of off on onli onto or our out over should so some
such than that the their them then there these they this those to too under up us veri via was we
were what when where whether whi which who whom whose will with without would you your
"""
NOTHING = frozenset(_NOTHING.split())


class Found(NamedTuple):
    """What a text is found by: numbers of terms, each as often as it stands there, and pairs."""

    terms: list[int]
    pairs: list[tuple[int, int]]


class Weighted(NamedTuple):
    """The same, each with how often it counts."""

    terms: list[tuple[int, int]]
    pairs: list[tuple[int, int, int]]


class Vocabulary:
    """Numbers terms as they come; works out each word once."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._words: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.numbers: dict[str, int] = {}

    def head(self, one: Decision) -> Weighted:
        """What every passage of a decision is found by."""
        parts = [(self.found(one.document.subject), TITLE)]
        if one.ruling != one.document.subject:
            parts.append((self.found(one.ruling), RULING))
        names = self.found(" ".join((*one.labels, *one.aliases, *one.paths)))
        scope = list(dict.fromkeys(names.terms))[:MAX_SCOPE_TERMS]
        parts.append((Found(scope, []), 1))
        return Weighted(
            [(term, times) for found, times in parts for term in found.terms],
            [(*pair, times) for found, times in parts for pair in found.pairs],
        )

    def found(self, text: str) -> Found:
        """What a text is found by."""
        terms: list[int] = []
        said: list[int] = []
        for word in self._analyser.split(text):
            own, carried = self._words.get(word) or self._made(word)
            terms += own
            said += carried
        if not text.isascii():
            terms += [self._number(one) for one in stems(text)]
        return Found(terms, list(pairwise(said)))

    def _made(self, word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        terms = [clean(term) for term in self._analyser.of_word(word) if term]
        made = tuple(map(self._number, terms)), tuple(map(self._number, carried(terms)))
        self._words[word] = made
        return made

    def _number(self, term: str) -> int:
        return self.numbers.setdefault(term, len(self.numbers))


def stems(text: str) -> list[str]:
    """The single characters of ``text`` that are the stem of an inflected Japanese word."""
    return _STEM.findall(text)


def neighbours(words: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """The pairs that follow each other in words as analysed."""
    said = [term for terms in words for term in carried([clean(one) for one in terms if one])]
    return list(pairwise(said))


def carried(terms: Sequence[str]) -> Sequence[str]:
    """What a word of these terms carries on to its neighbours: an identifier is one word."""
    one = terms[:1] if terms and terms[0].isascii() else terms
    return [term for term in one if term not in NOTHING]
