"""``remember``: leave a note on this machine; verify, amend or undo one's own; save a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import LOADED, WRITES, moment, unfit

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.notes import Told
    from citator.team.similar import Similar

DEFINITION: Final[dict[str, Any]] = {
    "name": "remember",
    "description": "Leave an unreviewed note. `id`: amend your own, or `do`.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": 500},
            "kind": {
                "type": "string",
                "maxLength": 13,
                "enum": ["fact", "pattern", "avoid", "decision-hint"],
            },
            "paths": {
                "type": "array",
                "items": {"type": "string", "maxLength": 400},
                "minItems": 1,
                "maxItems": 20,
            },
            "id": {"type": "string", "maxLength": 12},
            "do": {"type": "string", "maxLength": 6, "enum": ["verify", "undo"]},
            "session": {"type": "string", "maxLength": 400, "description": "WIP | NEXT"},
        },
        "required": [],
        "additionalProperties": False,
    },
    "outputSchema": {"type": "object", "properties": {}},
    "annotations": WRITES,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.mcp.answers import rejection_row
    from citator.service import notes
    from citator.service.decide import ToldNoError
    from citator.service.governing import notice
    from citator.team.notes import Channel

    text, id, do = arguments["text"] or "", arguments["id"], arguments["do"]
    kind, paths = arguments["kind"] or "", tuple(arguments["paths"] or ())
    if arguments["session"] is not None:
        if text or id or do or kind or paths:
            raise unfit("`session` stands alone", "Leave a note in a call of its own.")
        return _saved(desk, arguments["session"])
    if bool(do) == bool(text or kind or paths) or (do and not id):
        raise unfit(
            "say what to remember, or what to do with which note",
            "Give `text`; or `id` with `text`, `kind` or `paths`; or `id` with `do`.",
        )
    workspace, now, agent = desk.opened(), moment(), Channel.REMEMBERED
    if do == "verify":
        return _row("verified", notes.verify(workspace, id, agent, now))
    if do:
        return _row("undone", notes.undo(workspace, id, agent, now))
    try:
        if id:
            draft = notes.Draft(text, kind, paths)
            return _row("amended", notes.edit(workspace, id, draft, agent, now))
        made = notes.add(workspace, notes.Draft(text, kind or "fact", paths), agent, now)
    except ToldNoError as refused:
        return {"status": "told_no", "rejections": [rejection_row(notice(refused.rejected))]}
    return _row("noted" if made.new else "said_again", made.note, made.similar)


def _saved(desk: Desk, said: str) -> dict[str, Any]:
    """What became of a session: no word of it. Without a bar, all of it is what comes next."""
    from citator.service import sessions
    from citator.team.notes import Channel

    wip, _, following = said.rpartition("|")
    draft = sessions.Draft(following, wip)
    saved = sessions.save(desk.opened(), draft, Channel.REMEMBERED, moment())
    return {"status": "saved", "id": saved.id, "trust": "unreviewed"}


def _row(status: str, note: Told, near: tuple[Similar, ...] = ()) -> dict[str, Any]:
    """What became of a note: no word of it."""
    found: dict[str, Any] = {"status": status, "id": note.id, "kind": note.kind.value}
    found |= {"trust": note.trust, "level": note.level.value, "age": note.age.value}
    if note.taken_back:
        found["taken_back"] = True
    if near:
        found["similar"] = [
            {"id": one.id, "may_be": one.likeness.value, "alike": one.share} for one in near
        ]
    return found
