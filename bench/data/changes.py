"""Leads from the number of a change, or of the issue it closes, to its commits.

- ``squash``: a commit with one parent whose subject ends in ``(#N)``.
- ``merge``: the commits that the merge naming ``#N`` in its subject brought in.
- ``closes``: a commit whose message says that it fixes, closes or resolves ``#N`` (one that
  closes more than three issues sweeps up after others and answers none).

Each counts only where it is the one of its kind.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bench.data.explained import Explained
from bench.data.mirror import History, subject_of

MAX_RELEVANT = 3
MAX_CLOSED = 3

_SQUASHED = re.compile(r"\(#(\d+)\)")
_MERGED = re.compile(r"#(\d+)\b")
_CLOSES = re.compile(r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s+#(\d+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """The commits of one change; ``around`` holds the merge that brought them in."""

    how: str
    commits: tuple[str, ...]
    around: tuple[str, ...] = ()

    @property
    def last(self) -> str:
        """The commit after which the whole change is in."""
        return (*self.around, *self.commits)[0]


@dataclass(frozen=True, slots=True)
class Answer:
    """What answers a question, and what is no miss."""

    relevant: tuple[str, ...]
    acceptable: tuple[str, ...]


class Numbers:
    """Which commits of a history name a number."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._squashes: dict[int, list[str]] = defaultdict(list)
        self._merges: dict[int, list[str]] = defaultdict(list)
        self._closes: dict[int, list[str]] = defaultdict(list)
        for oid, raw in history.commits.items():
            subject = subject_of(raw)
            if len(raw.parents) > 1:
                match = _MERGED.search(subject)
                if match:
                    self._merges[int(match[1])].append(oid)
                continue
            for number in set(_SQUASHED.findall(subject)):
                self._squashes[int(number)].append(oid)
            closes = set(_CLOSES.findall(raw.message))
            for number in closes if len(closes) <= MAX_CLOSED else ():
                self._closes[int(number)].append(oid)

    def change(self, number: int) -> Change | None:
        """The one change with this number, or None where there is none or more than one."""
        squashed, merged = self._squashes[number], self._merges[number]
        if len(squashed) == 1 and not merged:
            return Change("squash", tuple(squashed))
        if len(merged) == 1 and not squashed:
            return Change("merge", brought_in(self._history, merged[0]), tuple(merged))
        return None

    def closing(self, number: int) -> Change | None:
        """The one commit that closes the issue with this number."""
        closing = self._closes[number]
        return Change("closes", tuple(closing)) if len(closing) == 1 else None


def brought_in(history: History, merge: str) -> tuple[str, ...]:
    """The commits with one parent that ``merge`` has and its first parent has not."""
    first, *others = history.commits[merge].parents
    listed = history.mirror.git("rev-list", "--no-merges", *others, f"^{first}")
    return tuple(listed.split())


def answer_of(change: Change, core: Sequence[str], kept: Explained) -> Answer | None:
    """``core``, the commits of a change that matter, where each of them gives its reason.

    None where there are none or more than three, or where one says nothing: the reason could
    be missing with it. The rest of the change, its merge included, is no miss.
    """
    relevant = tuple(kept.among(core))
    if not 1 <= len(relevant) <= MAX_RELEVANT or len(relevant) < len(core):
        return None
    rest = [oid for oid in kept.among(change.commits) if oid not in relevant]
    return Answer(relevant, (*rest, *change.around))
