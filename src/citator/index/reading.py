"""One generation, open for reading, and the views over it.

- A snapshot keeps what it opened: the engine's files stay mapped, and a shared lock asks the
  pruning writer to wait with this generation.
- What is hidden from a view is not in any answer of it: not in rows, not in counts, not in the
  order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from citator.index import facts, ranking, scoring, views, vocabulary
from citator.index.damage import damaged
from citator.index.engine import OBJECT_DIGITS, REF_DIGITS, Reader, raw_path
from citator.index.generations import MANIFEST, Manifest, check
from citator.index.protocol import (
    Candidate,
    DocumentKey,
    Row,
    Statistics,
    ViewChange,
    WeightedTerm,
)
from citator.index.records import Record
from citator.index.tokens import clean, key_of
from citator.model.errors import StorageError
from citator.model.horizon import HorizonFact
from citator.model.reference import DocumentKind
from citator.model.stop import checkpoint
from citator.store.locks import SharedLock

BATCH = 512


class GenerationReader:
    """The engine of one generation, by documents and ordinals."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        check(folder, manifest)
        self.engine = Reader(folder / "engine")
        if self.engine.passages != manifest.passages:
            raise damaged("it does not hold as many passages as it says")

    def fetch(self, ordinals: Sequence[int]) -> Iterator[Record]:
        """The passages of ``ordinals``, in that order. Raises IntegrityError where missing."""
        for start in range(0, len(ordinals), BATCH):
            checkpoint()
            chunk = ordinals[start : start + BATCH]
            found = self.engine.at(chunk)
            for ordinal in chunk:
                if ordinal not in found:
                    raise damaged("a passage is missing")
                yield self.engine.record(found[ordinal])

    def locate(self, keys: Iterable[DocumentKey]) -> Iterator[range]:
        """The ordinals of each document that the index holds."""
        for key in keys:
            found = self.find(key)
            if found is not None:
                yield found

    def find(self, key: DocumentKey) -> range | None:
        """The ordinals of one document, None where the index does not hold it."""
        for address in self.engine.exactly("object", key.object_id[:OBJECT_DIGITS]):
            record = self.engine.record(address)
            if record.ordinal != record.first:
                continue
            row = record.row()
            if (row.kind, row.object_id, row.path) == key:
                return range(record.first, record.first + record.count)
        return None


class TantivySnapshot:
    """One immutable generation. See :class:`citator.index.protocol.Snapshot`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._lock = SharedLock(folder / MANIFEST)
        try:
            self._reader = GenerationReader(folder, manifest)
        except BaseException:
            self._lock.release()
            raise
        self._folder = folder
        self._manifest = manifest
        self._cache = views.ViewCache(folder / "views", manifest.passages)
        self._views: dict[str, TantivyView] = {}

    @property
    def generation(self) -> int:
        """Its number."""
        return self._manifest.number

    @property
    def tip(self) -> str | None:
        """The commit it was built for."""
        return self._manifest.tip

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """What the build could not read."""
        return facts.read(self._folder)

    def view(self, tip: str, load: Callable[[], ViewChange] | None = None) -> TantivyView | None:
        """The view of ``tip``: cached, or made from ``load()`` and cached, or None."""
        if tip not in self._views:
            data = self._cached(tip) or self._made(tip, load)
            if data is None:
                return None
            self._views[tip] = TantivyView(self._reader, self._manifest, data)
        return self._views[tip]

    def _cached(self, tip: str) -> views.ViewData | None:
        data = self._cache.load(tip)
        if data is None and tip == self.tip:
            raise damaged("what its own commit sees is missing")
        return data

    def _made(self, tip: str, load: Callable[[], ViewChange] | None) -> views.ViewData | None:
        if load is None:
            return None
        change = load()
        base = None if change.base is None else self._cached(change.base)
        if change.base is not None and base is None:
            return None
        data = views.changed(
            tip, self._manifest.passages, base, change, self._reader.locate, self._reader.fetch
        )
        with suppress(StorageError):
            self._cache.save(data, self.tip)
        return data

    def cached_views(self) -> tuple[str, ...]:
        """Tips whose views are cached, newest first."""
        return self._cache.tips()

    def words(self) -> Iterator[tuple[str, int]]:
        """Whole lower-case words with the passages that hold them, in the words' order."""
        names = [name for name in self._manifest.files if name.startswith("words/")]
        return vocabulary.words(self._folder, names)

    def close(self) -> None:
        """Let the generation go."""
        self._views.clear()
        self._lock.release()

    def __enter__(self) -> TantivySnapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
