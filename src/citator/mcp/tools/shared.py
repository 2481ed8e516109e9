"""What definitions of several tools say alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from citator.model.errors import UsageError
    from citator.service.proposing import Moment

READ_ONLY: Final[dict[str, Any]] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
WRITES: Final[dict[str, Any]] = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
LOADED: Final[dict[str, Any]] = {"anthropic/alwaysLoad": True}

KINDS: Final[list[str]] = [
    "architecture",
    "decision",
    "domain",
    "operations",
    "security",
    "testing",
    "api",
    "incident",
    "convention",
    "rejected-approach",
    "known-exception",
]
PERMISSIONS: Final = ("network", "read", "run", "secrets", "write")
PATHS: Final[dict[str, Any]] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 400},
    "minItems": 1,
    "maxItems": 20,
}


def moment() -> Moment:
    """Now, at this border: nothing below reads a clock."""
    from secrets import token_bytes
    from time import time_ns

    from citator.service.proposing import Moment

    return Moment(time_ns() // 1_000_000, token_bytes)


def unfit(what: str, todo: str) -> UsageError:
    """Arguments that each fit the schema and do not fit each other."""
    from citator.model.errors import UsageError

    return UsageError("invalid_arguments", what, todo)
