"""A clone with a decision about `src/`, and its hooks' table made."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from citator.service import hooks_table
from citator.service.proposing import Moment
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.hooks.speaking import Speaker
from tests.service.test_record import ADA, approved
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger

RULING = "Carts live in one SQLite file"
NOW = Moment(1_796_000_000_000, lambda size: b"e" * size)


def made(folder: Path) -> Speaker:
    """Who starts hooks in a clone below ``folder``; what they may say was worked out."""
    data = folder / "data"
    data.mkdir(mode=0o700)
    Pins(Layout(data)).write(pin(ADA))
    builder = Builder.init(folder / "repo")
    builder.write("src/cart.py", "CART = 1\n")
    builder.write("README.md", "# Carts\n")
    builder.commit("Begin")
    ledger = Ledger()
    ledger.decide("Keep carts in SQLite", ruling=RULING, paths=["src/**"])
    approved(builder, ledger)
    speaker = Speaker(builder, data, builder.path, NOW.milliseconds // 1000)
    assert hooks_table.refresh(speaker.workspace, NOW)
    return speaker


@pytest.fixture
def speaker(tmp_path: Path) -> Speaker:
    """One whose clone the test changes."""
    return made(tmp_path)


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    return made(tmp_path_factory.mktemp("shared"))


@pytest.fixture
def reader(_shared: Speaker, request: pytest.FixtureRequest) -> Speaker:
    """One whose clone stays as it is, in a conversation of its own."""
    return replace(_shared, session=hashlib.sha256(request.node.name.encode()).hexdigest())
