"""Where a long answer goes on: a token that only continues the question it came from.

A cursor names a place in one ranking. It is sealed (HMAC-SHA256) with what the caller says must
not have changed, for example the generation and the tip, and a secret of the installation; a
cursor of another question, another index or another maker is ``invalid_cursor``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re

from citator.model.errors import UsageError

MAX_OFFSET = 10_000

_SEAL_BYTES = 15
_FORM = re.compile(r"[A-Za-z0-9_-]{24}")


def cursor_at(offset: int, question: str, seal: bytes) -> str:
    """The cursor that continues ``question`` after ``offset`` items."""
    raw = offset.to_bytes(3, "big")
    return base64.urlsafe_b64encode(raw + _sealed(raw, question, seal)).decode("ascii")


def offset_of(cursor: str, question: str, seal: bytes) -> int:
    """The place that ``cursor`` names. Raises UsageError ``invalid_cursor``."""
    if _FORM.fullmatch(cursor):
        try:
            raw = base64.urlsafe_b64decode(cursor)
        except (binascii.Error, ValueError):
            raise _invalid() from None
        offset, given = raw[:3], raw[3:]
        if hmac.compare_digest(given, _sealed(offset, question, seal)):
            return int.from_bytes(offset, "big")
    raise _invalid()


def _sealed(raw: bytes, question: str, seal: bytes) -> bytes:
    said = raw + hashlib.sha256(question.encode("utf-8", "surrogatepass")).digest()
    return hmac.new(b"citator cursor\0" + seal, said, hashlib.sha256).digest()[:_SEAL_BYTES]


def _invalid() -> UsageError:
    return UsageError(
        "invalid_cursor",
        "this cursor does not continue this question over this index",
        "ask the question again without a cursor",
    )
