"""The format of the data directory: said once, brought up in steps, never past what we know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citator import __version__
from citator.model.errors import IntegrityError, StorageError
from citator.store import stamp


def said(data: Path) -> object:
    return json.loads((data / "format.json").read_bytes())


def test_a_new_directory_says_what_it_is(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert stamp.found(data) is None
    stamp.bring_up(data)
    assert said(data) == {"format": stamp.FORMAT, "citator": __version__}
    assert stamp.found(data) == stamp.FORMAT


def test_a_directory_that_says_nothing_is_of_the_first_format(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"k" * 32)
    assert stamp.found(tmp_path) == 1
    stamp.bring_up(tmp_path)
    assert stamp.found(tmp_path) == 2
    assert (tmp_path / "secret").read_bytes() == b"k" * 32


def test_steps_are_taken_in_order_and_again_where_one_was_interrupted(tmp_path: Path) -> None:
    (tmp_path / "thing").write_bytes(b"")
    taken: list[int] = []

    def fail(data: Path) -> None:
        taken.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stamp.bring_up(tmp_path, {1: fail})
    assert stamp.found(tmp_path) == 1
    stamp.bring_up(tmp_path, {1: lambda data: taken.append(2)})
    stamp.bring_up(tmp_path, {1: lambda data: taken.append(3)})
    assert taken == [1, 2]
    assert stamp.found(tmp_path) == stamp.FORMAT


@pytest.mark.parametrize(
    "harm",
    [b"", b"[]", b"null", b"2\n", b'{"format": 2}', b'{"format": "2", "citator": "1"}',
     b'{"format": 0, "citator": "1"}', b'{"format": true, "citator": "1"}', b"\xff"],
)  # fmt: skip
def test_what_does_not_say_a_format_is_not_guessed_at(harm: bytes, tmp_path: Path) -> None:
    (tmp_path / "format.json").write_bytes(harm)
    for act in (stamp.found, stamp.require_readable, stamp.bring_up):
        with pytest.raises(IntegrityError) as error:
            act(tmp_path)
        assert error.value.code == "data_format_unreadable"
    assert (tmp_path / "format.json").read_bytes() == harm


def test_a_newer_one_is_refused_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "format.json").write_text('{"format": 3, "citator": "0.9.0"}')
    for act in (stamp.found, stamp.require_readable, stamp.bring_up):
        with pytest.raises(IntegrityError) as error:
            act(tmp_path)
        assert error.value.code == "data_too_new"
        assert "(0.9.0)" in error.value.what
    assert [path.name for path in tmp_path.iterdir()] == ["format.json"]


def test_a_file_in_the_place_of_the_directory_is_an_error_and_stays(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(b"mine")
    with pytest.raises(StorageError):
        stamp.bring_up(data)
    assert data.read_bytes() == b"mine"
