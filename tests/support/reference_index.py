"""An index that looks at everything, every time: what the real one must answer.

In memory, without an engine, in the plainest way: the contract's tests run against both, and
the rankings of the real one are compared with these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from citator.index import scoring, tokens, vocabulary
from citator.index.analysis import Analyser
from citator.index.protocol import (
    Batch,
    Candidate,
    DocumentKey,
    GenerationInfo,
    Row,
    Statistics,
    ViewChange,
    WeightedTerm,
)
from citator.index.records import SHOWN_PATHS
from citator.model.document import Document, ReviewFacts
from citator.model.errors import IntegrityError, NotFoundError
from citator.model.horizon import HorizonFact
from citator.model.reference import DocumentKind

KEPT = 3


@dataclass(frozen=True)
class _Passage:
    row: Row
    key: DocumentKey
    touched: tuple[str, ...]
    counts: dict[str, scoring.Counts]
    lengths: scoring.Lengths


@dataclass
class _Generation:
    info: GenerationInfo
    passages: list[_Passage]
    facts: tuple[HorizonFact, ...]
    views: dict[str, frozenset[DocumentKey]] = field(default_factory=dict)


class ReferenceIndex:
    """See :class:`citator.index.protocol.HistoryIndex`."""

    def __init__(self) -> None:
        self._analyser = Analyser()
        self._generations: dict[int, _Generation] = {}
        self._current: int | None = None
        self._last = 0

    def open(self) -> ReferenceSnapshot | None:
        if self._current is None:
            return None
        return ReferenceSnapshot(self._generations[self._current])

    def build(self, batch: Batch, progress: Callable[[int], None] | None = None) -> GenerationInfo:
        parent = None if batch.fresh or self._current is None else self._generations[self._current]
        passages = [] if parent is None else list(parent.passages)
        held = {passage.key for passage in passages}
        for read, document in enumerate(batch.documents, 1):
            key = DocumentKey(document.kind, document.object_id, document.path or "")
            if key not in held:
                held.add(key)
                passages.extend(self._passages(document, key, len(passages)))
            if progress is not None:
                progress(read)
        seen: frozenset[DocumentKey] = frozenset()
        if batch.change.base is not None:
            if parent is None or batch.change.base not in parent.views:
                raise IntegrityError("index_damaged", "no such base")
            seen = parent.views[batch.change.base]
        seen = (seen - set(batch.change.removed)) | (set(batch.change.added) & held)
        hidden = [passage for passage in passages if passage.key not in seen]
        self._last += 1
        info = GenerationInfo(
            number=self._last,
            tip=batch.tip,
            documents=len({passage.key for passage in passages}),
            passages=len(passages),
            bytes=0,
            current=True,
            versions="reference",
            details={
                **batch.details,
                "hidden": len(hidden),
                "hidden_documents": len({passage.key for passage in hidden}),
            },
        )
        made = _Generation(info, passages, batch.facts())
        if batch.tip is not None:
            made.views[batch.tip] = seen
        before, self._current = self._current, self._last
        self._generations[self._last] = made
        others = [number for number in self._generations if number not in (before, self._last)]
        for number in others[: len(others) - (KEPT - (1 if before is None else 2))]:
            del self._generations[number]
        return info

    def _terms(self, text: str) -> list[str]:
        return [tokens.clean(term) for term in self._analyser.terms(text) if term]

    def _passages(self, document: Document, key: DocumentKey, first: int) -> Iterator[_Passage]:
        subject = Counter(self._terms(document.subject))
        every = Counter(term for path in tokens.touched(document) for term in self._terms(path))
        paths = [term for term, _ in every.most_common(tokens.MAX_PATH_TERMS)]
        for ordinal, passage in enumerate(document.passages, first):
            body = Counter(self._terms(passage.text))
            yield _Passage(
                row=Row(
                    ordinal=ordinal,
                    document=first,
                    ref=passage.ref,
                    kind=document.kind,
                    object_id=document.object_id,
                    path=document.path or "",
                    start=passage.start,
                    end=passage.end,
                    subject=document.subject,
                    text=passage.text,
                    paths=document.paths[:SHOWN_PATHS],
                    author=document.author,
                    authored_at=document.authored_at,
                    adr_status=document.adr_status,
                    redactions=document.redactions,
                    review=_shown(document.review),
                    stated=document.stated,
                ),
                key=key,
                touched=tokens.touched(document),
                counts={
                    term: scoring.Counts(subject[term], body[term], term in paths)
                    for term in {*subject, *body, *paths}
                },
                lengths=scoring.Lengths(subject.total(), body.total(), len(paths)),
            )

    def holds(self, key: DocumentKey) -> bool:
        if self._current is None:
            return False
        return any(one.key == key for one in self._generations[self._current].passages)

    def generations(self) -> list[GenerationInfo]:
        return [
            replace(one.info, current=number == self._current)
            for number, one in sorted(self._generations.items())
        ]

    def promote(self, number: int) -> GenerationInfo:
        if number not in self._generations:
            raise NotFoundError("no_such_generation", "no such generation")
        self._current = number
        return replace(self._generations[number].info, current=True)

    def rollback(self) -> GenerationInfo:
        earlier = [n for n in self._generations if self._current is None or n < self._current]
        if not earlier:
            raise NotFoundError("nothing_to_roll_back_to", "no earlier generation")
        return self.promote(max(earlier))


class ReferenceSnapshot:
    """See :class:`citator.index.protocol.Snapshot`."""

    def __init__(self, made: _Generation) -> None:
        self._made = made

    @property
    def generation(self) -> int:
        return self._made.info.number

    @property
    def tip(self) -> str | None:
        return self._made.info.tip

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        return self._made.facts

    def view(self, tip: str, load: Callable[[], ViewChange] | None = None) -> ReferenceView | None:
        views = self._made.views
        if tip not in views:
            if load is None:
                return None
            change = load()
            if change.base is not None and change.base not in views:
                return None
            base = frozenset() if change.base is None else views[change.base]
            held = {passage.key for passage in self._made.passages}
            views[tip] = (base - set(change.removed)) | (set(change.added) & held)
        return ReferenceView([one for one in self._made.passages if one.key in views[tip]])

    def cached_views(self) -> tuple[str, ...]:
        return tuple(reversed(self._made.views))

    def words(self) -> Iterator[tuple[str, int]]:
        counts: Counter[str] = Counter()
        for passage in self._made.passages:
            counts.update(vocabulary.whole_words(passage.row.text))
            if passage.row.ordinal == passage.row.document:
                counts.update(vocabulary.whole_words(passage.row.subject))
        yield from sorted(counts.items())

    def close(self) -> None:
        pass

    def __enter__(self) -> ReferenceSnapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ReferenceView:
    """See :class:`citator.index.protocol.View`."""

    def __init__(self, passages: Sequence[_Passage]) -> None:
        self._passages = passages
        self._rows = {one.row.ordinal: one.row for one in passages}
        total = scoring.NO_LENGTHS
        for one in passages:
            total = total.plus(one.lengths)
        self._mean = scoring.means(total, len(passages))

    @property
    def statistics(self) -> Statistics:
        mean = self._mean.subject + self._mean.body + self._mean.paths
        documents = len({one.key for one in self._passages})
        return Statistics(len(self._passages), documents, mean if self._passages else 0.0)

    def document_frequency(self, term: str) -> int:
        return sum(tokens.clean(term) in one.counts for one in self._passages)

    def candidates(self, terms: Sequence[WeightedTerm], limit: int) -> list[Candidate]:
        if limit < 1:
            return []
        weights: dict[str, float] = {}
        for wanted in terms:
            term = tokens.clean(wanted.term)
            weights[term] = weights.get(term, 0.0) + wanted.weight
        passages = len(self._passages)
        exact = {
            term: weight * scoring.idf(passages, self.document_frequency(term))
            for term, weight in weights.items()
            if weight > 0 and self.document_frequency(term)
        }
        scored: list[_Scored] = []
        for one in self._passages:
            names = tuple(term for term in exact if term in one.counts)
            held = [(exact[name], one.counts[name]) for name in names]
            if held:
                first = scoring.first_score(held, one.lengths, self._mean)
                final = scoring.score(held, one.lengths, self._mean)
                scored.append(_Scored(first, final, one.row, names))
        firsts = sorted((one.first for one in scored), reverse=True)
        least = firsts[min(len(firsts), scoring.depth(limit)) - 1] if firsts else 0.0
        kept = [one for one in scored if one.first >= least]
        kept.sort(key=lambda one: (-one.final, one.row.ref, one.row.path))
        return [Candidate(one.row.ordinal, one.final, one.terms) for one in kept[:limit]]

    def rows(self, ordinals: Sequence[int]) -> list[Row]:
        return [self._rows[ordinal] for ordinal in ordinals]

    def find_ref(self, kind: DocumentKind | None, prefix: str, limit: int = 2) -> list[Row]:
        found = {
            row.ref: row
            for row in sorted(self._rows.values(), key=lambda row: row.path, reverse=True)
            if kind in (None, row.kind) and row.ref.rpartition(":")[2].startswith(prefix)
        }
        digests = sorted(found.values(), key=lambda row: row.ref.rpartition(":")[2])
        return digests[:limit]

    def find_object(self, prefix: str, limit: int = 50) -> list[Row]:
        found = [row for row in self._rows.values() if row.object_id.startswith(prefix)]
        return sorted(found, key=lambda row: (row.object_id, row.path, row.start))[:limit]

    def find_path(self, path: str, limit: int = 50) -> list[Row]:
        found = [one.row for one in self._passages if path in one.touched]
        first = {
            row.document: row for row in sorted(found, key=lambda row: row.ordinal, reverse=True)
        }
        ordered = sorted(
            found,
            key=lambda row: (
                -(row.authored_at or 0),
                first[row.document].ref,
                row.path,
                row.ordinal,
            ),
        )
        return ordered[:limit]

    def passages_of(self, document: int) -> list[Row]:
        return [row for row in self._rows.values() if row.document == document]

    def scan(self) -> Iterator[Row]:
        yield from self._rows.values()


class _Scored(NamedTuple):
    first: float
    final: float
    row: Row
    terms: tuple[str, ...]


def _shown(review: ReviewFacts | None) -> ReviewFacts | None:
    """A row keeps the first three commits of a thread."""
    return None if review is None else replace(review, commits=review.commits[:3])
