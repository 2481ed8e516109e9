"""How much of its answer a question gives away, in two numbers over one corpus.

- ``share``: the part of the question's weight that stands in the answer.
- ``peak``: the rarest shared word, against the rarest a word can be in this corpus.
- A word weighs its inverse document frequency in the corpus that is asked, nothing else: a
  list of stop words would be a knob that decides the result.

Recall is reported apart for questions that share little (``peak`` under .5): an average
hides them, and they are where every system fails.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

LOW = 0.5
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits, in order."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True, slots=True)
class Overlap:
    """``share`` and ``peak``, each 0 to 1."""

    share: float
    peak: float

    @property
    def low(self) -> bool:
        """Whether the question shares no rare word with its answer."""
        return self.peak < LOW


class Corpus:
    """Document frequencies of one corpus."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._frequency: Counter[str] = Counter()
        self._size = 0
        for document in documents:
            self._size += 1
            self._frequency.update(set(words(document)))

    def weight(self, word: str) -> float:
        """Zero for a word of every document, the most for a word of none."""
        return math.log((self._size + 1) / (self._frequency[word] + 1))

    def overlap(self, question: str, answer: str) -> Overlap:
        """What ``question`` shares with ``answer``; nothing where it has no words."""
        asked, there = words(question), set(words(answer))
        total = sum(map(self.weight, asked))
        shared = [self.weight(word) for word in asked if word in there]
        most = math.log(self._size + 1)
        return Overlap(
            share=sum(shared) / total if total else 0.0,
            peak=max(shared, default=0.0) / most if most else 0.0,
        )
