"""``get_brief``: where work stands, and what to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import LOADED, READ_ONLY, moment

if TYPE_CHECKING:
    from citator.mcp.desk import Desk

DEFINITION: Final[dict[str, Any]] = {
    "name": "get_brief",
    "description": "Call first: where work stands.",
    "inputSchema": {
        "type": "object",
        "properties": {"detail": {"type": "boolean", "default": False}},
        "required": [],
        "additionalProperties": False,
    },
    "outputSchema": {"type": "object", "properties": {}},
    "annotations": READ_ONLY,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.service.brief import brief
    from citator.service.shown import note_shown

    workspace, now = desk.opened(), moment()
    found = brief(workspace, now)
    note_shown(workspace, now, notes=found.notes, decisions=found.decisions)
    told: dict[str, Any] = {"brief": found.text}
    if arguments["detail"]:
        from dataclasses import asdict

        from citator.mcp.answers import horizon_row
        from citator.service.stats import stats

        told["tokens"] = {"all": found.tokens, "rulings": found.ruling_tokens}
        told["left_out"] = found.left_out
        how = asdict(stats(workspace, now))
        told["health"] = {k: v for k, v in how.pop("health").items() if v is not None}
        told["statistics"] = how
        told["horizon"] = horizon_row(found.horizon)
    return told
