"""The caller's view of the current index: what HEAD has, of what was indexed and is for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citator.git import history, repository
from citator.index.protocol import Snapshot, View, ViewChange
from citator.model.errors import RefusedError
from citator.service.markdown_changes import key_of, markdown_change
from citator.service.readership import Mask, mask_of, masked
from citator.service.reading import commit_keys, view_change
from citator.service.workspace import Workspace, require_commits


@contextmanager
def opened(workspace: Workspace, mask: Mask | None = None) -> Iterator[tuple[Snapshot, View]]:
    """The current snapshot and the view of HEAD over it, for as long as the block runs.

    ``mask`` is what is hidden of it (None: what is hidden from whom the operator granted).
    Raises RefusedError ``no_commits`` or ``index_not_built`` where there is none, IntegrityError
    where it is damaged.
    """
    head = require_commits(workspace)
    snapshot = workspace.index.open()
    if snapshot is None:
        raise _not_built()
    try:
        view = view_of(workspace, snapshot, head)
        if view is None:
            raise _not_built()
        left = masked(workspace, snapshot, view, head, mask_of(workspace) if mask is None else mask)
        if left is None:
            raise _not_built()
        yield snapshot, left
    finally:
        snapshot.close()


def _not_built() -> RefusedError:
    return RefusedError(
        "index_not_built",
        "this repository has not been indexed on this machine",
        "run `citator init` (or `citator index build`) in it once",
    )


def view_of(workspace: Workspace, snapshot: Snapshot, head: str) -> View | None:
    """What ``head`` sees of ``snapshot``, worked out from the commit it was built for."""

    def load() -> ViewChange:
        return change_between(workspace, snapshot.tip, head)

    return snapshot.view(head, load)


def change_between(workspace: Workspace, base: str | None, tip: str) -> ViewChange:
    """The documents that ``tip`` has and ``base`` has not, and the other way round."""
    repo = workspace.repository
    if base is not None and not repository.has_commit(repo, base):
        base = None
    markdown = markdown_change(workspace, base, tip)
    if base is None:
        everything = commit_keys(history.reachable(repo, tip))
        return ViewChange(None, [*everything, *map(key_of, markdown.gained)])
    return view_change(base, history.between(repo, base, tip), markdown)
