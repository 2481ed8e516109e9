"""The words of hooks in the shape that each client reads: one JSON object, or nothing."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

CLIENTS: Final = ("claude-code", "codex", "cursor", "git")
EVENTS: Final = ("session-start", "before-edit", "after-commit", "session-end", "pre-compact")

_NESTED: Final = {"session-start": "SessionStart", "before-edit": "PreToolUse"}


def shaped(client: str, event: str, text: str) -> str:
    """What to print; "" for an event whose answer the client does not read."""
    if not text:
        return ""
    if client in ("claude-code", "codex") and event in _NESTED:
        inner = {"hookEventName": _NESTED[event], "additionalContext": text}
        return json.dumps({"hookSpecificOutput": inner})
    if client == "cursor" and event in _NESTED:
        return json.dumps({"additional_context": text})
    return ""
