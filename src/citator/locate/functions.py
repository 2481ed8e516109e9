"""The functions and types inside a file, in the order in which the issue points at them.

A definition is worth what the words of the issue find in its own text, and more where it is
named: outright, with its holder, in a frame of a traceback. A type is worth less than the
function inside it that holds the words.
"""

from __future__ import annotations

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

_TYPE_SHARE = 0.8
_NAMED, _TITLED, _HELD, _FRAMED = 0.35, 0.3, 0.5, 0.8


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: number, qualified name, kind, first and last line, worth (1: the best)."""

    definition: int
    name: str
    kind: DefinitionKind
    first: int
    last: int
    worth: float


class Functions:
    """The definitions of a scene, weighed once for an issue: ``worth`` (d,) by number."""

    def __init__(self, issue: Issue, scene: Scene) -> None:
        import numpy as np

        code = scene.code
        self._code = code
        scores, titled = chunk_scores(issue, scene)
        chunks = np.arange(len(code.names)) + code.def_files + 1
        worth = scores[chunks] / max(float(scores.max(initial=0.0)), 1e-9)
        worth += 0.3 * titled[chunks] / max(float(titled.max(initial=0.0)), 1e-9)
        worth[code.def_kinds == DefinitionKind.TYPE] *= _TYPE_SHARE
        for name in issue.names:
            found = code.definitions(name)
            if len(found):
                titled_too = _TITLED if name in issue.title_names else 0.0
                worth[found] += (_NAMED + titled_too) / len(found) ** 0.5
        for dotted in issue.dotted:
            holder, _, name = dotted.rpartition(".")
            for one in code.definitions(name).tolist():
                parent = int(code.def_parents[one])
                if parent >= 0 and code.names[parent] == holder.rpartition(".")[2]:
                    worth[one] += _HELD
        self._frames(worth, issue, scene)
        self.worth = worth
        self._starts = np.searchsorted(code.def_files, np.arange(scene.size + 1))

    def _frames(self, worth: Array, issue: Issue, scene: Scene) -> None:
        import numpy as np

        code = self._code
        for depth, (number, files) in enumerate(frame_files(issue, scene)):
            frame = issue.frames[number - 1]
            for file in files:
                inside = code.def_files == file
                inside &= (code.def_spans[:, 0] <= frame.line) & (
                    code.def_spans[:, 1] >= frame.line
                )
                named = code.definitions(frame.function or "")
                for one in np.flatnonzero(inside).tolist()[-1:]:
                    worth[one] += _FRAMED / (1 + depth) / 2
                for one in named[code.def_files[named] == file].tolist():
                    worth[one] += _FRAMED / (1 + depth)

    def best(self, file: int, limit: int) -> list[Place]:
        """The best definitions of a file; values take no part."""
        import numpy as np

        code = self._code
        here = np.arange(self._starts[file], self._starts[file + 1])
        here = here[(code.def_kinds[here] != DefinitionKind.VALUE) & (self.worth[here] > 0)]
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
