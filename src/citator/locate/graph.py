"""What files import, and what changes together: opinions spread along both.

- Personalised PageRank: a walk that starts from the files that words, history and mentions
  point at, follows an edge or starts again.
- Imports are followed both ways, co-change by how often and how exclusively two files changed
  together in the last three years before the tip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code.past import PastView
from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_RESTART = 0.6
_STEPS = 8
_YEARS = 3 * 365 * 86400
_WIDEST = 30


@dataclass(frozen=True, slots=True)
class Edges:
    """Directed edges; the weights out of a file add up to one."""

    sources: Array
    targets: Array
    weights: Array


class GraphSignal:
    """Spreads one opinion along both graphs."""

    names = ("ppr_imp", "ppr_co", "indeg")

    def score(self, seeds: Array, scene: Scene) -> Array:
        """(n, 3): where walks from ``seeds`` (n,) end, and the logarithm of how many import it."""
        import numpy as np

        found = np.zeros((scene.size, len(self.names)))
        found[:, 0] = spread(seeds, _import_edges(scene))
        found[:, 1] = spread(seeds, _change_edges(scene))
        found[:, 2] = np.log1p(np.bincount(scene.code.imports[:, 1], minlength=scene.size))
        return found


def spread(seeds: Array, edges: Edges) -> Array:
    """The share of time a walk from ``seeds`` spends at each file."""
    import numpy as np

    total = seeds.sum()
    if total <= 0:
        return np.zeros_like(seeds)
    start: Array = seeds / total
    here = start
    for _ in range(_STEPS):
        moved = np.bincount(edges.targets, here[edges.sources] * edges.weights, len(seeds))
        here = _RESTART * start + (1 - _RESTART) * moved
    return here


def _normalised(sources: Array, targets: Array, weights: Array, size: int) -> Edges:
    import numpy as np

    out = np.bincount(sources, weights, size)
    return Edges(sources, targets, weights / np.maximum(out[sources], 1e-12))


def _import_edges(scene: Scene) -> Edges:
    import numpy as np

    kept: Edges | None = scene.stash.get("imports")
    if kept is None:
        importer, imported = scene.code.imports[:, 0], scene.code.imports[:, 1]
        sources, targets = np.r_[importer, imported], np.r_[imported, importer]
        degree = np.bincount(imported, minlength=scene.size)
        weights = 1.0 / np.sqrt(np.maximum(np.r_[degree[imported], degree[imported]], 1))
        kept = scene.stash["imports"] = _normalised(sources, targets, weights, scene.size)
    return kept


def _change_edges(scene: Scene) -> Edges:
    import numpy as np

    kept: Edges | None = scene.stash.get("changes")
    if kept is None:
        if scene.past is None or not len(scene.past.times):
            empty = np.empty(0, np.int64)
            kept = Edges(empty, empty, np.empty(0))
        else:
            sources, targets, weights = changed_together(scene.past)
            kept = _normalised(sources, targets, weights, scene.size)
        scene.stash["changes"] = kept
    return kept


def changed_together(past: PastView) -> tuple[Array, Array, Array]:
    """Ordered pairs of files that changed in one commit, and the worth of that."""
    import numpy as np

    recent = past.times >= past.times.max() - _YEARS
    narrow = past.touched <= _WIDEST
    inside = (recent & narrow)[past.commits]
    commits, files = past.commits[inside], past.files[inside]
    order = np.argsort(commits, kind="stable")
    commits, files = commits[order], files[order]
    heads = np.flatnonzero(np.r_[True, commits[1:] != commits[:-1]]) if len(commits) else order
    sizes = np.diff(np.r_[heads, len(commits)])
    sources, targets, weights = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for size in range(2, _WIDEST + 1):
        starts = heads[sizes == size]
        if not len(starts):
            continue
        group = files[starts[:, None] + np.arange(size)]
        left, right = np.nonzero(~np.eye(size, dtype=bool))
        sources.append(group[:, left].ravel())
        targets.append(group[:, right].ravel())
        weights.append(np.full(len(starts) * len(left), 1.0 / (size - 1)))
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(weights)
