"""Names of other formats as aliases and labels of the record."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from citator.model.plain import MAX_SEGMENT
from citator.record import fields

_WORD: Final = re.compile(r"[a-z0-9]+")


def slug(words: str) -> str:
    """``words`` in lower case joined by ``-``; empty where there is none to keep."""
    return "-".join(_WORD.findall(words.lower()))[:MAX_SEGMENT].rstrip("-")


def alias_of(name: str) -> str:
    """``name`` as an alias; one that is too long is cut and told apart by a digest.

    Empty where nothing of it can be kept.
    """
    try:
        found: str = fields.alias(name)
        return found
    except fields.BadValueError:
        parts = (("-".join(_WORD.findall(part.lower()))) for part in re.split(r"[/.]", name))
        joined = ".".join(filter(None, parts))
    if len(joined) <= MAX_SEGMENT:
        return joined
    return f"{joined[:46].rstrip('.-')}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
