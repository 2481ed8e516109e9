"""Facts are kept by blob and kind, once; a damaged or older store is made anew."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from citator.index.code.parsing import facts_of
from citator.index.code.store import FactStore
from citator.index.code.words import Words

BLOB = "ab" * 20


def test_what_is_written_is_read_and_nothing_else(tmp_path: Path) -> None:
    facts = facts_of(b"def sow(): pass\n", "a.py", Words())
    with FactStore(tmp_path / "code.sqlite") as store:
        store.write([((BLOB, ".py"), facts)])
        store.write([((BLOB, ".py"), facts)])
        found = dict(store.read([(BLOB, ".py"), (BLOB, ".txt"), ("cd" * 20, ".py")]))
    assert list(found) == [(BLOB, ".py")]
    assert found[BLOB, ".py"].names == ("sow",)


def test_a_damaged_store_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "code.sqlite"
    path.write_bytes(b"this is no database, and long enough to be read as one" * 40)
    with FactStore(path) as store:
        assert dict(store.read([(BLOB, ".py")])) == {}


def test_facts_of_another_version_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "code.sqlite"
    with FactStore(path) as store:
        store.write([((BLOB, ".py"), facts_of(b"x = 1\n", "a.py", Words()))])
        store.add_segment(b"past", 0, BLOB)
    db = sqlite3.connect(path)
    with db:
        db.execute("update contract set text = 'older'")
    db.close()
    with FactStore(path) as store:
        assert dict(store.read([(BLOB, ".py")])) == {}
        assert store.segments() == []


def test_a_segment_is_added_once(tmp_path: Path) -> None:
    with FactStore(tmp_path / "code.sqlite") as store:
        store.add_segment(b"one", 0, "1")
        store.add_segment(b"other", 0, "2")
        store.add_segment(b"two", 1, "3")
        assert store.tips() == ["3", "1"]
        assert store.segments() == [b"one", b"two"]
