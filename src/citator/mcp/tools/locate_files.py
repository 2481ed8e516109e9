"""``locate_files``: the files an issue is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.tools.shared import LOADED, PATHS, READ_ONLY

if TYPE_CHECKING:
    from citator.mcp.desk import Desk

DEFINITION: Final[dict[str, Any]] = {
    "name": "locate_files",
    "description": (
        "Where to act: the files an issue is about, best first. `confidence`: how often such a "
        "file was really changed; `in`: where inside it; `decisions` govern `files` (ranks); "
        "`rejections`: a person said no to something there."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "issue": {
                "type": "string",
                "minLength": 1,
                "maxLength": 65536,
                "description": "Its text, traceback included",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "include_tests": {"type": "boolean", "default": False},
            "paths": {**PATHS, "description": "Only these folders or files"},
            "detail": {"type": "boolean", "default": False},
        },
        "required": ["issue"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "files": {"type": "array"},
            "decisions": {"type": "array"},
            "horizon": {"type": "object"},
        },
        "required": ["files", "horizon"],
    },
    "annotations": READ_ONLY,
    "_meta": LOADED,
}
_FUNCTIONS: Final = 3
_FUNCTIONS_IN_DETAIL: Final = 8


def work(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The object that it answers with. Raises CitatorError."""
    from citator.mcp.located import located_object
    from citator.service.locate import Wanted, locate

    detail = arguments["detail"]
    wanted = Wanted(
        arguments["issue"],
        limit=arguments["limit"],
        functions=_FUNCTIONS_IN_DETAIL if detail else _FUNCTIONS,
        tests=arguments["include_tests"],
        under=tuple(arguments["paths"] or ()),
    )
    return located_object(locate(desk.opened(), wanted), detail)
