"""Vectors of 32-bit numbers ↔ signed bytes with one scale a vector.

Every number is off by at most half a step, so a cosine of two unit vectors, one of them
quantised, is off by at most ``scale / 2 * sqrt(dimension)`` and in practice by far less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_TOP = 127


def quantised(vectors: Array) -> tuple[Array, Array]:
    """int8 rows (n, d) and float32 scales (n,): ``row * scale`` is about the vector.

    A row of zeros, or one with a number that is not finite, becomes zeros.
    """
    import numpy as np

    vectors = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, 0)
    scales = np.abs(vectors).max(axis=1, initial=0) / _TOP
    steps = np.divide(
        vectors, scales[:, None], out=np.zeros_like(vectors), where=scales[:, None] > 0
    )
    return np.rint(steps).astype(np.int8), scales.astype(np.float32)


def restored(rows: Array, scales: Array) -> Array:
    """float32 vectors (n, d) from int8 rows and their scales."""
    import numpy as np

    return rows.astype(np.float32) * np.asarray(scales, np.float32)[:, None]
