"""The merge that brought a commit to a branch, and the last commits of a file."""

from __future__ import annotations

from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id, within

MAX_BROUGHT: Final = 200


def brought_by(repo: Repository, commit: str, tip: str, seconds: float) -> str | None:
    """The merge by which the first-parent line of ``tip`` got ``commit``.

    None where it stands on that line, where time did not suffice, and where the merge brought more
    than :data:`MAX_BROUGHT` commits: that is a branch that was caught up with, not a change.
    """
    between = (checked_id(repo, tip), f"^{checked_id(repo, commit)}", "--")
    with object_git(repo) as git:
        mainline, code = within(git, ("rev-list", "--first-parent", *between), seconds)
        if code != 0:
            return None
        path = ("rev-list", "--ancestry-path", "--merges", *between)
        having, code = within(git, path, seconds)
        having_it = set(having.split()) if code == 0 else set()
        oldest = next((one for one in reversed(mainline.split()) if one in having_it), None)
        if oldest is None:
            return None
        merge = oldest.decode()
        before = ("merge-base", "--is-ancestor", commit, f"{merge}^1")
        if within(git, before, seconds)[1] != 1:  # it stood on that line already
            return None
        counted = ("rev-list", "--count", f"-n{MAX_BROUGHT + 1}", merge, f"^{merge}^1", "--")
        said, code = within(git, counted, seconds)
    return merge if code == 0 and int(said) <= MAX_BROUGHT else None


def last_touching(repo: Repository, tip: str, path: str, most: int, seconds: float) -> list[str]:
    """The newest commits, merges left out, that ``tip`` has and that touched ``path``."""
    command = ("rev-list", "--no-merges", f"-n{most}", checked_id(repo, tip), "--", path)
    with object_git(repo) as git:
        said, _ = within(git, command, seconds)
    return said.decode("ascii", "replace").split()


def mainline(repo: Repository, tip: str, seconds: float) -> list[str]:
    """The first-parent line of ``tip``, newest first; nothing where time did not suffice."""
    with object_git(repo) as git:
        said, code = within(
            git, ("rev-list", "--first-parent", checked_id(repo, tip), "--"), seconds
        )
    return said.decode("ascii", "replace").split() if code == 0 else []
