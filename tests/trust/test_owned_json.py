"""What a person granted is read back, and what somebody else wrote grants the least."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.store.layout import Layout
from citator.trust.errors import PinRefusedError
from citator.trust.grants import LEAST, Grants
from citator.trust.ledgers import SecondLedgers

REPOSITORY = "c3" * 32


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "data").mkdir(mode=0o700)
    return Layout(tmp_path / "data")


def test_nobody_said_anything(layout: Layout) -> None:
    assert Grants(layout).read() == Audience(Sensitivity.INTERNAL, unapproved=False)
    assert SecondLedgers(layout).of(REPOSITORY) is None


def test_a_grant_is_read_back(layout: Layout) -> None:
    wide = Audience(Sensitivity.RESTRICTED, True, "acme", ("core", "ops"))
    Grants(layout).write(wide)

    assert Grants(layout).read() == wide


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{}",
        b"[]",
        b'{"ceiling":"restricted","groups":[],"tenant":null,"unapproved":true,"version":2}',
        b'{"ceiling":"all","groups":[],"tenant":null,"unapproved":true,"version":1}',
        b'{"ceiling":"restricted","groups":[1],"tenant":null,"unapproved":true,"version":1}',
        b'{"ceiling":"restricted","groups":[],"tenant":null,"unapproved":1,"version":1}',
        b'{"ceiling": "restricted","groups":[],"tenant":null,"unapproved":true,"version":1}',
    ],
)
def test_what_no_command_wrote_grants_the_least(layout: Layout, said: bytes) -> None:
    Grants(layout).write(Audience())
    (layout.data / "trust" / "audience.json").write_bytes(said)

    with pytest.raises(PinRefusedError):
        Grants(layout).read()
    assert Grants(layout).relied_on() == LEAST


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps access lists, not modes")
def test_a_file_that_others_may_write_grants_the_least(layout: Layout) -> None:
    Grants(layout).write(Audience(Sensitivity.RESTRICTED, True))
    (layout.data / "trust" / "audience.json").chmod(0o666)

    assert Grants(layout).relied_on() == LEAST


def test_a_second_ledger_is_of_one_repository(layout: Layout, tmp_path: Path) -> None:
    ledgers = SecondLedgers(layout)
    ledgers.set(REPOSITORY, tmp_path / "apart")
    ledgers.set("d4" * 32, tmp_path / "other")

    assert ledgers.of(REPOSITORY) == tmp_path / "apart"
    ledgers.set(REPOSITORY, None)
    assert ledgers.of(REPOSITORY) is None
    assert ledgers.of("d4" * 32) == tmp_path / "other"
