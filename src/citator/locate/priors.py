"""What a file is, whatever the issue says: its length, its place, its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citator.locate.issue import Issue
from citator.locate.protocol import Scene

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


class PriorsSignal:
    """Priors: the length by its logarithm, the rest yes or no."""

    names = ("loglen", "aux", "is_init", "migration", "vendored", "not_code")

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module; the same for every issue."""
        import numpy as np

        kept: Array | None = scene.stash.get("priors")
        if kept is None:
            code = scene.code
            kept = np.zeros((scene.size, len(self.names)))
            kept[:, 0] = np.log1p(code.lengths.sum(axis=1))
            kept[:, 1:5] = code.traits
            kept[:, 5] = [not language for language in code.languages]
            scene.stash["priors"] = kept
        return kept
