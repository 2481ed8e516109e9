"""The commit that gave a file its name, or took it away, and the name on the other side of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from citator.git.blame import within
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id

_ADDED: Final = ("log", "-n1", "--format=%H", "--diff-filter=A", "--no-renames", "--no-ext-diff")
_DELETED: Final = ("log", "-n1", "--format=%H", "--diff-filter=D", "--no-renames", "--no-ext-diff")
_RENAMED: Final = (
    *("diff-tree", "--root", "-r", "-z", "--name-status", "-M40%", "--diff-filter=R"),
    *("--no-commit-id", "--no-ext-diff", "--no-textconv", "-l2000"),
)


@dataclass(frozen=True, slots=True)
class Renamed:
    """``commit`` named the file that was ``old_path`` before."""

    commit: str
    old_path: str


def renames(repo: Repository, commit: str, path: str, seconds: float) -> Renamed | None:
    """The last commit, among ``commit`` and its ancestors, that named a file ``path``.

    None where none did, where it is new rather than renamed, or where time did not suffice.
    """
    checked_id(repo, commit)
    with object_git(repo) as git:
        said, code = within(git, (*_ADDED, commit, "--", path), seconds)
        added = said.decode("ascii", "replace").strip()
        if code != 0 or not added:
            return None
        said, code = within(git, (*_RENAMED, checked_id(repo, added)), seconds)
    return next((Renamed(added, old) for old, new in _renamed(said) if new == path), None)


@dataclass(frozen=True, slots=True)
class Deleted:
    """``commit`` took a file away; ``new_path`` is what it is called since, if it was renamed."""

    commit: str
    new_path: str | None


def deleted(repo: Repository, commit: str, path: str, seconds: float) -> Deleted | None:
    """The last commit, among ``commit`` and its ancestors, that took away the file at ``path``."""
    checked_id(repo, commit)
    with object_git(repo) as git:
        said, code = within(git, (*_DELETED, commit, "--", path), seconds)
        by = said.decode("ascii", "replace").strip()
        if code != 0 or not by:
            return None
        said, _ = within(git, (*_RENAMED, checked_id(repo, by)), seconds)
    names = dict(_renamed(said))
    return Deleted(by, names.get(path))


def was_there(repo: Repository, commit: str, path: str, seconds: float) -> bool:
    """Whether ``commit`` or an ancestor touched ``path``, a file or a folder."""
    command = ("rev-list", "-n1", checked_id(repo, commit), "--", path)
    with object_git(repo) as git:
        said, code = within(git, command, seconds)
    return code == 0 and bool(said.strip())


def _renamed(said: bytes) -> Iterator[tuple[str, str]]:
    """The pairs of names, old and new."""
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    for status, old, new in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        if status.startswith("R"):
            yield old, new
