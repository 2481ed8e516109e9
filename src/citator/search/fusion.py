"""Scores of several legs → one order.

- A convex combination of scores normalised over the best of each leg, never of ranks: combining
  ranks loses to the lexical leg alone.
- Deterministic: equal scores are ordered by reference by whoever reads the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DEPTH = 200


def normalised(scores: Mapping[int, float], depth: int = DEPTH) -> dict[int, float]:
    """Scores moved to 0..1. A leg that found fewer than ``depth`` is measured from zero."""
    if not scores:
        return {}
    highest = max(scores.values())
    lowest = min(scores.values()) if len(scores) >= depth else min(0.0, *scores.values())
    if highest <= lowest:
        return dict.fromkeys(scores, 1.0 if highest > 0 else 0.0)
    return {one: (score - lowest) / (highest - lowest) for one, score in scores.items()}


def combined(
    lexical: Mapping[int, float],
    vector: Sequence[tuple[int, float]],
    lexical_weight: float,
) -> dict[int, float]:
    """The score of each passage that a leg found, over both legs.

    Where there is no ``vector`` leg the lexical scores stand alone.
    """
    first = normalised(lexical)
    second = normalised(dict(vector[:DEPTH]))
    weight = lexical_weight if second else 1.0
    return {
        one: weight * first.get(one, 0.0) + (1.0 - weight) * second.get(one, 0.0)
        for one in {**first, **second}
    }
