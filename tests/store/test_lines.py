"""Lines that several processes append, kept whole and bounded."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from citator.model.errors import StorageError
from citator.store import lines


def test_lines_come_back_in_order_and_what_is_none_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.jsonl"
    assert list(lines.read(path)) == []
    lines.append(path, [{"n": 1, "text": "é\n"}])
    path.write_bytes(path.read_bytes() + b"{broken\n[1]\n")
    lines.append(path, [{"n": 2}, {"n": 3}])
    lines.append(path, [])
    assert [one["n"] for one in lines.read(path)] == [1, 2, 3]


def test_a_full_file_is_put_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "FULL_BYTES", 40)
    path = tmp_path / "b.jsonl"
    for number in range(9):
        lines.append(path, [{"number": number}])
    assert [one["number"] for one in lines.read(path)] == [3, 4, 5, 6, 7, 8]


def test_a_disk_that_fills_up_leaves_the_lines_that_were_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.jsonl"
    lines.append(path, [{"number": 1}])
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, bytes(data[:10]))

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr("citator.store.locks._sign", lambda descriptor: None)
    with pytest.raises(StorageError) as caught:
        lines.append(path, [{"number": 2}])
    monkeypatch.undo()

    assert caught.value.code == "disk_full"
    lines.append(path, [{"number": 3}])
    assert [one["number"] for one in lines.read(path)] == [1, 3]


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    script = (
        "import sys; from pathlib import Path; from citator.store import lines\n"
        "for n in range(20): lines.append(Path(sys.argv[1]), [{'who': sys.argv[2], 'n': n}])\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(path), who]) for who in ("a", "b", "c")
    ]
    assert [one.wait() for one in running] == [0, 0, 0]
    found = list(lines.read(path))
    assert {(one["who"], one["n"]) for one in found} == {(w, n) for w in "abc" for n in range(20)}
    assert len(found) == 60
