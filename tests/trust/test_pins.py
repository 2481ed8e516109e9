"""Pinned roots: outside every repository, the owner's alone, and refused when in doubt."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from citator.model.errors import CitatorError
from citator.store.layout import Layout
from citator.trust.assurance import Signature, Threshold
from citator.trust.errors import KeyRefusedError, PinRefusedError
from citator.trust.keys import key_from_blob
from citator.trust.pins import MAX_BYTES, Approver, Pin, Pins, parse_pin
from citator.trust.policy import Policy
from citator.trust.ssh_wire import string
from tests.support import keys

RECORD = "ab" * 32
OTHER = "cd" * 32
ANN, BOB = keys.ed25519_key(1).public, keys.ecdsa_key(256, 2).public
POLICY = Policy("main", author_may_approve=False, floor=Threshold(Signature.KEY, 2))
PIN = Pin(
    RECORD,
    (Approver("ann", ANN, ("ann@example.org", "añn@example.net")), Approver("bob@example", BOB)),
    POLICY,
    "2026-01-31T12:00:00Z",
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    return Pins(Layout(tmp_path / "data"))


@pytest.fixture
def file(pins: Pins) -> Path:
    """A written pin's file; the control is that it reads."""
    pins.write(PIN)
    assert pins.read(RECORD) == PIN
    return pins.directory / f"{RECORD}.json"


def refusal(pins: Pins) -> str:
    with pytest.raises(PinRefusedError) as caught:
        pins.read(RECORD)
    assert caught.value.todo
    return caught.value.code


def test_nothing_is_pinned_until_a_person_pins(pins: Pins) -> None:
    assert pins.read(RECORD) is None
    assert pins.records() == ()
    assert pins.remove(RECORD) is False
    assert not pins.directory.exists()


def test_a_pin_is_read_as_it_was_written(pins: Pins) -> None:
    pins.write(PIN)
    assert Pins(Layout(pins.directory.parents[1])).read(RECORD) == PIN
    assert pins.read(OTHER) is None
    assert pins.records() == (RECORD,)


def test_a_pin_takes_the_place_of_the_one_before(pins: Pins, file: Path) -> None:
    later = replace(PIN, approvers=PIN.approvers[:1], pinned_at="2026-02-01T00:00:00Z")
    pins.write(later)
    assert pins.read(RECORD) == later
    assert [path.name for path in pins.directory.iterdir()] == [file.name]


def test_a_removed_pin_is_gone(pins: Pins, file: Path) -> None:
    assert pins.remove(RECORD) is True
    assert pins.read(RECORD) is None
    assert pins.remove(RECORD) is False


def test_a_pin_of_a_newer_version_is_not_called_damaged(pins: Pins, file: Path) -> None:
    newer = re.sub(rb'"version":1}$', b'"version":2,"words":[]}', file.read_bytes())
    file.write_bytes(newer)
    assert refusal(pins) == "pin_too_new"


def test_nothing_is_read_or_pinned_where_a_newer_version_wrote(pins: Pins, file: Path) -> None:
    (pins.directory.parents[1] / "format.json").write_text('{"format": 99, "citator": "9.0"}')
    for call in (partial(pins.read, RECORD), partial(pins.write, PIN)):
        with pytest.raises(CitatorError) as caught:
            call()
        assert caught.value.code == "data_too_new"


@posix
def test_what_is_written_is_the_owners_alone(pins: Pins, file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert pins.directory.stat().st_mode & 0o777 == 0o700
    assert pins.directory.parent.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o660, 0o666])
def test_a_file_that_others_can_write_does_not_count(pins: Pins, file: Path, mode: int) -> None:
    file.chmod(mode)
    assert refusal(pins) == "pin_writable_by_others"
    file.chmod(0o644)
    assert pins.read(RECORD) == PIN


@posix
@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_directory_that_others_can_write_does_not_count(
    pins: Pins, file: Path, level: int
) -> None:
    file.parents[level].chmod(0o770)
    assert refusal(pins) == "pin_writable_by_others"
    with pytest.raises(PinRefusedError):
        pins.write(PIN)
    file.parents[level].chmod(0o755)
    assert pins.read(RECORD) == PIN


@posix
def test_a_link_does_not_count_wherever_it_leads(pins: Pins, file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert refusal(pins) == "pin_is_link"
    elsewhere.unlink()
    assert refusal(pins) == "pin_is_link"
    pins.write(PIN)
    assert not file.is_symlink()
    assert pins.read(RECORD) == PIN
    assert not elsewhere.exists()


@posix
@pytest.mark.parametrize("level", [0, 1])
def test_a_linked_directory_does_not_count(
    pins: Pins, file: Path, tmp_path: Path, level: int
) -> None:
    directory = file.parents[level]
    elsewhere = tmp_path / "elsewhere"
    directory.rename(elsewhere)
    directory.symlink_to(elsewhere)
    assert refusal(pins) == "pin_is_link"


@posix
def test_the_data_directory_itself_may_be_reached_by_a_link(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert Pins(Layout(tmp_path / "link")).read(RECORD) == PIN


@posix
@pytest.mark.parametrize("level", [None, 0, 1, 2])
def test_what_belongs_to_another_user_does_not_count(
    pins: Pins, file: Path, level: int | None
) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a file away needs root")
    os.chown(file if level is None else file.parents[level], 12345, -1)
    assert refusal(pins) == "pin_of_another_owner"


@posix
def test_what_is_no_file_does_not_count(pins: Pins, file: Path) -> None:
    file.unlink()
    file.mkdir()
    assert refusal(pins) == "pin_not_a_file"
    file.rmdir()
    os.mkfifo(file)
    assert refusal(pins) == "pin_not_a_file"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: data.replace(b',"version":1', b""),
        lambda data: data.replace(b'"ann"', b'"b b"'),
        lambda data: data.replace(b"ssh-ed25519 AAAA", b"ssh-ed25519 AAAB"),
        lambda data: data.replace(b'"key":"ssh-ed25519', b'"key":"cert-authority ssh-ed25519'),
        lambda data: data.replace(b'"signature":"key"', b'"signature":"none"'),
        lambda data: data.replace(RECORD.encode(), OTHER.encode()),
        lambda data: b"{" + b" " * MAX_BYTES + data[1:],
        lambda data: b"[" * 200_000,
    ],
)
def test_a_damaged_pin_counts_for_nothing(
    pins: Pins, file: Path, change: Callable[[bytes], bytes]
) -> None:
    changed = change(file.read_bytes())
    assert changed != file.read_bytes()
    file.write_bytes(changed)
    assert refusal(pins) == "pin_damaged"
    assert pins.records() == (RECORD,)
    assert pins.remove(RECORD) is True
    assert pins.read(RECORD) is None


