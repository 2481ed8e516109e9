"""Commits, what they are called and what they do to earlier ones, in one SQLite file.

- A row is written once: what a commit treats follows from its own history alone, whatever branch
  it was met on. What a HEAD has of it is a mask over the rows, kept for the latest few.
- A commit's *moment* is its time, but after those of its parents: later in history is later here.
- Everything here is derived: a damaged file, or one of another version, is filled again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.model.errors import StorageError
from citator.model.treatment import Attested, Edge, Rule, Treatment
from citator.sources.treatment.claims import VERSION as CLAIMS
from citator.sources.treatment.names import Name, Naming
from citator.store.disposable import open_disposable

FILE: Final = "treatment.sqlite"
FORMAT: Final = 8
VERSION: Final = f"t{FORMAT}.{CLAIMS}"
KEPT_HEADS: Final = 12
WHOLE_ID: Final = (40, 64)  # how many digits
_MARKS: Final = 400
_SCHEMA: Final = """
create table if not exists commits (row integer primary key, id blob not null unique,
    moment integer not null, day text not null, parents blob not null);
create table if not exists names (kind integer not null, key integer not null, row integer not null,
    primary key (kind, key, row)) without rowid;
create table if not exists edges (by integer not null, number integer not null,
    treatment integer not null, of integer, claimed text not null, rule integer not null,
    strength integer not null, part integer not null, confirmed integer,
    primary key (by, number)) without rowid;
create index if not exists edges_of on edges (of, by) where of is not null;
create index if not exists edges_record on edges (claimed) where of is null;
create table if not exists watches (row integer not null, text text not null,
    primary key (row, text)) without rowid;
create table if not exists observed (tip blob not null, text text not null, state text not null,
    by blob, primary key (tip, text)) without rowid;
