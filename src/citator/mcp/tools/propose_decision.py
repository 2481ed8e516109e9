"""``propose_decision``: a proposal that changes nothing until a person signs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import KINDS, LOADED, PATHS, WRITES, moment, unfit

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.decide import Links
    from citator.service.decision_template import Wish


DEFINITION: Final[dict[str, Any]] = {
    "name": "propose_decision",
    "description": (
        "Propose a decision (a file in `.citator/proposals`): nothing changes until a person "
        "signs it. `id` alone: how one stands. `told_no`: a person rejected it before."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "id": {"type": "string", "maxLength": 26},
            "title": {"type": "string", "minLength": 1, "maxLength": 200},
            "ruling": {
                "type": "string",
                "minLength": 1,
                "maxLength": 280,
                "description": "In one sentence",
            },
            "body": {
                "type": "string",
                "minLength": 1,
                "maxLength": 20000,
                "description": "Context, options, consequences",
            },
            "kind": {"type": "string", "maxLength": 20, "enum": KINDS, "default": "decision"},
            "paths": {**PATHS, "description": "Globs of what it governs"},
            "rejected": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "string", "minLength": 1, "maxLength": 500},
                        "reason": {"type": "string", "minLength": 1, "maxLength": 500},
                        "unless": {"type": "string", "maxLength": 500},
                    },
                    "required": ["value", "reason"],
                    "additionalProperties": False,
                },
                "minItems": 1,
                "maxItems": 10,
                "description": "Alternatives not taken",
            },
            "revises": {"type": "string", "maxLength": 26},
            "supersedes": {"type": "string", "maxLength": 26},
            "because": {
                "type": "string",
                "maxLength": 1000,
                "description": "What changed since the no",
            },
        },
        "required": [],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "status": {"enum": ["draft", "proposed", "approved", "rejected", "told_no", "unknown"]},
        },
        "required": ["status"],
    },
    "annotations": WRITES,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.mcp.answers import reply_object
    from citator.service.propose_decision import propose_decision, status_of

    given = {key: value for key, value in arguments.items() if value and key != "kind"}
    if "id" in given:
        if len(given) > 1:
            raise unfit("`id` asks how a proposal stands", "Give `id` alone, or leave it out.")
        return reply_object(status_of(desk.opened(), given["id"]))
    missing = [key for key in ("title", "ruling", "body") if key not in given]
    if missing:
        raise unfit(f"`{missing[0]}` is missing", f"Give `{missing[0]}`, or `id` alone.")
    wish, links = _wished(arguments)
    because = given.get("because")
    return reply_object(propose_decision(desk.opened(), wish, links, because, moment()))


def _wished(arguments: Mapping[str, Any]) -> tuple[Wish, Links]:
    from citator.service.decide import Links
    from citator.service.decision_template import Alternative, Wish

    wish = Wish(
        title=arguments["title"],
        ruling=arguments["ruling"],
        kind=arguments["kind"],
        paths=tuple(arguments["paths"] or ()),
        body=arguments["body"],
        alternatives=tuple(
            Alternative(one["value"], one["reason"], one["unless"] or "")
            for one in arguments["rejected"] or ()
        ),
    )
    supersedes = arguments["supersedes"]
    return wish, Links((supersedes,) if supersedes else (), arguments["revises"] or None)
