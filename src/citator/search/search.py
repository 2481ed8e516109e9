"""A question over one view → the passages that bear on it, or why there are none.

The way down: what is named exactly → what the words mean here → candidates of each leg → one
order → places within the limit. Nothing is read but the view, and the expander and the vector
leg that the caller hands in; scores stay inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citator.index.analysis import Analyser
from citator.index.protocol import Row, View
from citator.model.evidence import AbstainReason, Status
from citator.search import cursor as cursors
from citator.search.abstention import Calibration, Evidence
from citator.search.fusion import DEPTH as FUSED_DEPTH
from citator.search.induction import Frequencies, Induction
from citator.search.inquiry import understood
from citator.search.question import Question, parse
from citator.search.ranking import Near, Ranking

DEPTH = 64
MAX_DEPTH = 4096
DEEPER = 8


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
    inquiry = understood(asked, view, analyser, induction)
    depth = _first_depth(start + options.limit, vector_leg is not None)
    candidates = view.candidates(inquiry.terms, depth)
    best = max(map(inquiry.content_score, candidates), default=0.0)
    evidence = Evidence(best, inquiry.senses)
    calibration = calibration or Calibration()
    if not (inquiry.names_something or options.anyway):
        reason = evidence.verdict(calibration)
        if reason is not None:
            return _abstained(reason, inquiry.unknown_words)
    near = Near() if vector_leg is None else _near(vector_leg, asked, view)
    while True:
        ranking = Ranking(view, inquiry, candidates, near, evidence.floor(calibration))
        page, left_out = ranking.window(start, options.limit, options.per_document)
        if len(page) == options.limit or len(candidates) < depth or depth >= MAX_DEPTH:
            break
        depth = min(DEEPER * depth, MAX_DEPTH)
        candidates = view.candidates(inquiry.terms, depth)
    following = cursors.cursor_at(start + options.limit, text, options.seal) if left_out else None
    return Found(
        status=Status.PARTIAL if left_out else Status.COMPLETE,
        hits=tuple(Hit(row, ranking.matched(row, analyser)) for row in page),
        unknown_words=inquiry.unknown_words,
        left_out=left_out,
        cursor=following,
    )


def _abstained(reason: AbstainReason, unknown: tuple[str, ...] = ()) -> Found:
    return Found(Status.ABSTAINED, abstained=reason, unknown_words=unknown)


def _first_depth(wanted: int, fused: bool) -> int:
    """How many candidates to look at, at first: a long document can take many of them."""
    return min(max(FUSED_DEPTH if fused else DEPTH, 2 * wanted), MAX_DEPTH)


def _near(leg: VectorLeg, asked: Question, view: View) -> Near:
    return Near(leg.nearest(asked.spoken, view, FUSED_DEPTH), leg.lexical_weight)
