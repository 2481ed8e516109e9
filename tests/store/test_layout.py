"""The data directory: each clone its own place, found again without reading any history."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import IntegrityError, RefusedError, StorageError
from citator.store.layout import Layout, RepositoryPlace

ID = "ab" * 32
OTHER = "cd" * 32
ROOTS = ("1" * 40, "2" * 40)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "data")


def test_a_registered_clone_is_found_by_its_path(layout: Layout, tmp_path: Path) -> None:
    common = tmp_path / "clone" / ".git"
    assert layout.known(common) is None
    made = layout.register(common, ID, ROOTS, added=1700000000)
    assert made.directory.is_dir()
    assert made.directory.parent == layout.data
    assert (made.repository_id, made.roots, made.added) == (ID, ROOTS, 1700000000)
    assert Layout(layout.data).known(common) == made
    assert layout.known(tmp_path / "elsewhere") is None


def test_paths_of_a_place(layout: Layout, tmp_path: Path) -> None:
    place = layout.register(tmp_path / ".git", ID, ROOTS)
    assert place.local == place.directory / "local"
    assert place.derived == place.directory / "derived"
    assert place.index == place.derived / "index"
    assert place.vectors == place.derived / "vectors.sqlite"
    assert place.lexicon == place.derived / "lexicon"
    assert place.derived.is_dir()


def test_two_clones_share_the_id_and_not_the_place(layout: Layout, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
    one = layout.register(tmp_path / "one" / ".git", ID, ROOTS)
    two = layout.register(tmp_path / "two" / ".git", ID, ROOTS)
    assert one.repository_id == two.repository_id
    assert one.directory != two.directory
    assert one.directory.name[:16] == two.directory.name[:16] == ID[:16]
    assert set(layout.places()) == {one, two}
    assert len(one.directory.name) <= 32


def test_registering_again_finds_the_same_place(layout: Layout, tmp_path: Path) -> None:
    common = tmp_path / ".git"
    first = layout.register(common, ID, ROOTS, added=5)
    again = layout.register(common, ID, ROOTS, added=9)
    assert again == first
    deepened = layout.register(common, ID, ("3" * 40,))
    assert deepened == replace(first, roots=("3" * 40,))
    assert layout.known(common) == deepened


def test_another_repository_at_the_same_path_gets_its_own_place(
    layout: Layout, tmp_path: Path
) -> None:
    common = tmp_path / ".git"
    former = layout.register(common, ID, ROOTS)
    (former.directory / "local").mkdir()
    (former.directory / "local" / "note").write_bytes(b"mine")
    later = layout.register(common, OTHER, ROOTS)
    assert later.directory != former.directory
    assert layout.known(common) == later
    assert (former.directory / "local" / "note").read_bytes() == b"mine"
    back = layout.register(common, ID, ROOTS)
    assert back.directory == former.directory
    assert layout.known(common) == back


ODD = (
    ["sp ace", "quo\"te'", "日本", "new\nline", "\udce9"] if sys.platform == "linux" else ["sp ace"]
)


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_any_path_can_be_registered(layout: Layout, tmp_path: Path, name: str) -> None:
    place = layout.register(tmp_path / name / ".git", ID, ROOTS)
    assert Layout(layout.data).known(tmp_path / name / ".git") == place
    assert place.directory.name.isascii()


@pytest.mark.parametrize(
    "harm", [b"", b"{}", b"[]", b"null", b"\xff", b'{"version": 1, "repository": "x"}']
)
def test_a_directory_that_does_not_describe_itself_is_no_place(
    layout: Layout, tmp_path: Path, harm: bytes
) -> None:
    place = layout.register(tmp_path / ".git", ID, ROOTS)
    (place.directory / "repository.json").write_bytes(harm)
    assert layout.known(tmp_path / ".git") is None
    assert list(layout.places()) == []
    assert layout.register(tmp_path / ".git", ID, ROOTS) == place


def test_a_description_in_the_wrong_directory_is_not_believed(
    layout: Layout, tmp_path: Path
) -> None:
    place = layout.register(tmp_path / ".git", ID, ROOTS)
    said = json.loads((place.directory / "repository.json").read_bytes())
    said["common_dir"] = str(tmp_path / "other" / ".git")
    (place.directory / "repository.json").write_text(json.dumps(said))
    assert layout.known(tmp_path / "other" / ".git") is None


def test_other_things_in_the_data_directory_are_left_alone(layout: Layout, tmp_path: Path) -> None:
    layout.data.mkdir()
    (layout.data / "trust").mkdir()
    (layout.data / "file").write_bytes(b"x")
    if sys.platform != "win32":
        (layout.data / "link").symlink_to(tmp_path)
    place = layout.register(tmp_path / ".git", ID, ROOTS)
    assert list(layout.places()) == [place]


def test_the_secret_is_made_once(layout: Layout) -> None:
    first = layout.secret(lambda size: b"a" * size)
    second = layout.secret(lambda size: b"b" * size)
    assert first == second == b"a" * 32
    assert Layout(layout.data).secret(os.urandom) == first


@pytest.mark.parametrize("harm", [b"", b"short", bytes(33)])
def test_a_secret_that_was_changed_is_an_integrity_error(layout: Layout, harm: bytes) -> None:
    layout.secret(os.urandom)
    (layout.data / "secret").write_bytes(harm)
    with pytest.raises(IntegrityError) as caught:
        layout.secret(os.urandom)
    assert caught.value.code == "secret_damaged"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_data_directory_is_the_owners_alone(layout: Layout, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        layout.register(tmp_path / ".git", ID, ROOTS)
        layout.secret(os.urandom)
    finally:
        os.umask(before)
    for path in [layout.data, *layout.data.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0


def test_a_place_can_be_removed_and_nothing_else(layout: Layout, tmp_path: Path) -> None:
    place = layout.register(tmp_path / ".git", ID, ROOTS)
    (tmp_path / "precious").mkdir()
    for outside in (tmp_path / "precious", layout.data, tmp_path, Path("/")):
        with pytest.raises(RefusedError):
            layout.remove(outside)
    layout.remove(place.directory)
    assert layout.known(tmp_path / ".git") is None
    assert not place.directory.exists()
    assert (tmp_path / "precious").is_dir()


def test_a_data_directory_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"x")
    layout = Layout(tmp_path / "data")
    assert layout.known(tmp_path / ".git") is None
    with pytest.raises(StorageError):
        layout.register(tmp_path / ".git", ID, ROOTS)
    with pytest.raises(StorageError):
        layout.secret(os.urandom)


def test_a_relative_data_directory_is_fixed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    layout = Layout(Path("x") / ".." / "data")
    place: RepositoryPlace = layout.register(tmp_path / ".git", ID, ROOTS)
    monkeypatch.chdir(tmp_path.parent)
    assert layout.known(tmp_path / ".git") == place
    layout.remove(place.directory)
    assert not place.directory.exists()


def test_a_place_is_found_by_the_name_of_its_directory_while_it_is_current(
    layout: Layout, tmp_path: Path
) -> None:
    first = layout.register(tmp_path / "clone" / ".git", "1" * 64, ())
    assert layout.named(first.directory.name) == first
    assert layout.named("nothing") is None
    second = layout.register(tmp_path / "clone" / ".git", "2" * 64, ())
    assert layout.named(first.directory.name) is None
    assert layout.named(second.directory.name) == second
