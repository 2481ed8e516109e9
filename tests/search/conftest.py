"""Views over a real index, built in the test's own directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from citator.index.analysis import Analyser
from citator.index.history import TantivyHistory
from citator.index.protocol import View
from citator.model.document import Document
from tests.support.corpus import VERSIONS, batch

ViewOf = Callable[..., View]


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    return Analyser()


@pytest.fixture
def view_of(tmp_path: Path) -> Iterator[ViewOf]:
    """Makes a view over documents; each call makes another index."""
    made = 0
    with ExitStack() as stack:

        def make(*documents: Document) -> View:
            nonlocal made
            made += 1
            history = TantivyHistory(tmp_path / str(made) / "index", VERSIONS)
            history.build(batch("tip", documents))
            snapshot = history.open()
            assert snapshot is not None
            stack.enter_context(snapshot)
            view = snapshot.view("tip")
            assert view is not None
            return view

        yield make
