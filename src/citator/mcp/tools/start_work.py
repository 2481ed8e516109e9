"""``start_work``: begin a ticket, claim its files, see who else is there.

A client may load it when it is wanted, as finish_work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import WRITES, moment

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.start_work import Begun

DEFINITION: Final[dict[str, Any]] = {
    "name": "start_work",
    "description": "Begin a ticket: with `task` predict, with `files` (or PATH:NAME) claim",
    "inputSchema": {
        "type": "object",
        "properties": {
            "ticket": {"type": "string", "maxLength": 64},
            "task": {"type": "string", "maxLength": 4096},
            "files": {
                "type": "array",
                "items": {"type": "string", "maxLength": 500},
                "maxItems": 20,
            },
            "intent": {"type": "string", "maxLength": 200},
        },
        "required": ["ticket"],
        "additionalProperties": False,
    },
    "outputSchema": {"type": "object", "properties": {}},
    "annotations": WRITES,
}
_ROOM: Final = 2_000


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.service.claims import wished
    from citator.service.start_work import start_work

    wish = wished(arguments["ticket"], arguments["files"] or (), arguments["intent"] or "")
    begun = start_work(desk.opened(), wish, arguments["task"] or "", moment())
    if begun.predicted.off:
        desk.lagging()
    return _told(begun)


def _told(begun: Begun) -> dict[str, Any]:
    from citator.mcp.answers import file_rows, horizon_row, record_object
    from citator.mcp.claimed import claim_rows
    from citator.model.utc import utc_text

    found: dict[str, Any] = {"status": "predicted", "ticket": begun.ticket}
    if begun.claim is not None:
        found["status"] = "claimed"
        found["claim"] = begun.claim.id[:12]
        found["until"] = utc_text(begun.claim.expires)
    else:
        found["files"] = file_rows(begun.predicted.files)
    found |= record_object(begun.record)
    found |= claim_rows((one.notice for one in begun.conflicts), _ROOM)
    if begun.claim is None:
        found["next"] = "Call again with the `files` you will touch: that claims them."
    found["horizon"] = horizon_row(begun.horizon)
    return found
