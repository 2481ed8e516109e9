"""One small repository with reasons, and one with a hostile note on top of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples.demo_history import build

from tests.cli.process import Home


@pytest.fixture(scope="session")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's history."""
    return build(tmp_path_factory.mktemp("histories") / "ferry", hostile=False)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's history with a note that gives orders."""
    return build(tmp_path_factory.mktemp("histories") / "hostile", hostile=True)


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory, ferry: Path, hostile: Path) -> Home:
    """A user who has indexed both. Tests that change the data use :func:`home`."""
    user = Home(tmp_path_factory.mktemp("user"))
    for repository in (ferry, hostile):
        assert user.run("index", "build", "--root", repository).code == 0
    return user


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A user who has indexed nothing."""
    return Home(tmp_path / "user")
