"""One spelling for signed and pinned values: canonical JSON.

- Sorted keys, no spaces, UTF-8, no fractions, no duplicate keys, one line without an end.
- What is read back must be spelled exactly so: two byte strings never mean the same value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NoReturn


class CanonicalError(ValueError):
    """The bytes are not canonical JSON of an object. Never leaves this package."""


def encode(value: Mapping[str, object]) -> bytes:
    """``value`` (strings, whole numbers, booleans, None, lists and objects of them) as bytes."""
    try:
        text = json.dumps(
            value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
        return text.encode("utf-8")
    except (UnicodeEncodeError, ValueError, TypeError):
        raise CanonicalError from None


def decode(data: bytes, limit: int) -> dict[str, Any]:
    """The object that ``data``, of at most ``limit`` bytes, spells. Raises CanonicalError."""
    value = read(data, limit)
    if encode(value) != data:
        raise CanonicalError
    return value


def read(data: bytes, limit: int) -> dict[str, Any]:
    """The same for what a person may have written, in whatever spelling. Raises CanonicalError."""
    if len(data) > limit:
        raise CanonicalError
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_float=_refuse,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError):
        raise CanonicalError from None
    if not isinstance(value, dict):
        raise CanonicalError
    return value


def require_keys(value: object, keys: frozenset[str]) -> dict[str, Any]:
    """``value`` where it is an object with exactly ``keys``. Raises CanonicalError."""
    if not isinstance(value, dict) or value.keys() != keys:
        raise CanonicalError
    return value


def digest(data: bytes) -> str:
    """SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def is_digest(value: object) -> bool:
    """Whether ``value`` is the text of a SHA-256."""
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise CanonicalError
    return value


def _refuse(_: str) -> NoReturn:
    raise CanonicalError
