"""One space for the words of sixteen languages: a word or a text → a unit vector.

A word is encoded as a text of one word by the whole network. Cheaper readings of the same
tables do not hold: the mean of the piece embeddings finds .25 where the network finds .42
(recall@3, Spanish questions on a large history), the network without the marks that open and
close a text .33.

- Opening costs a few milliseconds once the tables are made (about 1.5 s of one core).
- A table that turns out damaged in use is made anew, once, and the work done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index.pieces import BEGIN, END, Segmenter
from citator.index.use_network import DIMENSION, MAX_PIECES, Network
from citator.index.use_tables import Source, Tables, open_tables
from citator.model.errors import IntegrityError

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MODEL = "use-multilingual-3"

__all__ = ["DIMENSION", "MAX_PIECES", "MODEL", "WordSpace"]


class WordSpace:
    """Opens on first use. Raises ModelMissing or StorageError then."""

    def __init__(self, cache: Path, source: Source | None = None) -> None:
        """``cache`` is the directory for the tables; ``source`` the package's files."""
        self._cache = cache
        self._source = source

    @cached_property
    def _tables(self) -> Tables:
        return open_tables(self._cache, self._source)

    @cached_property
    def _segmenter(self) -> Segmenter:
        return Segmenter(self._tables.arrays)

    @cached_property
    def _network(self) -> Network:
        return Network(self._tables.arrays)

    @property
    def weights_sha256(self) -> str:
        """The digest of the weights in use."""
        return self._tables.weights_sha256

    def cut(self, text: str) -> list[str]:
        """``text`` in the pieces of the vocabulary, normalised."""
        return self._segmenter.cut(text)

    def vectors(self, texts: Sequence[str]) -> Array:
        """One unit vector a text: (n, 512) float32. Long texts are read to 256 pieces."""
        try:
            return self._vectors(texts)
        except IntegrityError:
            self._renew()
            return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> Array:
        ids = [[BEGIN, *self._segmenter.ids(text)[: MAX_PIECES - 2], END] for text in texts]
        self._tables.verify_rows(piece for text in ids for piece in text)
        return self._network.vectors(ids)

    def _renew(self) -> None:
        tables = open_tables(self._cache, self._source, renew=True)
        for name in ("_tables", "_segmenter", "_network"):
            self.__dict__.pop(name, None)
        self.__dict__["_tables"] = tables
