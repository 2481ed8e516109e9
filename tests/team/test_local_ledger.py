"""What is kept on one machine: whole, counted by its journal, and gone when it is deleted."""

from __future__ import annotations

import hashlib
import multiprocessing
from pathlib import Path

import pytest

from citator.model.errors import IntegrityError, StorageError
from citator.store import files
from citator.store.journal import Journal
from citator.team.local_ledger import MAX_BYTES, LocalLedger

TIME = "2026-02-25T06:13:20Z"
WRITERS = 8
EACH = 12


@pytest.fixture
def ledger(tmp_path: Path) -> LocalLedger:
    return LocalLedger(tmp_path / "notes", frozenset({"gone"}))


def kept(ledger: LocalLedger) -> set[str]:
    return {path.stem for path in ledger.folder.glob("files/*/*")}


def add(ledger: LocalLedger, content: bytes) -> str:
    with ledger.writing() as writer:
        return writer.commit("added", TIME, ("one",), content).digests[0]


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_what_was_committed_is_there_byte_for_byte_and_named_by_its_digest(
    ledger: LocalLedger,
) -> None:
    digest = add(ledger, b'{"text":"words"}')
    assert digest == hashlib.sha256(b'{"text":"words"}').hexdigest()
    assert ledger.content(digest) == b'{"text":"words"}'
    assert [(one.event, one.digests) for one in ledger.entries()] == [("added", (digest,))]


def test_nothing_is_made_before_the_first_change(ledger: LocalLedger) -> None:
    assert ledger.entries() == []
    assert not ledger.folder.exists()


def test_a_file_without_its_line_never_counted_and_is_swept(
    ledger: LocalLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    stays = add(ledger, b"stays")
    with ledger.writing() as writer, monkeypatch.context() as patched:
        patched.setattr(
            Journal, "append", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            writer.commit("added", TIME, ("two",), b"never counted")
    assert len(kept(ledger)) == 2
    assert len(ledger.entries()) == 1
    with ledger.writing() as writer:
        assert writer.sweep() == 1
        assert writer.sweep() == 0
    assert kept(ledger) == {stays}


def test_a_removal_takes_the_content_away_and_keeps_its_digest(ledger: LocalLedger) -> None:
    contents = [b"secret %d" % number for number in range(20)]
    digests = [add(ledger, one) for one in contents]
    stays = add(ledger, b"stays")
    with ledger.writing() as writer:
        writer.remove("gone", TIME, ("one",), digests)
    assert kept(ledger) == {stays}
    assert not any(b"secret" in path.read_bytes() for path in ledger.folder.rglob("*.json*"))
    said = [digest for one in ledger.entries() if one.event == "gone" for digest in one.digests]
    assert said == digests


def test_a_killed_removal_is_finished_by_the_next_sweep(
    ledger: LocalLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = add(ledger, b"to go")
    with ledger.writing() as writer, monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            writer.remove("gone", TIME, ("one",), [digest])
    assert kept(ledger) == {digest}
    with ledger.writing() as writer:
        assert writer.sweep() == 1
    assert kept(ledger) == set()


@pytest.mark.parametrize("damage", ["change", "cut", "delete", "grow"])
def test_a_damaged_file_is_told_and_the_others_stay_readable(
    ledger: LocalLedger, damage: str
) -> None:
    bad, good = add(ledger, b"0123456789"), add(ledger, b"good")
    place = ledger.place(bad)
    match damage:
        case "change":
            place.write_bytes(b"0123456780")
        case "cut":
            place.write_bytes(b"0123")
        case "delete":
            place.unlink()
        case _:
            place.write_bytes(b"0" * (MAX_BYTES * 4))
    with pytest.raises(IntegrityError, match="missing or not what was written") as caught:
        ledger.content(bad)
    assert caught.value.code == "local_file_damaged"
    assert ledger.content(good) == b"good"


def test_a_broken_journal_stops_reading_writing_and_sweeping(ledger: LocalLedger) -> None:
    digest = add(ledger, b"one")
    add(ledger, b"two")
    segment = next((ledger.folder / "journal").glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes().split(b"\n", 1)[1])
    with pytest.raises(IntegrityError) as caught:
        ledger.entries()
    assert caught.value.code == "local_ledger_broken"
    with ledger.writing() as writer, pytest.raises(IntegrityError):
        writer.sweep()
    assert digest in kept(ledger)


def test_what_is_older_than_a_journal_that_was_begun_anew_is_not_swept(ledger: LocalLedger) -> None:
    digest = add(ledger, b"of the former journal")
    (ledger.folder / "journal").rename(ledger.folder / "aside")
    with ledger.writing() as writer:
        assert writer.sweep() == 0
        writer.commit("added", "2099-01-01T00:00:00Z", ("two",), b"new")
        assert writer.sweep() == 0
    assert digest in kept(ledger)


def test_a_full_disk_leaves_what_was_there(
    ledger: LocalLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = add(ledger, b"before")

    def full(*_: object) -> None:
        raise StorageError("disk_full", "full")

    with ledger.writing() as writer:
        monkeypatch.setattr(files, "write_atomically", full)
        with pytest.raises(StorageError):
            writer.commit("added", TIME, ("two",), b"does not fit")
    assert kept(ledger) == {digest}
    assert len(ledger.entries()) == 1


def _write(folder: Path, writer: int) -> None:
    ledger = LocalLedger(folder)
    for number in range(EACH):
        add(ledger, b"writer %d, change %d" % (writer, number))
        ledger.entries()


def test_eight_processes_lose_no_write(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_write, args=(tmp_path / "notes", one)) for one in range(WRITERS)
    ]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert [one.exitcode for one in writers] == [0] * WRITERS
    ledger = LocalLedger(tmp_path / "notes")
    entries = ledger.entries()
    assert [one.n for one in entries] == [*range(1, WRITERS * EACH + 1)]
    assert {ledger.content(one.digests[0]) for one in entries} == {
        b"writer %d, change %d" % (writer, number)
        for writer in range(WRITERS)
        for number in range(EACH)
    }
