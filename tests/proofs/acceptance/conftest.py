from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs.acceptance.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House.at(tmp_path)
