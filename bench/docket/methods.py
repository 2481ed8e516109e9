"""The ways to ask for a line's commit that are compared: git's own, and ours."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final

from citator.git.repository import discover
from citator.search.docket.patience import Patience
from citator.search.docket.walk import Origin, Place, Walk

IGNORE_FILE: Final = ".git-blame-ignore-revs"
METHODS: Final = ("blame", "blame_wmc", "blame_ignored", "blame_wmc_ignored", "docket")
SECONDS: Final = 60.0


def git(repo: Path, *args: str) -> str:
    """What ``git ARGS`` prints; undecodable bytes are replaced."""
    done = subprocess.run(["git", "-C", str(repo), *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def ignored(repo: Path, head: str) -> frozenset[str]:
    """The commits that the repository asks blame to ignore."""
    done = subprocess.run(
        ["git", "-C", str(repo), "show", f"{head}:{IGNORE_FILE}"], capture_output=True, check=False
    )
    words = done.stdout.decode("utf-8", "replace").split()
    return frozenset(
        word for word in words if len(word) == 40 and set(word) <= set("0123456789abcdef")
    )


def by_git(repo: Path, head: str, path: str, line: int, *options: str) -> str:
    """The commit that ``git blame OPTIONS`` names."""
    asked = ("blame", "--porcelain", "-L", f"{line},{line}", *options, head, "--", path)
    return git(repo, *asked).split(maxsplit=1)[0]


def by_docket(repo: Path, head: str, path: str, line: int, listed: frozenset[str]) -> Origin:
    """Ours."""
    with Walk(discover(repo), listed) as walk:
        start = {line: [Place(head, path, line)]}
        return walk.back(start, Patience.of(SECONDS, time.monotonic)).origins[line][0]


def answers(repo: Path, head: str, path: str, line: int) -> dict[str, str]:
    """The commit that each method names, all digits."""
    listed = ignored(repo, head)
    revs = [f"--ignore-rev={one}" for one in sorted(listed) if _is_here(repo, one)]
    return {
        "blame": by_git(repo, head, path, line),
        "blame_wmc": by_git(repo, head, path, line, "-w", "-M", "-C"),
        "blame_ignored": by_git(repo, head, path, line, *revs),
        "blame_wmc_ignored": by_git(repo, head, path, line, "-w", "-M", "-C", *revs),
        "docket": by_docket(repo, head, path, line, listed).commit,
    }


def _is_here(repo: Path, commit: str) -> bool:
    command = ["git", "-C", str(repo), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
