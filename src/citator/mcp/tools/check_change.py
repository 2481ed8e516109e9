"""``check_change``: hold an intended change against what is known, and take the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import LOADED, PATHS, WRITES, moment, unfit

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.guard_log import Reply

DEFINITION: Final[dict[str, Any]] = {
    "name": "check_change",
    "description": (
        "Before you change: does it bring back what was removed for a reason, or go against a "
        "decision? Nothing given: the work tree. Answer each finding."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "patch": {"type": "string", "maxLength": 262144},
            "paths": PATHS,
            "approach": {"type": "string", "maxLength": 4096},
            "staged": {"type": "boolean", "default": False},
            "read": {"type": "integer", "minimum": 0, "maximum": 3, "default": 0},
            "answers": {
                "type": "array",
                "items": {"type": "string", "maxLength": 600},
                "minItems": 1,
                "maxItems": 10,
                "description": "ID=applies, ID=not-applicable: WHY, ID=challenge: WHY",
            },
        },
        "required": [],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"findings": {"type": "array"}, "horizon": {"type": "object"}},
        "required": [],
    },
    "annotations": WRITES,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.mcp.checked import answered_object, checked_object
    from citator.service.answer_finding import answer
    from citator.service.check import PARTNERS, REMOVALS, check
    from citator.service.check_findings import Wanted
    from citator.service.intent import Intent, Source
    from citator.service.removed import IN_A_CALL

    given = [key for key in ("patch", "paths", "approach", "staged") if arguments[key]]
    if arguments["answers"]:
        if given:
            raise unfit("`answers` stand alone", "Check again in a call of its own.")
        said = [_said(one) for one in arguments["answers"]]
        return answered_object([answer(desk.opened(), *one, moment()) for one in said])
    if sum(key in given for key in ("patch", "paths", "staged")) > 1:
        raise unfit(
            "`patch`, `paths` and `staged` exclude each other",
            "Give one of them.",
        )
    if arguments["patch"] is not None and not arguments["patch"].strip():
        raise unfit("`patch` is empty", "Leave it out to check the work tree.")
    source = Source.WORKTREE
    if arguments["staged"]:
        source = Source.STAGED
    elif arguments["patch"]:
        source = Source.PATCH
    elif given:
        source = Source.PATHS
    intent = Intent(
        source,
        patch=(arguments["patch"] or "").encode("utf-8", "surrogatepass"),
        paths=tuple(arguments["paths"] or ()),
        approach=arguments["approach"] or "",
    )
    workspace = desk.opened()
    wanted = Wanted(read=arguments["read"], patience=IN_A_CALL)
    found = check(workspace, intent, moment().text, wanted)
    if any(fact.detail in (REMOVALS, PARTNERS) for fact in found.horizon.facts):
        desk.lagging()
    return checked_object(found, workspace.secret)


def _said(text: str) -> tuple[str, Reply, str]:
    """What one answer says: the finding, the reply, the reason. Raises UsageError."""
    from citator.service.guard_log import Reply

    id, _, rest = text.partition("=")
    reply, _, why = rest.partition(":")
    if reply.strip() not in {one.value for one in Reply}:
        raise unfit(
            "an answer is not of its form",
            "Say ID=applies, ID=not-applicable: WHY or ID=challenge: WHY.",
        )
    return id.strip(), Reply(reply.strip()), why
