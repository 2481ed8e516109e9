"""A question over one audience's record → the decisions that bear on it, or why there are none.

- One result for each text in scope: of an item what is in force, and beside it, for an audience
  that may see them, what is proposed. A decision counts as a whole; its best passage is cited.
- What the question names (an item, a revision, an alias, a reference) comes first; then by
  score, then by reference. Scores stay inside.
- Where something is evidence, what holds half as much is shown after it.
- Kinds and paths choose among what the audience may see anyway, so they leave the statistics
  alone; a time chooses what is compared at all.
- Abstain from evidence: words that no text of the scope holds and that the question turns on, or
  too little of the question in the best passage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.index.analysis import Analyser
from citator.index.partition import Partition, Scope, moment
from citator.index.partition_scoring import score
from citator.model.errors import UsageError
from citator.model.evidence import AbstainReason
from citator.model.record import ItemKind, RecordStatus
from citator.model.reference import Ref, split_ref
from citator.search.decisions_words import SHORT_SHARE, Inquiry, understood
from citator.search.induction import Induction
from citator.search.question import Question, parse

if TYPE_CHECKING:
    from citator.index.array_file import Array
    from citator.search.search import Expander

MAX_NAMED = 8
MAX_WORDS = 256
LOOKED_AT = 8
LESSER = 0.5
_NAME = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class DecisionHit:
    """One text of the record: ``number`` opens it (:meth:`Partition.read`).

    ``ref`` cites its best passage, ``lines`` of the text, ``characters`` long; ``matched`` are
    those of the asker's own words that the text holds.
    """

    number: int
    item: str
    revision: str
    kind: ItemKind
    status: RecordStatus
    ref: Ref
    lines: tuple[int, int]
    characters: int
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundDecisions:
    """What was found, best first; or why nothing was. ``left_out`` more bear on it as well."""

    hits: tuple[DecisionHit, ...] = ()
    abstained: AbstainReason | None = None
    unknown_words: tuple[str, ...] = ()
    left_out: int = 0


def search_decisions(
    partition: Partition,
    question: str,
    limit: int = 8,
    kinds: Collection[ItemKind] = (),
    paths: Sequence[str] = (),
    as_of: str | None = None,
    expander: Expander | None = None,
    analyser: Analyser | None = None,
) -> FoundDecisions:
    """Search ``partition`` for ``question``.

    ``kinds`` and ``paths`` (files that a decision governs) keep only those; ``as_of`` (RFC 3339)
    asks what held then. Raises UsageError ``invalid_time``.
    """
    time = None if as_of is None else _time(as_of)
    if partition.texts == 0:
        return FoundDecisions(abstained=AbstainReason.EMPTY_INDEX)
    analyser = analyser or Analyser()
    scope = partition.scope(time)
    allowed = _allowed(scope, kinds, paths)
    if not allowed.any():
        return FoundDecisions(abstained=AbstainReason.NO_MATCH)
    asked = parse(question, analyser)
    named = [one for one in _named(partition, question, asked) if allowed[one]][:limit]
    if asked.asks_nothing and not named:
        return FoundDecisions(abstained=AbstainReason.NOTHING_ASKED)
    induction = Induction() if expander is None else expander.induce(asked.spoken, scope)
    inquiry = understood(asked, scope, analyser, induction)
    ranking = _Ranking(scope, allowed, inquiry)
    reason = ranking.verdict()
    if reason is not None and not named:
        return FoundDecisions(abstained=reason, unknown_words=inquiry.unknown_words)
    shown = [*named, *ranking.best(limit - len(named), without=named)]
    return FoundDecisions(
        hits=tuple(map(ranking.hit, shown)),
        unknown_words=inquiry.unknown_words,
        left_out=ranking.evidence_beyond(shown),
    )


def _time(text: str) -> int:
    try:
        return moment(text)
    except ValueError:
        raise UsageError(
            "invalid_time",
            "the time asked for is not one",
            "give it like 2026-03-01T00:00:00Z",
        ) from None


def _allowed(scope: Scope, kinds: Collection[ItemKind], paths: Sequence[str]) -> Array:
    allowed = scope.mask
    if kinds:
        allowed = allowed & scope.partition.of_kinds(kinds)
    if paths:
        allowed = allowed & scope.partition.of_paths(paths)
    return allowed


def _named(partition: Partition, question: str, asked: Question) -> list[int]:
    """The texts that the question names, in its order."""
    found: dict[int, None] = {}
    for ref in asked.refs:
        parts = split_ref(ref)
        for row in partition.find_ref(*parts) if parts is not None else ():
            found[int(partition.text_of[row.ordinal])] = None
    for name in _NAME.findall(question)[:MAX_WORDS]:
        if not name.isalpha() or name == question.strip():
            found.update(dict.fromkeys(partition.named(name)))
            found.update(dict.fromkeys(partition.named(name.upper())))
    return list(found)[:MAX_NAMED]


class _Ranking:
    """The texts of a scope in the order of a question; ``allowed`` says which may be shown."""

    def __init__(self, scope: Scope, allowed: Array, inquiry: Inquiry) -> None:
        self._partition = scope.partition
        self._inquiry = inquiry
        scores = score(scope, inquiry.wanted, inquiry.joining, inquiry.pairs)
        self._units = scores.units
        self._total = scores.total * allowed
        self._content = scores.content * allowed

    def verdict(self) -> AbstainReason | None:
        """Why there is nothing to show, or None where there is."""
        reason = self._inquiry.verdict(float(self._content.max()))
        if reason is None and self._inquiry.is_short and not self._holds_most():
            return AbstainReason.WEAK_COVERAGE
        return reason

    def _holds_most(self) -> bool:
        """Whether one of the best texts holds enough of a short question."""
        best = self.best(LOOKED_AT)
        return any(self._inquiry.share(self._range(one)) >= SHORT_SHARE for one in best)

    def best(self, limit: int, without: Collection[int] = ()) -> list[int]:
        """The best ``limit`` texts, best first. Those that tie at the cut are all looked at."""
        total = self._total
        lesser = (total > 0) & (self._content >= LESSER * self._inquiry.floor)
        lesser[list(without)] = False
        numbers = lesser.nonzero()[0]
        if limit < 1:
            return []
        if len(numbers) > limit:
            cut = sorted(total[numbers], reverse=True)[limit - 1]
            numbers = numbers[total[numbers] >= cut]
        order = sorted(map(int, numbers), key=lambda one: (-total[one], self._ref(one)))
        return order[:limit]

    def evidence_beyond(self, shown: Collection[int]) -> int:
        """How many texts are evidence and not among ``shown``."""
        evidence = (self._total > 0) & (self._content >= self._inquiry.floor)
        evidence[list(shown)] = False
        return int(evidence.sum())

    def hit(self, number: int) -> DecisionHit:
        """One text as a result."""
        text, row = self._partition.read(number), self._partition.row(self._unit(number))
        return DecisionHit(
            number=number,
            item=text.item,
            revision=text.revision,
            kind=text.kind,
            status=text.status,
            ref=row.ref,
            lines=(row.start, row.end),
            characters=len(row.text),
            matched=self._inquiry.matched(self._range(number)),
        )

    def _range(self, number: int) -> range:
        first, end = self._partition.array("first_unit")[number : number + 2]
        return range(int(first), int(end))

    def _unit(self, number: int) -> int:
        units = self._range(number)
        return units.start + int(self._units[units.start : units.stop].argmax())

    def _ref(self, number: int) -> Ref:
        return self._partition.row(self._unit(number)).ref
