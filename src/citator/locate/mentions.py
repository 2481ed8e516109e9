"""What the issue names outright: paths, frames of tracebacks, modules, imports, symbols.

- A name that many files could be is worth little: an opinion is shared among them.
- Of a traceback, the innermost frame that is a file of this tree counts most.
- ``m_sym`` are names of definitions, by how rare they are; ``m_qual`` names with their holder
  (``Class.method``, ``module.function``), which are seldom wrong.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citator.locate.issue import Issue
from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST = 40


class MentionsSignal:
    """Explicit mentions."""

    names = (
        "m_path",
        "m_trace",
        "m_trace_last",
        "m_module",
        "m_import",
        "m_sym",
        "m_sym_code",
        "m_sym_title",
        "m_qual",
        "m_base",
        "m_base_title",
    )

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module."""
        import numpy as np

        found = np.zeros((scene.size, len(self.names)))
        _paths(found[:, 0], issue, scene)
        _frames(found[:, 1], found[:, 2], issue, scene)
        _modules(found[:, 3], issue, scene)
        _imports(found[:, 4], issue, scene)
        _symbols(found[:, 5:8], issue, scene)
        _qualified(found[:, 8], issue, scene)
        _stems(found[:, 9:11], issue, scene)
        return found


def files_of(path: str, scene: Scene) -> Sequence[int]:
    """The files whose path ends as ``path`` does, by its longest end that is one."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for at in range(len(parts)):
        files = scene.code.ending("/".join(parts[at:]))
        if files:
            lone = at > 0 and len(parts) - at == 1  # a base name alone, of a longer path
            return [] if lone and len(parts) > 2 and len(files) > 1 else files
    return []


def _share(column: Array, files: Sequence[int], worth: float) -> None:
    if files and len(files) <= _MOST:
        for one in files:
            column[one] = max(column[one], worth / len(files))


def _paths(column: Array, issue: Issue, scene: Scene) -> None:
    for order, path in enumerate(issue.paths):
        files = files_of(path, scene)
        depth = (1.0 if "/" in path else 0.7) * (1.0 - 0.03 * min(order, 10))
        if "." not in path.rpartition("/")[2]:
            depth = 0.5
        _share(column, files, depth)


def frame_files(issue: Issue, scene: Scene) -> list[tuple[int, Sequence[int]]]:
    """The frames that are files of this tree, innermost first: number of the frame (the
    innermost is 1), files."""
    found = ((number, files_of(one.path, scene)) for number, one in enumerate(issue.frames, 1))
    return [(number, files) for number, files in found if files and len(files) <= 3]


def _frames(column: Array, last: Array, issue: Issue, scene: Scene) -> None:
    for depth, (_, files) in enumerate(frame_files(issue, scene)):
        for one in files:
            column[one] = max(column[one], 1.0 / (1 + depth))
            if depth == 0:
                last[one] = 1.0


def _modules(column: Array, issue: Issue, scene: Scene) -> None:
    for dotted, weight in issue.dotted.items():
        parts = dotted.split(".")
        for length in range(len(parts), 1, -1):
            files = scene.code.ending("/".join(parts[:length]))
            if files:
                _share(column, files, weight * length / (length + 1))
                break


def _imports(column: Array, issue: Issue, scene: Scene) -> None:
    for module, names in issue.imports:
        base = module.strip(".").replace(".", "/")
        _share(column, scene.code.ending(base), 0.5 if names else 0.7)
        for name in names:
            _share(column, scene.code.ending(f"{base}/{name}"), 1.0)
            near = [
                int(scene.code.def_files[one])
                for one in scene.code.definitions(name).tolist()
                if f"{base}/" in f"{scene.code.paths[int(scene.code.def_files[one])]}/"
                or f"{base}." in scene.code.paths[int(scene.code.def_files[one])]
            ]
            _share(column, sorted(set(near)), 1.0)


def _symbols(columns: Array, issue: Issue, scene: Scene) -> None:
    import numpy as np

    code = scene.code
    for name, weight in issue.names.items():
        found = code.definitions(name)
        if not len(found):
            continue
        shaped = found[code.def_kinds[found] < 2]
        files = np.unique(code.def_files[shaped if len(shaped) else found])
        worth = weight * (1.0 if len(shaped) else 0.4)
        if len(files) > _MOST:
            continue
        rarity = math.log(1 + scene.size / len(files)) / len(files) ** 0.5
        columns[files, 0] += worth * rarity
        if name in issue.code_names:
            columns[files, 1] += rarity
        if name in issue.title_names:
            columns[files, 2] += rarity


def _qualified(column: Array, issue: Issue, scene: Scene) -> None:
    code = scene.code
    for dotted, weight in issue.dotted.items():
        parts = dotted.split(".")
        for holder, name in itertools.pairwise(parts):
            for one in code.definitions(name).tolist()[:200]:
                parent = int(code.def_parents[one])
                file = int(code.def_files[one])
                stem = code.paths[file].rpartition("/")[2].partition(".")[0]
                if parent >= 0 and code.names[parent] == holder:
                    column[file] = max(column[file], weight)
                elif parent < 0 and stem == holder:
                    column[file] = max(column[file], weight * 0.8)


def _stems(columns: Array, issue: Issue, scene: Scene) -> None:
    for column, names in ((0, issue.names), (1, issue.title_names)):
        for name in names:
            lower = name.lower()
            for form in (lower, lower.removesuffix("s"), lower + "s"):
                _share(columns[:, column], scene.code.stemmed(form), 1.0)
