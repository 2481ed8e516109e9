"""Text → everything a build needs of it, each white-space-separated token worked out once.

No term and no word ever spans white space, so a text is the sum of its tokens. What a token
becomes is remembered in one place, because in a build the look-ups cost more than the work:
one table that is hot is faster than three that are not.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

from citator.index.analysis import Analyser
from citator.model.document import Document

MAX_TERM = 255
MAX_FIELD_TERMS = 20_000
MAX_PATH_TERMS = 48
KEY_BYTES = 5

_REMEMBERED = 100_000
_LONGEST_REMEMBERED = 64
_WHITE = str.maketrans(dict.fromkeys(" \t\n\r\x0b\x0c", "_"))
_WORD = re.compile(r"[^\W\d_]{2,40}")


class Token(NamedTuple):
    """What one token becomes: clean terms in order, the key of each, and its whole words."""

    terms: tuple[str, ...]
    keys: tuple[bytes, ...]
    words: tuple[str, ...]


class Text(NamedTuple):
    """What a text becomes: as :class:`Token`, and the distinct words."""

    terms: list[str]
    keys: list[bytes]
    words: set[str]


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


def whole_words(text: str) -> list[str]:
    """The whole words of ``text``, lower-cased, in order."""
    return _WORD.findall(text.lower())


class Tokens(dict[str, Token]):
    """What tokens become, by token."""

    def __init__(self, analyser: Analyser) -> None:
        super().__init__()
        self._analyser = analyser

    def __missing__(self, token: str) -> Token:
        terms = tuple(clean(term) for term in self._analyser.terms(token) if term)
        found = Token(terms, tuple(map(key_of, terms)), tuple(whole_words(token)))
        if len(token) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[token] = found
        return found

    def text(self, text: str) -> Text:
        """A subject or a passage."""
        found = [self[token] for token in text.split()]
        terms = list(chain.from_iterable([token[0] for token in found]))
        keys = list(chain.from_iterable([token[1] for token in found]))
        words = set(chain.from_iterable([token[2] for token in found]))
        return Text(terms[:MAX_FIELD_TERMS], keys[:MAX_FIELD_TERMS], words)

    def paths(self, document: Document) -> Text:
        """The distinct terms of a document's paths: the most frequent, first seen first."""
        terms = Counter(
            term for path in touched(document) for token in path.split() for term in self[token][0]
        )
        kept = [term for term, _ in terms.most_common(MAX_PATH_TERMS)]
        return Text(kept, [key_of(term) for term in kept], set())


def touched(document: Document) -> tuple[str, ...]:
    """The paths a document is found by: its own, or those a commit touched."""
    return document.paths if document.path is None else (document.path,)
