"""What an issue refers to: the commits it names, and those that speak of the tickets it names.

- ``h_ref``: the files of the commits whose ids the issue gives ("since 1a2b3c4");
  ``h_ticket``: those of the commits that mention a ticket the issue mentions.
- An id that many commits start with, a number that many mention, refers to none.
- ``brief`` is the same for every file: whether the issue is so short that every word of it counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citator.index.code.past import PastView
from citator.locate.issue import Issue
from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST = 12
_BRIEF = 500


class ReferencesSignal:
    """References."""

    names = ("h_ref", "h_ticket", "brief")

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module. Zeros where there is no history."""
        import numpy as np

        found = np.zeros((scene.size, len(self.names)))
        found[:, 2] = issue.length < _BRIEF
        past = scene.past
        if past is None or not len(past.commits):
            return found
        named, speaking = referred_to(issue, past)
        _give(found[:, 0], named, 1.0, past)
        for of_ticket in speaking:
            _give(found[:, 1], of_ticket, 1.0 / len(of_ticket) ** 0.5, past)
        return found


def referred_to(issue: Issue, past: PastView) -> tuple[list[int], list[list[int]]]:
    """The commits that ``issue`` names, and those that speak of each ticket it names."""
    import numpy as np

    named = {one for start in issue.commits for one in _starting(start, past)}
    speaking = []
    for number in issue.tickets:
        rows, _ = past.messages.rows(np.array([number], np.uint32))
        speaking.append(past.messages.docs[rows].tolist())
    found = [one for one in speaking if 0 < len(one) <= _MOST]
    return sorted(named) if len(named) <= _MOST else [], found


def _starting(start: str, past: PastView) -> list[int]:
    """The commits whose ids start so; ids are known by their first sixteen digits."""
    import numpy as np

    digits = start[:16]
    rest = np.uint64(64 - 4 * len(digits))
    same: list[int] = np.flatnonzero((past.ids >> rest) == np.uint64(int(digits, 16))).tolist()
    return same


def _give(column: Array, commits: list[int], worth: float, past: PastView) -> None:
    """Share ``worth`` among the files of each commit."""
    import numpy as np

    for commit in commits:
        files = past.files[past.commits == commit]
        np.add.at(column, files, worth / max(int(past.touched[commit]), 1) ** 0.5)
