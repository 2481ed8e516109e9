"""The proofs are of rules and not of a Python: a run of two Pythons takes them on one."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every proof of this folder as long."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.long)
