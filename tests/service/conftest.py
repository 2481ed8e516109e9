from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder
from tests.support.office import Office


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "data", tmp_path / "config", lambda size: b"k" * size)


@pytest.fixture
def history(tmp_path: Path) -> Builder:
    """A small history with reasons: four explained commits, one wordless, a page of Markdown."""
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/cache.py", "CACHE = {}\n")
    builder.commit(
        "Cache parsed manifests in memory (#11)\n\n"
        "Parsing the manifest took 40 ms on every request, because the tokenizer is slow.\n"
        "Keep the parsed form in a dictionary keyed by digest."
    )
    builder.write("src/cache.py", "")
    builder.commit(
        "Remove the manifest cache\n\n"
        "The cache outlived deployments and served stale manifests for hours, because nothing\n"
        "invalidated it. Parsing got faster in #11 anyway, so the cache no longer pays for the\n"
        "incidents that it caused on the checkout page.",
        author="Grace Removal <grace@example.org>",
    )
    builder.write("src/app.py", "x = 1\n")
    builder.commit("wip")
    builder.write("docs/adr/0001-queue.md", "# Use a queue\n\n## Status\n\nAccepted\n\nRetries.\n")
    builder.commit(
        "Record why deliveries go through a queue\n\n"
        "Direct delivery lost messages when the receiver was down; a queue keeps them until\n"
        "the receiver is back."
    )
    return builder


@pytest.fixture
def open_workspace(places: Places) -> Callable[[Builder], Workspace]:
    return lambda builder: Workspace.open(builder.path, places)


@pytest.fixture
def office(history: Builder, places: Places) -> Office:
    """The clone of the small history, its person pinned."""
    made = Office(history, places)
    made.pin()
    return made
