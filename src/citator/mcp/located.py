"""An answer of locate as a plain object: short unless detail was asked for.

- A short answer is at most 160 bytes a file and never less than 1,600 in all: what is said of each
  file shrinks until it fits. The list of files is not cut for that, only for the cap of a result.
- A file is told by path, reasons in our words, places inside it and the ranks a decision governs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citator.mcp.answers import (
    RESULT_BYTES,
    decision_row,
    horizon_row,
    rejection_row,
    size,
)
from citator.mcp.definitions import compact
from citator.service import reading_plan
from citator.service.reason_wording import (
    EVERYTHING,
    FULLNESS,
    NOTHING_SAID,
    Fullness,
    room_for,
    sentence,
)

if TYPE_CHECKING:
    from citator.service.locate import Located, LocatedFile, LocatedFunction


def located_object(found: Located, detail: bool) -> dict[str, Any]:
    """The answer, at most RESULT_BYTES on the wire; ``left_out`` counts files that did not fit."""
    kept = len(found.files)
    while True:
        shown = replace(found, files=found.files[:kept])
        made = _told(shown, EVERYTHING) if detail else _short(shown)
        if kept < len(found.files):
            made["left_out"] = len(found.files) - kept
        if size(made) <= RESULT_BYTES or not kept:
            return made
        kept = kept * 3 // 4


def _short(found: Located) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for fullness in FULLNESS:
        made = _told(found, fullness)
        if len(compact(made).encode()) <= room_for(len(found.files)):
            break
    return made


def _told(found: Located, fullness: Fullness) -> dict[str, Any]:
    detail = fullness is EVERYTHING
    made: dict[str, Any] = {
        "files": [_file(number, one, fullness) for number, one in enumerate(found.files, 1)]
    }
    if found.considered and not found.files:
        made["note"] = NOTHING_SAID
    for key, rows in (("rejections", _rejections), ("decisions", _decisions)):
        if told := rows(found, fullness):
            made[key] = told
    if found.record.left_out:
        made["decisions_left_out"] = found.record.left_out
    if detail:
        made["considered"] = found.considered
    if found.plan is not None and found.files:
        made["reading_plan"] = reading_plan.sentence(found.plan)
    if found.uncommitted:
        made["uncommitted"] = found.uncommitted
    made["horizon"] = horizon_row(replace(found.horizon, indexed=found.horizon.head))
    return made


def _file(number: int, one: LocatedFile, fullness: Fullness) -> dict[str, Any]:
    row: dict[str, Any] = {"path": one.path, "confidence": round(one.confidence, 2)}
    if one.state != "read":
        row["state"] = one.state
    if why := one.why[: fullness.reasons_of(number)]:
        row["why"] = "; ".join(map(sentence, why))
    if places := one.functions[: fullness.functions_of(number)]:
        row["in"] = [_place(place) for place in places]
    return row


def _place(place: LocatedFunction) -> str:
    lines = f"{place.first}-{place.last}"
    return lines if place.name is None else f"{place.name} {lines}"


def _rejections(found: Located, fullness: Fullness) -> list[dict[str, Any]]:
    rows = []
    for one in found.record.rejections:
        row = rejection_row(one if fullness.words else replace(one, reason=None))
        row["files"] = _ranks(one.rejection in file.rejections for file in found.files)
        rows.append(row)
    return rows


def _decisions(found: Located, fullness: Fullness) -> list[dict[str, Any]]:
    rows = []
    for one in found.record.decisions:
        row = decision_row(one)
        if fullness is not EVERYTHING:
            kept = ("item", "status", "signature", *(("ruling",) if fullness.words else ()))
            row = {key: row[key] for key in kept if key in row}
        row["files"] = _ranks(one.item in file.decisions for file in found.files)
        rows.append(row)
    return rows


def _ranks(held: Iterable[bool]) -> list[int]:
    return [number for number, one in enumerate(held, 1) if one]
