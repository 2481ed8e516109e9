"""A ledger's files: each is taken or told, and none hides another."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from citator.record import ledger as ledgers
from citator.record.ledger import FileProblem, LedgerFile, identity_file, identity_of, read
from citator.record.migration import MAX_BYTES, Migration
from tests.support.record import Ledger

RECORD = "ab" * 32


def migration(number: int = 1) -> Migration:
    ledger = Ledger(minted=number * 100)
    ledger.decide(f"Decision {number}")
    return ledger.migrations[0]


def file(path: str, made: Migration) -> LedgerFile:
    return LedgerFile(path, made.render())


def test_an_empty_ledger_holds_nothing() -> None:
    found = read([])
    assert found.empty
    assert found.record is None


def test_files_are_taken_by_their_folder_and_by_the_id_in_them() -> None:
    one, two = migration(1), migration(2)
    found = read(
        [
            LedgerFile("ledger.yaml", identity_file(RECORD)),
            file("record/any-name.md", one),
            file(f"proposals/{two.file_name()}", two),
            LedgerFile("record/notes.txt", b"no migration"),
            LedgerFile("config.yaml", b"include: []"),
            LedgerFile("README.md", b"# The record"),
        ]
    )
    assert found.record == RECORD
    assert found.landed == {one.id: one}
    assert found.proposals == {two.id: two}
    assert found.paths[one.id] == "record/any-name.md"
    assert found.problems == ()


def test_a_file_that_cannot_be_used_is_told_and_hides_no_other() -> None:
    one = migration()
    found = read(
        [
            file("record/b.md", one),
            LedgerFile("record/a.md", b"---\n\xff\n---\n"),
            LedgerFile("record/c.md", None, "not_a_file"),
            LedgerFile("record/d.md", b"---\ncitator: 9\n---\n"),
            LedgerFile("approvals/e.yaml", b"x: [" * 200),
        ]
    )
    assert found.landed == {one.id: one}
    assert [(problem.path, problem.code) for problem in found.problems] == [
        ("approvals/e.yaml", "approval_malformed"),
        ("record/a.md", "migration_unreadable"),
        ("record/c.md", "not_a_file"),
        ("record/d.md", "migration_version"),
    ]


def test_one_migration_in_two_files_is_one() -> None:
    one = migration()
    found = read([file("record/a.md", one), file("record/renamed.md", one)])
    assert (found.landed, found.problems) == ({one.id: one}, ())


def test_two_texts_of_one_id_in_one_folder_mean_neither() -> None:
    one = migration()
    files = [file("record/a.md", one), file("record/b.md", replace(one, author="Eve"))]
    for order in permutations(files):
        found = read(order)
        assert found.landed == {}
        assert [problem.code for problem in found.problems] == ["repeated_id"]


def test_proposals_take_nothing_from_what_landed() -> None:
    """Who may only propose cannot make a landed decision vanish by using its id again."""
    one = migration()
    forged = [replace(one, author=name) for name in ("Eve", "Mallory")]
    for count in (1, 2):
        proposals = [file(f"proposals/{n}.md", forged[n]) for n in range(count)]
        found = read([file("record/a.md", one), *proposals])
        assert found.landed == {one.id: one}
        assert found.proposals == {}
        assert found.paths[one.id] == "record/a.md"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"citator: 1",
        b"citator: 2\nrecord: " + b"ab" * 32,
        b"citator: 1\nrecord: " + b"AB" * 32,
        b"citator: 1\nrecord: " + b"ab" * 31,
        b"citator: 1\nrecord: [" + b"ab" * 32 + b"]",
        b"citator: 1\nrecord: " + b"ab" * 32 + b"\nrecord: " + b"cd" * 32,
        b"citator: 1\nrecord: &a " + b"ab" * 32,
        b"\xff\xfe",
        b"- citator: 1",
    ],
)
def test_an_identity_that_is_none_names_no_record(content: bytes) -> None:
    assert identity_of(content) is None
    found = read([LedgerFile("ledger.yaml", content)])
    assert found.record is None
    assert found.problems == (
        FileProblem("ledger.yaml", "identity_malformed", "the file does not name a record"),
    )


def test_an_identity_is_read_in_any_checkout() -> None:
    assert identity_of(identity_file(RECORD)) == RECORD
    assert identity_of(b"\xef\xbb\xbf" + identity_file(RECORD).replace(b"\n", b"\r\n")) == RECORD


def test_a_folder_is_read_as_files_and_nothing_is_followed(tmp_path: Path) -> None:
    one = migration()
    for name in ("record", "proposals", "approvals"):
        (tmp_path / name).mkdir()
    (tmp_path / "ledger.yaml").write_bytes(identity_file(RECORD))
    (tmp_path / "record" / one.file_name()).write_bytes(one.render())
    (tmp_path / "record" / "folder.md").mkdir()
    (tmp_path / "record" / "large.md").write_bytes(b"x" * (MAX_BYTES + 1))
    expected = [("record/folder.md", "not_a_file"), ("record/large.md", "too_large")]
    if sys.platform != "win32":
        elsewhere = tmp_path / "elsewhere.md"
        elsewhere.write_bytes(migration(2).render())
        (tmp_path / "record" / "link.md").symlink_to(elsewhere)
        os.mkfifo(tmp_path / "record" / "pipe.md")
        expected += [("record/link.md", "not_a_file"), ("record/pipe.md", "not_a_file")]
    found = ledgers.in_folder(tmp_path)
    assert (found.record, found.landed) == (RECORD, {one.id: one})
    assert [(problem.path, problem.code) for problem in found.problems] == expected
    assert ledgers.in_folder(tmp_path / "nowhere").empty
