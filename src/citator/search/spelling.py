"""A word that the corpus does not hold → what was probably meant.

- One slip of the pen (a letter too many, too few, wrong, or two in the wrong order), after the
  first letter, in a word of seven letters or more; in five or six letters only two in the wrong
  order or a doubled letter. Shorter words and rarer slips are other words more often than not:
  ``react`` is not ``reach``.
- Or two words of the corpus written as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

MIN_LETTERS = 5
MIN_LETTERS_ANY_SLIP = 7
MIN_HALF = 4

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Holding = Callable[[str], int]
Stem = Callable[[str], str]


def respelled(word: str, stem: Stem, holding: Holding) -> str | None:
    """The term that ``word`` (lower case) was probably meant to be, or None.

    ``holding`` tells how many passages hold a term. The most frequent wins, then the first.
    """
    if len(word) < MIN_LETTERS or not (word.isascii() and word.isalpha()):
        return None
    own = stem(word)
    best: tuple[int, str] | None = None
    for term in sorted({stem(variant) for variant in _variants(word)}):
        if term == own or len(term) < MIN_LETTERS:
            continue
        held = holding(term)
        if held and (best is None or held > best[0]):
            best = held, term
    return None if best is None else best[1]


def _variants(word: str) -> Iterator[str]:
    whole = len(word) >= MIN_LETTERS_ANY_SLIP
    for at in range(1, len(word)):
        head, tail = word[:at], word[at:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        if whole or tail[0] == head[-1]:
            yield head + tail[1:]
        yield head + head[-1] + tail
        if whole:
            for letter in _LETTERS:
                yield head + letter + tail
                yield head + letter + tail[1:]
    if whole:
        for letter in _LETTERS:
            yield word + letter


def halves(word: str, stem: Stem, holding: Holding) -> tuple[str, str] | None:
    """The two terms of the corpus that ``word`` (lower case) is made of, or None."""
    if not (word.isascii() and word.isalpha()):
        return None
    best: tuple[int, tuple[str, str]] | None = None
    for at in range(MIN_HALF, len(word) - MIN_HALF + 1):
        first, second = stem(word[:at]), stem(word[at:])
        rarer = min(holding(first), holding(second))
        if rarer and (best is None or rarer > best[0]):
            best = rarer, (first, second)
    return None if best is None else best[1]
