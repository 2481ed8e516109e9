"""recall@3, recall@10 and MRR@10 of ranked documents, with an interval, whole and by stratum.

- recall@k: the share of questions with a relevant document among the first k.
- MRR@10: the mean of 1/rank of the first relevant document, 0 where it is not in the first ten.
- A document counts once, at its best rank; acceptable documents are passed over, not counted.
- The interval is a percentile bootstrap over questions with a fixed seed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

DRAWS = 2000
SEED = 20


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over ``questions``; ``interval`` is the 95 % range of recall@3."""

    questions: int
    recall_at_3: float
    recall_at_10: float
    mrr_at_10: float
    interval: tuple[float, float]


def rank_of(
    ranked: Sequence[str], relevant: Sequence[str], acceptable: Sequence[str] = ()
) -> int | None:
    """The rank (from 1) of the first relevant document, acceptable ones passed over."""
    passed = set(acceptable) - set(relevant)
    counted = [name for name in dict.fromkeys(ranked) if name not in passed]
    return next((at for at, name in enumerate(counted, 1) if name in relevant), None)


def scores(ranks: Sequence[int | None]) -> Scores | None:
    """The means of some questions' ranks; None where there are none."""
    if not ranks:
        return None
    return Scores(
        len(ranks),
        _recall(ranks, 3),
        _recall(ranks, 10),
        round(sum(1 / rank for rank in ranks if rank and rank <= 10) / len(ranks), 3),
        _interval(ranks),
    )


def score_set(
    rows: Sequence[Mapping[str, object]], ranked: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """Scores and ranks of one set, ``ranked`` by question id."""
    ranks = {str(row["id"]): _rank(row, ranked[str(row["id"])]) for row in rows}
    found = scores(list(ranks.values()))
    return {"scores": found and asdict(found), "ranks": ranks}


def _rank(row: Mapping[str, object], found: Sequence[str]) -> int | None:
    relevant, acceptable = row["relevant_commits"], row["acceptable_commits"]
    assert isinstance(relevant, list) and isinstance(acceptable, list)
    return rank_of(found, relevant, acceptable)


def _recall(ranks: Sequence[int | None], limit: int) -> float:
    return round(sum(rank is not None and rank <= limit for rank in ranks) / len(ranks), 3)


def _interval(ranks: Sequence[int | None]) -> tuple[float, float]:
    chance = random.Random(SEED)
    drawn = sorted(_recall(chance.choices(ranks, k=len(ranks)), 3) for _ in range(DRAWS))
    return drawn[int(DRAWS * 0.025)], drawn[int(DRAWS * 0.975)]
