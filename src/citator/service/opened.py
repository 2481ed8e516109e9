"""The caller's view of the current index: what HEAD has, of what was indexed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citator.git import history, repository
from citator.index.protocol import Snapshot, View, ViewChange
from citator.model.errors import RefusedError
from citator.service.markdown_changes import key_of, markdown_change
from citator.service.reading import commit_keys
from citator.service.workspace import Workspace


@contextmanager
def opened(workspace: Workspace) -> Iterator[tuple[Snapshot, View]]:
    """The current snapshot and the view of HEAD over it, for as long as the block runs.

    Raises RefusedError ``index_not_built`` where there is none, IntegrityError where it is
    damaged.
    """
    if workspace.head.commit is None:
        raise RefusedError(
            "no_commits",
            "this repository has no commits yet, so there is nothing to cite",
            "ask again after the first commit",
        )
    snapshot = workspace.index.open()
    if snapshot is None:
        raise _not_built()
    try:
        view = view_of(workspace, snapshot, workspace.head.commit)
        if view is None:
            raise _not_built()
        yield snapshot, view
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
    lost, gained = map(key_of, markdown.lost), map(key_of, markdown.gained)
    if base is None:
        return ViewChange(None, [*commit_keys(history.reachable(repo, tip)), *gained])
    removed, added = history.between(repo, base, tip)
    return ViewChange(base, [*commit_keys(added), *gained], [*commit_keys(removed), *lost])
