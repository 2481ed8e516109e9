"""What definitions of several tools say alike."""

from __future__ import annotations

from typing import Any, Final

READ_ONLY: Final[dict[str, Any]] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
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
PATHS: Final[dict[str, Any]] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 400},
    "minItems": 1,
    "maxItems": 20,
}
