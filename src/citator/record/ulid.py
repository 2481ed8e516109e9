"""ULIDs: ids that sort by time and carry no words. Time and chance are handed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LAST = (1 << 48) - 1
_FORM = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def is_ulid(text: str) -> bool:
    """Whether ``text`` is a ULID in its one canonical spelling (26 upper-case characters)."""
    return _FORM.fullmatch(text) is not None


def mint(milliseconds: int, entropy: Callable[[int], bytes]) -> str:
    """A new ULID from Unix milliseconds and ten bytes of ``entropy(size)``."""
    value = (milliseconds << 80) | int.from_bytes(entropy(10), "big")
    digits = []
    for _ in range(26):
        value, digit = divmod(value, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def mint_after(milliseconds: int, entropy: Callable[[int], bytes], seen: Iterable[str]) -> str:
    """A new ULID that sorts after those ``seen``, also where their makers' clocks were ahead."""
    latest = max((_milliseconds(one) for one in seen), default=-1)
    return mint(min(max(milliseconds, latest + 1), _LAST), entropy)


def _milliseconds(ulid: str) -> int:
    value = 0
    for character in ulid[:10]:
        value = value * 32 + _ALPHABET.index(character)
    return value
