"""Text → terms. One function for what is indexed and what is asked.

- Words are case-folded, freed of accents and stemmed (Snowball English).
- An identifier becomes one term whole, its separators taken out, and one for each part at
  underscores, digits and case: ``feature_flag`` and ``FeatureFlag`` are one identifier.
- ``don't`` is one word, ``it's`` is ``it`` and ``l'index`` is ``index``; a version such as
  ``2.4`` is kept whole beside its numbers; a run of hexadecimal digits that looks like an
  object id is never split.
- Runs of Chinese, Japanese, Korean, Thai and the like become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

VERSION = "a3"
MAX_WORD = 64
MAX_PARTS = 6

# Marks that belong to a word though they are no letters: accents written apart, vowel signs of
# Arabic, Hebrew, Indic and South-East Asian scripts, the joiners of Persian.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0963\u0981-\u0d7f\u0e31-\u0e4e\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3"
    "\u200c\u200d"
)
_WORD = re.compile(rf"[vV]?\d+(?:\.\d+)+|[\w{_MARKS}]+(?:['’][\w{_MARKS}]+)*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_APOSTROPHES = str.maketrans("", "", "'’")
_POSSESSIVE = re.compile(r"['’][sS]$")
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|all|dall|dell|nell|sull)['’](?=..)", re.IGNORECASE)
_OBJECT_ID = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def _analyser() -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer("english")).build()


class Analyser:
    """Holds the stemmer and a cache of what each word becomes."""

    def __init__(self) -> None:
        self._stemmer = _analyser()
        self._terms = lru_cache(maxsize=200_000)(self._word_terms)

    def terms(self, text: str) -> list[str]:
        """The terms of ``text`` in order, repeats kept."""
        return [term for word in _WORD.findall(text) for term in self._terms(word)]

    def split(self, text: str) -> list[str]:
        """The words of ``text`` as written, in order."""
        return _WORD.findall(text)

    def of_word(self, word: str) -> tuple[str, ...]:
        """The terms of one such word."""
        return self._terms(word)

    def words(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """The words of ``text`` as written, each with its terms (an identifier's whole first)."""
        return [(match[0], self._terms(match[0])) for match in _WORD.finditer(text)]

    def stem(self, word: str) -> str:
        """The stem of one lower-case word."""
        stems = self._stemmer.analyze(word)
        return str(stems[0]) if stems else word

    def _word_terms(self, word: str) -> tuple[str, ...]:
        word = word[:MAX_WORD]
        if "." in word:
            word = word.lstrip("vV")
            return (word, *word.split("."))
        if "'" in word or "’" in word:
            word = _POSSESSIVE.sub("", _ELISION.sub("", word)).translate(_APOSTROPHES)
        if not word.isascii():
            if _UNSPACED.search(word):
                return self._unspaced_terms(word)
            word = folded(word)
        return self._identifier_terms(word)

    def _identifier_terms(self, word: str) -> tuple[str, ...]:
        lower = word.casefold()
        if not word.isascii():
            return tuple(self.stem(part) for part in lower.split("_") if part)
        if _OBJECT_ID.fullmatch(lower):
            return (lower,)
        parts = _CAMEL.findall(word)
        if len(parts) <= 1:
            return tuple(self.stem(part.lower()) for part in parts)
        stems = tuple(self.stem(part.lower()) for part in parts)
        if len(parts) > MAX_PARTS:
            return stems
        return (self.stem(lower.replace("_", "")), *stems)

    def _unspaced_terms(self, word: str) -> tuple[str, ...]:
        terms: list[str] = []
        at = 0
        for run in _UNSPACED.finditer(word):
            terms.extend(self._identifier_terms(folded(word[at : run.start()])))
            terms.extend(pairs(run[0]))
            at = run.end()
        terms.extend(self._identifier_terms(folded(word[at:])))
        return tuple(terms)


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run of characters; the character itself where it is alone."""
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def folded(word: str) -> str:
    """``word`` without accents and other marks that change no letter."""
    decomposed = unicodedata.normalize("NFKD", word)
    kept = "".join(char for char in decomposed if not _is_accent(char))
    return unicodedata.normalize("NFC", kept)


def _is_accent(char: str) -> bool:
    weight = unicodedata.combining(char)
    return weight >= 200 or 10 <= weight <= 36 or char in "\u200c\u200d"
