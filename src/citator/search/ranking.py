"""All that was found, in one order, and the window of it that an answer shows.

Order: what was named; then by score (legs, prior of the kind, bonus of a mark) descending, then
by reference. The order follows from the view and the question alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from citator.index.analysis import Analyser
from citator.index.protocol import Candidate, Row, View
from citator.search.fusion import combined
from citator.search.inquiry import Inquiry
from citator.search.priors import prior
from citator.search.slots import places


@dataclass(frozen=True, slots=True)
class Near:
    """What a vector leg found, and what the lexical leg counts beside it."""

    found: Sequence[tuple[int, float]] = ()
    lexical_weight: float = 1.0


class Ranking:
    """``floor`` is the score of content from which on a passage is evidence."""

    def __init__(
        self,
        view: View,
        inquiry: Inquiry,
        candidates: Sequence[Candidate],
        near: Near,
        floor: float,
    ) -> None:
        self._view = view
        self._inquiry = inquiry
        self._lexical = {one.ordinal: one for one in candidates}
        self._floor = floor
        scores = {one.ordinal: one.score for one in candidates}
        self._scores = combined(scores, near.found, near.lexical_weight)

    def window(self, start: int, limit: int, per_document: int) -> tuple[list[Row], int]:
        """The rows of the places from ``start`` on, and how many more are evidence."""
        page: list[Row] = []
        left_out = 0
        for place, row in enumerate(places(chain(self._named(), self._ranked()), per_document)):
            if start <= place < start + limit:
                page.append(row)
            elif place >= start and self._is_evidence(row.ordinal):
                left_out += 1
        return page, left_out

    def _is_evidence(self, ordinal: int) -> bool:
        if ordinal in self._inquiry.exact.marked:
            return True
        found = self._lexical.get(ordinal)
        return found is not None and self._inquiry.content_score(found) >= self._floor

    def _named(self) -> list[Row]:
        """Best first where the rest of the question tells them apart."""
        named = self._inquiry.exact.named
        return sorted(named, key=lambda row: -self._scores.get(row.ordinal, 0.0))

    def _ranked(self) -> list[Row]:
        """Everything else that was found, best first."""
        scores, marked = self._scores, self._inquiry.exact.marked
        rows = self._view.rows(list(dict.fromkeys((*scores, *marked))))
        keyed = [
            (-scores.get(row.ordinal, 0.0) * prior(row) - marked.get(row.ordinal, 0.0), row)
            for row in rows
        ]
        return [row for _, row in sorted(keyed, key=lambda one: (one[0], one[1].ref, one[1].path))]

    def matched(self, row: Row, analyser: Analyser) -> tuple[str, ...]:
        """Those of the asker's own words that the passage, its subject or its paths hold."""
        found = self._lexical.get(row.ordinal)
        if found is not None:
            terms = frozenset(found.terms)
        else:
            terms = frozenset(analyser.terms(" ".join((row.subject, row.text, *row.paths))))
        hashes = self._inquiry.asked.hashes
        named = [run for run in hashes if row.object_id.startswith(run)]
        return tuple(dict.fromkeys((*named, *self._inquiry.held_words(terms))))
