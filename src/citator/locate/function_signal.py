"""The best function of each file, by all that points at it at once.

- ``fn``: its words, its words in the title, whether it is named, named with its holder, or stands
  in a frame, added up; ``fn_named``: named and reading like the issue; ``fn_both``: reading like
  the text and like the title.
- A file may hold every word of an issue in twenty functions; the one that is to be changed mostly
  has many of them in one.
"""

from __future__ import annotations

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
_NAMED, _HELD = 0.5, 0.7


class FunctionsSignal:
    """Functions, by their files."""

    names = ("fn", "fn_named", "fn_both")

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module."""
        import numpy as np

        code = scene.code
        found = np.zeros((scene.size, len(self.names)))
        if not len(code.names):
            return found
        words, titled = (_of_definitions(one, scene) for one in chunk_scores(issue, scene))
        named, held, framed = np.zeros((3, len(code.names)))
        for name in issue.names:
            same = code.definitions(name)
            named[same] = 1.0 / max(len(same), 1) ** 0.5
        for dotted in issue.dotted:
            holder, _, name = dotted.rpartition(".")
            same = code.definitions(name)
            for one in same[code.def_parents[same] >= 0].tolist():
                if code.names[int(code.def_parents[one])] == holder.rpartition(".")[2]:
                    held[one] = 1.0
        _frame(framed, issue, scene)
        reading = words + titled
        columns = (
            reading + _NAMED * named + _HELD * held + framed,
            np.maximum(np.maximum(named, held), framed) * reading,
            words * titled,
        )
        for column, worth in enumerate(columns):
            np.maximum.at(found[:, column], code.def_files, worth)
        return found


def _of_definitions(scores: Array, scene: Scene) -> Array:
    """(d,) the scores of the chunks of definitions as shares of the best; of a type less."""
    import numpy as np

    code = scene.code
    own = scores[np.arange(len(code.names)) + code.def_files + 1]
    own = np.where(code.def_kinds == DefinitionKind.TYPE, own * _TYPE_SHARE, own)
    shares: Array = own / max(float(own.max(initial=0.0)), 1e-9)
    return shares


def _frame(column: Array, issue: Issue, scene: Scene) -> None:
    """One for the functions of the innermost frame, less for those further out; half by line."""
    import numpy as np

    code = scene.code
    for depth, (number, files) in enumerate(frame_files(issue, scene)):
        frame = issue.frames[number - 1]
        first, last = code.def_spans[:, 0], code.def_spans[:, 1]
        around = (first <= frame.line) & (last >= frame.line)
        named = code.definitions(frame.function or "")
        for file in files:
            inside = np.flatnonzero(around & (code.def_files == file))[-1:]
            column[inside] = np.maximum(column[inside], 0.5 / (1 + depth))
            same = named[code.def_files[named] == file]
            column[same] = np.maximum(column[same], 1.0 / (1 + depth))
