"""The view of a caller who sees nothing: it answers as one over an empty index, and reads none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citator.index.protocol import Candidate, Row, Statistics, WeightedTerm
from citator.model.reference import DocumentKind


class NothingSeen:
    """See :class:`citator.index.protocol.View`."""

    @property
    def statistics(self) -> Statistics:
        """Of nothing."""
        return Statistics(0, 0, 0.0)

    def document_frequency(self, term: str) -> int:
        """None holds it."""
        return 0

    def candidates(self, terms: Sequence[WeightedTerm], limit: int) -> list[Candidate]:
        """None matches."""
        return []

    def rows(self, ordinals: Sequence[int]) -> list[Row]:
        """Every ordinal is outside: KeyError."""
        for ordinal in ordinals:
            raise KeyError(ordinal)
        return []

    def find_ref(self, kind: DocumentKind | None, prefix: str, limit: int = 2) -> list[Row]:
        """None is found."""
        return []

    def find_object(self, prefix: str, limit: int = 50) -> list[Row]:
        """None is found."""
        return []

    def find_path(self, path: str, limit: int = 50) -> list[Row]:
        """None is found."""
        return []

    def passages_of(self, document: int) -> list[Row]:
        """It has none."""
        return []

    def scan(self) -> Iterator[Row]:
        """There are none."""
        return iter(())
