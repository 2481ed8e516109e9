"""What left with a reason, kept by number in one SQLite file, and what of it a commit has.

- A removal is of one commit. Whether it counts is decided by ancestry: a *view* is the set of
  removals that a tip has in its history, and that no commit of that history reverted again.
- Reading goes on from what was read; a tip costs what it has and no tip before it had.
- Derived: a damaged file, or one of another version, is deleted and filled again.
"""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citator.git import history, repository
from citator.git.records import Repository
from citator.model.errors import StorageError
from citator.sources.removals.causes import Cause
from citator.sources.removals.marks import MarkKind
from citator.store.disposable import open_disposable

if TYPE_CHECKING:
    from citator.index.removals_mining import Group, Mined, Removal

FILE: Final = "removals.sqlite"
FORMAT: Final = 1
VERSION: Final = "r3"  # of what is looked for in a history
CONTRACT: Final = f"{FORMAT}.{VERSION}"
VIEWS: Final = 32
COMMON: Final = 4
_MARKS: Final = 500
_SCHEMA: Final = """
create table if not exists removals (n integer primary key, id text not null unique,
    cause integer not null, at integer not null, ref text not null, paths text);
create table if not exists groups (n integer not null, part integer not null, kind integer not null,
    path text not null, name text not null, size integer not null, line integer not null,
    primary key (n, part)) without rowid;
create table if not exists marks (mark integer not null, n integer not null, part integer not null,
    primary key (mark, n, part)) without rowid;
create table if not exists undone (prefix text not null, n integer not null,
    primary key (prefix, n)) without rowid;
create table if not exists views (tip text primary key, packed blob not null,
    used integer not null);
"""

Report = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """A group of marks of which some came back: ``marks`` are those, of ``size``. ``runs`` is how
    many runs of lines the removal has in all."""

    number: int
    part: int
    commit: str
    cause: Cause
    at: int
    ref: str
    kind: MarkKind
    path: str
    name: str
    line: int
    size: int
    marks: frozenset[int]
    runs: int


