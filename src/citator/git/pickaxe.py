"""Where a text stands in a commit, and which commits changed how often it stands anywhere.

- The text is literal: never a pattern, never an option. Binary files take no part.
- Commits are looked at newest first, some hundred at a time: a search whose time is over says how
  far it came, and goes on from there when asked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id, within
from citator.model import stop

MAX_TEXT: Final = 400
AT_ONCE: Final = 500
_GREP: Final = (
    *("grep", "-z", "-F", "-I", "--full-name", "--no-color", "--no-recurse-submodules"),
    *("--no-textconv", "--threads=1"),
)
_SEARCH: Final = (
    *("diff-tree", "--stdin", "-r", "-z", "--root", "--name-status", "--no-renames"),
    *("--no-ext-diff", "--no-textconv"),
)
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_BESIDE: Final = "(^|[^[:alnum:]_])"
_BEHIND: Final = "([^[:alnum:]_]|$)"
_ID: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Seconds(Protocol):
    """How long there still is."""

    @property
    def left(self) -> float:
        """Seconds, never below 0."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """A line (from 1) of a file that holds a text."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Changed:
    """A commit that changed how often a text stands in ``paths``."""

    commit: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """Commits, newest first. ``looked_at`` of ``total`` were looked at: the newest of them."""

    commits: tuple[Changed, ...]
    looked_at: int
    total: int

    @property
    def whole(self) -> bool:
        """Whether every commit was looked at."""
        return self.looked_at >= self.total


def can_be_searched(text: str) -> bool:
    """Whether a text is one that these searches take: of one line, neither empty nor long."""
    return 0 < len(text) <= MAX_TEXT and not set(text) & set("\n\0\r")


def holding(
    repo: Repository,
    commit: str,
    text: str,
    seconds: float,
    *,
    paths: Sequence[str] = (),
    word: bool = False,
    most: int = 200,
) -> list[Held]:
    """Up to ``most`` lines of ``commit`` that hold ``text``, by path; fewer where time is over.

    ``word``: only where no letter, digit or underscore stands beside it.
    """
    options = ("-n", *(("-w",) if word else ()), "-e", text, checked_id(repo, commit), "--", *paths)
    with object_git(repo) as git:
        said, _ = within(git, (*_GREP, *options), seconds)
    found: list[Held] = []
    for record in said.split(b"\n"):
        place, _, rest = record.partition(b"\0")
        number, nul, _ = rest.partition(b"\0")
        path = place.partition(b":")[2]
        if nul and number.isdigit() and path:
            found.append(Held(path.decode("utf-8", "surrogateescape"), int(number)))
    return found[:most]


def count(
    repo: Repository,
    commit: str,
    text: str,
    paths: Sequence[str],
    seconds: float,
    *,
    word: bool = False,
) -> int:
    """How many lines of ``paths`` hold ``text`` in ``commit``."""
    alone = ("-w",) if word else ()
    options = ("-c", *alone, "-e", text, checked_id(repo, commit), "--", *paths)
    with object_git(repo) as git:
        said, _ = within(git, (*_GREP, *options), seconds)
    numbers = (line.rpartition(b"\0")[2] for line in said.split(b"\n"))
    return sum(int(number) for number in numbers if number.isdigit())


def changing(
    repo: Repository,
    tip: str,
    text: str,
    seconds: Seconds,
    *,
    paths: Sequence[str] = (),
    skip: int = 0,
    most: int = 20,
    word: bool = False,
) -> Picked:
    """The commits that ``tip`` has which changed how often ``text`` stands (in ``paths``).

    ``skip`` leaves out so many of the newest: those that were looked at before. ``seconds`` is
    asked before each part; the search ends where it is 0, and after ``most`` were found.
    ``word`` is for names of letters, digits and underscores alone: with any other text it is not
    obeyed.
    """
    looked_for = [f"-S{text}"]
    if word and _WORD.fullmatch(text):
        looked_for = ["--pickaxe-regex", f"-S{_BESIDE}{text}{_BEHIND}"]
    command = ("rev-list", "--no-merges", checked_id(repo, tip), "--", *paths)
    with object_git(repo) as git:
        said, code = within(git, command, seconds.left)
        commits = said.split()
        if code != 0:
            return Picked((), 0, max(1, len(commits)))
        found: list[Changed] = []
        at = min(skip, len(commits))
        while at < len(commits) and seconds.left > 0 and len(found) < most:
            some = commits[at : at + AT_ONCE]
            listing = b"".join(one + b"\n" for one in some)
            with git.start(*_SEARCH, *looked_for, "--", *paths, feed=listing) as child:
                found += _records(child.stdout.read())
                child.finish()
            stop.checkpoint()
            at += len(some)
    return Picked(tuple(found[:most]), at, len(commits))


def _records(said: bytes) -> Iterator[Changed]:
    """git prints an id, then a status letter and a path by turns."""
    commit, paths = "", list[str]()
    tokens = iter(said.split(b"\0"))
    for token in tokens:
        if _ID.fullmatch(token):
            if commit:
                yield Changed(commit, tuple(paths))
            commit, paths = token.decode(), []
        elif token:
            paths.append(next(tokens, b"").decode("utf-8", "surrogateescape"))
    if commit:
        yield Changed(commit, tuple(paths))
