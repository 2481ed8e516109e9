"""The commit that gave a file its name, or took it away, and the name on the other side of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id, within

_LAST: Final = ("log", "-n1", "--format=%H", "--no-renames", "--no-ext-diff")
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
    last = _last(repo, commit, path, "A", seconds)
    if last is None:
        return None
    added, names = last
    return next((Renamed(added, old) for old, new in names if new == path), None)


@dataclass(frozen=True, slots=True)
class Deleted:
    """``commit`` took a file away; ``new_path`` is what it is called since, if it was renamed."""

    commit: str
    new_path: str | None


def deleted(repo: Repository, commit: str, path: str, seconds: float) -> Deleted | None:
    """The last commit, among ``commit`` and its ancestors, that took away the file at ``path``."""
    last = _last(repo, commit, path, "D", seconds)
    if last is None:
        return None
    by, names = last
    return Deleted(by, dict(names).get(path))


def was_there(repo: Repository, commit: str, path: str, seconds: float) -> bool:
    """Whether ``commit`` or an ancestor touched ``path``, a file or a folder."""
    command = ("rev-list", "-n1", checked_id(repo, commit), "--", path)
    with object_git(repo) as git:
        said, code = within(git, command, seconds)
    return code == 0 and bool(said.strip())


def _last(
    repo: Repository, commit: str, path: str, status: str, seconds: float
) -> tuple[str, list[tuple[str, str]]] | None:
    """The last commit that added (A) or deleted (D) ``path``, and what it renamed: old and new."""
    checked_id(repo, commit)
    with object_git(repo) as git:
        found = (*_LAST, f"--diff-filter={status}", commit, "--", path)
        said, code = within(git, found, seconds)
        last = said.decode("ascii", "replace").strip()
        if code != 0 or not last:
            return None
        said, _ = within(git, (*_RENAMED, checked_id(repo, last)), seconds)
    return last, list(_renamed(said))


def _renamed(said: bytes) -> Iterator[tuple[str, str]]:
    """The pairs of names, old and new."""
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    for status, old, new in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        if status.startswith("R"):
            yield old, new
