"""One writer at a time, between processes, and no lock outlives its holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from citator.model.errors import LockedError, StorageError
from citator.store import locks

HOLD = """
import sys, time
from pathlib import Path
from citator.store import locks
with locks.exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(path: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"held"
    return process


def test_a_lock_that_another_process_holds_names_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process = holder(path)
    try:
        with pytest.raises(LockedError) as caught, locks.exclusive(path):
            pass
        assert caught.value.code == "index_locked"
        assert f"(process {process.pid})" in caught.value.what
        assert "wait" in caught.value.todo
    finally:
        process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    with locks.exclusive(path):  # it died with its holder
        pass


def test_a_lock_is_free_again_after_the_block_and_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(ValueError, match="trouble"), locks.exclusive(path):
        raise ValueError("trouble")
    with locks.exclusive(path):
        pass
    assert int(path.read_bytes()) == os.getpid()


def test_a_writer_may_wait_for_its_turn(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    order: list[str] = []
    first_has_it, second_may_try = threading.Event(), threading.Event()

    def first() -> None:
        with locks.exclusive(path):
            first_has_it.set()
            second_may_try.wait()
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    first_has_it.wait()
    threading.Timer(0.05, second_may_try.set).start()
    with locks.exclusive(path, wait=True):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_file_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError), locks.exclusive(tmp_path / "nowhere" / "lock"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to delete an open file")
def test_readers_share_a_lock_and_a_deleter_sees_them(tmp_path: Path) -> None:
    path = tmp_path / "manifest"
    path.write_bytes(b"x")
    assert not locks.in_use(path)
    one, two = locks.SharedLock(path), locks.SharedLock(path)
    assert one.held
    assert two.held
    one.release()
    one.release()
    assert locks.in_use(path)
    two.release()
    assert not locks.in_use(path)


def test_a_shared_lock_on_nothing_is_not_held(tmp_path: Path) -> None:
    lock = locks.SharedLock(tmp_path / "nothing")
    assert not lock.held
    lock.release()
    assert not locks.in_use(tmp_path / "nothing")
