"""What git says, in plain values. Paths are surrogate-escaped UTF-8; times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citator.model.document import Person


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository is. ``common_dir`` identifies it; ``worktree`` is None where bare.

    ``partial``: a remote promised objects that are not here, left out by ``filter``, where that is
    plain; ``narrow``: every remote is fetched branch by branch.
    """

    common_dir: Path
    git_dir: Path
    worktree: Path | None
    object_format: Literal["sha1", "sha256"]
    shallow: bool
    partial: bool
    filter: str | None = None
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands: ``commit`` is None where unborn, ``branch`` is None where detached."""

    commit: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class RawCommit:
    """One commit, as stored: ``parents`` are those it states, present here or not.

    ``message`` is whole unless ``cut``; ``guessed`` says that some of its text (people included)
    was in no known encoding. A time is None where the commit states none that a calendar of the
    years 1970 to 9999 has. ``paths`` are the files that differ from the first parent, by bytes
    (all of them for a root commit); None where that cannot be told: a missing tree, or a parent
    beyond the edge of a shallow clone.
    """

    object_id: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    authored_at: int | None
    committer: Person
    committed_at: int | None
    message: str
    guessed: bool
    paths: tuple[str, ...] | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree. ``size`` is in bytes, None where unknown: a submodule, a missing blob.

    ``kind`` is ``commit`` for a submodule, and ``tree`` for a folder that could not be read
    (with an empty ``path`` for the whole tree); folders that can be read are not listed.
    """

    mode: str
    kind: Literal["blob", "commit", "tree"]
    object_id: str
    path: str
    size: int | None
