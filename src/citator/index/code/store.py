"""The facts of blobs in one SQLite file, by blob id: branches and worktrees share them.

- A row is written once and never changed; what wrote it is part of its key's version.
- Everything here is derived: a damaged file is deleted and filled again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from citator.index.code.facts import FORMAT, FileFacts, pack, unpack
from citator.index.code.languages import VERSION as LANGUAGES
from citator.index.code.parsing import VERSION as PARSING
from citator.index.code.past import VERSION as PAST
from citator.index.code.words import VERSION as WORDS
from citator.model.errors import StorageError
from citator.store.disposable import open_disposable

VERSION = f"{FORMAT}.{LANGUAGES}.{PARSING}.{WORDS}.{PAST}"
_MARKS = 500
_TIPS = 8
_SCHEMA = """
create table if not exists facts (blob blob not null, kind text not null, packed blob not null,
    primary key (blob, kind)) without rowid;
create table if not exists past (
    number integer primary key, packed blob not null, tip text not null
);
"""


class FactStore:
    """One open file. Use it as a context manager, in one thread."""

    def __init__(self, path: Path) -> None:
        """Open or make the file; one of another version or damaged is made anew.

        Raises StorageError where it can be neither read nor made.
        """
        self._db = open_disposable(path, VERSION, _SCHEMA, _unusable)

    def __enter__(self) -> FactStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def read(self, keys: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], FileFacts]]:
        """The facts that are here of (blob id, language or ending) keys, in no order."""
        wanted = list(dict.fromkeys(keys))
        for at in range(0, len(wanted), _MARKS):
            some = wanted[at : at + _MARKS]
            asked = set(some)
            marks = ",".join("?" * len(some))
            rows = self._db.execute(
                f"select blob, kind, packed from facts where blob in ({marks})",  # noqa: S608
                [bytes.fromhex(blob) for blob, _ in some],
            )
            for blob, kind, packed in rows:
                key = (blob.hex(), kind)
                if key in asked:
                    with suppress(ValueError):
                        yield key, unpack(packed)

    def missing(self, keys: Iterable[tuple[str, str]]) -> int:
        """How many of these keys have no facts here."""
        wanted = set(keys)
        blobs = sorted({bytes.fromhex(blob) for blob, _ in wanted})
        for at in range(0, len(blobs), _MARKS):
            some = blobs[at : at + _MARKS]
            marks = ",".join("?" * len(some))
            query = f"select blob, kind from facts where blob in ({marks})"  # noqa: S608
            wanted -= {(blob.hex(), kind) for blob, kind in self._db.execute(query, some)}
        return len(wanted)

    def write(self, rows: Sequence[tuple[tuple[str, str], FileFacts]]) -> None:
        """Keep facts. What is there already stays. Raises StorageError."""
        packed = [(bytes.fromhex(blob), kind, pack(facts)) for (blob, kind), facts in rows]
        try:
            with self._db:
                self._db.execute("begin immediate")
                self._db.executemany("insert or ignore into facts values (?, ?, ?)", packed)
        except sqlite3.Error as error:
            raise _unusable() from error

    def segments(self) -> list[bytes]:
        """The segments of the past, in the order they were added."""
        return [row[0] for row in self._db.execute("select packed from past order by number")]

    def tips(self) -> list[str]:
        """The last commits of the newest segments: what they reach was read."""
        query = "select tip from past order by number desc limit ?"
        return [row[0] for row in self._db.execute(query, (_TIPS,))]

    def add_segment(self, packed: bytes, after: int, tip: str) -> None:
        """Add segment ``after`` + 1, which ends with the commit ``tip``, unless another process
        did. Raises StorageError."""
        try:
            with self._db:
                self._db.execute("begin immediate")
                self._db.execute(
                    "insert or ignore into past values (?, ?, ?)", (after + 1, packed, tip)
                )
        except sqlite3.Error as error:
            raise _unusable() from error

    def fold(self, first: int, last: int, packed: bytes, tip: str) -> None:
        """Put one segment in the place of those after ``first`` up to ``last``, unless another
        process changed them. Raises StorageError."""
        try:
            with self._db:
                self._db.execute("begin immediate")
                if self._db.execute("select max(number) from past").fetchone()[0] == last:
                    self._db.execute("delete from past where number > ?", (first,))
                    self._db.execute("insert into past values (?, ?, ?)", (first + 1, packed, tip))
        except sqlite3.Error as error:
            raise _unusable() from error


def _unusable() -> StorageError:
    return StorageError(
        "code_store_unusable",
        "the store of parsed files cannot be written",
        "run `citator doctor`; everything in it is made again from the repository",
    )
