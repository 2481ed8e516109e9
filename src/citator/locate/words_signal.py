"""The words of the issue in the fields of files (BM25F), and in their functions (BM25).

- One pass over the postings of the query serves every field.
- ``bm25f`` joins the fields before it saturates: path x4, names x3, code x1, prose and strings
  x.7, each freed of its length. ``f_*`` are single fields, ``bm25f_title`` and ``bm25f_code``
  ask with the title or the code of the issue alone.
- A chunk is a function, a type without its functions, or what is outside both; ``ch_max`` is the
  best chunk of a file, ``ch_top3`` the sum of its three best. How rare a term is, is asked of the
  files: among functions the words of one large file would count as common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code.snapshot import COLUMNS, Postings
from citator.locate.issue import Issue
from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_WEIGHTS = (4.0, 1.0, 0.7, 0.7, 6.0)
_B = (0.5, 0.75, 0.75, 0.75, 0.4)
_K1 = 2.5
_CHUNK_K1, _CHUNK_B = 1.5, 0.6


@dataclass(frozen=True, slots=True)
class Asked:
    """A query against one table: rows, the term of each, and what a term is worth."""

    index: Array
    which: Array
    idf: Array
    weights: Array


def asked(table: Postings, size: int, weights: dict[int, float]) -> Asked:
    """The rows of ``table`` (over ``size`` documents) that the terms of ``weights`` have."""
    import numpy as np

    numbers = np.array(list(weights), np.uint32)
    index, which = table.rows(numbers)
    df = np.bincount(which, minlength=len(numbers))
    idf = np.log1p((size - df + 0.5) / (df + 0.5))
    return Asked(index, which, idf, np.array(list(weights.values())))


class WordsSignal:
    """BM25F over files."""

    names = ("bm25f", "bm25f_title", "bm25f_code", "f_path", "f_def", "f_code", "f_prose", "f_str")

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module."""
        import numpy as np

        code, n = scene.code, scene.size
        found = np.zeros((n, len(self.names)))
        query = asked(code.files, n, issue.weights)
        if not n:
            return found
        docs = code.files.docs[query.index]
        norms = _norms(scene)
        counts = code.files.counts[query.index] / norms[docs]
        worth = (query.weights * query.idf)[query.which]
        joint = counts @ np.array(_WEIGHTS)
        gain = worth * joint / (_K1 + joint)
        found[:, 0] = np.bincount(docs, gain, n)
        for column, own in ((1, issue.title_weights), (2, issue.code_words)):
            share = np.array([own.get(number, 0.0) for number in issue.weights])
            found[:, column] = np.bincount(
                docs, gain * _ratio(share, query.weights)[query.which], n
            )
        for column, field in ((3, 4), (4, 0), (5, 1), (6, 2), (7, 3)):
            has = counts[:, field] > 0
            df = np.bincount(query.which[has], minlength=len(query.idf))
            idf = np.log1p((n - df + 0.5) / (df + 0.5))
            part = counts[has, field]
            which = query.which[has]
            gains = (query.weights * idf)[which] * part / (_K1 + part)
            found[:, column] = np.bincount(docs[has], gains, n)
        return found


def _ratio(own: Array, whole: Array) -> Array:
    import numpy as np

    ratio: Array = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
    return ratio


def _norms(scene: Scene) -> Array:
    import numpy as np

    kept: Array | None = scene.stash.get("norms")
    if kept is None:
        lengths = scene.code.lengths
        mean = np.maximum(lengths.mean(axis=0), 1e-9)
        b = np.array(_B)
        kept = scene.stash["norms"] = (1 - b + b * lengths / mean).astype(np.float32)
    return kept


class ChunksSignal:
    """BM25 over functions and types."""

    names = ("ch_max", "ch_top3", "ch_title")

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module."""
        import numpy as np

        found = np.zeros((scene.size, len(self.names)))
        scores, titled = chunk_scores(issue, scene)
        files = scene.code.chunk_files
        hit = np.flatnonzero(scores > 0)
        if not len(hit):
            return found
        order = hit[np.lexsort((-scores[hit], files[hit]))]
        owner = files[order]
        heads = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        rank = np.arange(len(owner)) - np.repeat(heads, np.diff(np.r_[heads, len(owner)]))
        found[owner[heads], 0] = scores[order[heads]]
        found[:, 1] = np.bincount(owner[rank < 3], scores[order[rank < 3]], scene.size)
        np.maximum.at(found[:, 2], files[hit], titled[hit])
        return found


def chunk_scores(issue: Issue, scene: Scene) -> tuple[Array, Array]:
    """The score of each chunk, by the whole issue and by its title."""
    import numpy as np

    table, count = scene.code.chunks, len(scene.code.chunk_files)
    query = asked(table, max(count, 1), issue.weights)
    idf = asked(scene.code.files, scene.size, issue.weights).idf
    docs = table.docs[query.index]
    lengths = scene.code.chunk_lengths
    mean = max(float(lengths[lengths > 0].mean()), 1.0) if (lengths > 0).any() else 1.0
    tf = table.counts[query.index].astype(np.float32)
    norm = _CHUNK_K1 * (1 - _CHUNK_B + _CHUNK_B * lengths[docs] / mean)
    gain = (query.weights * idf)[query.which] * tf * (_CHUNK_K1 + 1) / (tf + norm)
    share = np.array([issue.title_weights.get(number, 0.0) for number in issue.weights])
    titled = gain * _ratio(share, query.weights)[query.which]
    return np.bincount(docs, gain, count), np.bincount(docs, titled, count)


assert len(_WEIGHTS) == COLUMNS
