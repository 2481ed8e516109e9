"""``finish_work``: say how a ticket ended, so that the next is told better.

A client may load it when it is wanted: nothing begins with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import WRITES, moment

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.outcomes import Told
    from citator.team.outcomes import Judged

DEFINITION: Final[dict[str, Any]] = {
    "name": "finish_work",
    "description": "End a ticket by commit or files",
    "inputSchema": {
        "type": "object",
        "properties": {
            "ticket": {"type": "string", "maxLength": 64},
            "outcome": {
                "type": "string",
                "maxLength": 9,
                "enum": ["completed", "reverted", "abandoned"],
            },
            "commit": {"type": "string", "maxLength": 99},
            "files": {
                "type": "array",
                "items": {"type": "string", "maxLength": 400},
                "minItems": 1,
                "maxItems": 99,
            },
        },
        "required": ["ticket", "outcome"],
        "additionalProperties": False,
    },
    "outputSchema": {"type": "object", "properties": {}},
    "annotations": WRITES,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.service import outcomes
    from citator.team.outcomes import Outcome

    made = outcomes.finish(
        desk.opened(),
        moment(),
        ticket=arguments["ticket"],
        outcome=Outcome(arguments["outcome"]),
        files=tuple(arguments["files"] or ()),
        commit=arguments["commit"] or None,
    )
    status = "replaced" if made.replaced else "recorded"
    return {"status": status, **outcome_row(made.told), "released": made.released}


def outcome_row(told: Told) -> dict[str, Any]:
    """An outcome: ids and numbers."""
    row: dict[str, Any] = {"ticket": told.ticket, "outcome": told.outcome.value}
    row |= {key: value for key, value in (("commit", told.commit),) if value}
    row |= {"corrected_by": told.corrected_by} if told.corrected_by else {}
    if told.judged is not None:
        row["changed"] = told.judged.changed
        if told.judged.foreseen:
            row["prediction"] = _prediction(told.judged)
    row["shown"] = {"notes": len(told.notes), "files": told.files, "decisions": told.decisions}
    row["used"] = {"notes": list(told.used), "files": told.files_used}
    return row


def _prediction(held: Judged) -> dict[str, Any]:
    found: dict[str, Any] = {"files": held.foreseen, "right": held.right}
    shares = (("precision", held.precision), ("recall", held.recall), ("f1", held.f1))
    found |= {name: round(share, 2) for name, share in shares if share is not None}
    return {**found, "first_right": held.first}
