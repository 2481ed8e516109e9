"""What git says of where work stands: branch, recent commits, changed files, work in progress.

- Of what an audience may not see nothing is counted, and a commit that touches it is none.
- Of the record's own files nothing is told: their names hold words of decisions.
- Only plain names are told; what has another name is counted.
"""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from citator.git import blobs, intended, trees, uncommitted
from citator.git.recent import Distance, Recent, distance, recent
from citator.model.record import is_of_record
from citator.service.readership import Mask
from citator.service.workspace import Workspace
from citator.sources.stack import FILES, READ_BYTES, stack_of

COMMITS: Final = 3
MOST_PATHS: Final = 300
_LAST: Final = 253_402_300_799


@dataclass(frozen=True, slots=True)
class Work:
    """What is not committed: how many files are changed, new and gone; ``paths`` of them, those of
    new files last."""

    changed: int = 0
    new: int = 0
    gone: int = 0
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where work stands. ``commits`` are the newest that are no merges; ``touched`` their files,
    those of the newest first; at most :data:`MOST_PATHS`."""

    stack: tuple[str, ...] = ()
    branch: str | None = None
    commit: str | None = None
    upstream: Distance | None = None
    commits: tuple[Recent, ...] = ()
    touched: tuple[str, ...] = ()
    work: Work = Work()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that work is about, those not committed first."""
        return tuple(dict.fromkeys((*self.work.paths, *self.touched)))[:MOST_PATHS]


def standing_of(workspace: Workspace, mask: Mask, stack: tuple[str, ...] | None) -> Standing:
    """Where work stands; ``stack`` is what a person said of it, None: it is looked for."""
    if mask.everything:
        return Standing(stack or ())
    repo, head = workspace.repository, workspace.head
    commits: tuple[Recent, ...] = ()
    if head.commit is not None:
        with closing(recent(repo, head.commit)) as walked:
            seen = (one for one in walked if not (mask.hides and mask.covers_any(one.paths)))
            commits = tuple(islice(seen, COMMITS))
    touched = dict.fromkeys(
        path for one in commits for path in (one.paths or ())[:MOST_PATHS] if not is_of_record(path)
    )
    return Standing(
        stack=_stack(workspace, mask) if stack is None else stack,
        branch=head.branch,
        commit=head.commit,
        upstream=None if head.branch is None else distance(repo, head.branch),
        commits=commits,
        touched=tuple(touched)[:MOST_PATHS],
        work=_work(workspace, mask),
    )


def day_of(one: Recent) -> str:
    """The day of a commit, UTC; empty where no calendar of ours has it."""
    if not 0 < one.at <= _LAST:
        return ""
    return datetime.fromtimestamp(one.at, UTC).date().isoformat()


def _told(path: str, mask: Mask) -> bool:
    return not mask.covers(path) and not is_of_record(path)


def _work(workspace: Workspace, mask: Mask) -> Work:
    repo, commit = workspace.repository, workspace.head.commit
    if repo.worktree is None:
        return Work()
    if commit is None:
        files = [one.path for one in uncommitted.work_files(repo) if _told(one.path, mask)]
        return Work(new=len(files), paths=tuple(files[:MOST_PATHS]))
    found = [one for one in intended.in_worktree(repo, commit) if _told(one.path, mask)]
    new = sum(one.old_id is None for one in found)
    gone = sum(one.new_id is None and one.old_id is not None for one in found)
    found.sort(key=lambda one: one.old_id is None)
    paths = tuple(one.path for one in found[:MOST_PATHS])
    return Work(len(found) - new - gone, new, gone, paths)


def _stack(workspace: Workspace, mask: Mask) -> tuple[str, ...]:
    """Told by what stands at the top of the work tree; of a bare repository, at HEAD."""
    repo, commit = workspace.repository, workspace.head.commit
    seen = sorted(name for name in FILES if not mask.covers(name))
    if repo.worktree is not None:
        top = repo.worktree
        return stack_of(
            {one for one in seen if _is_file(top / one)}, lambda name: _start(top / name)
        )
    if commit is None:
        return ()
    there = {
        one.path: one.object_id
        for one in trees.entries(repo, commit, seen)
        if one.kind == "blob" and one.mode != "120000" and one.path in FILES
    }
    with blobs.BlobReader(repo) as reader:

        def read(name: str) -> bytes | None:
            content = reader.read(there[name], READ_BYTES)
            return content if isinstance(content, bytes) else None

        return stack_of(there, read)


def _is_file(path: Path) -> bool:
    """Whether a regular file stands there; no link is followed."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _start(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(READ_BYTES)
    except OSError:
        return None
