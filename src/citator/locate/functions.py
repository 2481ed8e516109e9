"""The functions and types inside files, in the order in which the issue points at them.

- An opinion on a definition: what the words of the issue (of its title) find in its own text,
  alone and against its file's best; whether it is named, in the title, with its holder, in a
  frame of a traceback; its length.
- A type holds what its functions do not, so that the function that holds the words comes first.
- The weights stand beside those of the files in ``weights.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code.facts import DefinitionKind
from citator.locate.issue import Issue
from citator.locate.mentions import frame_files
from citator.locate.protocol import Scene
from citator.locate.words_signal import chunk_scores

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAMES = ("words", "title", "best", "first", "named", "titled", "held", "framed", "length", "dunder")
TYPE_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: number, qualified name, kind, first and last line, worth."""

    definition: int
    name: str
    kind: DefinitionKind
    first: int
    last: int
    worth: float


class Functions:
    """The definitions of a scene, weighed once for an issue.

    ``opinions``: (d, len(NAMES)). ``worth``: (d,), their weighted sum.
    """

    def __init__(self, issue: Issue, scene: Scene, weights: Mapping[str, float]) -> None:
        import numpy as np

        self._code = scene.code
        self.opinions = opinions_of(issue, scene)
        self.worth = self.opinions @ np.array([weights.get(name, 0.0) for name in NAMES])
        self._starts = np.searchsorted(scene.code.def_files, np.arange(scene.size + 1))

    def best(self, file: int, limit: int) -> list[Place]:
        """The best definitions of a file that anything points at; values take no part."""
        import numpy as np

        code = self._code
        here = np.arange(self._starts[file], self._starts[file + 1])
        pointed = self.opinions[here][:, (0, 4, 6, 7)].any(axis=1)
        here = here[(code.def_kinds[here] != DefinitionKind.VALUE) & pointed]
        order = here[np.lexsort((here, -self.worth[here]))][:limit]
        return [
            Place(
                definition=one,
                name=code.qualified(one),
                kind=DefinitionKind(int(code.def_kinds[one])),
                first=int(code.def_spans[one, 0]),
                last=int(code.def_spans[one, 1]),
                worth=float(self.worth[one]),
            )
            for one in order.tolist()
        ]


def opinions_of(issue: Issue, scene: Scene) -> Array:
    """(d, len(NAMES)) opinions on every definition."""
    import numpy as np

    code = scene.code
    found = np.zeros((len(code.names), len(NAMES)))
    if not len(code.names):
        return found
    scores, titled = chunk_scores(issue, scene)
    chunks = np.arange(len(code.names)) + code.def_files + 1
    for column, own in ((0, scores[chunks]), (1, titled[chunks])):
        own = np.where(code.def_kinds == DefinitionKind.TYPE, own * TYPE_SHARE, own)
        found[:, column] = own / max(float(own.max(initial=0.0)), 1e-9)
    best = np.zeros(scene.size)
    np.maximum.at(best, code.def_files, found[:, 0])
    found[:, 2] = found[:, 0] / np.maximum(best[code.def_files], 1e-9)
    found[:, 3] = (found[:, 2] >= 1.0) & (found[:, 0] > 0)
    for name in issue.names:
        same = code.definitions(name)
        if len(same):
            found[same, 4] = 1.0 / len(same) ** 0.5
            found[same, 5] = (name in issue.title_names) / len(same) ** 0.5
    for dotted in issue.dotted:
        holder, _, name = dotted.rpartition(".")
        for one in code.definitions(name).tolist():
            parent = int(code.def_parents[one])
            if parent >= 0 and code.names[parent] == holder.rpartition(".")[2]:
                found[one, 6] = 1.0
    _frames(found[:, 7], issue, scene)
    length = code.def_spans[:, 1] - code.def_spans[:, 0] + 1
    found[:, 8] = np.log1p(np.maximum(length, 0)) / 5
    dunder = scene.stash.get("dunder")
    if dunder is None:
        dunder = np.array([name.startswith("__") and name != "__init__" for name in code.names])
        scene.stash["dunder"] = dunder
    found[:, 9] = dunder
    return found


def _frames(column: Array, issue: Issue, scene: Scene) -> None:
    import numpy as np

    code = scene.code
    for depth, (number, files) in enumerate(frame_files(issue, scene)):
        frame = issue.frames[number - 1]
        for file in files:
            first, last = code.def_spans[:, 0], code.def_spans[:, 1]
            inside = (code.def_files == file) & (first <= frame.line) & (last >= frame.line)
            named = code.definitions(frame.function or "")
            worth = 1.0 / (1 + depth)
            for one in np.flatnonzero(inside).tolist()[-1:]:
                column[one] = max(column[one], worth / 2)
            for one in named[code.def_files[named] == file].tolist():
                column[one] = max(column[one], worth)
