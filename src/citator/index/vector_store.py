"""Quantised vectors in one SQLite file: by what the text says, and where a view has them.

- A vector is kept under a digest of the text it was made from, so that a rebuilt index, another
  splitter or a moved file re-uses it. Texts are not kept.
- A *placement* says which passages one view has and a sketch of their vectors, in one row: it is
  there whole or not at all. What no kept placement uses is deleted when the next one is made.
- The stored model contract must equal the caller's word for word; else nothing is read.
- Everything here is derived: a damaged file is deleted and filled again. One that a newer
  version wrote is left as it is, and the leg is off.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index.sketch import Sketch
from citator.model.errors import StorageError
from citator.store.files import guarded, make_directory

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 1  # SQLite's user_version; 0 in what the first release wrote
KEPT_PLACEMENTS = 4
REF_BYTES = 16

_MARKS = 500
_WAIT_SECONDS = 5.0
_SCHEMA = """
create table if not exists contract (only integer primary key check (only = 1), text text not null);
create table if not exists vector (
    id integer primary key, content blob not null unique, scale real not null, row blob not null
);
create table if not exists placement (
    number integer primary key, view text not null unique, dim integer not null,
    ordinals blob not null, refs blob not null, ids blob not null,
    mean blob not null, signs blob not null, lean blob not null, spread blob not null
);
"""


class UnreadableStoreError(Exception):
    """The file cannot be read now. Never leaves this layer."""


class DamagedStoreError(UnreadableStoreError):
    """The file is not what was written."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The passages of one view, each with its vector: n ordinals, n reference digests
    (16 bytes), n vector ids, and a sketch of the vectors in the same order."""

    ordinals: Array
    refs: Array
    ids: Array
    sketch: Sketch


class VectorStore:
    """One open file. Use it as a context manager."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def contract(self) -> str | None:
        """The contract of the model that made the vectors."""
        with _reading():
            found = self._db.execute("select text from contract").fetchone()
        return None if found is None else str(found[0])

    def start(self, contract: str) -> None:
        """Make this store one of the model with this contract; another model's vectors go."""
        with self._writing():
            self._db.executescript(f"{_SCHEMA}pragma user_version = {FORMAT};")
            if self._stored_contract() != contract:
                for table in ("contract", "vector", "placement"):
                    self._db.execute(f"delete from {table}")  # noqa: S608 - a literal above
                self._db.execute("insert into contract values (1, ?)", (contract,))
            self._db.commit()

    def _stored_contract(self) -> str | None:
        found = self._db.execute("select text from contract").fetchone()
        return None if found is None else str(found[0])

    def ids_of(self, contents: Sequence[bytes]) -> dict[bytes, int]:
        """The vectors there are for these texts."""
        found: dict[bytes, int] = {}
        with _reading():
            for part in _parts(contents):
                query = f"select content, id from vector where content in ({_marks(part)})"  # noqa: S608
                found.update(self._db.execute(query, part).fetchall())
        return found

    def add(self, contents: Sequence[bytes], rows: Array, scales: Array) -> None:
        """Keep vectors: durable when this returns."""
        values = [
            (content, float(scale), row.tobytes())
            for content, row, scale in zip(contents, rows, scales, strict=True)
        ]
        with self._writing():
            self._db.executemany(
                "insert or ignore into vector (content, scale, row) values (?, ?, ?)", values
            )
            self._db.commit()

    def vectors(self, ids: Sequence[int], dim: int) -> tuple[Array, Array]:
        """int8 rows (n, dim) and scales (n,) as ``ids`` asks. Raises UnreadableStoreError."""
        import numpy as np

        found: dict[int, tuple[float, bytes]] = {}
        with _reading():
            for part in _parts(sorted(set(ids))):
                query = f"select id, scale, row from vector where id in ({_marks(part)})"  # noqa: S608
                found.update((i, (scale, row)) for i, scale, row in self._db.execute(query, part))
        try:
            kept = [found[number] for number in ids]
            rows = np.frombuffer(b"".join(row for _, row in kept), np.int8).reshape(len(ids), dim)
        except (KeyError, ValueError, TypeError) as error:
            raise DamagedStoreError from error
        return rows, np.array([scale for scale, _ in kept], np.float32)

    def place(self, view: str, placement: Placement) -> None:
        """Keep where a view has its vectors, forget the oldest and what only they used."""
        import numpy as np

        sketch = placement.sketch
        columns = (
            placement.ordinals.astype("<u4"),
            placement.refs,
            placement.ids.astype("<i8"),
            sketch.mean.astype("<f4"),
            sketch.signs.astype("<u8"),
            sketch.lean.astype("<f4"),
            sketch.spread.astype("<f4"),
        )
        with self._writing():
            self._db.execute("delete from placement where view = ?", (view,))
            self._db.execute(
                "insert into placement (view, dim, ordinals, refs, ids, mean, signs, lean, spread)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (view, len(sketch.mean), *(column.tobytes() for column in columns)),
            )
            self._db.execute(
                "delete from placement where number not in"
                " (select number from placement order by number desc limit ?)",
                (KEPT_PLACEMENTS,),
            )
            used = [
                np.frombuffer(ids, "<i8")
                for (ids,) in self._db.execute("select ids from placement")
            ]
            present = [number for (number,) in self._db.execute("select id from vector")]
            unused = np.setdiff1d(np.array(present, np.int64), np.concatenate(used))
            self._db.executemany(
                "delete from vector where id = ?", ((int(number),) for number in unused)
            )
            self._db.commit()

    def placement(self, view: str) -> Placement | None:
        """Where a view has its vectors, if it was filled. Raises UnreadableStoreError."""
        import numpy as np

        with _reading():
            found = self._db.execute(
                "select dim, ordinals, refs, ids, mean, signs, lean, spread"
                " from placement where view = ?",
                (view,),
            ).fetchone()
        if found is None:
            return None
        dim, *columns = found
        words = -(-dim // 64)
        try:
            ordinals, refs, ids, mean, signs, lean, spread = (
                np.frombuffer(column, kind)
                for column, kind in zip(
                    columns,
                    ("<u4", f"V{REF_BYTES}", "<i8", "<f4", "<u8", "<f4", "<f4"),
                    strict=True,
                )
            )
            sketch = Sketch(mean, signs.reshape(-1, words), lean, spread)
        except (ValueError, TypeError) as error:
            raise DamagedStoreError from error
        lengths = {len(column) for column in (ordinals, refs, ids, sketch.signs, lean, spread)}
        if lengths != {len(ordinals)} or len(mean) != dim:
            raise DamagedStoreError
        return Placement(ordinals, refs, ids, sketch)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            with suppress(sqlite3.Error):
                self._db.rollback()
            raise _storage_error(error) from error
        except sqlite3.DatabaseError as error:
            raise DamagedStoreError from error


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise UnreadableStoreError from error
    except sqlite3.Error as error:
        raise DamagedStoreError from error


def open_to_read(path: Path) -> VectorStore | None:
    """The store at ``path``; None where there is none. Raises UnreadableStoreError."""
    if not path.is_file():
        return None
    with _reading():
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS
        )
        try:
            if _format(connection) > FORMAT:
                raise sqlite3.OperationalError("a newer format")
            connection.execute("select 1 from contract").fetchone()
        except BaseException:
            connection.close()
            raise
    return VectorStore(connection)


