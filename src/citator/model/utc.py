"""A moment as it is written everywhere: RFC 3339, UTC, to the second."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_text(seconds: float) -> str:
    """Unix seconds as text. Raises ValueError or OverflowError where no calendar of ours has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
