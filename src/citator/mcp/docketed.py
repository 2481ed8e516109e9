"""A docket as a plain object: what is empty is left out, the rest cut from the bottom to fit.

- Ids of commits are twelve digits; ``ref`` reads what one says. A line range is told once, with the
  commits that were passed on the way to its own.
- Nothing here holds words of the repository (rule 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from citator.mcp.answers import COMMIT_DIGITS, ROWS_BYTES, evidence_row, horizon_row, record_object
from citator.mcp.definitions import compact
from citator.model.docket import Relation
from citator.model.evidence import ClaimState
from citator.model.treatment import Standing

if TYPE_CHECKING:
    from citator.model.docket import (
        Docket,
        DocketCommit,
        DocketLines,
        DocketPlace,
        Ownership,
        Passed,
        Removal,
    )
    from citator.model.treatment import Edge

MOST: Final = 16
T = TypeVar("T")


def docket_object(docket: Docket) -> dict[str, Any]:
    """The docket, at most ROWS_BYTES of it."""
    most = MOST
    while True:
        made = _told(docket, most)
        if len(compact(made).encode()) <= ROWS_BYTES or most <= 1:
            return made
        most = most * 3 // 4


def _told(docket: Docket, most: int) -> dict[str, Any]:
    told: dict[str, Any] = {"shape": docket.shape.value}
    names = {"path": docket.path, "symbol": docket.symbol}
    told.update({key: name for key, name in names.items() if name is not None})
    cut = 0

    def rows(key: str, items: Sequence[T], row: Callable[[T], object]) -> None:
        nonlocal cut
        if items:
            told[key] = [row(one) for one in items[:most]]
            cut += max(0, len(items) - most)

    rows("places", docket.places, _place)
    rows("lines", docket.lines, _lines)
    rows("removals", docket.removals, _removal)
    rows("commits", docket.commits, _commit)
    told.update(record_object(docket.record))
    rows("reviews", docket.reviews, evidence_row)
    rows("evidence", docket.evidence, evidence_row)
    rows("tests", docket.tests, str)
    rows("changes_with", docket.partners, lambda one: f"{one.path} {one.together}/{one.of}")
    if docket.ownership is not None:
        told["ownership"] = _owned(docket.ownership)
    rows("callers", docket.callers, _place)
    left = cut + docket.callers_left_out + docket.commits_left_out
    if left:
        told["left_out"] = left
    if docket.unfinished:
        told["unfinished"] = True
    if docket.abstained is not None:
        told["abstained"] = docket.abstained.value
    return {"docket": told, "horizon": horizon_row(docket.horizon)}


def _span(path: str, first: int, last: int) -> str:
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _place(one: DocketPlace) -> str:
    name = f" {one.name}" if one.name else ""
    return _span(one.path, one.first, one.last) + name


def _lines(one: DocketLines) -> dict[str, Any]:
    row: dict[str, Any] = {"at": _span(one.path, one.first, one.last)}
    if one.commit is not None:
        row["commit"] = one.commit[:COMMIT_DIGITS]
    if one.relation is not Relation.INTRODUCED:
        row["relation"] = one.relation.value
    if one.commit is not None and (one.there_path, one.there_line) != (one.path, one.first):
        row["there"] = f"{one.there_path}:{one.there_line}"
    if one.passed:
        row["passed"] = [_passed(each) for each in one.passed]
    if one.others:
        row["others"] = [each[:COMMIT_DIGITS] for each in one.others]
    return row


def _passed(one: Passed) -> str:
    return one.what if one.commit is None else f"{one.commit[:COMMIT_DIGITS]} {one.what}"


def _removal(one: Removal) -> dict[str, Any]:
    row: dict[str, Any] = {"commit": one.commit[:COMMIT_DIGITS], "at": f"{one.path}:{one.first}"}
    row["lines"] = one.lines
    if one.instead:
        row["instead"] = one.instead
    if one.whole:
        row["whole"] = True
    if one.now is not None:
        row["now"] = one.now
    return row


def _commit(one: DocketCommit) -> dict[str, Any]:
    row: dict[str, Any] = {"commit": one.commit[:COMMIT_DIGITS], "role": one.role.value}
    if one.date is not None:
        row["date"] = one.date
    if one.lines:
        row["lines"] = one.lines
    if one.changes:
        row["changes"] = list(one.changes)
    if one.ref is not None:
        row["ref"] = one.ref
    if one.verdict.standing is not Standing.UNASSESSED:
        row["standing"] = one.verdict.standing.value
        row["reason"] = one.verdict.reason.value
    if one.claim_state is ClaimState.STALE:
        row["claim_state"] = one.claim_state.value
    if one.treatment:
        row["treatment"] = [_edge(edge) for edge in one.treatment[:3]]
    return row


def _owned(one: Ownership) -> dict[str, Any]:
    owners = [f"{each.author} {round(100 * each.share)}%" for each in one.owners[:3]]
    row: dict[str, Any] = {"owners": owners, "half_is_of": one.factor, "changes": one.changes}
    if one.declared:
        row["declared"] = list(one.declared[:4])
    return row


def _edge(edge: Edge) -> str:
    by = f"{edge.treatment.value} by {edge.by[:COMMIT_DIGITS]} ({edge.strength.value})"
    return f"{edge.date} {by}".strip()
