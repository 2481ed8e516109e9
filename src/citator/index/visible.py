"""What one HEAD sees of an open generation: every question goes through here.

What is hidden from a view is not in any answer of it: not in rows, not in counts, not in the
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from citator.index import ranking, scoring, views
from citator.index.engine import OBJECT_DIGITS, REF_DIGITS, raw_path
from citator.index.generations import Manifest
from citator.index.protocol import Candidate, Row, Statistics, WeightedTerm
from citator.index.reading import BATCH, GenerationReader
from citator.index.records import Record
from citator.index.tokens import clean, key_of
from citator.model.reference import DocumentKind
from citator.model.stop import checkpoint


def _by_ref(row: Row) -> tuple[str, str]:
    return row.ref, row.path


def _by_object(row: Row) -> tuple[str, str, int]:
    return row.object_id, row.path, row.start


class TantivyView:
    """What one HEAD sees of a snapshot. See :class:`citator.index.protocol.View`."""

    def __init__(self, reader: GenerationReader, manifest: Manifest, data: views.ViewData) -> None:
        self._reader = reader
        self._engine = reader.engine
        self._mask = data.mask
        self._table = data.table
        self._total = manifest.passages
        passages = manifest.passages - data.hidden.passages
        mean = scoring.means(manifest.lengths.minus(data.hidden.lengths), passages)
        self._statistics = Statistics(
            passages=passages,
            documents=manifest.documents - data.hidden.documents,
            mean_length=mean.subject + mean.body + mean.paths if passages else 0.0,
        )
        self.scope = ranking.Scope(
            reader=self._engine,
            mask=self._mask,
            passages=passages,
            mean=mean,
            engine_mean=scoring.means(manifest.lengths, manifest.passages).bag,
        )

    @property
    def statistics(self) -> Statistics:
        """Of what is visible."""
        return self._statistics

    def document_frequency(self, term: str) -> int:
        """Visible passages that hold the analysed ``term`` in any field."""
        return self._frequencies(clean(term))[1]

    def _frequencies(self, term: str) -> tuple[int, int]:
        holding = self._engine.holding(term) if term else 0
        return holding, holding - (self._table.count(key_of(term)) if holding else 0)

    def candidates(self, terms: Sequence[WeightedTerm], limit: int) -> list[Candidate]:
        """The best ``limit`` visible passages, best first."""
        weights: dict[str, float] = {}
        for one in terms:
            weights[clean(one.term)] = weights.get(clean(one.term), 0.0) + one.weight
        wanted = []
        for term, weight in weights.items():
            holding, visible = self._frequencies(term)
            if weight > 0 and visible > 0:
                made = ranking.query_term(self.scope, term, weight, holding, visible)
                if made is not None:
                    wanted.append(made)
        if not wanted or limit < 1:
            return []
        return ranking.best(self.scope, wanted, limit)

    def _sees(self, ordinal: int) -> bool:
        if not 0 <= ordinal < self._total:
            return False
        return self._mask is None or bool(self._mask[ordinal])

    def rows(self, ordinals: Sequence[int]) -> list[Row]:
        """Stored passages in the order asked for; outside the view: KeyError."""
        for ordinal in ordinals:
            if not self._sees(ordinal):
                raise KeyError(ordinal)
        return [record.row() for record in self._reader.fetch(ordinals)]

    def _visible_rows(self, found: Iterable[Record]) -> Iterator[Row]:
        return (record.row() for record in found if self._sees(record.ordinal))

    def find_ref(self, kind: DocumentKind | None, prefix: str, limit: int = 2) -> list[Row]:
        """Visible passages whose reference digest starts with ``prefix``, by reference.

        One for each reference: the same blob at two paths is the same evidence.
        """
        found: list[Row] = []
        for value in self._engine.beginning("ref", prefix[:REF_DIGITS]):
            checkpoint()
            records = map(self._engine.record, self._engine.exactly("ref", value))
            rows = [
                row
                for row in self._visible_rows(records)
                if (kind is None or row.kind is kind)
                and row.ref.rpartition(":")[2].startswith(prefix)
            ]
            first = {row.ref: row for row in sorted(rows, key=_by_ref, reverse=True)}
            found.extend(sorted(first.values(), key=_by_ref))
            if len(found) >= limit:
                break
        return found[:limit]

    def find_object(self, prefix: str, limit: int = 50) -> list[Row]:
        """Visible passages of commits or blobs whose id starts with ``prefix``."""
        found: list[Row] = []
        for value in self._engine.beginning("object", prefix[:OBJECT_DIGITS]):
            checkpoint()
            records = map(self._engine.record, self._engine.exactly("object", value))
            rows = [row for row in self._visible_rows(records) if row.object_id.startswith(prefix)]
            found.extend(sorted(rows, key=_by_object))
            if len(found) >= limit:
                break
        return found[:limit]

    def find_path(self, path: str, limit: int = 50) -> list[Row]:
        """Visible passages of the Markdown at ``path`` and of commits that touched it.

        Newest first; documents without a time come last.
        """
        value, ask = raw_path(path), limit
        while True:
            checkpoint()
            addresses = self._engine.newest("path", value, ask)
            times = self._engine.values("time", addresses)
            ordinals = self._engine.values("ordinal", addresses)
            seen = [
                (-time, address)
                for time, ordinal, address in zip(times, ordinals, addresses, strict=True)
                if self._sees(ordinal)
            ]
            whole = len(addresses) < ask
            broken = len(seen) > limit and seen[limit - 1][0] < seen[-1][0]
            if whole or broken:
                break
            ask *= 4
        firsts = [self._engine.record(address).row() for _, address in seen]
        firsts.sort(key=lambda row: (-(row.authored_at or 0), row.ref, row.path))
        rows: list[Row] = []
        for row in firsts:
            rows.extend(self.passages_of(row.document))
            if len(rows) >= limit:
                break
        return rows[:limit]

    def passages_of(self, document: int) -> list[Row]:
        """All visible passages of one document (its first passage's ordinal), in line order."""
        if not self._sees(document):
            return []
        first = next(self._reader.fetch([document]))
        if first.first != document:
            return []
        others = self._reader.fetch(range(document + 1, document + first.count))
        return [first.row(), *(record.row() for record in others)]

    def scan(self) -> Iterator[Row]:
        """Every visible passage in ordinal order."""
        visible = (ordinal for ordinal in range(self._total) if self._sees(ordinal))
        while chunk := list(islice(visible, BATCH)):
            for record in self._reader.fetch(chunk):
                yield record.row()
