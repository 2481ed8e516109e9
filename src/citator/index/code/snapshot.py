"""The files of one tree, ready to be scored: arrays of numbers, immutable.

- Built from facts by blob id, in the order of the paths: the same files give the same arrays.
- Postings are sorted by (term, file); what a query needs are slices of them.
- The global number of a definition is its place in ``def_*``; its chunk is that number plus the
  number of its file plus one, because every file has one chunk more than definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code import lookups
from citator.index.code.facts import FileFacts
from citator.index.code.imports import edges
from citator.index.code.words import Words, number_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

PATH = 4
COLUMNS = 5
_PACKED = 1 << 24


@dataclass(frozen=True)
class Postings:
    """A table of terms: which rows each has.

    ``terms``: t term numbers, ascending; ``starts``: (t+1,); ``docs``: (n,), ascending within a
    term; ``counts``: (n,) or (n, columns).
    """

    terms: Array
    starts: Array
    docs: Array
    counts: Array

    def rows(self, numbers: Array) -> tuple[Array, Array]:
        """Where ``numbers`` (any shape 1) stand: indices of rows, and which number each is of."""
        import numpy as np

        if not len(self.terms):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(self.terms, numbers), len(self.terms) - 1)
        known = np.flatnonzero(self.terms[at] == numbers)
        begins = self.starts[at[known]]
        sizes = self.starts[at[known] + 1] - begins
        which = np.repeat(known, sizes)
        first = np.cumsum(sizes) - sizes
        index = np.arange(len(which)) - np.repeat(first, sizes) + np.repeat(begins, sizes)
        return index, which


def postings(numbers: Array, docs: Array, counts: Array) -> Postings:
    """A table of rows in any order; rows of one term in one doc are added up, to at most 255.

    Where it fits, a row is sorted as one number (term, doc, count): ten times as fast as sorting
    places.
    """
    import numpy as np

    key = lookups.keys_of(numbers, docs)
    if counts.ndim == 1 and (not len(docs) or int(docs.max()) < _PACKED):
        packed = np.sort(key << np.uint64(32) >> np.uint64(24) | _high(key) | counts)
        key = _high(packed) | (packed & np.uint64(0xFFFFFFFF)) >> np.uint64(8)
        counts = (packed & np.uint64(0xFF)).astype(np.uint8)
    else:
        order = np.argsort(key)
        key, counts = key[order], counts[order]
    heads = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.empty(0, np.int64)
    if len(heads) < len(key):
        summed = np.add.reduceat(counts.astype(np.int64), heads, axis=0)
        counts = np.minimum(summed, 255).astype(np.uint8)
    return table_of(key[heads], counts)


def table_of(keys: Array, counts: Array) -> Postings:
    """The table of rows by :func:`citator.index.code.lookups.keys_of` (term, doc), ascending."""
    import numpy as np

    by_term, docs = lookups.parts_of(keys)
    heads = np.flatnonzero(np.r_[True, by_term[1:] != by_term[:-1]]) if len(keys) else np.arange(0)
    return Postings(
        terms=by_term[heads],
        starts=np.r_[heads, len(keys)].astype(np.int64),
        docs=docs,
        counts=counts,
    )


def _high(numbers: Array) -> Array:
    import numpy as np

    high: Array = numbers >> np.uint64(32) << np.uint64(32)
    return high


@dataclass(frozen=True)
class CodeSnapshot:
    """n files of one tree.

    ``files``: postings with counts (rows, 5): names, code, prose, strings, path.
    ``lengths``: (n, 5), terms in each; ``lines``, ``states``: (n,).
    ``chunks``: postings over chunks; ``chunk_files``: (c,), ascending; ``chunk_lengths``: (c,).
    ``def_files``, ``def_names`` (numbers), ``def_kinds``, ``def_parents`` (global, or -1),
    ``def_spans`` (d, 2), ``names`` (d). ``imports``: (e, 2), importer and imported.
    ``by_name`` (definitions), ``ends``, ``stems``, ``traits`` (n, 4): see
    :mod:`citator.index.code.lookups`.
    """

    paths: tuple[str, ...]
    states: tuple[str, ...]
    languages: tuple[str, ...]
    lines: Array
    files: Postings
    lengths: Array
    chunks: Postings
    chunk_files: Array
    chunk_lengths: Array
    def_files: Array
    def_names: Array
    def_kinds: Array
    def_parents: Array
    def_spans: Array
    names: tuple[str, ...]
    imports: Array
    by_name: lookups.Lookup
    ends: lookups.Lookup
    stems: lookups.Lookup
    traits: Array

    def definitions(self, name: str) -> Array:
        """The definitions named exactly ``name``."""
        import numpy as np

        found = self.by_name.of(number_of(name))
        same = np.array([self.names[one] == name for one in found.tolist()], bool)
        exactly: Array = found[same]
        return exactly

    def ending(self, end: str) -> Sequence[int]:
        """The files whose path ends in ``end``: see :mod:`citator.index.code.lookups`."""
        return lookups.ending(self.ends, self.paths, end)

    def stemmed(self, stem: str) -> Sequence[int]:
        """The files whose name up to its first dot is ``stem``, which is lower case."""
        return lookups.stemmed(self.stems, self.paths, stem)

    def qualified(self, definition: int) -> str:
        """The name of a definition with those of the definitions that hold it."""
        names = [self.names[definition]]
        while (definition := int(self.def_parents[definition])) >= 0:
            names.append(self.names[definition])
        return ".".join(reversed(names))


def snapshot_of(members: Sequence[tuple[str, FileFacts]], words: Words) -> CodeSnapshot:
    """The snapshot of ``members``: (path, facts), in the order of the paths."""
    import numpy as np

    n = len(members)
    facts = [one for _, one in members]
    paths = tuple(path for path, _ in members)
    sizes = [len(one.terms) for one in facts]
    path_terms = [words.numbers(path) for path in paths]
    path_sizes = [len(one) for one in path_terms]
    content = _joined([one.counts for one in facts], np.uint8, 4)
    counts = np.zeros((len(content) + sum(path_sizes), COLUMNS), np.uint8)
    counts[: len(content), :PATH] = content
    counts[len(content) :, PATH] = 1
    flat_paths = np.array([number for one in path_terms for number in one], np.uint32)
    numbers = np.r_[_joined([one.terms for one in facts], np.uint32), flat_paths]
    every = np.arange(n)
    docs = np.r_[np.repeat(every, sizes), np.repeat(every, path_sizes)]
    lengths = np.zeros((n, COLUMNS), np.float32)
    for column in range(COLUMNS):
        lengths[:, column] = np.bincount(docs, counts[:, column], n)
    chunk_counts = [len(one.chunk_ends) for one in facts]
    chunk_sizes = _joined([np.diff(one.chunk_ends, prepend=0) for one in facts], np.int64)
    chunk_ids = np.repeat(np.arange(len(chunk_sizes)), chunk_sizes)
    chunk_numbers = _joined([one.terms[one.chunk_terms] for one in facts], np.uint32)
    in_chunk = _joined([one.chunk_counts for one in facts], np.uint8)
    defs = [len(one.names) for one in facts]
    first_def = np.cumsum(defs) - defs
    names = tuple(name for one in facts for name in one.names)
    def_names = np.array([number_of(name) for name in names], np.uint32)
    parents = [
        np.where(one.parents >= 0, one.parents + first, -1)
        for one, first in zip(facts, first_def, strict=True)
    ]
    return CodeSnapshot(
        paths=paths,
        states=tuple(one.state.value for one in facts),
        languages=tuple(one.language for one in facts),
        lines=np.array([one.lines for one in facts], np.int32),
        files=postings(numbers, docs, counts),
        lengths=lengths,
        chunks=postings(chunk_numbers, chunk_ids, in_chunk),
        chunk_files=np.repeat(every, chunk_counts).astype(np.int32),
        chunk_lengths=np.bincount(chunk_ids, in_chunk, len(chunk_sizes)).astype(np.float32),
        def_files=np.repeat(every, defs).astype(np.int32),
        def_names=def_names,
        def_kinds=_joined([one.kinds for one in facts], np.uint8),
        def_parents=_joined(parents, np.int32),
        def_spans=_joined([one.spans for one in facts], np.int32, 2),
        names=names,
        imports=np.array(
            edges(paths, ((i, one.imports) for i, one in enumerate(facts))), np.int32
        ).reshape(-1, 2),
        **lookups.made_of(paths, def_names),
    )


def _joined(arrays: Sequence[Array], dtype: Any, columns: int = 0) -> Array:
    import numpy as np

    empty = np.empty((0, columns) if columns else 0, dtype)
    return np.concatenate([empty, *arrays]).astype(dtype, copy=False)
