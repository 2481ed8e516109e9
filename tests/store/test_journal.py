"""The journal: chained, torn lines never count, tampering is found, nothing in it is content."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.model.errors import IntegrityError, StorageError
from citator.store import journal as journals
from citator.store.journal import Broken, Entry, Fault, Journal, Verified

NOON = "2026-03-01T12:00:00Z"
DIGEST = hashlib.sha256(b"what was approved").hexdigest()


def filled(folder: Path, count: int = 5) -> Journal:
    journal = Journal(folder)
    for number in range(count):
        journal.append("approve", NOON, subjects=[f"item-{number}"], digests=[DIGEST])
    return journal


def only_segment(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def test_an_entry_names_the_digest_of_the_line_before_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    first = journal.append("propose", NOON, subjects=["01J9ZK4E3M8QW7X2V5T6R1N0PA"])
    second = journal.append("approve", NOON, digests=[DIGEST])

    lines = only_segment(tmp_path / "journal").read_bytes().splitlines()

    assert first == Entry(1, "0" * 64, NOON, "propose", ("01J9ZK4E3M8QW7X2V5T6R1N0PA",))
    assert second.previous == first.digest == hashlib.sha256(lines[0]).hexdigest()
    assert json.loads(lines[1]) == {
        "v": 1,
        "n": 2,
        "previous": first.digest,
        "time": NOON,
        "event": "approve",
        "subjects": [],
        "digests": [DIGEST],
    }
    assert journal.verify() == Verified(1, 2, second.digest)


def test_nothing_was_written_yet(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    assert journal.newest() == []
    assert journal.verify() == Verified(1, 0, "0" * 64)
    assert journal.prune(10, NOON) is None
    assert not (tmp_path / "journal").exists()


@pytest.mark.parametrize(
    ("event", "time", "subjects", "digests"),
    [
        ("Approve", NOON, [], []),
        ("approve the decision", NOON, [], []),
        ("", NOON, [], []),
        ("approve\n", NOON, [], []),
        ("approve", "yesterday", [], []),
        ("approve", "2026-03-01T12:00:00+00:00", [], []),
        ("approve", "２０２６-03-01T12:00:00Z", [], []),
        ("approve", NOON, ["use Redis for sessions"], []),
        ("approve", NOON, ["x\u202e"], []),
        ("approve", NOON, ["a" * 65], []),
        ("approve", NOON, [""], []),
        ("approve", NOON, ["a"] * 17, []),
        ("approve", NOON, [], ["a" * 63]),
        ("approve", NOON, [], [DIGEST.upper()]),
        ("approve", NOON, [], [DIGEST] * 17),
    ],
)
def test_there_is_no_room_for_words(
    tmp_path: Path, event: str, time: str, subjects: list[str], digests: list[str]
) -> None:
    with pytest.raises(ValueError, match="an entry holds"):
        Journal(tmp_path / "journal").append(event, time, subjects=subjects, digests=digests)
    assert not (tmp_path / "journal").exists()


def test_the_longest_entry_fits_a_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    subject = "/".join(["a" * 64, "b" * 64, "c" * 64])
    entry = journal.append("e" * 64, NOON, subjects=[subject] * 16, digests=[DIGEST] * 16)
    assert len(entry.line()) < journals.LINE_BYTES
    assert journal.append("next", NOON).previous == entry.digest
    assert journal.newest() == [journal.newest(1)[0], entry]


Change = Callable[[list[bytes]], list[bytes]]


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda ls: [ls[0], ls[1].replace(b"item-1", b"item-9"), *ls[2:]], Broken(3, Fault.CHAIN)),
        (lambda ls: [ls[0], *ls[2:]], Broken(2, Fault.NUMBER)),
        (lambda ls: ls[1:], Broken(1, Fault.START)),
        (lambda ls: [ls[0], ls[0], *ls[1:]], Broken(2, Fault.NUMBER)),
        (lambda ls: [ls[0], ls[2], ls[1], *ls[3:]], Broken(2, Fault.NUMBER)),
        (lambda ls: [ls[0], b"", *ls[1:]], Broken(2, Fault.UNREADABLE)),
        (lambda ls: [ls[0], b"\xff\xfe", *ls[1:]], Broken(2, Fault.UNREADABLE)),
        (lambda ls: [ls[0], b"[" * 100_000, *ls[1:]], Broken(2, Fault.UNREADABLE)),
        (lambda ls: [ls[0].replace(b'"v":1', b'"v":2'), *ls[1:]], Broken(1, Fault.UNREADABLE)),
        (lambda ls: [ls[0].replace(b',"n"', b', "n"'), *ls[1:]], Broken(1, Fault.UNREADABLE)),
        (lambda ls: [ls[0][:-1] + b',"x":1}', *ls[1:]], Broken(1, Fault.UNREADABLE)),
        (lambda ls: [ls[0].replace(b'"n":1', b'"n":true'), *ls[1:]], Broken(1, Fault.UNREADABLE)),
        (lambda ls: [ls[0].replace(b"approve", b"a word"), *ls[1:]], Broken(1, Fault.UNREADABLE)),
    ],
)  # fmt: skip
def test_the_first_entry_that_was_tampered_with_is_found(
    tmp_path: Path, change: Change, broken: Broken
) -> None:
    journal = filled(tmp_path)
    assert journal.verify().broken is None
    path = only_segment(tmp_path)
    path.write_bytes(b"".join(line + b"\n" for line in change(path.read_bytes().splitlines())))

    assert journal.verify().broken == broken


@settings(derandomize=True, max_examples=120, deadline=None)
@given(st.data())
def test_no_byte_before_the_last_line_can_change_unseen(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = filled(Path(folder), 4)
        path = only_segment(Path(folder))
        whole = path.read_bytes()
        end = whole.rstrip(b"\n").rfind(b"\n")
        at = data.draw(st.integers(0, end))
        size = data.draw(st.integers(0, 3))
        other = data.draw(st.binary(max_size=3))
        changed = whole[:at] + other + whole[at + size :]
        path.write_bytes(changed)
        if changed != whole and not (size > end - at):
            assert journal.verify().broken is not None


def test_a_torn_line_never_counts_and_the_next_entry_says_so(tmp_path: Path) -> None:
    journal = filled(tmp_path, 2)
    path = only_segment(tmp_path)
    whole = path.read_bytes()
    torn = whole.splitlines()[1][:-9]
    for tail in (torn, b"\0" * 40, b"{"):
        path.write_bytes(whole + tail)
        assert journal.verify() == Verified(1, 2, journal.newest(1)[0].digest, torn=True)
        assert [one.n for one in journal.newest()] == [2, 1]

    path.write_bytes(whole + torn)
    entry = journal.append("approve", NOON)

    recovered = journal.newest(2)[1]
    assert (entry.n, recovered.event) == (4, journals.RECOVERED)
    assert recovered.digests == (hashlib.sha256(torn).hexdigest(),)
    assert path.read_bytes().startswith(whole)
    assert journal.verify() == Verified(1, 4, entry.digest)


def test_a_torn_first_line_leaves_an_empty_journal(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    path = only_segment(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    assert [one.n for one in (Journal(tmp_path).append("approve", NOON),)] == [2]
    assert [one.event for one in Journal(tmp_path).newest()] == ["approve", journals.RECOVERED]


@pytest.mark.parametrize("tail", [b"not an entry\n", b"x" * 20_000, b"x" * 20_000 + b"\n"])
def test_a_journal_whose_end_is_broken_takes_no_entry(tmp_path: Path, tail: bytes) -> None:
    journal = filled(tmp_path, 2)
    path = only_segment(tmp_path)
    broken = path.read_bytes() + tail
    path.write_bytes(broken)

    with pytest.raises(IntegrityError) as caught:
        journal.append("approve", NOON)

    assert caught.value.code == "journal_broken"
    assert path.read_bytes() == broken
    with pytest.raises(IntegrityError):
        journal.prune(2, NOON)


def test_it_is_read_newest_first_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 700)
    journal = filled(tmp_path, 10)
    assert len(list(tmp_path.glob("*.jsonl"))) > 2
    assert [one.n for one in journal.newest(4)] == [10, 9, 8, 7]
    assert [one.n for one in journal.newest(4, before=7)] == [6, 5, 4, 3]
    assert [one.n for one in journal.newest(4, before=3)] == [2, 1]
    assert journal.newest(4, before=1) == []
    assert journal.verify().last == 10


def test_pruning_says_what_went_and_the_chain_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 700)
    journal = filled(tmp_path, 10)
    paths = sorted(tmp_path.glob("*.jsonl"))
    kept = [one.n for one in journal.newest(100)]
    gone = b"".join(path.read_bytes() for path in paths[:2])
    last = hashlib.sha256(gone.splitlines()[-1]).hexdigest()
    through = len(gone.splitlines())

    said = journal.prune(through + 1, NOON)

    assert said is not None
    assert said.event == journals.PRUNED
    assert said.subjects == (str(through),)
    assert said.digests == (last, hashlib.sha256(gone).hexdigest())
    assert [one.n for one in journal.newest(100)] == [11, *kept[:-through]]
    assert journal.verify() == Verified(through + 1, 11, said.digest)
    assert journal.prune(through + 1, NOON) is None
    assert journal.append("approve", NOON).n == 12


def test_pruning_again_covers_what_went_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 1)
    journal = filled(tmp_path, 6)
    for before in (3, 5, 7, 8):
        assert journal.prune(before, NOON) is not None
        assert journal.verify().broken is None
    assert journal.verify().first == 8
    assert journal.append("approve", NOON).n == 11


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_pruning_that_was_killed_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: int
) -> None:
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 1)
    journal = filled(tmp_path, 5)
    paths = sorted(tmp_path.glob("*.jsonl"))
    texts = {path: path.read_bytes() for path in paths[:3]}
    said = journal.prune(4, NOON)
    assert said is not None and not any(path.exists() for path in texts)
    for path in paths[gone:3]:  # as if the deletion had ended after ``gone`` files
        path.write_bytes(texts[path])

    assert journal.verify() == Verified(gone + 1, 6, said.digest)
    assert journal.prune(4, NOON) is None
    assert journal.verify() == Verified(4, 6, said.digest)


def test_what_was_deleted_is_not_what_was_pruned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "SEGMENT_BYTES", 1)
    journal = filled(tmp_path, 6)
    journal.prune(3, NOON)
    paths = sorted(tmp_path.glob("*.jsonl"))
    paths[0].unlink()
    assert journal.verify().broken == Broken(1, Fault.START)
    paths[1].write_bytes(filled(tmp_path / "other", 4).newest(1)[0].line() + b"\n")
    assert journal.verify().broken == Broken(1, Fault.START)
    for path in paths[:-1]:
        path.unlink(missing_ok=True)
    assert journal.verify().broken == Broken(1, Fault.START)


def test_a_disk_that_fills_up_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = filled(tmp_path, 2)
    before = only_segment(tmp_path).read_bytes()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return write(descriptor, bytes(data[:100]))

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr("citator.store.locks._sign", lambda descriptor: None)
    with pytest.raises(StorageError) as caught:
        journal.append("approve", NOON, subjects=["a" * 60])
    monkeypatch.undo()

    assert caught.value.code == "disk_full"
    assert only_segment(tmp_path).read_bytes() == before
    assert journal.append("approve", NOON).n == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows needs a privilege to make a link")
def test_a_link_in_a_segments_place_is_neither_read_nor_written(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "journal", tmp_path / "elsewhere"
    filled(folder, 1)
    only_segment(folder).rename(elsewhere)
    (folder / "000000000001.jsonl").symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    assert Journal(folder).newest() == []
    with pytest.raises(StorageError):
        Journal(folder).append("approve", NOON)
    assert elsewhere.read_bytes() == before


KILLED = """
import os, signal, sys
from pathlib import Path
from citator.store.journal import Journal
write, point = os.write, sys.argv[2]
def dying(descriptor, data):
    if bytes(data[:4]) != b'{"v"':
        return write(descriptor, data)
    if point == "half":
        write(descriptor, bytes(data[: len(data) // 2]))
    if point == "all but the end":
        write(descriptor, bytes(data[:-1]))
    os.kill(os.getpid(), signal.SIGKILL)
os.write = dying
Journal(Path(sys.argv[1])).append("approve", "2026-03-01T12:00:00Z", subjects=["killed"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("point", ["nothing", "half", "all but the end"])
def test_a_writer_that_is_killed_leaves_the_previous_state(tmp_path: Path, point: str) -> None:
    journal = filled(tmp_path, 3)
    head = journal.verify().head

    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), point], check=False)

    assert done.returncode == -9
    found = journal.verify()
    assert (found.last, found.head, found.broken) == (3, head, None)
    assert found.torn is (point != "nothing")
    assert all("killed" not in one.subjects for one in journal.newest())
    assert journal.append("approve", NOON).n == (4 if point == "nothing" else 5)
    assert journal.verify().broken is None


WRITER = """
import sys
from pathlib import Path
from citator.store import journal
journal.SEGMENT_BYTES = 2_000
kept = journal.Journal(Path(sys.argv[1]))
for number in range(25):
    kept.append("approve", "2026-03-01T12:00:00Z", subjects=[f"{sys.argv[2]}-{number}"])
"""


def test_processes_take_turns(tmp_path: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), who]) for who in "abc"
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    journal = Journal(tmp_path)
    found = journal.verify()
    assert (found.last, found.broken, found.torn) == (75, None, False)
    said = [one.subjects[0] for one in reversed(journal.newest(100))]
    for who in "abc":
        own = [one for one in said if one.startswith(who)]
        assert own == [f"{who}-{number}" for number in range(25)]
