"""What stands beside a docket's own: what usually changes with a file, whose work it is, its tests.

- Both counts are of one history that is read ahead; where too much of it is not read yet they are
  off, and that is said.
- A share of the work does not depend on the day: it is told as of the commit that HEAD is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citator.git import trees
from citator.index.code.cochange import Threshold
from citator.model.docket import DocketCommit, Ownership, Partner, Role
from citator.model.plain import shown_path
from citator.search.docket.patience import Patience
from citator.service.docket_commits import Commits
from citator.service.docket_places import MAX_TESTS, holds_tests

USUAL: Final = Threshold(times=3, share=0.4, months=1, agreement=0, most=5)
_COMMITS: Final = 3


@dataclass(frozen=True, slots=True)
class Beside:
    """``late``: too much would have to be read first."""

    partners: tuple[Partner, ...] = ()
    ownership: Ownership | None = None
    late: bool = False


def beside(
    commits: Commits, path: str, *, owned: bool, patient: bool, unread: int | None
) -> Beside:
    """What is beside a file or folder of HEAD; ``owned``: whose work it is too. ``unread``: how
    many commits may be read first, unless one is ``patient``."""
    there = trees.entries(commits.workspace.repository, commits.head, [path])
    if not any(not commits.hidden(one.path) for one in there):
        return Beside()
    from citator.service.cochange import cochange_of, is_late

    if not patient and is_late(commits.workspace, commits.mask, unread):
        return Beside(late=True)
    partners: tuple[Partner, ...] = ()
    if commits.files.blob(commits.head, path) is not None:
        found = cochange_of(commits.workspace, [path], USUAL, commits.mask)
        partners = tuple(Partner(one.path, one.together, one.of) for one in found)
    ownership = None
    if owned:
        from citator.service.ownership import owners_of

        when = commits.time(commits.head)
        paths = owners_of(commits.workspace, [path], when, commits.mask).paths
        ownership = paths[0] if paths else None
    return Beside(partners, ownership)


def tests_of(
    commits: Commits, nearest: Sequence[DocketCommit], patience: Patience
) -> tuple[str, ...]:
    """The tests that the nearest commits touched and that HEAD still has."""
    found: dict[str, None] = {}
    for one in nearest[:_COMMITS]:
        if one.role in (Role.TOUCHED, Role.AT_OR_BEFORE) or patience.over:
            continue
        paths = commits.files.paths(one.commit) or ()
        for path in [path for path in paths if holds_tests(path)][:MAX_TESTS]:
            if not commits.hidden(path) and commits.files.blob(commits.head, path):
                found[shown_path(path)] = None
    return tuple(found)[:MAX_TESTS]
