"""Commits named paths, and nothing else that may be staged. The one thing here that writes.

- git runs as the person would run it: with their identity, their signing, and the hooks they set up
  in this clone. What is committed is what a person's command just wrote.
- Paths are literal and stand after ``--``. Where git refuses, its own words are not shown.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Final

from citator.git import surroundings
from citator.git.records import Repository
from citator.git.runner import Git
from citator.model.errors import RefusedError

_OURS: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")


def commit(repo: Repository, paths: Sequence[str], message: str) -> str | None:
    """Commit the present state of ``paths``, one that is gone being a removal.

    Returns the new commit's id; None where nothing differs from HEAD. Raises RefusedError where
    git, or a hook, does not commit: the files stay as they are.
    """
    assert repo.worktree is not None
    known = _known(repo, paths)
    chosen = [one for one in paths if one in known or (repo.worktree / one).is_file()]
    if not chosen or not _differs(repo, chosen):
        return None
    staged = _run(repo, "add", "-A", "-f", "--", *chosen)
    if staged != 0:
        raise _refused()
    if _run(repo, "commit", "-q", "-m", message, "--only", "--", *chosen) != 0:
        raise _refused()
    return Git.of(repo).run("rev-parse", "--verify", "HEAD").decode().strip()


def _known(repo: Repository, paths: Sequence[str]) -> set[str]:
    """Those of ``paths`` that git tracks."""
    listed = _in_the_tree(repo).run("ls-files", "-z", "--", *paths)
    return {os.fsdecode(one) for one in listed.split(b"\0") if one}


def _differs(repo: Repository, paths: Sequence[str]) -> bool:
    options = ("status", "--porcelain", "-z", "--untracked-files=all", "--ignored", "--")
    return bool(_in_the_tree(repo).run(*options, *paths))


def _in_the_tree(repo: Repository) -> Git:
    assert repo.worktree is not None
    return Git(repo.worktree, f"--git-dir={repo.git_dir}", f"--work-tree={repo.worktree}")


def _run(repo: Repository, *words: str) -> int:
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment = kept | {"GIT_LITERAL_PATHSPECS": "1"}
    command = [surroundings.executable(os.environ), *words]
    done = subprocess.run(
        command, cwd=repo.worktree, env=environment, stdout=subprocess.DEVNULL, check=False
    )
    return done.returncode


def _refused() -> RefusedError:
    return RefusedError(
        "not_committed",
        "git did not commit; what was applied stays in the working tree",
        "what git said stands above; commit the folder `.citator` yourself",
    )
