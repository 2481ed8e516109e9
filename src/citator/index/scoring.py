"""How well a passage answers some terms. Pure: numbers in, a number out.

Two functions of the view alone, so that an index which also holds other branches ranks as one
that never did:

- The *first stage* is BM25 over one bag of terms (subject twice, body, paths). It is what the
  engine can walk without reading every posting, and it decides which passages are looked at.
- The *second stage* is BM25F: each field is normalised by its own length, and a term saturates
  once over all fields. It decides the order.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

# The first stage: the engine's own constants, and how often a field's terms enter the bag.
FIRST_K1 = 1.2
FIRST_B = 0.75
FIRST_SUBJECT = 2

# The second stage.
K1 = 1.2
SUBJECT_WEIGHT, SUBJECT_B = 2.0, 0.4
BODY_WEIGHT, BODY_B = 1.0, 0.75
PATHS_WEIGHT, PATHS_B = 0.5, 0.5

MIN_DEPTH = 128


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
        """Terms in the first stage's bag."""
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
    return max(MIN_DEPTH, 2 * limit)


def idf(passages: int, holding: int) -> float:
    """The weight of a term that ``holding`` of ``passages`` passages hold."""
    return log(1.0 + (passages - holding + 0.5) / (holding + 0.5))


def first_score(held: list[tuple[float, Counts]], lengths: Lengths, mean: Means) -> float:
    """The first stage. ``held``: weight (idf included) and counts of each term that is held."""
    norm = FIRST_K1 * (1.0 - FIRST_B + FIRST_B * quantised(lengths.bag) / mean.bag)
    score = 0.0
    for weight, (subject, body, paths) in held:
        frequency = FIRST_SUBJECT * subject + body + paths
        score += weight * (frequency / (frequency + norm))
    return score


def score(held: list[tuple[float, Counts]], lengths: Lengths, mean: Means) -> float:
    """The second stage. ``held`` as in :func:`first_score`."""
    subject_norm = SUBJECT_WEIGHT / _norm(SUBJECT_B, lengths.subject, mean.subject)
    body_norm = BODY_WEIGHT / _norm(BODY_B, lengths.body, mean.body)
    paths_norm = PATHS_WEIGHT / _norm(PATHS_B, lengths.paths, mean.paths)
    total = 0.0
    for weight, (subject, body, paths) in held:
        frequency = subject * subject_norm + body * body_norm + paths * paths_norm
        total += weight * (frequency / (frequency + K1))
    return total


def _norm(share: float, length: int, mean: float) -> float:
    return 1.0 - share + share * length / mean


def quantised(length: int) -> int:
    """``length`` as the engine remembers it: three bits of precision from 40 on, rounded down."""
    if length < 40:
        return length
    above = length - 24
    shift = above.bit_length() - 4
    return 24 + ((above >> shift) << shift)
