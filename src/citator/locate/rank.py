"""An issue against the files of a tree: sources and the rest, in one order with confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.locate.fusion import Model
from citator.locate.issue import Issue
from citator.locate.protocol import Scene
from citator.locate.signals import table_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

OTHERS_LATER = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file: which of the scenes it is in, its number there, how much belief it has."""

    scene: int
    file: int
    confidence: float


def rank(
    issue: Issue,
    scenes: tuple[Scene, ...],
    model: Model,
    limit: int,
    others_later: float = OTHERS_LATER,
) -> list[Ranked]:
    """The best ``limit`` files of ``scenes``; each scene after the first stands
    ``others_later`` behind, because what it holds describes a change more often than it is one.
    """
    import numpy as np

    scores = [
        model.scores(table_of(issue, scene)) - others_later * (number > 0)
        for number, scene in enumerate(scenes)
    ]
    of = np.concatenate([np.full(len(one), number) for number, one in enumerate(scores)])
    files = np.concatenate([np.arange(len(one)) for one in scores])
    every = np.concatenate(scores)
    belief = model.confidences(every)
    order = np.lexsort((files, of, -every))[:limit]
    return [Ranked(int(of[one]), int(files[one]), float(belief[one])) for one in order.tolist()]
