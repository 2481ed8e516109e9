"""Source text → numbers that stand for terms.

- The terms are those of :mod:`citator.index.analysis`: an identifier whole and in parts, stemmed.
- A term is its CRC-32. No dictionary has to be shared, so facts of a blob are a function of the
  blob alone; two terms in a repository that share a number are rare, and only blur a score.
"""

from __future__ import annotations

import zlib

from citator.index.analysis import VERSION as ANALYSIS
from citator.index.analysis import Analyser

VERSION = f"w1.{ANALYSIS}"
_KEPT_WORDS = 400_000


def number_of(text: str) -> int:
    """The number of one term, or of one name exactly as written."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


class Words:
    """Turns text into numbers; remembers what each word becomes."""

    def __init__(self) -> None:
        self._analyser = Analyser()
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str) -> list[int]:
        """The numbers of the terms of ``text``, repeats kept, in order."""
        found: list[int] = []
        known = self._known
        for word in self._analyser.split(text):
            numbers = known.get(word)
            if numbers is None:
                numbers = self._learn(word)
            found.extend(numbers)
        return found

    def words(self, text: str) -> list[tuple[str, tuple[int, ...]]]:
        """The words of ``text`` as written, each with its numbers (an identifier's whole first)."""
        return [
            (word, self._known.get(word) or self._learn(word))
            for word in self._analyser.split(text)
        ]

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _KEPT_WORDS:
            self._known.clear()
        numbers = tuple(number_of(term) for term in self._analyser.of_word(word))
        self._known[word] = numbers
        return numbers
