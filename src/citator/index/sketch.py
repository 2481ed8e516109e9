"""A coarse picture of many unit vectors: one bit a number, to find the few worth reading.

For a unit vector x of a corpus with mean m, q·x = m·x + (q - m)·(x - m) + a constant. The
first term is kept as a number; the second is estimated from how many signs of q - m and x - m
differ. A sketch is a function of the vectors it was made of and of no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.quantiser import restored

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Sketch:
    """Of n vectors of d numbers: their mean (d,), the signs about it, m·x and |x - m| (n,).

    ``signs`` is (n, ceil(d / 64)) unsigned 64-bit words; the rest is float32.
    """

    mean: Array
    signs: Array
    lean: Array
    spread: Array

    def likely(self, query: Array, count: int) -> Array:
        """Indices of the ``count`` vectors that look nearest, ties at the cut included."""
        import numpy as np

        size = len(self.signs)
        if count >= size:
            return np.arange(size)
        centred = query - self.mean
        apart = np.bitwise_count(self.signs ^ _packed(centred[None])).sum(axis=1, dtype=np.uint16)
        angles = np.pi * np.arange(len(query) + 1) / len(query)
        along = (np.cos(angles) * np.linalg.norm(centred)).astype(np.float32)
        estimate = self.lean + self.spread * along[apart]
        cut = np.partition(estimate, size - count)[size - count]
        return np.flatnonzero(estimate >= cut)


def sketched(rows: Array, scales: Array) -> Sketch:
    """The sketch of n ≥ 1 quantised unit vectors."""
    import numpy as np

    total = np.zeros(rows.shape[1], np.float64)
    for block in _blocks(rows, scales):
        total += block.sum(axis=0, dtype=np.float64)
    mean = (total / len(rows)).astype(np.float32)
    signs, lean, spread = [], [], []
    for block in _blocks(rows, scales):
        centred = block - mean
        signs.append(_packed(centred))
        lean.append(block @ mean)
        spread.append(np.linalg.norm(centred, axis=1))
    return Sketch(mean, np.concatenate(signs), np.concatenate(lean), np.concatenate(spread))


def _blocks(rows: Array, scales: Array) -> Iterator[Array]:
    for start in range(0, len(rows), _BLOCK):
        yield restored(rows[start : start + _BLOCK], scales[start : start + _BLOCK])


def _packed(centred: Array) -> Array:
    import numpy as np

    bits = np.packbits(centred > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)
