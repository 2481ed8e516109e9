"""``investigate_work``: what history and the record say to a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import KINDS, LOADED, PATHS, PERMISSIONS, READ_ONLY

if TYPE_CHECKING:
    from citator.mcp.desk import Desk
    from citator.service.conflicts import Notice
    from citator.service.investigate import Investigation, Question
    from citator.service.workspace import Workspace


DEFINITION: Final[dict[str, Any]] = {
    "name": "investigate_work",
    "description": (
        "Why is it so, was it tried before? Finds commits, documents and decisions for a task, "
        "best first. Call before changing, removing or re-proposing. Returns refs and facts, no "
        "prose: `matched`: your words there; `unknown_words` stand nowhere. `rejections`: a "
        "person said no. A `ruling` is signed. `files`: likely concerned. `skills`: signed "
        "procedures. Abstains, never guesses; `horizon`: what it could not see."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "task": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
                "description": "Question or change, in plain words",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 8},
            "read": {
                "type": "integer",
                "minimum": 0,
                "maximum": 3,
                "default": 0,
                "description": "Texts of the first N",
            },
            "cursor": {"type": "string", "maxLength": 512},
            "paths": {**PATHS, "description": "Files concerned"},
            "kinds": {
                "type": "array",
                "items": {"type": "string", "enum": KINDS},
                "minItems": 1,
                "maxItems": len(KINDS),
            },
            "as_of": {
                "type": "string",
                "maxLength": 35,
                "description": "Decisions valid then (RFC 3339)",
            },
            "at": {"type": "string", "maxLength": 64, "description": "Decisions at this commit"},
            "you_can": {
                "type": "array",
                "items": {"type": "string", "enum": list(PERMISSIONS)},
                "maxItems": 5,
            },
        },
        "required": ["task"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "status": {"enum": ["complete", "partial", "abstained"]},
            "rejections": {"type": "array"},
            "decisions": {"type": "array"},
            "evidence": {"type": "array"},
            "files": {"type": "array"},
            "horizon": {"type": "object"},
            "texts": {"type": "array"},
        },
        "required": ["status", "evidence", "horizon"],
    },
    "annotations": READ_ONLY,
    "_meta": LOADED,
}


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from dataclasses import replace
    from datetime import UTC, datetime

    from citator.mcp.answers import answer_object, fitting
    from citator.model.horizon import Limit
    from citator.model.record import ItemKind
    from citator.service.investigate import Question, investigate
    from citator.service.skill_dispatch import dispatch

    workspace = desk.opened()
    question = Question(
        arguments["task"],
        limit=arguments["limit"],
        read=arguments["read"],
        cursor=arguments["cursor"] or None,
        paths=tuple(arguments["paths"] or ()),
        kinds=tuple(ItemKind(kind) for kind in arguments["kinds"] or ()),
        as_of=arguments["as_of"] or None,
        at=arguments["at"] or None,
        now=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    found = investigate(workspace, question)
    files = found.predicted.files
    skills = None
    if question.cursor is None and found.policy is not None:
        skills = dispatch(workspace.places, found.policy.task, arguments["you_can"])
    near = () if question.cursor else notices(workspace, question, found)
    kept = fitting(found.answer, found.record, files, found.policy, skills, near)
    if kept < len(found.answer.evidence):
        shorter = replace(question, limit=kept)
        found = investigate(workspace, shorter, asked=found)
    behind = any(fact.limit is Limit.INDEX_BEHIND for fact in found.answer.horizon.facts)
    if behind or found.predicted.off:
        desk.lagging()
    beside = (found.record, files, found.policy, skills, near)
    return answer_object(found.answer, found.texts, workspace.secret, *beside)


def notices(workspace: Workspace, question: Question, found: Investigation) -> tuple[Notice, ...]:
    """Who else works on the files that the task is likely about."""
    from citator.service.conflicts import in_the_way

    paths = (*question.paths, *(one.path for one in found.predicted.files))
    return tuple(one.notice for one in in_the_way(workspace, paths, question.now or ""))
