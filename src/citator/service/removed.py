"""The store of what left, made ready for HEAD when there is time."""

from __future__ import annotations

from itertools import islice
from typing import Final

from citator.git import history
from citator.git.records import Repository
from citator.git.repository import has_commit
from citator.index.removals import Removals
from citator.service.workspace import Workspace

IN_A_CALL: Final = 2_000  # commits that a call of a server reads


def prepare(workspace: Workspace) -> None:
    """Read what HEAD has and was not read before. Raises StorageError, GitRefusedError."""
    if workspace.head.commit is not None:
        with Removals(workspace.place.derived) as removals:
            removals.bring_up(workspace.repository, workspace.head.commit)


def is_late(workspace: Workspace) -> bool:
    """Whether more is unread than a call reads by itself. Raises StorageError, GitRefusedError."""
    if workspace.head.commit is None:
        return False
    with Removals(workspace.place.derived) as removals:
        return is_long(workspace.repository, removals, workspace.head.commit, IN_A_CALL)


def is_long(repo: Repository, removals: Removals, commit: str, patience: int) -> bool:
    """Whether ``commit`` has more than ``patience`` commits that were not read."""
    if removals.view(commit) is not None:
        return False
    tips = removals.tips()
    if tips and has_commit(repo, tips[0]):
        return history.count_between(repo, tips[0], commit) > patience
    return len(list(islice(history.reachable(repo, commit), patience + 1))) > patience
