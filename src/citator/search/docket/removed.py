"""What stood at some lines and was taken away: by which commit, how many lines, and where.

- The history of the file is walked from the newest change, the lines followed backwards. A change
  that only gave them another form took nothing away.
- What was replaced by as many lines or more is told as replaced, what has no successor as removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citator.git.blame import Hunk, stood_at
from citator.git.line_history import FileChange

MAX_CHANGES: Final = 400


@dataclass(frozen=True, slots=True)
class Loss:
    """``commit`` took away ``lines`` lines, which stood from line ``first`` of ``path`` before it;
    ``instead`` lines stand there since."""

    commit: str
    path: str
    now: str | None
    first: int
    lines: int
    instead: int

    @classmethod
    def by(cls, change: FileChange, hunk: Hunk, old_path: str) -> Loss:
        """What one hunk of a change of the file at ``old_path`` took away."""
        return cls(
            *(change.commit, old_path, change.path, hunk.old, hunk.old_count, hunk.new_count)
        )


def losses(changes: Iterable[FileChange], first: int, last: int) -> Iterator[Loss]:
    """What the lines ``first`` to ``last`` of the newest version lost, newest first."""
    for number, change in enumerate(changes):
        if number >= MAX_CHANGES or change.old_path is None:
            return
        touched = [one for one in change.hunks if _touches(one, first, last)]
        for hunk in touched:
            if hunk.old_count:
                yield Loss.by(change, hunk, change.old_path)
        first, last = _before(change.hunks, first, last)


def _touches(hunk: Hunk, first: int, last: int) -> bool:
    """Whether a hunk changed these lines, or took away what stood right beside them."""
    if hunk.new_count == 0:
        return first - 1 <= hunk.new <= last
    return hunk.new <= last and hunk.new + hunk.new_count > first


def _before(hunks: Sequence[Hunk], first: int, last: int) -> tuple[int, int]:
    """Where lines stood before these hunks, with what the hunks took away from among them."""
    touched = [one for one in hunks if _touches(one, first, last)]
    olds = [one.old + (not one.old_count) for one in touched]
    start = min([stood_at(hunks, first), *olds])
    ends = [old + one.old_count - 1 for old, one in zip(olds, touched, strict=True)]
    inside = any(one.new <= last < one.new + one.new_count for one in touched)
    end = max(ends if inside else [stood_at(hunks, last), *ends])
    return max(1, start), max(1, start, end)
