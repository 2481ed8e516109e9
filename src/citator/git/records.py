"""What git says, in plain values. Paths are surrogate-escaped UTF-8; times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citator.model.document import Person


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository is. ``common_dir`` identifies it; ``worktree`` is None where bare."""

    common_dir: Path
    git_dir: Path
    worktree: Path | None
    object_format: Literal["sha1", "sha256"]
    shallow: bool
    partial: bool


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands: ``commit`` is None where unborn, ``branch`` is None where detached."""

    commit: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class RawCommit:
    """One commit. ``message`` is whole; ``guessed`` says its encoding had to be guessed.

    ``paths`` are the files that differ from the first parent (all of them for a root commit),
    None where git could not tell (a missing tree).
    """

    object_id: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    authored_at: int
    committer: Person
    committed_at: int
    message: str
    guessed: bool
    paths: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree. ``size`` is in bytes, None for a submodule or a missing blob."""

    mode: str
    kind: Literal["blob", "commit", "tree"]
    object_id: str
    path: str
    size: int | None
