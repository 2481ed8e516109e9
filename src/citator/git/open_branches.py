"""Branches that others have open over some files, as the remotes last had them. Nothing is fetched.

- Open: not in HEAD, nor in the branch that others start from, and moved in the last weeks.
- Two or three git processes, in time and number bounded; what was not looked at is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Head, Repository
from citator.git.revisions import main_branch, tip_of
from citator.git.runner import Git, is_id, within
from citator.git.touched import touched
from citator.model.document import Person

MOST_BRANCHES: Final = 40
MOST_REFS: Final = 2_000
MOST_COMMITS: Final = 200
SECONDS: Final = 2.0
DAYS: Final = 30
_FORMAT: Final = "%(objectname) %(committerdate:unix) %(symref)%00%(refname)"


@dataclass(frozen=True, slots=True)
class OpenBranch:
    """A branch that touches some of the files: ``name`` is its author's word (``origin/fix``).

    ``commit`` is the newest that touches them, by ``author``, at ``at`` (Unix seconds); ``commits``
    how many do; ``paths`` those of the files that they touch.
    """

    name: str
    commit: str
    author: Person
    at: int
    commits: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenBranches:
    """The branches, newest first; how many were not looked at (None: it cannot be told)."""

    found: tuple[OpenBranch, ...] = ()
    unread: int | None = 0


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    tip: str
    at: int
    parents: str
    author: Person


def open_branches(
    repo: Repository,
    head: Head,
    paths: Sequence[str],
    now: int,
    counts: Callable[[Person], bool],
    hides: Callable[[str], bool] = lambda _: False,
) -> OpenBranches:
    """The open branches with commits over ``paths`` (as git has them) by authors that count.

    A commit that touches a path which ``hides`` is not there.
    """
    if head.commit is None or not paths:
        return OpenBranches()
    tips, cut = _tips(repo, now - DAYS * 86_400)
    if not tips:
        return OpenBranches((), cut)
    main = main_branch(repo)
    base = tip_of(repo, [main]) if main else None
    others = [head.commit, *([base] if base else [])]
    command = (
        *("log", "--source", "--no-merges", "--no-follow", f"--max-count={MOST_COMMITS}"),
        "--format=%H%x00%S%x00%ct%x00%P%x00%an%x00%ae",
        *(*tips, "--not", *others, "--", *paths),
    )
    with object_git(repo) as git:
        said, code = within(git, command, SECONDS)
    if code != 0:
        return OpenBranches((), None)
    commits = [one for one in _commits(repo, said) if counts(one.author)]
    return OpenBranches(tuple(_by_branch(repo, commits, tips, frozenset(paths), hides)), cut)


def _tips(repo: Repository, since: int) -> tuple[dict[str, str], int]:
    """Tips that moved since, with their names, the newest first; how many more there are."""
    said = Git.of(repo).run(
        *("for-each-ref", "--sort=-committerdate", f"--count={MOST_REFS}", f"--format={_FORMAT}"),
        "refs/remotes/",
    )
    tips: dict[str, str] = {}
    cut = 0
    for line in said.decode("utf-8", "surrogateescape").split("\n"):
        facts, _, ref = line.partition("\0")
        tip, _, rest = facts.partition(" ")
        at, _, symbolic = rest.partition(" ")
        if not is_id(repo, tip) or not at.isdigit() or symbolic or int(at) < since or tip in tips:
            continue
        if len(tips) == MOST_BRANCHES:
            cut += 1
        else:
            tips[tip] = ref.removeprefix("refs/remotes/")
    return tips, cut


def _commits(repo: Repository, said: bytes) -> Iterator[_Commit]:
    for line in said.decode("utf-8", "replace").split("\n"):
        parts = line.split("\0")
        if len(parts) == 6 and is_id(repo, parts[0]) and parts[2].isdigit():
            id, tip, at, parents, name, email = parts
            yield _Commit(id, tip, int(at), parents, Person(name, email))


def _by_branch(
    repo: Repository,
    commits: Sequence[_Commit],
    tips: dict[str, str],
    asked: frozenset[str],
    hides: Callable[[str], bool],
) -> Iterator[OpenBranch]:
    listing = "".join(f"{one.id} {one.parents}".strip() + "\n" for one in commits).encode()
    found: dict[str, list[tuple[_Commit, set[str]]]] = {}
    for one, paths in zip(commits, touched(repo, listing), strict=False):
        if paths is None or any(map(hides, paths)):
            continue
        met = {path for path in asked if any(_meets(path, other) for other in paths)}
        if met and one.tip in tips:
            found.setdefault(one.tip, []).append((one, met))
    for tip, name in tips.items():
        if tip in found:
            newest = found[tip][0][0]
            met = set().union(*(paths for _, paths in found[tip]))
            count = len(found[tip])
            yield OpenBranch(name, newest.id, newest.author, newest.at, count, tuple(sorted(met)))


def _meets(asked: str, path: str) -> bool:
    return path == asked or path.startswith(f"{asked}/")
