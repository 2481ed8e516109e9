"""All signals of an issue against a scene, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citator.locate import neighbours
from citator.locate.function_signal import FunctionsSignal
from citator.locate.graph import GraphSignal
from citator.locate.issue import Issue
from citator.locate.mentions import MentionsSignal
from citator.locate.past_signal import PastSignal
from citator.locate.priors import PriorsSignal
from citator.locate.protocol import Scene, Signal
from citator.locate.references import ReferencesSignal
from citator.locate.words_signal import ChunksSignal, WordsSignal

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

VERSION = "s6"
_OWN: tuple[Signal, ...] = (
    WordsSignal(),
    ChunksSignal(),
    FunctionsSignal(),
    MentionsSignal(),
    PastSignal(),
    ReferencesSignal(),
    PriorsSignal(),
)
_GRAPH = GraphSignal()
_OWN_NAMES = tuple(name for one in _OWN for name in one.names)
NAMES: tuple[str, ...] = _OWN_NAMES + _GRAPH.names + neighbours.NAMES
_SHARPENED = 6
_SEED_OPINIONS = (("bm25f", 1.0), ("ch_top3", 1.0), ("h_sim", 0.5), ("bm25f_title", 0.5))
_SEED_MENTIONS = (("m_path", 0.3), ("m_trace", 0.3), ("m_module", 0.1), ("m_qual", 0.3))


def table_of(issue: Issue, scene: Scene) -> Array:
    """(n, len(NAMES)): every opinion on every file, as exact as a sum is in any order: files that
    are alike stay alike, however the commits that say so are called."""
    import numpy as np

    own = np.concatenate([one.score(issue, scene) for one in _OWN], axis=1)
    opinions = {name: own[:, _OWN_NAMES.index(name)] for name, _ in neighbours.READING}
    beside = neighbours.neighbours(opinions, scene)
    table = np.concatenate([own, _GRAPH.score(_seeds(own), scene), beside], axis=1)
    return table.astype(np.float32).astype(np.float64)


def _seeds(own: Array) -> Array:
    """Where the walks start: what words and history agree on, sharpened, and what is named."""
    import numpy as np

    seeds = np.zeros(len(own))
    for name, share in _SEED_OPINIONS:
        opinion = own[:, NAMES.index(name)]
        seeds += share * opinion / max(float(opinion.max(initial=0.0)), 1e-12)
    seeds = (seeds / max(float(seeds.max(initial=0.0)), 1e-12)) ** _SHARPENED
    seeds = seeds / max(float(seeds.sum()), 1e-12)
    for name, share in _SEED_MENTIONS:
        named = own[:, NAMES.index(name)]
        total = float(named.sum())
        if total > 0:
            seeds = seeds + share * named / total
    return seeds
