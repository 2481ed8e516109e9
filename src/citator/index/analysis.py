"""Text → terms. One function for what is indexed and what is asked.

- Words are lower-cased and stemmed (Snowball English); accents are folded beside the word.
- Identifiers are kept whole and split at underscores, digits and case.
- Runs of Chinese, Japanese, Thai and the like become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

VERSION = "a1"
MAX_WORD = 64

_WORD = re.compile(r"[^\W_]+(?:[_'’][^\W_]+)*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
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
        found: list[str] = []
        for match in _WORD.finditer(text):
            found.extend(self._terms(match[0]))
        return found

    def stem(self, word: str) -> str:
        """The stem of one lower-case word."""
        stems = self._stemmer.analyze(word)
        return str(stems[0]) if stems else word

    def _word_terms(self, word: str) -> tuple[str, ...]:
        if len(word) > MAX_WORD:
            word = word[:MAX_WORD]
        if not word.isascii():
            if _UNSPACED.search(word):
                return _unspaced_terms(word)
            word = _folded(word)
        lower = word.lower()
        parts = [part.lower() for part in _CAMEL.findall(word)] if word.isascii() else [lower]
        if len(parts) <= 1:
            return (self.stem(lower),)
        return (lower, *(self.stem(part) for part in parts))


def _folded(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _unspaced_terms(word: str) -> tuple[str, ...]:
    terms: list[str] = []
    for run in _UNSPACED.findall(word):
        terms.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    terms.extend(rest.lower() for rest in _UNSPACED.split(word) if rest)
    return tuple(terms)
