"""Documents become passages of the engine, in the order given, each document once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from citator.index import records
from citator.index.analysis import Analyser
from citator.index.engine import Writer
from citator.index.protocol import DocumentKey
from citator.index.reading import GenerationReader
from citator.index.scoring import NO_LENGTHS, Lengths
from citator.index.tokens import Words, touched
from citator.index.vocabulary import WordCounts
from citator.model.document import Document

_COUNT_BITS = 20


class Found:
    """The ordinals of the documents of a build, in a fraction of what their keys would take."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}

    def put(self, key: DocumentKey, ordinals: range) -> None:
        """Remember where a document is."""
        self._places[_digest(key)] = ordinals.start << _COUNT_BITS | len(ordinals)

    def get(self, key: DocumentKey) -> range | None:
        """Where a document of this build is."""
        place = self._places.get(_digest(key))
        if place is None:
            return None
        first, count = divmod(place, 1 << _COUNT_BITS)
        return range(first, first + count)


def _digest(key: DocumentKey) -> bytes:
    text = "\0".join(key).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=12).digest()


class Adding:
    """Adds documents, and what a build has added so far."""

    def __init__(self, engine: Path, old: GenerationReader | None) -> None:
        held = None if old is None else old.manifest
        self.passages = 0 if held is None else held.passages
        self.documents = 0 if held is None else held.documents
        self.lengths = NO_LENGTHS if held is None else held.lengths
        self.found = Found()
        self.words = WordCounts()
        self._old = old
        self._known = Words(Analyser())
        self._writer = Writer(engine)

    def add_all(
        self, documents: Iterable[Document], progress: Callable[[int], None] | None
    ) -> None:
        """Add what is not held yet, and make it durable."""
        try:
            for read, document in enumerate(documents, 1):
                key = DocumentKey(document.kind, document.object_id, document.path or "")
                if document.passages and not self._holds(key):
                    self.found.put(key, self._add(document))
                if progress is not None:
                    progress(read)
            self._writer.finish()
        finally:
            self._writer.close()

    def _holds(self, key: DocumentKey) -> bool:
        return self.found.get(key) is not None or (
            self._old is not None and self._old.find(key) is not None
        )

    def _add(self, document: Document) -> range:
        """Add the passages of one document; their ordinals."""
        subject, paths = self._known.text(document.subject), self._known.paths(document)
        frame = records.frame_of(document, subject, paths)
        self.words.add(subject.words)
        first, count = self.passages, len(document.passages)
        for ordinal, passage in enumerate(document.passages, first):
            body = self._known.text(passage.text)
            self._writer.add(
                bag=records.bag_of(frame, body),
                ref_digest=records.digest_of(passage.ref).hex(),
                object_id=document.object_id,
                paths=touched(document) if ordinal == first else (),
                ordinal=ordinal,
                time=document.authored_at or 0,
                record=records.encode(
                    frame, body, passage, records.Position(ordinal, first, count)
                ),
            )
            self.lengths = self.lengths.plus(Lengths(frame.subject, len(body.terms), frame.paths))
            self.words.add(body.words)
        self.passages += count
        self.documents += 1
        return range(first, first + count)
