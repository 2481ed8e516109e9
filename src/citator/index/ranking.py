"""The best passages of a view for some terms, exactly.

- The engine walks all passages with its own statistics; the view has others. How far the two
  can differ is bounded (only the mean length enters), so the walk goes on until nothing that
  was not fetched could be among the first stage's best of the view.
- Those are scored by the second stage and ordered by (score descending, reference ascending):
  a function of what the view sees, not of what else the index holds or how it is laid out.
- Work is bounded by counts: a tie of more than ``MAX_POOL`` passages is cut by reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from struct import Struct
from typing import TYPE_CHECKING

from citator.index import scoring
from citator.index.engine import Reader
from citator.index.protocol import Candidate
from citator.index.records import Record
from citator.index.tokens import key_of
from citator.model.stop import checkpoint

if TYPE_CHECKING:
    from tantivy import DocAddress

MAX_POOL = 2048
_SINGLE = Struct("<f")
# The engine adds in single precision; a few dozen terms stay far below this.
ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term that the view holds: its weight with the view's idf, and the engine's boost."""

    term: str
    weight: float
    boost: float


@dataclass(frozen=True, slots=True)
class Scope:
    """What a ranking is over. ``mask`` is None where every passage is visible."""

    reader: Reader
    mask: bytes | memoryview | None
    passages: int
    mean: scoring.Means
    engine_mean: float


def query_term(
    scope: Scope, term: str, weight: float, holding: int, visible: int
) -> QueryTerm | None:
    """The term as both stages weigh it; ``holding`` passages hold it, ``visible`` of them seen.

    None where the engine's single precision gives it no weight at all: a term that each of
    more than eight million passages holds.
    """
    engine = _engine_idf(scope.reader.passages, holding) * (1.0 + scoring.FIRST_K1)
    if engine <= 0.0:
        return None
    exact = weight * scoring.idf(scope.passages, visible)
    return QueryTerm(term, exact, exact / engine)


def _engine_idf(passages: int, holding: int) -> float:
    """:func:`scoring.idf` as the engine has it: 1 + x is rounded to single precision."""
    odds = (passages - holding + 0.5) / (holding + 0.5)
    (rounded,) = _SINGLE.unpack(_SINGLE.pack(1.0 + odds))
    return log(rounded)


def best(scope: Scope, terms: Sequence[QueryTerm], limit: int) -> list[Candidate]:
    """The best ``limit`` of the first stage's best (of which a tie at the cut is not cut)."""
    wanted = scoring.depth(limit)
    keyed = [(term.term, key_of(term.term), term.weight) for term in terms]
    scored: list[_Scored] = []
    for address in _pool(scope, terms, wanted):
        record = scope.reader.record(address)
        held, names = [], []
        for name, key, weight in keyed:
            counts = record.counts(key)
            if counts is not None:
                held.append((weight, counts))
                names.append(name)
        first = scoring.first_score(held, record.lengths, scope.mean)
        final = scoring.score(held, record.lengths, scope.mean)
        scored.append((first, Candidate(record.ordinal, final, tuple(names)), record))
    kept = _ordered(_at_least(scored, wanted))
    return [candidate for _, candidate, _ in kept[:limit]]


_Scored = tuple[float, Candidate, Record]


def _ordered(entries: list[_Scored]) -> list[_Scored]:
    """By score and reference. One blob at two paths has one reference: then by path."""
    shared = Counter(record.order for _, _, record in entries)

    def key(entry: _Scored) -> tuple[float, tuple[int, bytes], str]:
        _, candidate, record = entry
        path = record.row().path if shared[record.order] > 1 else ""
        return -candidate.score, record.order, path

    return sorted(entries, key=key)


def _at_least(entries: list[_Scored], wanted: int) -> list[_Scored]:
    """The first stage's best ``wanted`` entries, and those that tie with the last of them."""
    if len(entries) <= wanted:
        return entries
    cut = sorted((first for first, _, _ in entries), reverse=True)[wanted - 1]
    return [entry for entry in entries if entry[0] >= cut]


def _pool(scope: Scope, terms: Sequence[QueryTerm], wanted: int) -> list[DocAddress]:
    """Visible passages that hold every one of the view's first-stage best ``wanted``."""
    boosts = [(term.term, term.boost) for term in terms]
    total = scope.reader.passages
    slack = _slack(scope)
    ask = min(total, (wanted + 16) * total // max(scope.passages, 1) + 1)
    while True:
        checkpoint()
        scores, addresses = scope.reader.best(boosts, ask)
        seen = _visible(scope, scores, addresses)
        if len(seen) >= wanted:
            floor = seen[wanted - 1][0] * slack
            if scores[-1] < floor or len(scores) < ask or ask >= total:
                return _bounded(scope, [hit for hit in seen if hit[0] >= floor], wanted, slack)
        elif len(scores) < ask or ask >= total:
            return [address for _, address in seen]
        ask = min(total, ask * 4)


def _slack(scope: Scope) -> float:
    """How much lower an engine score may be and still mean a better score in the view.

    A term's score has the form f / (f + k · norm), where norm is 1 - b + b · length / mean. With
    another mean it changes by a factor between 1 and the ratio of the means.
    """
    ratio = scope.mean.bag / scope.engine_mean
    return min(ratio, 1.0 / ratio) * (1.0 - ROUNDING)


def _visible(
    scope: Scope, scores: list[float], addresses: list[DocAddress]
) -> list[tuple[float, DocAddress]]:
    mask = scope.mask
    pairs = zip(scores, addresses, strict=True)
    if mask is None:
        return list(pairs)
    ordinals = scope.reader.values("ordinal", addresses)
    return [pair for pair, one in zip(pairs, ordinals, strict=True) if mask[one]]


def _bounded(
    scope: Scope, hits: list[tuple[float, DocAddress]], wanted: int, slack: float
) -> list[DocAddress]:
    """``hits`` (best first), or what a huge tie leaves of them: the lowest references."""
    if len(hits) <= max(MAX_POOL, 2 * wanted):
        return [address for _, address in hits]
    cut = hits[wanted - 1][0] / slack
    sure = [address for score, address in hits if score > cut]
    tied = [address for score, address in hits if score <= cut]
    ties = scope.reader.values("tie", tied)
    order = sorted(range(len(tied)), key=ties.__getitem__)
    return sure + [tied[i] for i in order[: max(MAX_POOL, 2 * wanted) - len(sure)]]
