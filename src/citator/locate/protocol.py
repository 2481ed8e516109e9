"""What a signal is: an opinion on every file, from one kind of evidence.

- A signal gives an array (n, its names): one column a name, one row a file of the snapshot;
  zero is no opinion, larger is better. It reads nothing but its arguments.
- The fusion decides what an opinion is worth; a signal never sees another's.
  (The graph alone spreads what the words said: it is given that opinion as an argument.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from citator.index.code.past import PastView
from citator.index.code.snapshot import CodeSnapshot
from citator.locate.issue import Issue

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Scene:
    """The files, and what is known of their past (None where there is no history)."""

    code: CodeSnapshot
    past: PastView | None

    @cached_property
    def size(self) -> int:
        """How many files."""
        return len(self.code.paths)

    @cached_property
    def stash(self) -> dict[str, Any]:
        """What signals computed of this scene alone, to use again: by the name of the signal."""
        return {}


class Signal(Protocol):
    """One kind of evidence."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its columns are called."""

    def score(self, issue: Issue, scene: Scene) -> Array:
        """(n, len(names)) opinions on the files of ``scene``."""
