"""How well a passage answers some terms. Pure: numbers in, a number out.

Two functions of the view alone, so that an index which also holds other branches ranks as one
that never did. Both are BM25 over one bag of terms a passage: its subject three times, its
body, and the words of its paths once each.

- The *first stage* is what the engine can walk without reading every posting; it knows a
  passage's length only roughly. It decides which passages are looked at.
- The *second stage* knows the length exactly. It decides the order, and a passage's score is
  at most the sum of the terms' weights times their idf.

One bag beats fields that are each normalised by their own length by .06 to .07 of recall@3 on
held-out questions: a subject or a list of paths says little by being short. The numbers lie in
a flat region (three to four times the subject, k1 1.2 to 1.6, b .75 to .9).
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

# How often the terms of a subject enter the bag.
FIRST_SUBJECT = 3

# The first stage: the engine's own constants.
FIRST_K1 = 1.2
FIRST_B = 0.75

# The second stage.
K1 = 1.5
B = 0.75

MIN_DEPTH = 128
DEPTH_A_RESULT = 32


class Counts(NamedTuple):
    """How often a term stands in each field. In paths a term counts once."""

    subject: int
    body: int
    paths: int


class Lengths(NamedTuple):
    """Terms in each field: of a passage, or summed over passages."""

    subject: int
    body: int
    paths: int

    @property
    def bag(self) -> int:
        """Terms in the bag."""
        return FIRST_SUBJECT * self.subject + self.body + self.paths

    def plus(self, other: Lengths) -> Lengths:
        """The sum, field by field."""
        return Lengths(
            self.subject + other.subject, self.body + other.body, self.paths + other.paths
        )

    def minus(self, other: Lengths) -> Lengths:
        """The difference, field by field."""
        return Lengths(
            self.subject - other.subject, self.body - other.body, self.paths - other.paths
        )


NO_LENGTHS = Lengths(0, 0, 0)


class Means(NamedTuple):
    """Mean terms a passage, field by field and in the bag; never zero."""

    subject: float
    body: float
    paths: float
    bag: float


def means(total: Lengths, passages: int) -> Means:
    """The means of ``passages`` passages; 1.0 where a field is empty."""
    if passages == 0:
        return Means(1.0, 1.0, 1.0, 1.0)
    return Means(
        total.subject / passages or 1.0,
        total.body / passages or 1.0,
        total.paths / passages or 1.0,
        total.bag / passages or 1.0,
    )


def depth(limit: int) -> int:
    """How many of the first stage's best are looked at to answer ``limit``."""
    return max(2 * limit, min(MIN_DEPTH, DEPTH_A_RESULT * limit))


def idf(passages: int, holding: int) -> float:
    """The weight of a term that ``holding`` of ``passages`` passages hold."""
    return log(1.0 + (passages - holding + 0.5) / (holding + 0.5))


def first_score(held: list[tuple[float, Counts]], lengths: Lengths, mean: Means) -> float:
    """The first stage. ``held``: weight (idf included) and counts of each term that is held."""
    share = quantised(lengths.bag) / mean.bag
    return _saturated(held, FIRST_K1 * (1.0 - FIRST_B + FIRST_B * share))


def score(held: list[tuple[float, Counts]], lengths: Lengths, mean: Means) -> float:
    """The second stage. ``held`` as in :func:`first_score`."""
    return _saturated(held, K1 * (1.0 - B + B * lengths.bag / mean.bag))


def _saturated(held: list[tuple[float, Counts]], norm: float) -> float:
    total = 0.0
    for weight, (subject, body, paths) in held:
        frequency = FIRST_SUBJECT * subject + body + paths
        total += weight * (frequency / (frequency + norm))
    return total


def quantised(length: int) -> int:
    """``length`` as the engine remembers it: three bits of precision from 40 on, rounded down."""
    if length < 40:
        return length
    above = length - 24
    shift = above.bit_length() - 4
    return 24 + ((above >> shift) << shift)
