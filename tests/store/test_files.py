"""Files are whole or absent, private, and deleted only where they belong to us."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.model.errors import RefusedError, StorageError
from citator.store import files

POSIX = sys.platform != "win32"


def test_a_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_atomically(path, b"first, and longer")
    files.write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_the_files_that_were_changed_last_are_kept(tmp_path: Path) -> None:
    for number, name in enumerate(("c.kept", "a.kept", "b.kept", "d.other")):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, ns=(number, number))
    files.keep_newest(tmp_path, "*.kept", 2)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.kept", "b.kept", "d.other"]
    files.keep_newest(tmp_path / "nowhere", "*", 2)


def test_a_write_that_fails_leaves_the_old_bytes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    files.write_atomically(path, b"old")
    for name in ("fsync", "replace"):
        with monkeypatch.context() as broken:
            broken.setattr(os, name, _raises(errno.ENOSPC))
            if name == "replace":
                broken.setattr(Path, "replace", _raises(errno.ENOSPC))
            with pytest.raises(StorageError) as caught:
                files.write_atomically(path, b"new")
        assert caught.value.code == "disk_full"
        assert path.read_bytes() == b"old"
        assert [one.name for one in tmp_path.iterdir()] == ["file"]


def _raises(number: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EFBIG, "disk_full"),
        (errno.EACCES, "data_directory_not_writable"),
        (errno.EROFS, "data_directory_not_writable"),
        (errno.EIO, "storage_failed"),
        (None, "storage_failed"),
    ],
)
def test_an_operating_system_error_is_said_for_people(number: int | None, code: str) -> None:
    error = files.storage_error(OSError() if number is None else OSError(number, "private/path"))
    assert error.code == code
    assert error.todo
    assert "private" not in f"{error.what}{error.todo}"


@pytest.mark.skipif(not POSIX, reason="Windows has no such modes")
def test_what_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files.make_directory(tmp_path / "a" / "b")
        files.write_atomically(tmp_path / "a" / "b" / "file", b"x")
        files.create_once(tmp_path / "a" / "b" / "once", b"x")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o700, "b": 0o700, "file": 0o600, "once": 0o600}


def test_making_a_directory_that_is_there_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    files.make_directory(tmp_path / "a")
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StorageError):
        files.make_directory(tmp_path / "file" / "below")


def test_creating_once_gives_everybody_the_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    got: list[bytes] = []

    def create(n: int) -> None:
        got.append(files.create_once(path, b"%d" % n))

    threads = [threading.Thread(target=create, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(got)) == 1
    assert got[0] == path.read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]


def test_creating_once_works_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", _raises(errno.EPERM))
    assert files.create_once(tmp_path / "secret", b"first") == b"first"
    assert files.create_once(tmp_path / "secret", b"second") == b"first"


def test_a_link_or_a_copy_has_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"bytes")
    files.link_or_copy(source, tmp_path / "linked")
    monkeypatch.setattr(os, "link", _raises(errno.EXDEV))
    files.link_or_copy(source, tmp_path / "copied")
    assert (tmp_path / "linked").samefile(source)
    assert not (tmp_path / "copied").samefile(source)
    assert (tmp_path / "copied").read_bytes() == b"bytes"
    monkeypatch.setattr(os, "link", _raises(errno.ENOSPC))
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        files.link_or_copy(source, tmp_path / "neither")


def test_usage_counts_shared_files_once_and_follows_no_link(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "one").write_bytes(bytes(100))
    os.link(folder / "one", folder / "below" / "same")
    (folder / "below" / "two").write_bytes(bytes(11))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "large").write_bytes(bytes(5000))
    if POSIX:
        (folder / "link").symlink_to(outside)
    assert files.usage(folder) == 111
    assert files.usage(folder / "one") == 100
    assert files.usage(tmp_path / "nothing") == 0


def test_a_tree_inside_is_deleted_and_links_below_it_are_not_followed(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    (data / "repo" / "derived").mkdir(parents=True)
    (data / "repo" / "derived" / "file").write_bytes(b"x")
    outside.mkdir()
    (outside / "precious").write_bytes(b"x")
    if POSIX:
        (data / "repo" / "derived" / "link").symlink_to(outside)
        (data / "repo" / "derived" / "file").chmod(0o400)
    files.remove_tree(data / "repo", data)
    files.remove_tree(data / "repo", data)
    assert list(data.iterdir()) == []
    assert (outside / "precious").exists()


@pytest.mark.parametrize("path", ["", "..", "../outside", "repo/../..", "repo/../../outside"])
def test_deleting_outside_is_refused(tmp_path: Path, path: str) -> None:
    data = tmp_path / "data"
    (data / "repo").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    with pytest.raises(RefusedError) as caught:
        files.remove_tree(data / path, data)
    assert caught.value.code == "outside_data_directory"
    with pytest.raises(RefusedError):
        files.remove_tree(tmp_path / "outside", data)
    with pytest.raises(RefusedError):
        files.remove_tree(Path("repo"), data)
    assert (data / "repo").is_dir()
    assert (tmp_path / "outside").is_dir()


@pytest.mark.skipif(not POSIX, reason="Windows lets few users make links")
def test_deleting_through_a_link_is_refused(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    data.mkdir()
    (outside / "below").mkdir(parents=True)
    (data / "link").symlink_to(outside)
    for path in (data / "link", data / "link" / "below"):
        with pytest.raises(RefusedError):
            files.remove_tree(path, data)
    assert (outside / "below").is_dir()
