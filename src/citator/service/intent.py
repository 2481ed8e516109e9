"""What somebody means to change, read as a change against a base.

- The base is what has authority: the record, the configuration and the policy are read there, and
  what the change itself says of them has none. It is HEAD; for a branch, where it left the other.
- Nothing of a patch is applied, opened by a path it names, or run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from citator.formats.patch import parse, safe_path
from citator.git import intended, revisions, trees, uncommitted
from citator.git.blobs import BlobReader
from citator.git.intended import Touched
from citator.git.records import Head
from citator.guard.change import MAX_FILE, Change, FileChange, changed, compared, named, of_patch
from citator.model.errors import UsageError
from citator.service.workspace import Workspace, require_commits

MAX_FILES: Final = 2_000
MAX_TOTAL: Final = 64 << 20


class Source(StrEnum):
    """Where the change is."""

    WORKTREE = "worktree"
    STAGED = "staged"
    BASE = "base"
    PATCH = "patch"
    PATHS = "paths"
    APPROACH = "approach"


@dataclass(frozen=True, slots=True)
class Intent:
    """A change that is meant: ``base`` names a commit (for :attr:`Source.BASE`), ``patch`` is a
    unified diff, ``paths`` are files from the root, ``approach`` is how it is to be done, in words.
    """

    source: Source
    base: str = ""
    patch: bytes = b""
    paths: tuple[str, ...] = ()
    approach: str = ""


def based(workspace: Workspace, intent: Intent) -> Workspace:
    """The workspace as it stands at the base of the change. Raises NotFoundError, RefusedError."""
    head = require_commits(workspace)
    if intent.source is not Source.BASE:
        return workspace
    named_commit = revisions.commit_named(workspace.repository, intent.base)
    base = intended.merge_base(workspace.repository, named_commit, head) or named_commit
    return replace(workspace, head=Head(base, workspace.head.branch))


def change_of(workspace: Workspace, base: Workspace, intent: Intent) -> Change:
    """The change. Raises UsageError for a path that is none, or a patch that says nothing,
    GitRefusedError."""
    repo, commit = base.repository, require_commits(base)
    if intent.source is Source.STAGED:
        return _read(base, intended.staged(repo, commit))
    if intent.source is Source.WORKTREE:
        return _read(base, intended.in_worktree(repo, commit))
    if intent.source is Source.BASE:
        return _read(base, intended.between(repo, commit, require_commits(workspace)))
    if intent.source is Source.PATCH:
        return _of_patch(base, commit, intent.patch)
    return changed(_named(base, commit, intent.paths))


def _read(base: Workspace, touched: list[Touched]) -> Change:
    files: list[FileChange] = []
    left = MAX_TOTAL
    unread = 0
    with BlobReader(base.repository) as blobs:
        for one in touched[:MAX_FILES]:
            old = _content(base, blobs, one.old_id)
            new = _content(base, blobs, one.new_id)
            if not one.stored:
                new = uncommitted.read_work_file(base.repository, one.path)
            lacks = (one.old_id and old is None) or ((one.new_id or not one.stored) and new is None)
            unread += bool(lacks)
            left -= len(old or b"") + len(new or b"")
            before = one.path if one.old_id else None
            after = one.path if one.new_id or not one.stored else None
            if lacks or left < 0:
                files.append(FileChange(before, after, whole=False))
            else:
                files.append(compared(before, after, old, new))
    return changed(files, unread, cut=len(touched) > MAX_FILES or left < 0)


def _content(base: Workspace, blobs: BlobReader, object_id: str | None) -> bytes | None:
    if object_id is None:
        return None
    found = blobs.read(object_id, MAX_FILE)
    return found if isinstance(found, bytes) else None


def _of_patch(base: Workspace, commit: str, data: bytes) -> Change:
    patch = parse(data)
    if not patch.files and data.strip():
        raise UsageError(
            "not_a_patch",
            "no file of a unified diff can be read in what was given as a patch",
            "give what `git diff` prints, with paths from the root of the repository",
        )
    wanted = [one.old_path for one in patch.files if one.old_path is not None]
    entries = _entries(base, commit, wanted)
    with BlobReader(base.repository) as blobs:

        def read(path: str) -> bytes | None:
            return _content(base, blobs, entries.get(path))

        return of_patch(patch, read)


def _entries(base: Workspace, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blobs of those of ``paths`` that the commit has: asked for by name where few."""
    wanted = sorted(set(paths))
    if not wanted:
        return {}
    specs = wanted if len(wanted) <= 500 and sum(map(len, wanted)) < 60_000 else ()
    held = set(wanted)
    return {
        one.path: one.object_id
        for one in trees.entries(base.repository, commit, specs)
        if one.kind == "blob" and one.path in held
    }


def _named(base: Workspace, commit: str, paths: tuple[str, ...]) -> Iterator[FileChange]:
    """Files that are meant to be touched; one that is not there would be new."""
    cleaned = [safe_path(one.removeprefix("./").rstrip("/")) for one in paths]
    if None in cleaned:
        raise UsageError(
            "path_outside",
            "a path that was given is not one inside the repository",
            "give paths from the root of the repository",
        )
    known = _entries(base, commit, [one for one in cleaned if one])
    for one in cleaned:
        if one is not None:
            yield named(one) if one in known else FileChange(None, one, whole=False)
