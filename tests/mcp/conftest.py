"""A repository with reasons in it, indexed once for all tests that only ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from citator.service.index_history import update
from citator.service.workspace import Places, Workspace
from tests.mcp.serving import Home
from tests.support.builder import Builder

WHY_CACHE = """Key the parse cache by blob id

The cache was keyed by path and modification time. After a checkout every file looked new,
so a branch switch parsed the whole tree again and took forty seconds.

Keyed by blob id the same content is found whatever its path or date."""

# Enough small words of English that no word of it is looked up in other languages, which costs
# seconds once in each new data directory.
CACHE_QUESTION = "why is it that the parse cache is now keyed by the blob id?"

WHY_COLLECTOR = """Drop the telemetry collector

It sent counts to a server nobody read. The collector needed an account, failed behind
proxies and slowed the start by half a second, so it goes and nothing replaces it."""

ADR = """# 4. Store passages in one file

Status: Superseded by 9

## Context

Passages were spread over thousands of small files, which made copying an index slow.

## Decision

We will store passages in one append-only file.
"""


@dataclass(frozen=True)
class Indexed:
    """A repository and the directories in which its index stands."""

    builder: Builder
    home: Home
    commits: dict[str, str]

    @property
    def root(self) -> Path:
        return self.builder.path


def build(root: Path, home: Home) -> None:
    """Bring the index of ``root`` up to date."""
    update(Workspace.open(root, Places(home.data, home.config)))


def explained(folder: Path) -> tuple[Builder, dict[str, str]]:
    """A small history of commits that say why, and a decision record."""
    builder = Builder.init(folder)
    commits = {
        "cache": builder.write("src/cache.py", "key = 1\n").commit(WHY_CACHE),
        "collector": builder.write("src/start.py", "go = 1\n").commit(WHY_COLLECTOR),
        "record": builder.write("docs/adr/0004-one-file.md", ADR).commit("Record a decision"),
    }
    return builder, commits


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """The small history, indexed."""
    folder = tmp_path_factory.mktemp("indexed")
    builder, commits = explained(folder / "repository")
    home = Home.under(folder)
    build(builder.path, home)
    return Indexed(builder, home, commits)
