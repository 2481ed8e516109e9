"""The store of what left, made ready for HEAD when there is time."""

from __future__ import annotations

from citator.index.removals import Removals
from citator.service.workspace import Workspace


def prepare(workspace: Workspace) -> None:
    """Read what HEAD has and was not read before. Raises StorageError, GitRefusedError."""
    if workspace.head.commit is not None:
        with Removals(workspace.place.derived) as removals:
            removals.bring_up(workspace.repository, workspace.head.commit)


def is_late(workspace: Workspace) -> bool:
    """Whether HEAD was not read yet. Raises StorageError."""
    if workspace.head.commit is None:
        return False
    with Removals(workspace.place.derived) as removals:
        return removals.view(workspace.head.commit) is None
