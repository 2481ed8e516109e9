"""What stands beside the files that read like the issue: their folders, and what they use.

- A file reads like the issue as its best function, its words, its history and the titles of its
  changes say together (``reading``).
- ``n_next``: the best other file of its folder; ``n_folder``: all others of it, by how many;
  ``n_used``: the files that import it, each less where many files are imported as often.
- The cause of a symptom is often beneath the file that shows it: in what that file uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAMES = ("n_next", "n_folder", "n_used")
READING = (("fn", 1.0), ("bm25f", 1.0), ("ht_sim", 0.7), ("hp", 0.7))
_SHARPENED = 4


def neighbours(opinions: Mapping[str, Array], scene: Scene) -> Array:
    """(n, 3) from the opinions that :data:`READING` names, (n,) each."""
    import numpy as np

    n = scene.size
    found = np.zeros((n, len(NAMES)))
    if not n:
        return found
    reading = np.zeros(n)
    for name, share in READING:
        reading += share * opinions[name] / max(float(opinions[name].max()), 1e-12)
    reading /= sum(share for _, share in READING)
    sharp = reading**_SHARPENED
    folders = _folders(scene)
    order = np.lexsort((-reading, folders))
    heads = np.flatnonzero(np.r_[True, np.diff(folders[order]) != 0])
    sizes = np.diff(np.r_[heads, n])
    second = np.where(sizes > 1, reading[order[np.minimum(heads + 1, n - 1)]], 0.0)
    found[:, 0] = np.where(sizes > 1, reading[order[heads]], 0.0)[folders]
    found[order[heads], 0] = second
    others = np.bincount(folders, sharp)[folders] - sharp
    found[:, 1] = np.maximum(others, 0.0) / np.sqrt(np.maximum(sizes[folders] - 1, 1))
    importer, imported = scene.code.imports[:, 0], scene.code.imports[:, 1]
    often = np.sqrt(np.maximum(np.bincount(imported, minlength=n), 1))
    found[:, 2] = np.bincount(imported, sharp[importer] / often[imported], n)
    return found


def _folders(scene: Scene) -> Array:
    """(n,) the number of the folder of each file."""
    import numpy as np

    kept: Array | None = scene.stash.get("folders")
    if kept is None:
        numbers: dict[str, int] = {}
        folders = [
            numbers.setdefault(path.rpartition("/")[0], len(numbers)) for path in scene.code.paths
        ]
        kept = scene.stash["folders"] = np.array(folders, np.int64)
    return kept
