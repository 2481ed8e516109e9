"""A question over one view → the passages that bear on it, or why there are none.

The way down: what is named exactly → what the words mean here → candidates of each leg → one
order → places within the limit. Nothing is read but the view, and the expander and the vector
leg that the caller hands in; scores stay inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from citator.index.analysis import Analyser
from citator.index.protocol import Candidate, Row, View, WeightedTerm
from citator.model.evidence import AbstainReason, Status
from citator.search import cursor as cursors
from citator.search.abstention import Calibration, Evidence
from citator.search.exact import Exact, find
from citator.search.fusion import DEPTH as FUSED_DEPTH
from citator.search.fusion import combined
from citator.search.induction import Frequencies, Induction
from citator.search.priors import prior
from citator.search.question import Question, parse
from citator.search.senses import Sense, Speaker
from citator.search.slots import places

DEPTH = 64
MAX_DEPTH = 4096
DEEPER = 8
MAX_TERMS = 64
JOINED_WEIGHT = 0.5
JOINING_WEIGHT = 0.2


class Expander(Protocol):
    """Finds corpus words for the words of a question in another language."""

    def induce(self, question: str, view: Frequencies) -> Induction: ...


class VectorLeg(Protocol):
    """Finds passages that are near in meaning."""

    @property
    def lexical_weight(self) -> float:
        """What the lexical leg counts beside this one, 0..1: part of the model's contract."""

    def nearest(self, question: str, view: View, limit: int) -> Sequence[tuple[int, float]]:
        """The nearest visible passages by ordinal, with a score, nearest first."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much to return. ``seal`` is what a cursor is bound to, beside the question.

    With ``anyway`` the best there is is shown even where it is no evidence.
    """

    limit: int = 8
    cursor: str | None = None
    per_document: int = 2
    seal: bytes = b""
    anyway: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with those of the asker's own words that it holds."""

    row: Row
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. ``left_out`` more passages are evidence and did not fit (counted as
    far as the search looked); where there are any, ``cursor`` continues.

    ``unknown_words`` are the asker's, held by no passage of the view.
    """

    status: Status
    hits: tuple[Hit, ...] = ()
    abstained: AbstainReason | None = None
    unknown_words: tuple[str, ...] = ()
    left_out: int = 0
    cursor: str | None = None


def search(
    view: View,
    text: str,
    options: Options | None = None,
    expander: Expander | None = None,
    vector_leg: VectorLeg | None = None,
    calibration: Calibration | None = None,
    analyser: Analyser | None = None,
) -> Found:
    """Search ``view`` for the question ``text``.

    ``calibration`` is that of the view (:func:`citator.search.abstention.calibrate`), ``analyser``
    one to reuse. Raises UsageError ``invalid_cursor`` where the cursor is not of this question.
    """
    options, analyser = options or Options(), analyser or Analyser()
    start = 0 if options.cursor is None else cursors.offset_of(options.cursor, text, options.seal)
    if view.statistics.passages == 0:
        return _abstained(AbstainReason.EMPTY_INDEX)
    asked = parse(text, analyser)
    if asked.asks_nothing:
        return _abstained(AbstainReason.NOTHING_ASKED)
    induction = Induction() if expander is None else expander.induce(asked.spoken, view)
    inquiry = _understood(asked, view, analyser, induction)
    depth = _first_depth(start + options.limit, vector_leg is not None)
    candidates = view.candidates(inquiry.terms, depth)
    evidence = Evidence(candidates[0].score if candidates else 0.0, inquiry.senses)
    calibration = calibration or Calibration()
    if not (inquiry.names_something or options.anyway):
        reason = evidence.verdict(calibration)
        if reason is not None:
            return _abstained(reason, inquiry.unknown_words)
    near = _Near() if vector_leg is None else _near(vector_leg, asked, view)
    while True:
        ranking = _Ranking(view, inquiry.exact, candidates, near, evidence.floor(calibration))
        page, left_out = ranking.window(start, options)
        if len(page) == options.limit or len(candidates) < depth or depth >= MAX_DEPTH:
            break
        depth = min(DEEPER * depth, MAX_DEPTH)
        candidates = view.candidates(inquiry.terms, depth)
    following = cursors.cursor_at(start + options.limit, text, options.seal) if left_out else None
    return Found(
        status=Status.PARTIAL if left_out else Status.COMPLETE,
        hits=tuple(Hit(row, ranking.matched(row, inquiry, analyser)) for row in page),
        unknown_words=inquiry.unknown_words,
        left_out=left_out,
        cursor=following,
    )


def _abstained(reason: AbstainReason, unknown: tuple[str, ...] = ()) -> Found:
    return Found(Status.ABSTAINED, abstained=reason, unknown_words=unknown)


def _first_depth(wanted: int, fused: bool) -> int:
    """How many candidates to look at, at first: a long document can take many of them."""
    return min(max(FUSED_DEPTH if fused else DEPTH, 2 * wanted), MAX_DEPTH)


@dataclass(frozen=True, slots=True)
class _Near:
    """What a vector leg found, and what the lexical leg counts beside it."""

    found: Sequence[tuple[int, float]] = ()
    lexical_weight: float = 1.0


def _near(leg: VectorLeg, asked: Question, view: View) -> _Near:
    return _Near(leg.nearest(asked.spoken, view, FUSED_DEPTH), leg.lexical_weight)


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """What a question names, what its words mean in this view, and the terms to look for."""

    asked: Question
    exact: Exact
    senses: tuple[Sense, ...]
    terms: tuple[WeightedTerm, ...]

    @property
    def names_something(self) -> bool:
        """Whether the view has something the question names; then it is never silent."""
        return bool(self.exact.named) or (bool(self.exact.marked) and not self.senses)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        return tuple(sense.word for sense in self.senses if not sense.known)


def _understood(asked: Question, view: View, analyser: Analyser, induction: Induction) -> _Inquiry:
    """The inquiry; words that only spell out a name that was found are not looked for again."""
    exact = find(asked, view, analyser)
    speaker = Speaker(view, analyser)
    spelled = {word for name in exact.resolved for word, _ in analyser.words(name)}
    senses = tuple(
        sense for sense in speaker.senses(asked, induction) if sense.word.lower() not in spelled
    )
    weights: dict[str, float] = {}
    for one in chain.from_iterable(sense.terms for sense in senses):
        weights[one.term] = max(weights.get(one.term, 0.0), one.weight)
    if weights:
        for weight, words in ((JOINED_WEIGHT, asked.joined), (JOINING_WEIGHT, asked.joining)):
            for word in words:
                if speaker.holding(word.terms[0]):
                    weights.setdefault(word.terms[0], weight)
    heaviest = sorted(weights, key=lambda term: (-weights[term] * speaker.idf(term), term))
    terms = tuple(WeightedTerm(term, weights[term]) for term in heaviest[:MAX_TERMS])
    return _Inquiry(asked, exact, senses, terms)


class _Ranking:
    """All that was found, in one order, and the window of it that an answer shows."""

    def __init__(
        self,
        view: View,
        exact: Exact,
        candidates: Sequence[Candidate],
        near: _Near,
        floor: float,
    ) -> None:
        self._view = view
        self._exact = exact
        self._lexical = {one.ordinal: one for one in candidates}
        self._floor = floor
        scores = {one.ordinal: one.score for one in candidates}
        self._scores = combined(scores, near.found, near.lexical_weight)

    def window(self, start: int, options: Options) -> tuple[list[Row], int]:
        """The rows of the places from ``start`` on, and how many more are evidence."""
        page: list[Row] = []
        left_out = 0
        rows = places(chain(self._named(), self._ranked()), options.per_document)
        for place, row in enumerate(rows):
            if start <= place < start + options.limit:
                page.append(row)
            elif place >= start and self._is_evidence(row.ordinal):
                left_out += 1
        return page, left_out

    def _is_evidence(self, ordinal: int) -> bool:
        found = self._lexical.get(ordinal)
        return ordinal in self._exact.marked or (found is not None and found.score >= self._floor)

    def _named(self) -> list[Row]:
        """Best first where the rest of the question tells them apart."""
        return sorted(self._exact.named, key=lambda row: -self._scores.get(row.ordinal, 0.0))

    def _ranked(self) -> list[Row]:
        """Everything found by (score descending, reference)."""
        scores, marked = self._scores, self._exact.marked
        rows = self._view.rows(list(dict.fromkeys((*scores, *marked))))
        keyed = [
            (-scores.get(row.ordinal, 0.0) * prior(row) - marked.get(row.ordinal, 0.0), row)
            for row in rows
        ]
        return [row for _, row in sorted(keyed, key=lambda one: (one[0], one[1].ref, one[1].path))]

    def matched(self, row: Row, inquiry: _Inquiry, analyser: Analyser) -> tuple[str, ...]:
        """Those of the asker's own words that the passage, its subject or its paths hold."""
        found = self._lexical.get(row.ordinal)
        if found is not None:
            terms = frozenset(found.terms)
        else:
            terms = frozenset(analyser.terms(" ".join((row.subject, row.text, *row.paths))))
        named = [run for run in inquiry.asked.hashes if row.object_id.startswith(run)]
        held = [sense.word for sense in inquiry.senses if sense.is_held_by(terms)]
        return tuple(dict.fromkeys((*named, *held)))
