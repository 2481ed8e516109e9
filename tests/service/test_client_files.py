"""Configuration files are read whole and replaced whole; links, copies and permissions."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from citator.model.errors import RefusedError, StorageError
from citator.service.client_files import read_config, replace_config

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")


def test_what_was_there_is_kept_under_a_name_that_was_free(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b"one")
    for number, (old, new) in enumerate([(b"one", b"two"), (b"two", b"three")], 1):
        kept = replace_config(read_config(path, tmp_path), new, shared=False)
        assert kept == tmp_path / f"c.json.citator-backup-{number}"
        assert (kept.read_bytes(), path.read_bytes()) == (old, new)
    (tmp_path / "c.json.citator-backup-3").write_bytes(b"mine")
    assert replace_config(read_config(path, tmp_path), b"four", shared=False) == (
        tmp_path / "c.json.citator-backup-4"
    )
    assert (tmp_path / "c.json.citator-backup-3").read_bytes() == b"mine"


@POSIX_ONLY
def test_permissions_stay_and_new_files_get_those_of_their_scope(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b"x")
    path.chmod(0o640)
    kept = replace_config(read_config(path, tmp_path), b"y", shared=False)
    assert kept is not None
    assert [mode(path), mode(kept)] == [0o640, 0o640]
    for shared, expected in ((True, 0o644), (False, 0o600)):
        new = tmp_path / str(shared) / "deep" / "c.json"
        assert replace_config(read_config(new, tmp_path), b"y", shared=shared) is None
        assert mode(new) == expected


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@POSIX_ONLY
def test_a_link_is_followed_inside_its_folder_and_stays_a_link(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "dotfiles").mkdir(parents=True)
    (home / "dotfiles" / "real.json").write_bytes(b"old")
    (home / "c.json").symlink_to("dotfiles/real.json")
    kept = replace_config(read_config(home / "c.json", home), b"new", shared=False)
    assert (home / "c.json").is_symlink()
    assert (home / "dotfiles" / "real.json").read_bytes() == b"new"
    assert kept == home / "dotfiles" / "real.json.citator-backup-1"


@POSIX_ONLY
@pytest.mark.parametrize("target", ["../outside.json", "../missing.json", ".git/config", ".GIT/x"])
def test_a_link_that_leads_out_or_into_git_is_refused(tmp_path: Path, target: str) -> None:
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (home / ".git" / "config").write_bytes(b"{}")
    (tmp_path / "outside.json").write_bytes(b"{}")
    (home / "c.json").symlink_to(target)
    with pytest.raises(RefusedError) as told:
        read_config(home / "c.json", home)
    assert told.value.code == "config_link_outside"
    assert (tmp_path / "outside.json").read_bytes() == b"{}"


@POSIX_ONLY
def test_a_folder_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home" / ".cursor").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedError):
        read_config(tmp_path / "home" / ".cursor" / "mcp.json", tmp_path / "home")


def test_a_home_that_is_itself_a_link_is_a_home(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    try:
        (tmp_path / "home").symlink_to(tmp_path / "real")
    except OSError:
        return
    file = read_config(tmp_path / "home" / "c.json", tmp_path / "home")
    assert file.data is None


@POSIX_ONLY
def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(RefusedError) as told:
            read_config(tmp_path / name, tmp_path)
        assert told.value.code == "config_not_a_file"


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for data, line in ((b"{\n\n\xff}", 3), ("{}".encode("utf-16"), 1)):
        path.write_bytes(data)
        with pytest.raises(RefusedError) as told:
            read_config(path, tmp_path)
        assert told.value.code == "config_not_utf8"
        assert f"(line {line})" in told.value.what


def test_a_byte_order_mark_stays_unless_the_client_cannot_read_it(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    file = read_config(path, tmp_path)
    assert file.text == "{}"
    assert file.encoded("[]", bom=True) == b"\xef\xbb\xbf[]"
    assert file.encoded("[]", bom=False) == b"[]"
    with pytest.raises(RefusedError):
        file.encoded("\udcff", bom=True)


@pytest.mark.parametrize("meanwhile", [b"theirs", None])
def test_a_file_that_changed_meanwhile_is_left_alone(
    tmp_path: Path, meanwhile: bytes | None
) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b"old")
    file = read_config(path, tmp_path)
    path.unlink()
    if meanwhile is not None:
        path.write_bytes(meanwhile)
    with pytest.raises(RefusedError) as told:
        replace_config(file, b"new", shared=False)
    assert told.value.code == "config_changed"
    assert [item.read_bytes() for item in tmp_path.iterdir()] == [meanwhile] * bool(meanwhile)


def test_a_place_that_cannot_be_written_is_said_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    file = read_config(tmp_path / "file" / "c.json", tmp_path)
    for shared in (True, False):
        with pytest.raises(StorageError) as told:
            replace_config(file, b"new", shared=shared)
        assert told.value.code == "config_not_written"
        assert str(file.path) in told.value.what
