"""Google's Universal Sentence Encoder (multilingual 3) as arithmetic on arrays.

Pieces → embeddings → three convolutions of 2, 3 and 5 pieces → one sum a text → a deep
averaging network → a unit vector of 512 numbers. Texts are computed side by side and never
see each other: a window that leaves its text reads zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

DIMENSION = 512
MAX_PIECES = 256

_BLOCKS = 17
_BLOCK_ROWS = 7530
_CHANNELS = 256
# Convolution width → how many of its pieces stand to the left.
_WINDOWS = {2: 0, 3: 1, 5: 2}
_BATCH_PIECES = 384


class Network:
    """The network over the arrays that :func:`arrays` made. Pure; any thread may use it."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._a = arrays
        self._rows = arrays["rows"]
        self._epsilon = float(arrays["eps"][0])

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """Unit vectors of texts given as piece ids, none of them empty: (n, 512) float32."""
        import numpy as np

        out = np.empty((len(texts), DIMENSION), np.float32)
        for first, last in _batches(texts):
            out[first:last] = self._batch(texts[first:last])
        return out

    def _batch(self, texts: Sequence[Sequence[int]]) -> Array:
        import numpy as np

        a = self._a
        lengths = np.array([len(text) for text in texts])
        owner = np.repeat(np.arange(len(texts)), lengths)
        pieces = np.concatenate([np.asarray(text, np.int64) for text in texts])
        embedded = self._embedded(pieces)
        branches = [embedded]
        for width in _WINDOWS:
            projected = embedded @ a[f"proj{width}"] + a[f"proj_b{width}"]
            projected = self._normal(projected, a[f"ln_g{width}"], a[f"ln_b{width}"])
            once = projected + self._convolved(projected, owner, width, "1")
            branches.append(once + self._convolved(once, owner, width, "2"))
        features = self._normal(np.concatenate(branches, axis=1), a["ln_g"], a["ln_b"])
        starts = np.cumsum(lengths) - lengths
        sums = np.add.reduceat(features, starts, axis=0) @ a["cnn_W"]
        counts = lengths[:, None].astype(np.float32)
        return self._averaged((sums + counts * a["cnn_b"]) / np.sqrt(counts))

    def _embedded(self, pieces: Array) -> Array:
        import numpy as np

        block = pieces % _BLOCKS
        rows: Array = self._rows[pieces].astype(np.float32)
        rows *= self._a["scale"][block, None]
        rows += self._a["lo"][block, None]
        return rows

    def _convolved(self, x: Array, owner: Array, width: int, layer: str) -> Array:
        """ReLU of a convolution whose windows read zeros outside of their own text."""
        import numpy as np

        kernel = self._a[f"w{layer}_{width}"].reshape(width, _CHANNELS, _CHANNELS)
        total = np.broadcast_to(self._a[f"b{layer}_{width}"], x.shape).copy()
        size = len(x)
        for slot in range(width):
            shift = slot - _WINDOWS[width]
            if abs(shift) >= size:
                continue
            here = slice(max(0, -shift), size - max(0, shift))
            there = slice(max(0, shift), size - max(0, -shift))
            same = (owner[here] == owner[there])[:, None]
            total[here] += (x[there] @ kernel[slot]) * same
        np.maximum(total, 0, out=total)
        return total

    def _averaged(self, mean: Array) -> Array:
        import numpy as np

        a = self._a
        first = np.maximum(mean @ a["d0"], 0)
        second = np.maximum(mean @ a["p1"] + first @ a["d1"], 0)
        third = np.maximum(second @ a["d2"], 0)
        out: Array = np.tanh(second @ a["p3"] + third @ a["d3"])
        lengths = np.sqrt(np.maximum(np.einsum("ij,ij->i", out, out), self._epsilon))
        out /= lengths[:, None]
        return out

    def _normal(self, x: Array, gain: Array, bias: Array) -> Array:
        import numpy as np

        x = x - x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / x.shape[1]
        x /= np.sqrt(variance + self._epsilon)[:, None]
        x *= gain
        x += bias
        return x


def arrays(weights: Mapping[str, Array]) -> dict[str, Array]:
    """The network's arrays from the package's weights. Raises KeyError, ValueError."""
    import numpy as np

    rows = np.empty((_BLOCKS * _BLOCK_ROWS, DIMENSION), np.uint8)
    for block in range(_BLOCKS):
        rows[block::_BLOCKS] = weights[f"q{block + 1}"]
    dense = {
        name: np.asarray(weights[name], np.float32).reshape(shape)
        for name, shape in _shapes().items()
    }
    return {"rows": rows, **dense}


def _shapes() -> dict[str, tuple[int, ...]]:
    """Every array but the embedding rows, with its shape."""
    wide = DIMENSION + len(_WINDOWS) * _CHANNELS
    hidden = 320
    shapes: dict[str, tuple[int, ...]] = {
        "eps": (1,),
        "scale": (_BLOCKS,),
        "lo": (_BLOCKS,),
        "ln_g": (wide,),
        "ln_b": (wide,),
        "cnn_W": (wide, DIMENSION),
        "cnn_b": (DIMENSION,),
        "d0": (DIMENSION, hidden),
        "d1": (hidden, hidden),
        "p1": (DIMENSION, hidden),
        "d2": (hidden, DIMENSION),
        "p3": (hidden, DIMENSION),
        "d3": (DIMENSION, DIMENSION),
    }
    for width in _WINDOWS:
        shapes[f"proj{width}"] = (DIMENSION, _CHANNELS)
        for name in (f"proj_b{width}", f"ln_g{width}", f"ln_b{width}"):
            shapes[name] = (_CHANNELS,)
        for layer in "12":
            shapes[f"w{layer}_{width}"] = (width * _CHANNELS, _CHANNELS)
            shapes[f"b{layer}_{width}"] = (_CHANNELS,)
    return shapes


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive texts with about ``_BATCH_PIECES`` pieces each, at least one text."""
    first = pieces = 0
    for number, text in enumerate(texts):
        if number > first and pieces + len(text) > _BATCH_PIECES:
            yield first, number
            first, pieces = number, 0
        pieces += len(text)
    if first < len(texts):
        yield first, len(texts)
