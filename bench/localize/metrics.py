"""How good an order of files is, given the files that were really changed (the gold).

- *Hit@k*: share of instances with at least one gold file among the first k.
- *Acc@k* (strict): share with every gold file among the first k.
- *Recall@k*: mean share of an instance's gold files among the first k.
- *MAP@k*: mean over instances of the sum of precisions at each gold file among the first k,
  divided by the lesser of k and the number of gold files.
- *MRR*: mean of one over the place of the first gold file (0 where it is not a candidate).

A gold file that is no candidate counts as not found, everywhere. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
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


def figures(placed: Sequence[Placed]) -> dict[str, float]:
    """All figures of a set, in percent, with ``n``."""
    n = len(placed)
    if not n:
        return {"n": 0}
    found: dict[str, float] = {"n": n}
    for k in (1, 3, 5, 10, 20):
        found[f"hit@{k}"] = 100 * sum(one.hit(k) for one in placed) / n
    for k in (5, 10):
        found[f"acc@{k}"] = 100 * sum(one.strict(k) for one in placed) / n
    found["recall@10"] = 100 * sum(one.recall(10) for one in placed) / n
    found["map@10"] = 100 * sum(one.precision(10) for one in placed) / n
    found["mrr"] = 100 * sum(one.reciprocal() for one in placed) / n
    return {name: round(value, 1) for name, value in found.items()}


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (0 to 1) of n."""
    if not n:
        return 0.0, 1.0
    z = 1.96
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def calibration(placed: Sequence[Placed]) -> dict[str, float]:
    """The expected calibration error of the first file's confidence (ten bins of equal width),
    and Hit@1 of the most confident 30 %."""
    sure = np.array([one.confidence for one in placed])
    right = np.array([one.hit(1) for one in placed])
    error = 0.0
    for low in np.arange(0, 1, 0.1):
        inside = (sure >= low) & (sure < low + 0.1 + (low > 0.85))
        if inside.any():
            error += inside.sum() * abs(sure[inside].mean() - right[inside].mean())
    best = np.argsort(-sure)[: max(1, round(0.3 * len(sure)))]
    return {
        "ece": round(float(error / len(sure)), 3),
        "top30_hit@1": round(100 * float(right[best].mean()), 1),
    }
