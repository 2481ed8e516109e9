"""Disposable stores: one SQLite file each, filled again wherever it cannot be relied on.

- A file of another contract loses all of its tables; a damaged one is deleted and made anew.
- A file that is in use, or that there is no room for, is not damaged: it is left as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from citator.model.errors import StorageError
from citator.store.files import make_directory

WAIT_SECONDS: Final = 10.0
_CONTRACT: Final = "create table contract (only integer primary key check (only = 1), text text)"


def open_disposable(
    path: Path, contract: str, schema: str, unusable: Callable[[], StorageError]
) -> sqlite3.Connection:
    """The store at ``path``, with the tables of ``schema`` (statements, a semicolon after each).

    ``contract`` names what its rows mean. The connection begins no transaction of its own accord.
    Raises what ``unusable`` makes where the file can be neither read nor made.
    """
    make_directory(path.parent)
    try:
        return _opened(path, contract, schema)
    except sqlite3.OperationalError as error:
        raise unusable() from error
    except sqlite3.DatabaseError:
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                path.with_name(path.name + end).unlink()
    try:
        return _opened(path, contract, schema)
    except sqlite3.Error as error:
        raise unusable() from error


def _opened(path: Path, contract: str, schema: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        if _said(db) != contract:
            with suppress(sqlite3.OperationalError):
                db.execute("pragma journal_mode=wal")
            db.execute("begin immediate")
            if _said(db) != contract:
                _make(db, contract, schema)
            db.execute("commit")
        db.execute("pragma synchronous=normal")
    except BaseException:
        db.close()
        raise
    return db


def _said(db: sqlite3.Connection) -> str | None:
    """The contract that the file states, None where it states none."""
    try:
        row = db.execute("select text from contract").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if row is None else str(row[0])


def _make(db: sqlite3.Connection, contract: str, schema: str) -> None:
    query = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
    for (name,) in db.execute(query).fetchall():
        quoted = str(name).replace('"', '""')
        db.execute(f'drop table "{quoted}"')
    for statement in (_CONTRACT, *schema.split(";")):
        db.execute(statement)
    db.execute("insert into contract values (1, ?)", (contract,))
