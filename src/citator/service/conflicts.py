"""What of others is in the way of a piece of work: graded, told, and never a lock.

- The nearest first: the same symbol, the same file, the scope of one decision, an open branch of
  another author that touches the file.
- A path that is hidden from the audience is in nobody's way, and what names one is not told.
- Branches are read from what the remotes were when last fetched; what was not looked at is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from citator.formats.patch import safe_path
from citator.git.open_branches import OpenBranch, open_branches
from citator.model.document import Person, author_number
from citator.model.errors import CitatorError
from citator.model.horizon import HorizonFact, Limit
from citator.model.plain import shown_path
from citator.model.utc import utc_text
from citator.service.claims import live, of, seconds_of, who_of
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.workspace import Workspace
from citator.team.claims import Claim, Who, is_symbol, raw_path


class Grade(StrEnum):
    """How near somebody's work is, the nearest first."""

    SYMBOL = "symbol"
    FILE = "file"
    SCOPE = "scope"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something in the way. ``paths`` and ``symbols`` are those that were asked about, as they
    travel; ``items`` the decisions whose scope both are in.

    Of a claim: ``claim``; of a branch: ``branch``. ``own`` is one's own claim from another work
    tree. Words of others are in ``claim`` and ``branch`` alone: a face says who may see them.
    """

    grade: Grade
    author: int
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    claim: Claim | None = None
    branch: OpenBranch | None = None
    own: bool = False

    @property
    def notice(self) -> Notice:
        """What anybody may be told of it: no word of another."""
        claim, branch = self.claim, self.branch
        return Notice(
            grade=self.grade,
            author=self.author,
            own=self.own,
            ticket=None if claim is None else claim.ticket,
            until=None if claim is None else utc_text(claim.expires),
            commit=None if branch is None else branch.commit,
            date=None if branch is None else utc_text(branch.at)[:10],
            commits=None if branch is None else branch.commits,
            paths=self.paths,
            symbols=self.symbols,
            decisions=self.items,
        )


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in the way, in plain tokens: numbers, ids, dates, and what the asker named.

    ``author`` is a number, the same as of their commits; ``until`` is when a claim ends by itself;
    ``commit`` is the newest of the ``commits`` by which a branch touches the paths.
    """

    grade: Grade
    author: int
    own: bool
    ticket: str | None
    until: str | None
    commit: str | None
    date: str | None
    commits: int | None
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Met:
    """What is in the way, the nearest first, and what could not be looked at."""

    conflicts: tuple[Conflict, ...] = ()
    facts: tuple[HorizonFact, ...] = ()


def in_the_way(
    workspace: Workspace, paths: Sequence[str], moment: Moment | str
) -> tuple[Conflict, ...]:
    """Who else claims ``paths``: no more than one look at a directory where nobody claims."""
    if not paths or not of(workspace).folder.is_dir():
        return ()
    return met(workspace, paths, (), moment, branches=False, scopes=False).conflicts


def met(
    workspace: Workspace,
    paths: Sequence[str],
    symbols: Sequence[str],
    moment: Moment | str,
    *,
    mine: Who | None = None,
    branches: bool = True,
    scopes: bool = True,
    mask: Mask | None = None,
) -> Met:
    """What of others is in the way of work on ``paths`` (from the root) and ``symbols``. ``mine``
    (None: who works here) is nobody's obstacle; ``branches`` and ``scopes`` cost git processes and
    a look at the record. Raises StorageError."""
    hidden = mask_of(workspace) if mask is None else mask
    there = live(workspace, moment, hidden)
    if not there and not branches:
        return Met()
    safe = (safe_path(one.removeprefix("./").rstrip("/")) for one in paths)
    seen = (one for one in safe if one is not None and not hidden.covers(one))
    files = tuple(dict.fromkeys(map(shown_path, seen)))
    who = mine or who_of(workspace)
    others = [one for one in there if one.who != who]
    asked = Claim("0", "", "", "", 0, 0, files, tuple(filter(is_symbol, symbols)))
    found = [made for one in others if (made := _meeting(asked, one, who)) is not None]
    if scopes and files:
        near = {one.claim.id for one in found if one.claim is not None}
        rest = [one for one in others if one.id not in near]
        found += _in_one_scope(workspace, files, rest, who)
    facts: tuple[HorizonFact, ...] = ()
    if branches and files:
        open_, facts = _branches(workspace, files, moment, who, hidden)
        found += open_
    order = list(Grade)
    found.sort(key=lambda one: order.index(one.grade))
    return Met(tuple(found), facts)


def _meeting(asked: Claim, other: Claim, who: Who) -> Conflict | None:
    """Whether a claim is about one of the symbols or files that were asked about."""
    own = other.author == who.author
    theirs = other.places()
    names = tuple(one for one in asked.symbols if replace(asked, symbols=(one,)).places() & theirs)
    paths = tuple(one for one in asked.files if other.holds(one) or _below(one, other))
    if not (names or paths):
        return None
    grade = Grade.SYMBOL if names else Grade.FILE
    return Conflict(grade, other.who.number, paths, names, claim=other, own=own)


def _below(folder: str, other: Claim) -> bool:
    return any(one.startswith(f"{folder}/") for one in other.files)


def _in_one_scope(
    workspace: Workspace, files: Sequence[str], others: Sequence[Claim], who: Who
) -> list[Conflict]:
    """Claims over other files that the same approved decision governs."""
    if not others or workspace.head.commit is None:
        return []
    from citator.service.record_view import audience_of, view_of

    view = view_of(workspace, audience_of(workspace))
    if view is None:
        return []
    try:
        partition = view.partition

        def governing(path: str) -> set[int]:
            return set(partition.governing(raw_path(path)))

        mine = {path: governing(path) for path in files}
        found = []
        for one in others:
            theirs = set().union(*map(governing, one.files))
            shared = set().union(*mine.values()) & theirs
            texts = [text for text in map(partition.read, sorted(shared)) if text.current]
            items = tuple(dict.fromkeys(one.item for one in texts))
            held = {text.number for text in texts}
            paths = tuple(path for path, numbers in mine.items() if numbers & held)
            if items:
                own = one.author == who.author
                found.append(
                    Conflict(Grade.SCOPE, one.who.number, paths, items=items, claim=one, own=own)
                )
        return found
    finally:
        view.partition.close()


def _branches(
    workspace: Workspace, files: Sequence[str], moment: Moment | str, who: Who, mask: Mask
) -> tuple[list[Conflict], tuple[HorizonFact, ...]]:
    def counts(author: Person) -> bool:
        return author_number(author) != who.number

    try:
        found = open_branches(
            workspace.repository,
            workspace.head,
            [*map(raw_path, files)],
            seconds_of(moment),
            counts,
            mask.covers,
        )
    except CitatorError:
        return [], (HorizonFact(Limit.BRANCHES_UNREAD),)
    facts = () if found.unread == 0 else (HorizonFact(Limit.BRANCHES_UNREAD, found.unread),)
    return [
        Conflict(
            Grade.BRANCH, author_number(one.author), tuple(map(shown_path, one.paths)), branch=one
        )
        for one in found.found
    ], () if mask.hides else facts
