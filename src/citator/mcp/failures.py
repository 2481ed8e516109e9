"""Failures as typed results: a code, what happened, what to do; never words of the repository.

An error that this product raises on purpose says all three itself. Anything else becomes
``internal_error``: its text could hold anything, so a client sees none of it and stderr the name
of its class alone.

Some remedies are a person's: to sign, to pin, to grant. A client is told that, and not how: what an
agent reads as the next step, it may take.
"""

from __future__ import annotations

import re
from typing import Any, Final

from citator.model.errors import CitatorError

A_PERSON: Final = "This takes a person, who is told how at their own terminal. Go on without it."
_THEIRS: Final = re.compile(r"citator\s+(?:approve|reject|apply|trust|policy)\b")


def failure_object(error: BaseException) -> dict[str, Any]:
    """``{"error": {"code", "what", "todo"}}``."""
    if isinstance(error, CitatorError):
        return _failure(error.code, error.what, error.todo)
    return _failure(
        "internal_error",
        "Something went wrong inside Citator; nothing was changed.",
        "Ask again; if it happens twice, `citator doctor` may name the cause.",
    )


def _failure(code: str, what: str, todo: str) -> dict[str, Any]:
    said = what if _THEIRS.search(what) is None else "Something here waits for a person."
    shown = todo if _THEIRS.search(todo) is None else A_PERSON
    return {"error": {"code": code, "what": said, "todo": shown}}
