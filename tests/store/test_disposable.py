"""Disposable stores: made anew where they cannot be relied on, left alone where they are in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from citator.model.errors import StorageError
from citator.store import disposable
from citator.store.disposable import open_disposable

SCHEMA = "create table sheep (name text not null);"


def unusable() -> StorageError:
    return StorageError("fold_unusable", "the fold cannot be written", "mend the fence")


def names(path: Path, contract: str = "one") -> list[str]:
    with closing(open_disposable(path, contract, SCHEMA, unusable)) as db:
        return [row[0] for row in db.execute("select name from sheep")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "derived" / "fold.sqlite"
    with closing(open_disposable(path, "one", SCHEMA, unusable)) as db:
        db.execute("insert into sheep values ('Dolly')")
    return path


def test_what_was_written_is_there_again(path: Path) -> None:
    assert names(path) == ["Dolly"]


def test_rows_of_another_contract_are_gone(path: Path) -> None:
    assert names(path, "two") == []
    assert names(path, "one") == []


def test_tables_that_no_schema_of_now_has_are_gone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute('create table "wo""lves" (name text)')
        db.commit()
    names(path, "two")
    with closing(sqlite3.connect(path)) as db:
        tables = [row[0] for row in db.execute("select name from sqlite_master order by name")]
    assert tables == ["contract", "sheep"]


def test_a_damaged_file_is_made_anew(path: Path) -> None:
    path.write_bytes(b"not a database, whatever its name says" * 99)
    assert names(path) == []


def test_a_file_in_use_is_left_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disposable, "WAIT_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(StorageError) as refused:
            names(path, "two")
        other.execute("rollback")
    assert refused.value.code == "fold_unusable"
    assert names(path) == ["Dolly"]


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    place = tmp_path / "fold.sqlite"
    place.mkdir()
    with pytest.raises(StorageError):
        names(place)
