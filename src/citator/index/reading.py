"""The engine of one generation, by ordinals and documents. Everything is visible here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from citator.index.damage import damaged
from citator.index.engine import OBJECT_DIGITS, Reader
from citator.index.generations import Manifest, check
from citator.index.protocol import DocumentKey
from citator.index.records import Record
from citator.model.stop import checkpoint

BATCH = 512


class GenerationReader:
    """One generation, checked and open."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        check(folder, manifest)
        self.folder = folder
        self.manifest = manifest
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
            if record.ordinal == record.first and record.is_of(key):
                return range(record.first, record.first + record.count)
        return None
