"""Failures as typed results: a code, what happened, what to do; never words of the repository.

An error that this product raises on purpose says all three itself. Anything else becomes
``internal_error``: its text could hold anything, so a client sees none of it and stderr the name
of its class alone.
"""

from __future__ import annotations

from typing import Any

from citator.model.errors import CitatorError


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
    return {"error": {"code": code, "what": what, "todo": todo}}
