"""The token of the HTTP server: made once, its owner's alone, and worth nothing once replaced."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from citator.model.errors import IntegrityError, RefusedError
from citator.service.doctor import Check, examine
from citator.service.http_token import Doorkeeper, ensure, rotate, token_path
from citator.service.workspace import Places

posix = pytest.mark.skipif(os.name != "posix", reason="the system has no such modes")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "data", tmp_path / "config")


def test_it_is_made_once_and_accepted(places: Places) -> None:
    path = ensure(places)
    token = path.read_bytes()
    assert path == token_path(places)
    assert re.fullmatch(rb"[A-Za-z0-9_-]{43}\n", token)
    assert ensure(places).read_bytes() == token
    keeper = Doorkeeper(path)
    assert keeper.accepts(token.strip())
    for other in (b"", token, token.strip()[:-1], token.strip() + b"x", b"x" * 43):
        assert not keeper.accepts(other)


def test_two_data_directories_have_two_tokens(places: Places, tmp_path: Path) -> None:
    other = Places(tmp_path / "other", tmp_path / "config")
    assert ensure(places).read_bytes() != ensure(other).read_bytes()


@posix
def test_nobody_else_can_read_it(places: Places) -> None:
    for path in (ensure(places), rotate(places)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(RefusedError) as error:
        ensure(places)
    assert error.value.code == "token_not_private"


def test_after_a_rotation_only_the_new_one_is_accepted_at_once(places: Places) -> None:
    old = ensure(places).read_bytes().strip()
    keeper = Doorkeeper(token_path(places))
    assert keeper.accepts(old)
    new = rotate(places).read_bytes().strip()
    assert new != old
    assert not keeper.accepts(old)
    assert keeper.accepts(new)


def test_the_doctor_shows_where_it_is_and_never_what_it_is(places: Places) -> None:
    def told() -> list[Check]:
        return [check for check in examine(places.config, places) if check.name == "HTTP token"]

    assert told() == []
    path = ensure(places)
    assert told() == [Check("HTTP token", True, str(path))]
    path.write_bytes(b"short")
    (sick,) = told()
    assert not sick.ok
    assert "--rotate-token" in sick.todo
    assert "short" not in sick.detail + sick.todo


def test_while_there_is_no_token_nobody_is_accepted(places: Places) -> None:
    token = ensure(places).read_bytes().strip()
    keeper = Doorkeeper(token_path(places))
    assert keeper.accepts(token)
    token_path(places).unlink()
    assert not keeper.accepts(token)
    assert not keeper.accepts(b"")


@pytest.mark.parametrize("damage", [b"", b"short\n", b"\xff" * 43, b"a" * 200])
def test_what_is_no_token_is_refused_and_a_rotation_mends_it(places: Places, damage: bytes) -> None:
    path = ensure(places)
    path.write_bytes(damage)
    with pytest.raises(IntegrityError) as error:
        ensure(places)
    assert error.value.code == "token_damaged"
    assert not Doorkeeper(path).accepts(damage)
    rotate(places)
    assert ensure(places) == path


@posix
def test_a_link_in_its_place_is_not_followed(places: Places, tmp_path: Path) -> None:
    path = ensure(places)
    kept = path.rename(tmp_path / "elsewhere")
    path.symlink_to(kept)
    with pytest.raises(RefusedError):
        ensure(places)
    assert not Doorkeeper(path).accepts(kept.read_bytes().strip())
