"""The commit that gave a file its name, and the name that it had before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.git.blame import within
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id

_ADDED: Final = ("log", "-n1", "--format=%H", "--diff-filter=A", "--no-renames", "--no-ext-diff")
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
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    for status, old, new in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        if status.startswith("R") and new == path:
            return Renamed(added, old)
    return None
