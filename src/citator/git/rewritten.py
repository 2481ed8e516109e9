"""Finds a commit again that was amended, rebased or picked: who made it and when stays the same.

A *mark* is a digest of author, address and authoring time (to the second, with its zone). Two
commits of one mark are one change told twice; where a history has several, none is taken.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git, checked_id

MOST: Final = 20_000
MARK_DIGITS: Final = 32
_PLAINLY: Final = (
    *("--no-mailmap", "--no-show-signature", "--date=raw"),
    "--format=%H%x00%an%x00%ae%x00%ad",
)


def mark_of(repo: Repository, commit: str) -> str:
    """The mark of a commit that is here. Raises GitRefusedError."""
    raw = _log(repo, "--no-walk", checked_id(repo, commit))
    return _mark(raw.removesuffix(b"\n").partition(b"\0")[2])


def marked(repo: Repository, tip: str, wanted: Collection[str]) -> Mapping[str, str]:
    """Of the newest commits that ``tip`` has, the one with each mark. Raises GitRefusedError."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _log(repo, f"--max-count={MOST}", checked_id(repo, tip)).split(b"\n"):
        commit, _, made = line.partition(b"\0")
        if made and (mark := _mark(made)) in wanted:
            found[mark].append(commit.decode("ascii"))
    return {mark: commits[0] for mark, commits in found.items() if len(commits) == 1}


def _log(repo: Repository, *what: str) -> bytes:
    return Git.of(repo).run("log", *_PLAINLY, *what)


def _mark(made: bytes) -> str:
    return hashlib.sha256(made).hexdigest()[:MARK_DIGITS]
