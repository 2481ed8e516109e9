"""How good an order of files is, given the files that were really changed (the gold).

- *Hit@k*: share of instances with at least one gold file among the first k.
- *Acc@k* (strict): share with every gold file among the first k.
- *Recall@k*: mean share of an instance's gold files among the first k.
- *MAP@k*: mean over instances of the sum of precisions at each gold file among the first k,
  divided by the lesser of k and the number of gold files.
- *MRR*: mean of one over the place of the first gold file (0 where it is not a candidate).

A gold file that is no candidate counts as not found, everywhere. Intervals are of 95 %: Wilson's
for shares, of the normal distribution for means of something else than yes or no.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

BINS: Final = 10
_Z: Final = 1.96


@dataclass(frozen=True, slots=True)
class Placed:
    """One instance: the places (from 1) of its gold files that are candidates; how many in all."""

    instance: str
    repo: str
    places: tuple[int, ...]
    gold: int
    confidence: float

    def hit(self, k: int) -> float:
        """1 where any gold file is among the first k."""
        return float(any(place <= k for place in self.places))

    def strict(self, k: int) -> float:
        """1 where all are."""
        return float(sum(place <= k for place in self.places) == self.gold)

    def recall(self, k: int) -> float:
        """The share that is."""
        return sum(place <= k for place in self.places) / max(self.gold, 1)

    def precision(self, k: int) -> float:
        """The average precision of the first k."""
        near = sorted(place for place in self.places if place <= k)
        return sum((i + 1) / place for i, place in enumerate(near)) / min(max(self.gold, 1), k)

    def reciprocal(self) -> float:
        """One over the first place."""
        return 1.0 / min(self.places) if self.places else 0.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure, 0 to 1, and its interval."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Confidences from ``low`` to ``high``: how many, their mean, how many of them were right."""

    low: float
    high: float
    count: int
    mean: float
    right: int


def measured(placed: Sequence[Placed]) -> tuple[Measure, ...]:
    """The figures of a set, each with its interval; () for an empty one."""
    if not placed:
        return ()
    shares: list[tuple[str, Callable[[Placed], float]]] = [
        *((f"hit@{k}", lambda one, k=k: one.hit(k)) for k in (1, 3, 5, 10)),
        *((f"acc@{k}", lambda one, k=k: one.strict(k)) for k in (1, 3, 5, 10)),
    ]
    means: list[tuple[str, Callable[[Placed], float]]] = [
        *((f"recall@{k}", lambda one, k=k: one.recall(k)) for k in (1, 3, 5, 10)),
        ("map@10", lambda one: one.precision(10)),
        ("mrr", Placed.reciprocal),
    ]
    n = len(placed)
    found = []
    for name, of in shares:
        share = sum(map(of, placed)) / n
        found.append(Measure(name, share, *wilson(share, n)))
    for name, of in means:
        found.append(Measure(name, *_mean([of(one) for one in placed])))
    return tuple(found)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (0 to 1) of n."""
    if not n:
        return 0.0, 1.0
    middle = share + _Z * _Z / (2 * n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    scale = 1 + _Z * _Z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _mean(values: Sequence[float]) -> tuple[float, float, float]:
    """A mean and its interval, within 0 and 1."""
    n = len(values)
    mean = sum(values) / n
    spread = math.sqrt(sum((one - mean) ** 2 for one in values) / max(n - 1, 1) / n)
    return mean, max(0.0, mean - _Z * spread), min(1.0, mean + _Z * spread)


def curve(sure: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Ten bins of equal width, those that hold nothing left out."""
    bins = []
    for number in range(BINS):
        inside = [i for i, one in enumerate(sure) if min(int(one * BINS), BINS - 1) == number]
        if inside:
            bins.append(
                Bin(
                    low=number / BINS,
                    high=(number + 1) / BINS,
                    count=len(inside),
                    mean=sum(sure[i] for i in inside) / len(inside),
                    right=sum(right[i] for i in inside),
                )
            )
    return tuple(bins)


def expected_error(bins: Sequence[Bin]) -> float:
    """The mean distance between confidence and share over all that the bins hold."""
    total = sum(one.count for one in bins)
    return sum(abs(one.count * one.mean - one.right) for one in bins) / max(total, 1)
