"""How later history treated what is asked for, as HEAD has it and for whom the operator granted.

- What is kept of it under ``derived/`` is followed up to HEAD; where that would take long, nothing
  is said: ``unassessed``, because it was not read.
- Commits that the audience is not for are in no edge and no count.
"""

from __future__ import annotations

from dataclasses import dataclass

from citator.model.treatment import NOT_READ, Edge, Verdict
from citator.model.visibility import Audience
from citator.service.workspace import Workspace


@dataclass(frozen=True)
class Treatments:
    """The treatments that HEAD has. Ids are of commits (whole), decisions (items) or blobs."""

    def of(self, treated: str) -> tuple[Edge, ...]:
        """What treats it, newest first: also what does not count any more."""
        return ()

    def counting(self, treated: str) -> tuple[Edge, ...]:
        """Those of :meth:`of` whose treating commit or record itself stands."""
        return ()

    def verdict(self, treated: str) -> Verdict:
        """How it stands."""
        return NOT_READ

    def by(self, treating: str) -> tuple[Edge, ...]:
        """What it treats, as it claims: also what was not found."""
        return ()

    def reverts(self) -> tuple[Edge, ...]:
        """Every revert and partial revert that was resolved, newest first."""
        return ()


def treatments(
    workspace: Workspace, audience: Audience | None = None, now: str | None = None
) -> Treatments:
    """The treatments that HEAD has, for ``audience`` (None: whom the operator granted).

    ``now`` is a time (RFC 3339, UTC) or a day against which validity is held. Raises StorageError,
    GitRefusedError.
    """
    return Treatments()
