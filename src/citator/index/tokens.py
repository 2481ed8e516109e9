"""Text → everything a build needs of it, each word worked out once.

What a word becomes is remembered in one place, because in a build the look-ups cost more than
the work: one table that is hot is faster than three that are not.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import lru_cache
from itertools import chain
from sys import intern
from typing import NamedTuple

from citator.index.analysis import Analyser
from citator.model.document import Document

MAX_TERM = 255
MAX_FIELD_TERMS = 20_000
MAX_PATH_TERMS = 48
KEY_BYTES = 5

_REMEMBERED = 100_000
_REMEMBERED_PATHS = 20_000
_LONGEST_REMEMBERED = 64
_WHITE = str.maketrans(dict.fromkeys(" \t\n\r\x0b\x0c", "_"))


# What a word becomes: clean terms in order, and the key of each. A plain tuple of tuples of atoms,
# which the collector forgets: there are a hundred thousand of them.
Word = tuple[tuple[str, ...], tuple[bytes, ...]]


class Text(NamedTuple):
    """What a text becomes: its words as written, its terms in order, the key of each."""

    words: list[str]
    terms: list[str]
    keys: list[bytes]


def clean(term: str) -> str:
    """``term`` as it is indexed: no white space, no lone surrogates, not longer than 255."""
    cleaned = term[:MAX_TERM].translate(_WHITE)
    return cleaned.encode("utf-8", "replace").decode("utf-8")


def key_of(term: str) -> bytes:
    """What stands for a clean term in a record: 40 bits of a digest.

    Forty bits, because a record holds some dozens of terms and a question some dozen: that one
    is taken for another happens once in tens of millions of questions.
    """
    return hashlib.blake2b(term.encode("utf-8"), digest_size=KEY_BYTES).digest()


class Words(dict[str, Word]):
    """What words become, by word as the analyser splits them."""

    def __init__(self, analyser: Analyser) -> None:
        super().__init__()
        self._analyser = analyser
        self._key_of = lru_cache(maxsize=_REMEMBERED)(key_of)
        self._path_terms = lru_cache(maxsize=_REMEMBERED_PATHS)(self._terms_of_path)

    def __missing__(self, word: str) -> Word:
        terms = self._analyser.of_word(word)
        if not word.isascii() or len(word) > MAX_TERM:
            terms = tuple([clean(term) for term in terms if term])
        found = (tuple(map(intern, terms)), tuple(map(self._key_of, terms)))
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = found
        return found

    def text(self, text: str) -> Text:
        """A subject or a passage."""
        words = self._analyser.split(text)
        found = list(map(self.__getitem__, words))
        terms = list(chain.from_iterable([word[0] for word in found]))
        keys = list(chain.from_iterable([word[1] for word in found]))
        return Text(words, terms[:MAX_FIELD_TERMS], keys[:MAX_FIELD_TERMS])

    def paths(self, document: Document) -> Text:
        """The distinct terms of a document's paths: the most frequent, first seen first."""
        terms = Counter(chain.from_iterable(map(self._path_terms, touched(document))))
        kept = [term for term, _ in terms.most_common(MAX_PATH_TERMS)]
        return Text([], kept, list(map(self._key_of, kept)))

    def _terms_of_path(self, path: str) -> list[str]:
        return self.text(path).terms


def touched(document: Document) -> tuple[str, ...]:
    """The paths a document is found by: its own, or those a commit touched."""
    return document.paths if document.path is None else (document.path,)
