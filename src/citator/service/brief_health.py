"""How what a brief rests on is: the index, what is kept here, what could not be seen.

Counts of an index are of all that is in it: where something is hidden, only how far it lags is
told.
"""

from __future__ import annotations

from dataclasses import dataclass

from citator.service import brief_settings, claims, notes, sessions
from citator.service.index_history import status
from citator.service.proposing import Moment
from citator.service.readership import commits_behind, mask_of
from citator.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Health:
    """``behind``: commits that the index lags HEAD, None where it has none or that cannot be told;
    ``indexed`` is the commit it was built for. ``documents`` and ``passages`` are None where
    something is hidden. ``words``: whether unreviewed words travel in a brief."""

    indexed: str | None
    behind: int | None
    documents: int | None
    passages: int | None
    notes: int
    damaged_notes: int
    sessions: int
    claims: int
    words: bool


def health(workspace: Workspace, moment: Moment) -> Health:
    """The state of it now. Raises StorageError, IntegrityError."""
    mask = mask_of(workspace)
    found = status(workspace)
    current, behind = found.current, found.behind
    if mask.hides and current is not None and behind:
        assert current.tip is not None
        assert found.head is not None
        behind = (
            None if mask.everything else commits_behind(workspace, current.tip, found.head, mask)
        )
    counted = current is not None and not mask.hides
    readable, damaged = notes.readable(workspace)
    return Health(
        indexed=None if current is None or mask.everything else current.tip,
        behind=behind,
        documents=current.documents if counted and current is not None else None,
        passages=current.passages if counted and current is not None else None,
        notes=readable,
        damaged_notes=damaged,
        sessions=len(sessions.listing(workspace)),
        claims=len(claims.live(workspace, moment, mask)),
        words=brief_settings.read(workspace).words,
    )