class Removals:
    """One open file. Use it as a context manager, in one thread."""

    def __init__(self, directory: Path) -> None:
        """Open or make the file. Raises StorageError where it can be neither read nor made."""
        self._db = open_disposable(directory / FILE, CONTRACT, _SCHEMA, _unusable)

    def __enter__(self) -> Removals:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def view(self, tip: str) -> frozenset[int] | None:
        """The removals that ``tip`` has, None where it was not read yet."""
        row = self._db.execute("select packed from views where tip = ?", (tip,)).fetchone()
        return None if row is None else frozenset(_unpacked(row[0]))

    def tips(self) -> list[str]:
        """The tips that were read, the last first."""
        query = "select tip from views order by used desc, tip limit ?"
        return [row[0] for row in self._db.execute(query, (VIEWS,))]

    def bring_up(self, repo: Repository, tip: str, report: Report | None = None) -> frozenset[int]:
        """Read what ``tip`` has and was not read before. Raises StorageError, GitRefusedError."""
        known = self.view(tip)
        if known is not None:
            return known
        # What reads messages is slow to load, and most checks read none.
        from citator.index.removals_mining import mined

        tips = [one for one in self.tips() if repository.has_commit(repo, one)]
        done = 0
        for batch in mined(repo, tip, tips):
            self._add(batch)
            done += batch.commits
            if report is not None:
                report(done)
        view = self._view_from(repo, tips[0] if tips else None, tip)
        self._keep(tip, view)
        return view

    def _view_from(self, repo: Repository, base: str | None, tip: str) -> frozenset[int]:
        every = dict(self._db.execute("select id, n from removals").fetchall())
        before = None if base is None else self.view(base)
        if base is None or before is None:
            return frozenset(every[one] for one in history.reachable(repo, tip) if one in every)
        removed, added = history.between(repo, base, tip)
        gone = {every[one] for one in removed if one in every}
        return frozenset((before - gone) | {every[one] for one in added if one in every})

    def _keep(self, tip: str, view: Iterable[int]) -> None:
        packed = zlib.compress(array("I", sorted(view)).tobytes(), 3)
        try:
            with self._db:
                self._db.execute("begin immediate")
                used = self._db.execute("select coalesce(max(used), 0) + 1 from views").fetchone()[
                    0
                ]
                self._db.execute(
                    "insert or replace into views values (?, ?, ?)", (tip, packed, used)
                )
                self._db.execute("delete from views where used <= ?", (used - VIEWS,))
        except sqlite3.Error as error:
            raise _unusable() from error

    def _add(self, batch: Mined) -> None:
        try:
            with self._db:
                self._db.execute("begin immediate")
                for one in batch.removals:
                    self._insert(one)
        except sqlite3.Error as error:
            raise _unusable() from error

    def _insert(self, one: Removal) -> None:
        paths = None if one.paths is None else _text("\0".join(one.paths))
        row = (one.commit, int(one.cause), one.at, one.ref, paths)
        done = self._db.execute(
            "insert or ignore into removals (id, cause, at, ref, paths) values (?, ?, ?, ?, ?)", row
        )
        if not done.rowcount:  # another process read it
            return
        n = done.lastrowid
        self._db.executemany(
            "insert or ignore into undone values (?, ?)", [(p, n) for p in one.undoes]
        )
        for part, group in enumerate(one.groups):
            self._db.execute(
                "insert into groups values (?, ?, ?, ?, ?, ?, ?)", (n, part, *_row(group))
            )
            marks = [(mark, n, part) for mark in group.marks]
            self._db.executemany("insert or ignore into marks values (?, ?, ?)", marks)

    def without(
        self, view: frozenset[int], hides: Callable[[tuple[str, ...] | None], bool]
    ) -> frozenset[int]:
        """The removals of ``view`` but those of commits that touch what is hidden: ``hides`` says
        so of all paths of a commit, None where they are unknown."""
        rows = self._db.execute("select n, paths from removals")
        return frozenset(n for n, paths in rows if n in view and not hides(_paths(paths)))

    def found(self, marks: Sequence[int], view: frozenset[int]) -> list[Found]:
        """The groups of ``view`` that hold one of ``marks``, by removal.

        A mark that more than ``COMMON`` removals of the view hold tells nothing and is left out,
        but for a name that left one and the same file so often: of that the last times count. A
        removal that the view itself undid is none.
        """
        held: dict[tuple[int, int], set[int]] = {}
        for mark, places in self._places(marks, view).items():
            numbers = sorted({n for n, _ in places})
            if len(numbers) > COMMON and not self._is_one_name(places):
                continue
            for place in places:
                if place[0] in numbers[-COMMON:]:
                    held.setdefault(place, set()).add(mark)
        undone = {n for n, _ in held if self._is_undone(n, view)}
        return [self._found(n, part, held[n, part]) for n, part in sorted(held) if n not in undone]

    def took(self, view: frozenset[int], cause: Cause) -> Iterator[tuple[str, str, int]]:
        """What of ``view`` left for that cause, newest first: out of which file (as git has its
        name), by which commit, at what time (Unix seconds). What the view undid is left out."""
        query = (
            "select distinct r.n, g.path, r.id, r.at from removals r join groups g using (n)"
            " where r.cause = ? order by r.at desc, r.n desc, g.path"
        )
        undone: dict[int, bool] = {}
        for n, path, commit, at in self._db.execute(query, (int(cause),)).fetchall():
            if n in view:
                if n not in undone:
                    undone[n] = self._is_undone(n, view)
                if not undone[n]:
                    yield _path(path), commit, at

    def _places(
        self, marks: Sequence[int], view: frozenset[int]
    ) -> Mapping[int, list[tuple[int, int]]]:
        places: dict[int, list[tuple[int, int]]] = {}
        wanted = list(dict.fromkeys(marks))
        for at in range(0, len(wanted), _MARKS):
            some = wanted[at : at + _MARKS]
            query = f"select mark, n, part from marks where mark in ({','.join('?' * len(some))})"  # noqa: S608
            for mark, n, part in self._db.execute(query, some):
                if n in view:
                    places.setdefault(mark, []).append((n, part))
        return places

    def _is_one_name(self, places: Iterable[tuple[int, int]]) -> bool:
        """Whether all these groups are of one name, and not of lines, in one file."""
        query = "select kind, path from groups where n = ? and part = ?"
        first = None
        for place in places:
            found = self._db.execute(query, place).fetchone()
            if found[0] == MarkKind.LINES or (first is not None and found != first):
                return False
            first = found
        return True

    def _is_undone(self, n: int, view: frozenset[int], depth: int = 0) -> bool:
        """Whether a revert of the removal is in the view and was not itself undone."""
        commit = self._db.execute("select id from removals where n = ?", (n,)).fetchone()[0]
        query = "select n from undone where ? glob prefix || '*' and prefix between ? and ?"
        by = [row[0] for row in self._db.execute(query, (commit, commit[:7], commit))]
        return any(
            other in view
            and other > n
            and (depth >= 16 or not self._is_undone(other, view, depth + 1))
            for other in by
        )

    def _found(self, n: int, part: int, marks: set[int]) -> Found:
        removal = "select id, cause, at, ref from removals where n = ?"
        commit, cause, at, ref = self._db.execute(removal, (n,)).fetchone()
        group = "select kind, path, name, size, line from groups where n = ? and part = ?"
        kind, path, name, size, line = self._db.execute(group, (n, part)).fetchone()
        counted = "select count(*) from groups where n = ? and kind = ?"
        runs = self._db.execute(counted, (n, int(MarkKind.LINES))).fetchone()[0]
        return Found(
            number=n,
            part=part,
            commit=commit,
            cause=Cause(cause),
            at=at,
            ref=ref,
            kind=MarkKind(kind),
            path=_path(path),
            name=_path(name),
            line=line,
            size=size,
            marks=frozenset(marks),
            runs=runs,
        )


def _row(group: Group) -> tuple[int, bytes, bytes, int, int]:
    return int(group.kind), _text(group.path), _text(group.name), len(group.marks), group.line


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _paths(raw: bytes | None) -> tuple[str, ...] | None:
    return None if raw is None else tuple(_path(raw).split("\0"))


def _unpacked(packed: bytes) -> array[int]:
    return array("I", zlib.decompress(packed))


def _unusable() -> StorageError:
    return StorageError(
        "removals_unusable",
        "the store of removals cannot be written",
        "run `citator doctor`; everything in it is made again from the repository",
    )
