"""The machine's own git configuration takes no part in these tests."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_configuration_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
