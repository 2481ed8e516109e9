"""The repository that a command is about, and what a person is told before its index is made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli import surroundings

if TYPE_CHECKING:
    from citator.service.workspace import Workspace

REMADE = "citator: the index here was made by another version of citator; making it again\n"


def opened_here(root: Path) -> Workspace:
    """The repository at ``root`` or above it. Raises UsageError that names the registered ones."""
    from citator.service.registered import opened_at

    return opened_at(root, surroundings.places())


def tell_what_is_remade(workspace: Workspace) -> None:
    """Say to a person who watches that the next update starts over, and why."""
    from citator.service.index_history import is_outdated

    if surroundings.shows_progress() and is_outdated(workspace):
        sys.stderr.write(REMADE)
