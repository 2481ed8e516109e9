"""A question in another language → words that the corpus knows.

- A word that the corpus does not know is replaced by the nearest words it does know; their
  terms are added to the query with a weight, the asker's own words stay in it.
- What lands on an English function word carries no content in any language: it is dropped, so
  no language needs a list of stop words.
- Gated by script and by how many words are unknown, never by guessing the language: an English
  question with a few unknown words is left alone, and costs nothing.
- Identifiers are nobody's language: they are kept as typed.
- Only words of the caller's view are used, so a branch that was deleted does not answer.

The numbers below are flat around their values (development: 249 translated issue titles over a
history of 2,119 commits; confirmed on 84 translated why-questions over another).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from citator.index.protocol import WeightedTerm
from citator.search.function_words import FUNCTION_WORDS

if TYPE_CHECKING:
    from citator.index.lexicon import Lexicon, Near, Words
    from citator.index.wordspace import WordSpace

NEIGHBOURS = 3
MIN_COSINE = 0.55
FUNCTION_MARGIN = 0.05
WEIGHT = 0.6
UNSPACED_WEIGHT = 0.5
MIN_PASSAGES = 2
MIN_UNKNOWN = 2
MAX_WORDS = 64
MAX_PAIR = 6

# Letters, and the vowel signs and accents that Arabic, Hindi and Thai write as marks.
_WORD = re.compile(
    r"[\w'’\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0e31-\u0e3a\u0e47-\u0e4e]+"
)
_UNSPACED_RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
# The article or pronoun that French and Italian write onto the next word.
_ELIDED = re.compile(r"^\w{1,5}['’](?=\w)")
_CODE_SPAN = re.compile(r"`[^`]*`")
_ASCII_RUN = re.compile(r"[!-~]+")
_CODE_MARK = re.compile(r"_|::|--|->|\(\)|[\\@#$=<>{}]|\w\.\w")
# Japanese changes script where it changes word: katakana, hiragana, everything else.
_SCRIPT_RUN = re.compile("[\u30a0-\u30ff]+|[\u3040-\u309f]+|[^\u3040-\u30ff]+")


class Frequencies(Protocol):
    """What is asked of a view."""

    def document_frequency(self, term: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Replaced:
    """One of the asker's words and the terms that stand for it, heaviest first."""

    word: str
    terms: tuple[WeightedTerm, ...]


@dataclass(frozen=True, slots=True)
class Induction:
    """What became of a question's words.

    ``foreign`` says whether anything was tried: where it is False all else is empty. ``dropped``
    words say nothing (function words), ``unmatched`` ones nothing in the corpus resembles.
    ``words_left`` counts corpus words that are not embedded yet.
    """

    foreign: bool = False
    replaced: tuple[Replaced, ...] = ()
    dropped: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    words_left: int = 0

    @property
    def terms(self) -> tuple[WeightedTerm, ...]:
        """Every added term once with its summed weight, heaviest first."""
        return _summed(term for one in self.replaced for term in one.terms)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch of text to look up for one of the asker's words."""

    word: str
    text: str
    weight: float


