"""``why``: the docket of some code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import LOADED, READ_ONLY

if TYPE_CHECKING:
    from citator.mcp.desk import Desk

DEFINITION: Final[dict[str, Any]] = {
    "name": "why",
    "description": (
        "All that bears on some code: the commits that gave it its behaviour, past formatting, "
        "moves and renames (`passed`), how they stand, decisions, tests, callers. Call before you "
        "change it."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "target": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
                "description": (
                    'PATH, PATH:12-20, PATH::symbol, symbol, commit, decision, "text", error or '
                    "question"
                ),
            },
            "removed": {
                "type": "boolean",
                "default": False,
                "description": "What used to be there",
            },
            "more": {"type": "boolean", "default": False, "description": "Where `unfinished`"},
        },
        "required": ["target"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"docket": {"type": "object"}, "horizon": {"type": "object"}},
        "required": ["docket", "horizon"],
    },
    "annotations": READ_ONLY,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from time import monotonic

    from citator.mcp.docketed import docket_object
    from citator.service.why import PARTNERS, Asked, why

    asked = Asked(arguments["target"], arguments["removed"], arguments["more"])
    docket = why(desk.opened(), asked, monotonic)
    if any(fact.detail == PARTNERS for fact in docket.horizon.facts):
        desk.lagging()
    return docket_object(docket)
