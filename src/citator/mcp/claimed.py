"""Claims as plain objects for the wire: what anybody may be told of who else is there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.rows import fitted

if TYPE_CHECKING:
    from citator.service.conflicts import Notice

CLAIMS_BYTES: Final = 400  # 100 tokens
COMMIT_DIGITS: Final = 12
DATE_CHARACTERS: Final = 10
PATHS_SHOWN: Final = 5


def claim_row(one: Notice) -> dict[str, Any]:
    """Somebody's claim or open branch: what is absent is left out."""
    row: dict[str, Any] = {"grade": one.grade.value, "author": one.author}
    if one.own:
        row["own"] = True
    if one.ticket is not None:
        row["ticket"] = one.ticket
    if one.until is not None:
        row["until"] = one.until[:DATE_CHARACTERS]
    if one.commit is not None:
        row |= {"commit": one.commit[:COMMIT_DIGITS], "date": one.date, "commits": one.commits}
    for key, said in (("files", one.paths), ("symbols", one.symbols), ("items", one.decisions)):
        if said:
            row[key] = list(said[:PATHS_SHOWN])
    return row


def claim_rows(notices: Iterable[Notice], room: int = CLAIMS_BYTES) -> dict[str, Any]:
    """``claims`` of at most ``room`` bytes, the nearest first, and how many more there are."""
    rows = [claim_row(one) for one in notices]
    kept = fitted(rows, room)
    found: dict[str, Any] = {"claims": rows[:kept]} if kept else {}
    if kept < len(rows):
        found["claims_left_out"] = len(rows) - kept
    return found