class Inducer:
    """Finds the corpus words for a question's foreign words. Opens the tables on first need."""

    def __init__(
        self,
        space: WordSpace,
        lexicon: Lexicon,
        snapshot: Words,
        terms: Callable[[str], Sequence[str]],
    ) -> None:
        """``snapshot`` says which words there are, ``terms`` is the index's analyser."""
        self._space = space
        self._lexicon = lexicon
        self._snapshot = snapshot
        self._terms = terms

    def induce(self, question: str, view: Frequencies) -> Induction:
        """What the foreign words of ``question`` are in the words of ``view``.

        Raises ModelMissing, StorageError.
        """
        unknown = self._foreign_words(question, view)
        if not unknown:
            return Induction()
        left = self._lexicon.fill(self._snapshot)
        units = [unit for word, typed in unknown.items() for unit in self._units(word, typed)]
        return self._gathered(list(unknown), units, self._looked_up(units, view), left)

    def _foreign_words(self, question: str, view: Frequencies) -> dict[str, str]:
        """The words to replace, case-folded, each with what was typed in lower case.

        Empty where the question speaks the corpus's language.
        """
        prose = _without_code(unicodedata.normalize("NFC", question))
        words = [word for word in _WORD.findall(prose)[:MAX_WORDS] if _is_prose(word)]
        unknown: dict[str, str] = {}
        for word in words:
            if not self._is_known(word, view):
                unknown.setdefault(word.casefold(), word.lower())
        if any(not _is_latin(word) for word in unknown):
            return unknown
        function_words = sum(word.lower() in FUNCTION_WORDS for word in words)
        alone = len(unknown) == len(words)
        if len(unknown) > function_words and (alone or len(unknown) >= MIN_UNKNOWN):
            return unknown
        return {}

    def _is_known(self, word: str, view: Frequencies) -> bool:
        if word.lower() in FUNCTION_WORDS:
            return True
        terms = self._terms(word)
        held = sum(view.document_frequency(term) >= MIN_PASSAGES for term in terms)
        if _UNSPACED_RUN.search(word):
            return 2 * held > len(terms)
        return held == len(terms)

    def _units(self, word: str, typed: str) -> list[_Unit]:
        if not _UNSPACED_RUN.search(typed):
            return [_Unit(word, self._best_known_case(_ELIDED.sub("", typed)), 1.0)]
        texts: list[str] = []
        for run in _UNSPACED_RUN.findall(typed):
            for same_script in _SCRIPT_RUN.findall(run):
                texts.extend(_windows(self._space.cut(same_script)))
        return [_Unit(word, text, UNSPACED_WEIGHT) for text in dict.fromkeys(texts)]

    def _best_known_case(self, word: str) -> str:
        """The word as it is, or capitalised where the vocabulary cuts that less (German)."""
        capitalised = word.capitalize()
        fewer = len(self._space.cut(capitalised)) < len(self._space.cut(word))
        return capitalised if fewer else word

    def _looked_up(self, units: Sequence[_Unit], view: Frequencies) -> list[list[Near] | None]:
        """The nearest visible words of each unit, nearest first; None where it says nothing."""
        vectors = self._space.vectors([unit.text for unit in units])
        seen: dict[str, bool] = {}

        def is_visible(word: str) -> bool:
            if word not in seen:
                seen[word] = word in FUNCTION_WORDS or all(
                    view.document_frequency(term) >= MIN_PASSAGES for term in self._terms(word)
                )
            return seen[word]

        found = self._lexicon.nearest(vectors, MIN_COSINE)
        return [_nearest(one for one in near if is_visible(one.word)) for near in found]

    def _gathered(
        self,
        unknown: Sequence[str],
        units: Sequence[_Unit],
        found: Sequence[list[Near] | None],
        left: int,
    ) -> Induction:
        terms: dict[str, list[WeightedTerm]] = {word: [] for word in unknown}
        empty: set[str] = set()
        for unit, nearest in zip(units, found, strict=True):
            if nearest is None:
                empty.add(unit.word)
                continue
            terms[unit.word].extend(
                WeightedTerm(term, WEIGHT * unit.weight * one.cosine)
                for one in nearest
                if one.word not in FUNCTION_WORDS
                for term in self._terms(one.word)
            )
        without = [word for word in unknown if not terms[word]]
        return Induction(
            foreign=True,
            replaced=tuple(Replaced(word, _summed(terms[word])) for word in unknown if terms[word]),
            dropped=tuple(word for word in without if word in empty),
            unmatched=tuple(word for word in without if word not in empty),
            words_left=left,
        )


def _nearest(near: Iterable[Near]) -> list[Near] | None:
    """The first few; None where a function word is the nearest or nearly.

    Nearly: corpora hold words of other languages too, and one of those can be nearer to a
    function word of its kin (por, par) than the English one (per) is.
    """
    kept: list[Near] = []
    for one in near:
        close = not kept or one.cosine >= kept[0].cosine - FUNCTION_MARGIN
        if close and one.word in FUNCTION_WORDS:
            return None
        if not close and len(kept) >= NEIGHBOURS:
            break
        kept.append(one)
    return kept[:NEIGHBOURS]


def _windows(pieces: Sequence[str]) -> list[str]:
    """Pieces of two or more characters and pairs of neighbours; one piece alone is kept."""
    if len(pieces) == 1:
        return list(pieces)
    joined = (first + second for first, second in pairwise(pieces))
    return [
        *(piece for piece in pieces if len(piece) > 1),
        *(pair for pair in joined if len(pair) <= MAX_PAIR),
    ]


def _without_code(text: str) -> str:
    """``text`` without spans in backticks and runs that look like identifiers or options."""
    return _ASCII_RUN.sub(
        lambda run: " " if _CODE_MARK.search(run[0]) else run[0], _CODE_SPAN.sub(" ", text)
    )


def _is_prose(word: str) -> bool:
    """Whether a word is one of a language and no identifier, number or name in capitals."""
    if _UNSPACED_RUN.search(word):
        return True
    letters = "".join(char for char in word if char.isalpha())
    plain = not any(char.isdigit() or char == "_" for char in word)
    return plain and bool(letters) and letters[1:] == letters[1:].lower()


def _is_latin(word: str) -> bool:
    return all("LATIN" in unicodedata.name(char, "") for char in word if char.isalpha())


def _summed(terms: Iterable[WeightedTerm]) -> tuple[WeightedTerm, ...]:
    """Each term once with the sum of its weights, heaviest first, ties by term."""
    weights: dict[str, float] = {}
    for one in terms:
        weights[one.term] = weights.get(one.term, 0.0) + one.weight
    return tuple(
        WeightedTerm(term, weight)
        for term, weight in sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    )
