"""An issue against the files of a tree: sources and the rest, in one order with confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.locate.fusion import Model
from citator.locate.issue import Issue
from citator.locate.protocol import Scene
from citator.locate.reasons import cause_of
from citator.locate.signals import NAMES, table_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

OTHERS_LATER = 1.0
_WALKS = "ppr_"
_NEAR = 1e-3


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file: which of the scenes it is in, its number there, how much belief it has, and the
    signals that had an opinion on it because of the issue."""

    scene: int
    file: int
    confidence: float
    heard: frozenset[str]


def rank(
    issue: Issue,
    scenes: tuple[Scene, ...],
    model: Model,
    limit: int,
    others_later: float = OTHERS_LATER,
) -> list[Ranked]:
    """The best ``limit`` files of ``scenes``; each scene after the first stands
    ``others_later`` behind, because what it holds describes a change more often than it is one.
    A file that no signal has heard of in the issue is none of them, however likely it is by what
    it is.
    """
    import numpy as np

    tables = [table_of(issue, scene) for scene in scenes]
    every = np.concatenate(
        [model.scores(one) - others_later * (number > 0) for number, one in enumerate(tables)]
    )
    of = np.concatenate([np.full(len(one), number) for number, one in enumerate(tables)])
    files = np.concatenate([np.arange(len(one)) for one in tables])
    opinions = np.concatenate([heard(one) for one in tables])
    belief = model.confidences(every)
    order = np.lexsort((files, of, -every))
    best = order[opinions[order].any(axis=1)][:limit]
    return [
        Ranked(
            scene=int(of[one]),
            file=int(files[one]),
            confidence=float(belief[one]),
            heard=frozenset(NAMES[at] for at in np.flatnonzero(opinions[one])),
        )
        for one in best.tolist()
    ]


def heard(table: Array) -> Array:
    """(n, len(NAMES)), yes or no: which opinions on a file are of this issue, and not of what the
    file is. A walk counts that is there for a thousandth of its time."""
    import numpy as np

    of_issue = np.array([cause_of(name) is not None for name in NAMES])
    least = np.array([_NEAR if name.startswith(_WALKS) else 0.0 for name in NAMES])
    yes: Array = (table > least) & of_issue
    return yes
