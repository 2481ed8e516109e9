"""Rows of an answer, cut from the bottom to the bytes that a section has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citator.mcp.definitions import compact


def fitted(rows: Iterable[Mapping[str, Any]], room: int, least: int = 1) -> int:
    """How many of ``rows``, from the first, fit into ``room`` bytes; ``least`` of them even where
    they do not, if there are so many."""
    count = 0
    for row in rows:
        room -= len(compact(row).encode()) + 1
        if room < 0 and count >= least:
            break
        count += 1
    return count
