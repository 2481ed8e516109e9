"""What usually changes with the files that change: for who checks a change before it is made.

- "You changed X; in 9 of the last 11 times Y changed with it": counted over the newest
  :data:`~citator.index.code.cochange.WINDOW` commits of HEAD's history that touched X, merges and
  commits of more than :data:`~citator.index.code.cochange.WIDEST` files left out, X followed
  through moves. Files are those of HEAD; what is new has no past.
- A commit that touches anything that is not for whom the operator granted does not count, nor is
  such a file named: what is counted is what is left.
- The counts of a HEAD are made once and kept; a question opens them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.git import history, trees
from citator.index.code import cochange
from citator.index.code.cochange import DEFAULT, Changes, Threshold, Together
from citator.model.errors import IntegrityError
from citator.model.plain import shown_path
from citator.model.record import is_of_record
from citator.service.readership import Mask, mask_of
from citator.service.workspace import Workspace, require_commits
from citator.store.files import keep_newest

MOST_CHANGED: Final = 200
IN_A_CALL: Final = 1_000
IN_A_COMMAND: Final = 10_000
_SHOWN: Final = 3
_KEPT: Final = 3


@dataclass(frozen=True, slots=True)
class Partner:
    """``path`` changed in ``together`` of the newest ``of`` changes of ``because``; ``commits``:
    the newest of these, ten digits each. Paths that are not plain are percent-encoded."""

    path: str
    because: str
    together: int
    of: int
    commits: tuple[str, ...]


def cochange_of(
    workspace: Workspace,
    changed: Sequence[str],
    threshold: Threshold = DEFAULT,
    mask: Mask | None = None,
) -> tuple[Partner, ...]:
    """What usually changes with ``changed`` and is not among them, the surest first, of what
    ``mask`` leaves (None: that for whom the operator granted).

    ``changed``: paths from the root of the repository; those that HEAD does not have, and those
    beyond the first :data:`MOST_CHANGED`, are passed over. Raises StorageError, GitRefusedError.
    """
    head = workspace.head.commit
    mask = mask or mask_of(workspace)
    if head is None or mask.everything or not changed:
        return ()
    changes, paths = changes_of(workspace, mask)
    place = {path: number for number, path in enumerate(paths)}
    files = [place[path] for path in changed if path in place][:MOST_CHANGED]
    found = cochange.partners(changes, files, threshold)
    return tuple(_partner(one, changes, paths) for one in found)


def is_late(workspace: Workspace, mask: Mask | None = None, most: int | None = None) -> bool:
    """Whether more than ``most`` commits (None: :data:`IN_A_CALL`) would have to be read first.
    Raises as :func:`cochange_of` does."""
    head = workspace.head.commit
    mask = mask or mask_of(workspace)
    if head is None or mask.everything or _kept(workspace, head, mask).is_file():
        return False
    from citator.index.code.at_head import unread_is_within
    from citator.index.code.store import FactStore

    with FactStore(workspace.place.derived / "code" / "facts.sqlite") as store:
        tips = store.tips()
    return not unread_is_within(workspace.repository, tips, head, most or IN_A_CALL)


def sentence(one: Partner) -> str:
    """A partner in our own words and plain tokens."""
    times = f"{one.together} of the last {one.of} times"
    return f"in {times} that {one.because} changed, {one.path} changed with it"


def _partner(one: Together, changes: Changes, paths: Sequence[str]) -> Partner:
    return Partner(
        path=shown_path(paths[one.file]),
        because=shown_path(paths[one.because]),
        together=one.together,
        of=one.of,
        commits=tuple(f"{changes.ids[commit]:016x}"[:10] for commit in one.commits[:_SHOWN]),
    )


def _paths(workspace: Workspace, head: str, mask: Mask) -> list[str]:
    """The files of HEAD that are not hidden, nor of the record."""
    return [
        entry.path
        for entry in trees.entries(workspace.repository, head)
        if entry.kind == "blob" and not is_of_record(entry.path) and not mask.covers(entry.path)
    ]


def changes_of(workspace: Workspace, mask: Mask) -> tuple[Changes, list[str]]:
    """What changed together until HEAD, of what ``mask`` leaves, and its files; kept or made."""
    head = require_commits(workspace)
    path = _kept(workspace, head, mask)
    with suppress(OSError, IntegrityError):
        return cochange.load(path)
    from citator.index.code.building import CodeIndex
    from citator.index.code.past import commit_number
    from citator.index.code.words import Words

    paths = _paths(workspace, head, mask)
    hidden: set[int] = set()
    if mask.hides:
        hidden = {
            commit_number(commit)
            for commit, touched in history.touches(workspace.repository, head)
            if mask.covers_any(touched)
        }
    with CodeIndex(workspace.repository, path.parent, Words()) as index:
        changes = cochange.changes_of(index.commits(head), head, paths, hidden)
    cochange.save(path, changes, paths)
    keep_newest(path.parent, "*.changes", _KEPT)
    return changes, paths


def _kept(workspace: Workspace, head: str, mask: Mask) -> Path:
    said = f"{cochange.VERSION} {head} {mask.id}"
    name = hashlib.sha256(said.encode()).hexdigest()[:24]
    return workspace.place.derived / "code" / f"{name}.changes"
