"""Seals what is kept to be believed later: with the secret of the data directory.

A file that was changed, or put there, by whoever does not hold the secret is no file of ours: it
is made again.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

_DIGITS: Final = 64


def sealed(secret: bytes, purpose: str, data: bytes) -> bytes:
    """``data`` behind its seal: a line of 64 hexadecimal digits."""
    return _seal(secret, purpose, data) + b"\n" + data


def unsealed(secret: bytes, purpose: str, raw: bytes) -> bytes | None:
    """What was sealed for ``purpose``; None for anything else."""
    seal, data = raw[:_DIGITS], raw[_DIGITS + 1 :]
    return data if hmac.compare_digest(seal, _seal(secret, purpose, data)) else None


def contents(raw: bytes) -> bytes:
    """What stands behind a seal, whoever put it there: for cleaning up, and nothing else."""
    return raw[_DIGITS + 1 :]


def _seal(secret: bytes, purpose: str, data: bytes) -> bytes:
    message = purpose.encode() + b"\0" + data
    return hmac.new(secret, message, hashlib.sha256).hexdigest().encode()
