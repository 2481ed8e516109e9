"""Which commits count as past fixes of a repository, to be replayed.

A commit counts where

- it has one parent, which is here (merges, roots and the edge of a shallow clone are out);
- its subject says that something is mended (*fix*, *bug*, *crash*, *regression*, *close* or
  *resolve*, in their forms), or a line of its body says what it fixes, closes or resolves; what
  reverts another commit is out;
- it touches at most :data:`MOST_TOUCHED` files, and of them one to :data:`MOST_CHANGED` source
  files that are no tests (with ``tests``: tests too).

Where fewer than :data:`FEWEST` commits say so, those that explain themselves count too, whatever
they do: such a project has other words for what it mends, and a change that says why leads to its
files in the same way. That is told (``widened``).

The newest are taken, out of at most :data:`MOST_COMMITS` commits. A word of a message decides here
what is measured, never what is answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from citator.git import history
from citator.git.records import RawCommit, Repository
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of
from citator.model import stop
from citator.sources.commits import document_of

FEWEST: Final = 30
MOST_TOUCHED: Final = 30
MOST_CHANGED: Final = 5
MOST_COMMITS: Final = 20_000
_WINDOWS: Final = (1_000, 5_000, MOST_COMMITS)
_SUBJECT: Final = re.compile(
    r"\b(?:(?:hot|bug)?fix(?:e[sd]|ing)?|bugs?|crash(?:e[sd]|ing)?|regressions?|close[sd]?"
    r"|resolve[sd]?)\b",
    re.I,
)
_BODY: Final = re.compile(r"^(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):? +\S*\d", re.I | re.M)
_REVERT: Final = re.compile(r"revert", re.I)
_READ: Final = 4_000

Counts = Callable[[RawCommit], bool]


@dataclass(frozen=True, slots=True)
class Fix:
    """A past fix: its id, its parent's, its message, the source files it changed."""

    commit: str
    parent: str
    message: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixes:
    """Those that are taken, newest first, and how many commits were looked at for them.
    ``widened``: not all of them say that they mend something."""

    fixes: tuple[Fix, ...]
    examined: int
    widened: bool = False


def past_fixes(repo: Repository, tip: str, last: int, since: int, *, tests: bool) -> Fixes:
    """The newest ``last`` fixes that ``tip`` has, committed at ``since`` (Unix seconds) or later.

    Raises GitRefusedError where the history is damaged.
    """

    def newest(counts: Counts, enough: int) -> tuple[list[Fix], int]:
        found, examined = list[Fix](), 0
        for window in _WINDOWS:
            found, examined, whole = _within(repo, tip, window, since, counts, tests=tests)
            if whole or len(found) >= enough:
                break
        return found, examined

    found, examined = newest(lambda one: says_fix(one.message), max(last, FEWEST))
    if len(found) < FEWEST:
        found, examined = newest(_says_fix_or_why, last)
    taken = found[-last:]
    widened = not all(says_fix(one.message) for one in taken)
    return Fixes(tuple(reversed(taken)), examined, widened)


def _within(
    repo: Repository, tip: str, window: int, since: int, counts: Counts, *, tests: bool
) -> tuple[list[Fix], int, bool]:
    """What ``counts`` among the newest ``window`` commits, oldest first; whether that is all."""
    base = next(islice(history.reachable(repo, tip), window, None), None)
    found: list[Fix] = []
    examined = 0
    with history.commits(repo, tip, [] if base is None else [base]) as walk:
        for commit in walk:
            stop.checkpoint()
            examined += 1
            if (commit.committed_at or 0) >= since:
                found += fix_of(commit, counts, tests=tests)
    return found, examined, base is None


def fix_of(commit: RawCommit, counts: Counts, *, tests: bool) -> Iterator[Fix]:
    """The commit as a fix, if it is one and ``counts``."""
    paths = commit.paths or ()
    if len(commit.parents) != 1 or len(paths) > MOST_TOUCHED:
        return
    changed = [one for one in paths if language_of(one) and (tests or not is_test(one))]
    if 1 <= len(changed) <= MOST_CHANGED and counts(commit):
        yield Fix(commit.object_id, commit.parents[0], commit.message, tuple(changed))


def says_fix(message: str) -> bool:
    """Whether a message says that its commit mends something."""
    subject, _, body = message[:_READ].partition("\n")
    if _REVERT.match(subject):
        return False
    return bool(_SUBJECT.search(subject) or _BODY.search(body))


def _says_fix_or_why(commit: RawCommit) -> bool:
    if says_fix(commit.message):
        return True
    return not _REVERT.match(commit.message) and document_of(commit) is not None
