"""Times as this package writes them: UTC to the second, as text. They sort; no clock is read."""

from __future__ import annotations

import re
from datetime import datetime

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}Z")


def is_time(text: str) -> bool:
    """Whether ``text`` is a moment such as ``2026-01-31T12:00:00Z``."""
    if _TIME.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
