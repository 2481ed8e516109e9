"""A damaged index is one clear error with its remedy, and the remedy works."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.index.damage import reading
from citator.index.history import TantivyHistory
from citator.index.protocol import WeightedTerm
from citator.model.errors import IntegrityError, RefusedError, StorageError
from tests.support.corpus import VERSIONS, batch, commit, key_of

DOCUMENTS = [
    commit(n, f"Keep {n}", f"stale row {n}", "and more", paths=[f"{n}.py"]) for n in range(30)
]


@pytest.fixture
def built(history: TantivyHistory) -> TantivyHistory:
    history.build(batch("t1", DOCUMENTS))
    history.build(batch("t2", [], base="t1", removed=DOCUMENTS[:2]))
    return history


def use(index: TantivyHistory) -> int:
    """Everything that reads; how many passages there were."""
    snapshot = index.open()
    assert snapshot is not None
    with snapshot:
        view = snapshot.view("t2")
        assert view is not None
        found = view.candidates([WeightedTerm("stale"), WeightedTerm("row")], 10)
        view.rows([one.ordinal for one in found])
        view.find_ref(None, "a")
        view.find_object("a")
        view.find_path("3.py")
        list(snapshot.words())
        assert snapshot.facts == ()
        return len(list(view.scan()))


def current(tmp_path: Path) -> Path:
    return tmp_path / "index" / "generations" / "000002"


def files_of(tmp_path: Path) -> list[Path]:
    return sorted(path for path in current(tmp_path).rglob("*") if path.is_file())


def truncated(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


def foreign(raw: bytes) -> bytes:
    return bytes(byte ^ 0x5A for byte in raw)


def one_bit(raw: bytes) -> bytes:
    middle = len(raw) // 2
    return raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]


@pytest.mark.parametrize("harm", [truncated, foreign, one_bit, None])
def test_damage_to_any_file_is_an_integrity_error(
    built: TantivyHistory, tmp_path: Path, harm: Callable[[bytes], bytes] | None
) -> None:
    assert use(built) == 56
    for path in files_of(tmp_path):
        if path.name.startswith(".tantivy"):
            continue
        whole = path.read_bytes()
        path.unlink()  # the older generation shares the file: it must stay whole
        if harm is not None:
            path.write_bytes(harm(whole))
        with pytest.raises(IntegrityError) as caught:
            use(TantivyHistory(built.directory, VERSIONS))
        assert caught.value.code == "index_damaged"
        assert "derived" in caught.value.todo
        assert "citator index build --fresh" in caught.value.todo
        path.write_bytes(whole)
    assert use(TantivyHistory(built.directory, VERSIONS)) == 56


def test_damage_to_a_file_too_large_to_read_at_opening_is_found_by_verify(
    built: TantivyHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.index.generations.OPENING_BYTES", 0)
    built.verify()
    largest = max(files_of(tmp_path), key=lambda path: path.stat().st_size)
    whole = largest.read_bytes()
    largest.unlink()
    largest.write_bytes(one_bit(whole))
    with pytest.raises(IntegrityError):
        built.verify()


def test_harm_that_opening_does_not_see_is_an_error_when_it_is_met(
    built: TantivyHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.index.generations.OPENING_BYTES", 0)
    for path in files_of(tmp_path):
        if path.parent.name != "engine" or path.suffix not in (".store", ".idx", ".term"):
            continue
        whole = path.read_bytes()
        path.unlink()
        path.write_bytes(bytes(len(whole)))
        with pytest.raises(IntegrityError):
            use(TantivyHistory(built.directory, VERSIONS))
        path.write_bytes(whole)


@pytest.mark.parametrize("text", [b"", b"2", b"two\n", b"-1\n", b"2\n2\n", b"\xff\xff\n", b"9\n"])
def test_a_bad_pointer_to_the_current_generation_is_an_integrity_error(
    built: TantivyHistory, tmp_path: Path, text: bytes
) -> None:
    (tmp_path / "index" / "current").write_bytes(text)
    with pytest.raises(IntegrityError):
        built.open()
    made = built.build(batch("t2", DOCUMENTS[2:], fresh=True))
    assert made.number > 2
    assert use(built) == 56


def test_a_fresh_build_is_the_remedy(built: TantivyHistory, tmp_path: Path) -> None:
    for path in files_of(tmp_path):
        path.unlink()
    with pytest.raises(IntegrityError):
        built.open()
    with pytest.raises(IntegrityError):
        built.build(batch("t3", [], base="t2"))
    built.build(batch("t2", DOCUMENTS[2:], fresh=True))
    assert use(built) == 56


def test_rolling_back_is_a_remedy_too(built: TantivyHistory, tmp_path: Path) -> None:
    for path in files_of(tmp_path):
        if path.name != "manifest.json":
            path.unlink()
    with pytest.raises(IntegrityError):
        built.open()
    assert built.rollback().tip == "t1"
    snapshot = built.open()
    assert snapshot is not None
    assert snapshot.tip == "t1"
    with pytest.raises(IntegrityError):
        built.promote(2)
    assert built.open() is not None


def rewritten(path: Path, **changes: object) -> None:
    """The manifest with changes, and a checksum that fits."""
    said = json.loads(path.read_bytes().partition(b"\n")[2])
    text = json.dumps({**said, **changes})
    path.unlink()
    path.write_text(f"{zlib.crc32(text.encode()):08x}\n{text}\n")


def test_an_index_of_a_newer_format_is_refused_with_one_line(
    built: TantivyHistory, tmp_path: Path
) -> None:
    rewritten(current(tmp_path) / "manifest.json", format=2)
    with pytest.raises(IntegrityError) as caught:
        built.open()
    assert caught.value.code == "index_too_new"
    assert "newer version" in caught.value.what
    assert not built.outdated


@pytest.mark.parametrize("change", [{"format": 0}, {"versions": "s0.r0"}])
def test_an_index_of_older_versions_counts_as_not_built(
    built: TantivyHistory, tmp_path: Path, change: dict[str, object]
) -> None:
    assert not built.outdated
    rewritten(current(tmp_path) / "manifest.json", **change)
    assert built.open() is None
    assert built.outdated
    assert not built.holds(key_of(DOCUMENTS[5]))
    with pytest.raises(RefusedError) as caught:
        built.build(batch("t3", [], base="t2"))
    assert caught.value.code == "index_outdated"
    with pytest.raises(RefusedError) as caught:
        built.promote(2)
    assert caught.value.code == "index_outdated"
    built.build(batch("t2", DOCUMENTS[2:], fresh=True))
    assert not built.outdated
    assert use(built) == 56


@pytest.mark.parametrize(
    "change", [{"passages": 59}, {"number": 1}, {"lengths": [1]}, {"files": 3}]
)
def test_a_manifest_that_lies_is_an_integrity_error(
    built: TantivyHistory, tmp_path: Path, change: dict[str, object]
) -> None:
    rewritten(current(tmp_path) / "manifest.json", **change)
    with pytest.raises(IntegrityError):
        use(built)


def test_a_directory_of_something_else_is_not_read_and_not_harmed(tmp_path: Path) -> None:
    directory = tmp_path / "index"
    (directory / "generations" / "abc").mkdir(parents=True)
    (directory / "generations" / "abc" / "manifest.json").write_bytes(b"foreign")
    index = TantivyHistory(directory, VERSIONS)
    assert index.open() is None
    assert index.generations() == []
    index.build(batch("t2", DOCUMENTS[2:]))
    assert use(index) == 56
    assert (directory / "generations" / "abc" / "manifest.json").read_bytes() == b"foreign"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("IoError(Os { code: 30, kind: ReadOnlyFilesystem })", "data_directory_not_writable"),
        ("IoError(Os { code: 13, kind: PermissionDenied })", "data_directory_not_writable"),
        ("IoError(Os { code: 28, kind: StorageFull })", "disk_full"),
    ],
)
def test_what_the_system_refuses_a_reader_is_no_damage(said: str, code: str) -> None:
    with pytest.raises(StorageError) as caught, reading():
        raise ValueError(f"Failed to acquire Lockfile: {said}")
    assert caught.value.code == code


def test_an_error_of_the_index_carries_no_words_of_the_repository(
    built: TantivyHistory, tmp_path: Path
) -> None:
    for path in files_of(tmp_path):
        if path.parent.name == "engine":
            path.unlink()
            path.write_bytes(os.urandom(64))
    with pytest.raises(IntegrityError) as caught:
        use(built)
    assert str(tmp_path) not in f"{caught.value.what} {caught.value.todo}"
