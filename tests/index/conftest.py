"""The engines that the contract of an index is tested against."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citator.index.history import TantivyHistory
from citator.index.protocol import HistoryIndex
from tests.support.corpus import VERSIONS
from tests.support.reference_index import ReferenceIndex


@pytest.fixture(params=["tantivy", "reference"])
def make_index(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], HistoryIndex]:
    """Makes an empty index of each engine; calling it again makes another."""
    made = 0

    def make() -> HistoryIndex:
        nonlocal made
        made += 1
        if request.param == "reference":
            return ReferenceIndex()
        return TantivyHistory(tmp_path / str(made) / "index", VERSIONS)

    return make


@pytest.fixture
def index(make_index: Callable[[], HistoryIndex]) -> HistoryIndex:
    """One empty index of each engine."""
    return make_index()


@pytest.fixture
def history(tmp_path: Path) -> TantivyHistory:
    """One empty index of the engine that is shipped."""
    return TantivyHistory(tmp_path / "index", VERSIONS)
