"""The merge that brought a commit to a branch, and the last commits of a file."""

from __future__ import annotations

from citator.git.blame import within
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id


def brought_by(repo: Repository, commit: str, tip: str, seconds: float) -> str | None:
    """The oldest commit of the first-parent line of ``tip`` that has ``commit``, if not itself.

    None where time did not suffice.
    """
    between = (checked_id(repo, tip), f"^{checked_id(repo, commit)}", "--")
    with object_git(repo) as git:
        mainline, code = within(git, ("rev-list", "--first-parent", *between), seconds)
        if code != 0:
            return None
        path = ("rev-list", "--ancestry-path", "--merges", *between)
        having, code = within(git, path, seconds)
    if code != 0:
        return None
    having_it = set(having.split())
    oldest = next((one for one in reversed(mainline.split()) if one in having_it), None)
    return None if oldest is None else oldest.decode()


def last_touching(repo: Repository, tip: str, path: str, most: int, seconds: float) -> list[str]:
    """The newest commits, merges left out, that ``tip`` has and that touched ``path``."""
    command = ("rev-list", "--no-merges", f"-n{most}", checked_id(repo, tip), "--", path)
    with object_git(repo) as git:
        said, _ = within(git, command, seconds)
    return said.decode("ascii", "replace").split()