def test_what_stands_in_the_way_is_an_error_and_not_an_absence(pins: Pins) -> None:
    pins.directory.parent.parent.mkdir()
    pins.directory.parent.write_bytes(b"")
    assert refusal(pins) == "pin_not_a_file"
    with pytest.raises(CitatorError):
        pins.write(PIN)


def test_a_key_tells_whose_it_is_by_its_bytes() -> None:
    approver = PIN.approver_of(BOB)
    assert approver is not None
    assert approver.label == "bob@example"
    assert PIN.approver_of(keys.ed25519_key(9).public) is None


def test_two_keys_may_be_one_approvers_but_one_key_is_never_two() -> None:
    both = replace(PIN, approvers=(Approver("ann", ANN), Approver("ann", BOB)))
    assert parse_pin(both.to_bytes()) == both
    with pytest.raises(PinRefusedError):
        replace(PIN, approvers=(Approver("ann", ANN), Approver("bob", ANN)))
    with pytest.raises(PinRefusedError):
        replace(PIN, approvers=(Approver("ann", ANN), Approver("Ann", BOB)))


@pytest.mark.parametrize(
    "parts",
    [
        {"record": "ab"},
        {"record": "../" + "a" * 61},
        {"approvers": ()},
        {"approvers": (Approver("", ANN),)},
        {"approvers": (Approver("-ann", ANN),)},
        {"approvers": (Approver("ann and the rest", ANN),)},
        {"approvers": (Approver("a" * 65, ANN),)},
        {"approvers": (Approver("ann", ANN, ("nobody",)),)},
        {"approvers": (Approver("ann", ANN, ("Ann <ann@example.org>",)),)},
        {"approvers": (Approver("ann", ANN, ("ann@example.org\n",)),)},
        {"approvers": (Approver("ann", ANN, ("\ud800@example.org",)),)},
        {"approvers": (Approver("ann", ANN, ("ann@example.org",) * 17),)},
        {"pinned_at": "yesterday"},
    ],
)
def test_a_pin_that_says_nothing_clear_cannot_be_made(parts: dict[str, object]) -> None:
    with pytest.raises(PinRefusedError):
        replace(PIN, **parts)  # type: ignore[arg-type]


def test_only_ids_of_records_name_files(pins: Pins, file: Path) -> None:
    for name in ("", "..", "../../secret", RECORD.upper(), RECORD + "\n"):
        with pytest.raises(PinRefusedError):
            pins.read(name)
        with pytest.raises(PinRefusedError):
            pins.remove(name)
    (pins.directory / "notes.json").write_text("{}")
    assert pins.records() == (RECORD,)


def test_a_key_that_can_never_sign_is_not_pinned(pins: Pins) -> None:
    nowhere = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(b"\4" + b"\1" * 64)
    with pytest.raises(KeyRefusedError) as caught:
        pins.write(replace(PIN, approvers=(Approver("ann", key_from_blob(nowhere)),)))
    assert caught.value.code == "key_malformed"
    assert pins.read(RECORD) is None


HERE, THERE = "1" * 64, "2" * 64


def test_a_pin_holds_for_the_repositories_it_names_and_no_other(pins: Pins) -> None:
    pins.write(replace(PIN, repositories=(HERE,), places=()))
    bound = pins.read(RECORD)
    assert bound is not None
    assert bound.holds_for(HERE, THERE)
    assert not bound.holds_for(THERE, HERE)
    assert not bound.holds_for(None, HERE)


def test_a_clone_of_which_only_the_place_is_known_is_pinned_by_its_place() -> None:
    bound = replace(PIN, repositories=(), places=(THERE,))
    assert bound.holds_for(None, THERE)
    assert not bound.holds_for(None, HERE)
    assert parse_pin(bound.to_bytes()) == bound


@pytest.mark.parametrize(
    "wrong",
    [
        {"repositories": (HERE,)},
        {"places": ()},
        {"repositories": (THERE, HERE), "places": ()},
        {"repositories": (HERE, HERE), "places": ()},
        {"repositories": ("x",), "places": ()},
    ],
)
def test_what_a_pin_names_is_clear_or_refused(wrong: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(PinRefusedError):
        replace(PIN, **wrong)  # type: ignore[arg-type]


def test_a_verifier_is_no_approver_and_the_other_way_round(pins: Pins) -> None:
    ci = Approver("ci", keys.ed25519_key(9).public)
    pins.write(replace(PIN, verifiers=(ci,)))
    pin = pins.read(RECORD)
    assert pin is not None
    assert pin.verifier_of(ci.key) == ci
    assert pin.approver_of(ci.key) is None
    assert pin.verifier_of(ANN) is None
    with pytest.raises(PinRefusedError):
        replace(PIN, verifiers=(Approver("ci", ANN),))
