"""The only file that knows tantivy: schema, writer, searcher, and what its failures mean.

- One bag of terms a passage carries the search (``scoring`` says what is in the bag), so that a
  document frequency is one look-up and the engine can skip postings that cannot win.
- Everything else is an exact value: reference, object, path, ordinal, time.
- Nothing of the engine escapes: its errors and its panics are errors of this product.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index.damage import damaged, reading, writing
from citator.index.records import Record

if TYPE_CHECKING:
    from tantivy import DocAddress, Document, Index, IndexWriter, Query, Schema, Searcher

SCHEMA_VERSION = "t1"
TOKENIZER = "spaces"
REF_DIGITS = 12
OBJECT_DIGITS = 12
HEAP_BYTES = 96_000_000
BURST = 256


def version() -> str:
    """What the engine's files were written as: our schema and the engine's own format."""
    from tantivy.tantivy import __version__

    return f"{SCHEMA_VERSION}-{__version__.rpartition('_format ')[2]}"


def schema() -> Schema:
    """The fields of a passage."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("terms", tokenizer_name=TOKENIZER, index_option="freq")
    for name in ("ref", "object", "path"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("ordinal", indexed=True, fast=True)
    builder.add_unsigned_field("tie", fast=True)
    builder.add_unsigned_field("time", fast=True)
    builder.add_bytes_field("record", stored=True)
    return builder.build()


def raw_path(path: str) -> str:
    """A surrogate-escaped path as text the engine takes, one for one."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("latin-1")


class Writer:
    """Adds passages to the engine's directory ``path``, which holds an index or nothing."""

    def __init__(self, path: Path) -> None:
        from tantivy import Index, TextAnalyzerBuilder, Tokenizer

        self._path = path
        with writing(path):
            self._index: Index | None = Index(schema(), str(path))
            self._index.config_reader("manual")
            self._index.register_tokenizer(
                TOKENIZER, TextAnalyzerBuilder(Tokenizer.whitespace()).build()
            )
            self._writer: IndexWriter | None = self._index.writer(HEAP_BYTES, 1)
        self._waiting: list[Document] = []

    def add(
        self,
        *,
        bag: str,
        ref_digest: str,
        object_id: str,
        paths: Sequence[str],
        ordinal: int,
        time: int,
        record: bytes,
    ) -> None:
        """Add one passage. ``paths`` only with the first passage of a document."""
        from tantivy import Document

        made = Document()
        made.add_text("terms", bag)
        made.add_text("ref", ref_digest[:REF_DIGITS])
        made.add_text("object", object_id[:OBJECT_DIGITS])
        for path in paths:
            made.add_text("path", raw_path(path))
        made.add_unsigned("ordinal", ordinal)
        made.add_unsigned("tie", int(ref_digest[:16], 16))
        made.add_unsigned("time", max(time, 0))
        made.add_bytes("record", record)
        self._waiting.append(made)
        if len(self._waiting) >= BURST:
            self._send()

    def _send(self) -> None:
        """Hand over what waits, all at once: a thread that is woken for each costs half as much."""
        assert self._writer is not None
        with writing(self._path):
            for made in self._waiting:
                self._writer.add_document(made)
        self._waiting.clear()

    def finish(self) -> None:
        """Make what was added durable, merge small segments, and let go of the directory."""
        self._send()
        assert self._writer is not None
        with writing(self._path):
            self._writer.commit()
            self._writer.wait_merging_threads()
        self.close()

    def close(self) -> None:
        """Let go of the directory; what was not finished is lost."""
        self._writer = None
        self._index = None


class Reader:
    """An immutable engine directory, open for reading. Any thread may use it."""

    def __init__(self, path: Path) -> None:
        from tantivy import Index

        with reading():
            index: Index = Index.open(str(path))
            index.config_reader("manual")
            self._schema: Schema = index.schema
            self._searcher: Searcher = index.searcher()

    @property
    def passages(self) -> int:
        """All passages, visible or not."""
        return self._searcher.num_docs

    def holding(self, term: str) -> int:
        """Passages that hold the clean ``term``, visible or not."""
        with reading():
            return self._searcher.doc_freq("terms", term)

    def best(
        self, terms: Sequence[tuple[str, float]], limit: int
    ) -> tuple[list[float], list[DocAddress]]:
        """The best ``limit`` by the first stage over all passages, each term boosted."""
        from tantivy import Occur, Query

        with reading():
            legs = [
                (
                    Occur.Should,
                    Query.boost_query(Query.term_query(self._schema, "terms", term, "freq"), boost),
                )
                for term, boost in terms
            ]
            hits = self._searcher.search(Query.boolean_query(legs), limit, count=False).hits
        return [score for score, _ in hits], [address for _, address in hits]

    def values(self, name: str, addresses: list[DocAddress]) -> list[Any]:
        """The numbers ``ordinal``, ``tie`` or ``time`` of passages."""
        with reading():
            return self._searcher.fast_field_values(name, addresses)

    def record(self, address: DocAddress) -> Record:
        """The stored passage at an address."""
        with reading():
            return Record(self._stored(address))

    def _stored(self, address: DocAddress) -> bytes:
        found: Document = self._searcher.doc(address)
        raw = found.get_first("record")
        if not isinstance(raw, bytes):
            raise damaged("a passage is missing")
        return raw

    def exactly(self, name: str, value: str) -> list[DocAddress]:
        """Every passage whose ``ref``, ``object`` or ``path`` is ``value``."""
        from tantivy import Query

        with reading():
            return self._all(Query.term_query(self._schema, name, value, "basic"))

    def _all(self, query: Query) -> list[DocAddress]:
        limit = 64
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            if len(hits) < limit:
                return [address for _, address in hits]
            limit *= 8

    def newest(self, name: str, value: str, limit: int) -> list[DocAddress]:
        """The newest ``limit`` passages with that value (an unbroken tie may be cut)."""
        from tantivy import Order, Query

        query = Query.term_query(self._schema, name, value, "basic")
        with reading():
            found = self._searcher.search(
                query, limit, count=False, order_by_field="time", order=Order.Desc
            )
        return [address for _, address in found.hits]

    def beginning(self, name: str, prefix: str) -> list[str]:
        """The values of ``ref`` or ``object`` that begin with ``prefix``, sorted."""
        with reading():
            return sorted(value for value, _ in self._searcher.terms_with_prefix(name, prefix))

    def at(self, ordinals: Sequence[int]) -> dict[int, DocAddress]:
        """Where passages are, by ordinal; unknown ordinals are left out."""
        from tantivy import Occur, Query

        if not ordinals:
            return {}
        with reading():
            legs = [
                (Occur.Should, Query.term_query(self._schema, "ordinal", one)) for one in ordinals
            ]
            hits = self._searcher.search(Query.boolean_query(legs), len(ordinals), count=False).hits
            addresses = [address for _, address in hits]
            return dict(zip(self.values("ordinal", addresses), addresses, strict=True))

    def between(self, start: int, end: int) -> dict[int, DocAddress]:
        """Where the passages of ordinals ``start`` up to but without ``end`` are."""
        from tantivy import FieldType, Query

        with reading():
            query = Query.range_query(
                self._schema, "ordinal", FieldType.Unsigned, start, end, True, False
            )
            hits = self._searcher.search(query, max(end - start, 1), count=False).hits
            addresses = [address for _, address in hits]
            return dict(zip(self.values("ordinal", addresses), addresses, strict=True))
