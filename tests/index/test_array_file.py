"""One mapped file of named arrays: whole, or damaged and said so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.index.array_file import ArrayFile, write_arrays
from citator.model.errors import IntegrityError, StorageError

ARRAYS: dict[str, np.ndarray[Any, np.dtype[Any]]] = {
    "grid": np.arange(12, dtype=np.float32).reshape(3, 4),
    "keys": np.array([2**63, 7], np.uint64),
    "none": np.empty((0, 5), np.int8),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_arrays(tmp_path / "made" / "some.arrays", ARRAYS, {"source": "here"})
    return tmp_path / "made" / "some.arrays"


def test_gives_back_every_array_with_its_type_shape_and_values(path: Path) -> None:
    file = ArrayFile(path)
    file.verify(file.names)
    assert sorted(file.names) == ["grid", "keys", "none"]
    assert file.meta == {"source": "here"}
    for name, array in ARRAYS.items():
        assert file.array(name).dtype == array.dtype
        assert file.array(name).tolist() == array.tolist()


def test_starts_every_array_at_a_multiple_of_64_bytes(path: Path) -> None:
    file = ArrayFile(path)
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    for name in ("grid", "keys"):
        start = file.array(name).ctypes.data - np.frombuffer(file._map, np.uint8).ctypes.data
        assert start % 64 == 0
        assert whole[start : start + 4].tobytes() == ARRAYS[name].tobytes()[:4]


def test_leaves_only_the_file_behind_and_replaces_it_whole(path: Path) -> None:
    write_arrays(path, {"one": np.array([1], np.int8)}, {})
    assert list(path.parent.iterdir()) == [path]
    assert ArrayFile(path).array("one").tolist() == [1]


def test_an_array_that_is_not_there_is_damage(path: Path) -> None:
    with pytest.raises(IntegrityError):
        ArrayFile(path).array("other")


def test_an_empty_file_is_damage(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(IntegrityError):
        ArrayFile(path)


@given(cut=st.integers(0, 700))
def test_a_file_cut_short_anywhere_before_its_last_array_is_damage(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "some.arrays"
    write_arrays(path, {"big": np.arange(2000, dtype=np.uint8)}, {})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(IntegrityError):
        ArrayFile(path).verify(["big"])


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_one_flipped_bit_never_goes_unseen_where_it_matters(
    at: int, bit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("flip") / "some.arrays"
    write_arrays(path, ARRAYS, {"source": "here"})
    raw = bytearray(path.read_bytes())
    raw[at % len(raw)] ^= 1 << bit
    path.write_bytes(raw)
    try:
        file = ArrayFile(path)
        file.verify(ARRAYS)
    except IntegrityError:
        return
    assert file.meta == {"source": "here"}
    assert all(file.array(name).tolist() == ARRAYS[name].tolist() for name in ARRAYS)


def test_a_place_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        write_arrays(tmp_path / "file" / "some.arrays", ARRAYS, {})