create table if not exists heads (tip blob primary key, used integer not null, mask blob not null);
"""
_TREATMENTS: Final = list(Treatment)
_RULES: Final = list(Rule)
_STRENGTHS: Final = list(Attested)
_NAMINGS: Final = list(Naming)


@dataclass(frozen=True, slots=True)
class Row:
    """A commit: its number here, its id, its moment and its day (``YYYY-MM-DD`` or "")."""

    row: int
    id: str
    moment: int
    day: str


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """A treatment by rows. ``of`` None: nothing here; ``claimed`` is then how it was named."""

    treatment: Treatment
    by: int
    of: int | None
    claimed: str
    rule: Rule
    strength: Attested
    part: bool = False
    confirmed: bool | None = None


class TreatmentStore:
    """One open file. Use it as a context manager, in one thread."""

    def __init__(self, path: Path, contract: str = "") -> None:
        """Open or make the file; one of another version or ``contract``, or damaged, is made anew.

        Raises StorageError where it can be neither read nor made.
        """
        self._db = open_disposable(path, f"{VERSION} {contract}", _SCHEMA, _unusable)

    def __enter__(self) -> TreatmentStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of the block or nothing of it. Raises StorageError."""
        try:
            self._db.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")
        except sqlite3.Error as error:
            raise _unusable() from error

    # what is written

    def last_row(self) -> int:
        """The highest row, 0 where there is none."""
        return int(self._db.execute("select coalesce(max(row), 0) from commits").fetchone()[0])

    def add_commits(self, rows: Iterable[tuple[Row, Sequence[int]]]) -> None:
        """Add commits with the rows of their parents."""
        self._db.executemany(
            "insert into commits values (?, ?, ?, ?, ?)",
            (
                (one.row, bytes.fromhex(one.id), one.moment, one.day, _packed(parents))
                for one, parents in rows
            ),
        )

    def add_names(self, names: Iterable[tuple[Name, int]]) -> None:
        """Add what commits are called."""
        self._db.executemany(
            "insert or ignore into names values (?, ?, ?)",
            ((*_key(name), row) for name, row in names),
        )

    def add_edges(self, edges: Iterable[StoredEdge]) -> None:
        """Add the treatments of commits that had none yet."""
        numbers: dict[int, int] = {}
        rows = []
        for one in edges:
            number = numbers[one.by] = numbers.get(one.by, -1) + 1
            rows.append(
                (
                    one.by,
                    number,
                    _TREATMENTS.index(one.treatment),
                    one.of,
                    one.claimed,
                    _RULES.index(one.rule),
                    _STRENGTHS.index(one.strength),
                    one.part,
                    one.confirmed,
                )
            )
        self._db.executemany("insert into edges values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def add_watches(self, watches: Iterable[tuple[int, str]]) -> None:
        """Add what commits say that they rest on, or until when they hold."""
        self._db.executemany("insert or ignore into watches values (?, ?)", watches)

    def keep_observed(self, tip: str, text: str, state: str, by: str | None) -> None:
        """Keep what a kept tip shows of something that is watched."""
        self._db.execute(
            "insert or replace into observed values (?, ?, ?, ?)",
            (bytes.fromhex(tip), text, state, None if by is None else bytes.fromhex(by)),
        )

    def keep_head(self, tip: str, mask: bytes) -> None:
        """Keep what ``tip`` has, as the latest; the oldest beyond a few are let go."""
        self._db.execute(
            "insert or replace into heads values"
            " (?, (select coalesce(max(used), 0) + 1 from heads), ?)",
            (bytes.fromhex(tip), mask),
        )
        self._db.execute(
            "delete from heads where tip not in (select tip from heads order by used desc limit ?)",
            (KEPT_HEADS,),
        )
        self._db.execute("delete from observed where tip not in (select tip from heads)")

    # what is read

    def heads(self) -> list[str]:
        """The tips whose masks are kept, the latest first."""
        found = self._db.execute("select tip from heads order by used desc")
        return [tip.hex() for (tip,) in found]

    def mask(self, tip: str) -> bytes | None:
        """What ``tip`` has: a bit for each row, the lowest of a byte first; None if not kept."""
        query = "select mask from heads where tip = ?"
        found = self._db.execute(query, (bytes.fromhex(tip),)).fetchone()
        return None if found is None else bytes(found[0])

    def rows(self, ids: Iterable[str]) -> dict[str, int]:
        """The rows of commits, by id; those that are not here are left out."""
        wanted = [bytes.fromhex(one) for one in ids]
        found: dict[str, int] = {}
        for at in range(0, len(wanted), _MARKS):
            some = wanted[at : at + _MARKS]
            marks = ",".join("?" * len(some))
            query = f"select id, row from commits where id in ({marks})"  # noqa: S608
            found.update((one.hex(), row) for one, row in self._db.execute(query, some))
        return found

    def commit(self, row: int) -> Row | None:
        """The commit of a row."""
        query = "select row, id, moment, day from commits where row = ?"
        found = self._db.execute(query, (row,)).fetchone()
        return None if found is None else _row(found)

    def parents(self, row: int) -> tuple[int, ...]:
        """The rows of a commit's parents that are here, in order; 0 for one that is not."""
        found = self._db.execute("select parents from commits where row = ?", (row,)).fetchone()
        return () if found is None else _unpacked(found[0])

    def named(self, name: Name, limit: int = 24) -> list[Row]:
        """The commits that have a name, the latest first."""
        if name.naming is Naming.ID:
            low = name.text + "0" * (len(name.text) % 2)
            high = name.text + "f" * (len(name.text) % 2)
            found = self._db.execute(
                "select row, id, moment, day from commits where id >= ? and id <= ? limit ?",
                (bytes.fromhex(low), bytes.fromhex(high) + b"\xff" * 32, limit),
            )
        else:
            found = self._db.execute(
                "select c.row, c.id, c.moment, c.day from names n join commits c on c.row = n.row"
                " where n.kind = ? and n.key = ? order by c.moment desc limit ?",
                (*_key(name), limit),
            )
        return sorted(map(_row, found), key=lambda one: (-one.moment, one.id))

    def watches(self, row: int) -> tuple[str, ...]:
        """What a commit says that it rests on, or until when it holds."""
        found = self._db.execute("select text from watches where row = ? order by text", (row,))
        return tuple(text for (text,) in found)

    def observed(self, tip: str, text: str) -> tuple[str, str | None] | None:
        """What was seen of something that is watched, and by which commit; None if not kept."""
        query = "select state, by from observed where tip = ? and text = ?"
        found = self._db.execute(query, (bytes.fromhex(tip), text)).fetchone()
        return None if found is None else (found[0], None if found[1] is None else found[1].hex())

    def edges_of(self, row: int) -> list[StoredEdge]:
        """What treats a commit, in no order."""
        return self._edges("of = ?", row)

    def edges_by(self, row: int) -> list[StoredEdge]:
        """What a commit treats, in its own order."""
        return self._edges("by = ?", row)

    def edges_claiming(self, claimed: str) -> list[StoredEdge]:
        """What names ``claimed``, which is no commit."""
        return self._edges("of is null and claimed = ?", claimed)

    def edges_with(self, treatments: Sequence[Treatment]) -> list[StoredEdge]:
        """Every treatment of these kinds that was resolved."""
        numbers = ",".join(str(_TREATMENTS.index(one)) for one in treatments)
        return self._edges(f"of is not null and treatment in ({numbers})")

    def _edges(self, where: str, *values: object) -> list[StoredEdge]:
        query = (
            "select treatment, by, of, claimed, rule, strength, part, confirmed"  # noqa: S608
            f" from edges where {where} order by by, number"
        )
        return [
            StoredEdge(
                _TREATMENTS[treatment],
                by,
                of,
                claimed,
                _RULES[rule],
                _STRENGTHS[strength],
                bool(part),
                None if confirmed is None else bool(confirmed),
            )
            for treatment, by, of, claimed, rule, strength, part, confirmed in self._db.execute(
                query, values
            )
        ]


def has(mask: bytes, row: int) -> bool:
    """Whether a mask has a row."""
    at = row >> 3
    return at < len(mask) and bool(mask[at] >> (row & 7) & 1)


def mask_of(rows: Iterable[int], base: bytes = b"", without: Iterable[int] = ()) -> bytes:
    """``base`` with ``rows`` and without ``without``."""
    added = list(rows)
    mask = bytearray(base)
    needed = (max(added, default=0) >> 3) + 1
    if len(mask) < needed:
        mask += bytes(needed - len(mask))
    for row in added:
        mask[row >> 3] |= 1 << (row & 7)
    for row in without:
        if row >> 3 < len(mask):
            mask[row >> 3] &= ~(1 << (row & 7)) & 0xFF
    return bytes(mask)


def edge_of(one: StoredEdge, by: Row, of: Row | None) -> Edge:
    """A treatment as others see it."""
    return Edge(
        one.treatment,
        by.id,
        None if of is None else of.id,
        one.claimed,
        one.rule,
        one.strength,
        by.day,
        one.part,
        one.confirmed,
    )


def _row(found: tuple[int, bytes, int, str]) -> Row:
    return Row(found[0], found[1].hex(), found[2], found[3])


def _packed(parents: Sequence[int]) -> bytes:
    return b"".join(row.to_bytes(4, "little") for row in parents)


def _unpacked(raw: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(raw[at : at + 4], "little") for at in range(0, len(raw), 4))


def _key(name: Name) -> tuple[int, int]:
    """A name as two numbers: what kind, and 63 bits of it."""
    kind = _NAMINGS.index(name.naming)
    if name.naming in (Naming.TITLE, Naming.COPY_OF):
        return kind, int(name.text[:16], 16) >> 1
    return kind, int(name.text)


def _unusable() -> StorageError:
    return StorageError(
        "treatment_store_unusable",
        "the store of treatments cannot be read or written",
        "run `citator doctor`; everything in it is made again from the repository",
    )