def open_to_fill(path: Path, contract: str) -> VectorStore:
    """The store at ``path``, made or made anew where it is missing or damaged.

    The caller holds the lock of whoever fills. Raises StorageError.
    """
    make_directory(path.parent)
    try:
        return _started(path, contract)
    except DamagedStoreError:
        discard(path)
    try:
        return _started(path, contract)
    except DamagedStoreError as error:
        raise StorageError(
            "vectors_unusable",
            "the file of the vector leg cannot be made",
            "run `citator doctor` to see where it is; questions are answered without it",
        ) from error


def _started(path: Path, contract: str) -> VectorStore:
    try:
        _make_owner_only(path)
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    except sqlite3.OperationalError as error:
        raise _storage_error(error) from error
    store = VectorStore(connection)
    try:
        if _format(connection) > FORMAT:
            raise _too_new()
        _prefer_log(connection)
        store.start(contract)
    except BaseException:
        connection.close()
        raise
    return store


def _format(connection: sqlite3.Connection) -> int:
    try:
        return int(connection.execute("pragma user_version").fetchone()[0])
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise DamagedStoreError from error


def _too_new() -> StorageError:
    return StorageError(
        "vectors_too_new",
        "the vectors on this machine were written by a newer version of citator",
        "use that version; questions are answered without vectors meanwhile",
    )


def _make_owner_only(path: Path) -> None:
    """An empty file of the owner's alone; what SQLite puts beside it takes its mode."""
    with guarded():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _prefer_log(connection: sqlite3.Connection) -> None:
    """Write ahead, where the file system can; the classic journal does elsewhere."""
    try:
        with closing(connection.execute("pragma journal_mode = wal")) as answer:
            answer.fetchone()
        connection.execute("pragma synchronous = normal")
    except sqlite3.OperationalError:
        connection.execute("pragma journal_mode = delete")
    except sqlite3.DatabaseError as error:
        raise DamagedStoreError from error


def discard(path: Path) -> None:
    """Delete the store and what belongs to it; what is still open elsewhere may resist."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
        with suppress(OSError):
            path.with_name(name).unlink()


def _storage_error(error: sqlite3.Error) -> StorageError:
    full = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return StorageError(
        "disk_full" if full else "vectors_not_writable",
        "the vectors could not be written",
        "free some space or look at `citator doctor`; questions are answered without vectors",
    )


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _MARKS):
        yield values[start : start + _MARKS]


def _marks(values: Iterable[Any]) -> str:
    return ",".join("?" for _ in values)
