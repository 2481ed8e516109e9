"""JSON as tools save it: one value, one a line, or several in a row (pages of a paginated call).

Bounded: what is nested too deeply or holds too many values is refused, as is what is no JSON. Lone
surrogates become the replacement character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

MAX_DEPTH: Final = 64
MAX_VALUES: Final = 5_000_000

_GAP: Final = re.compile(r"[ \t\r\n,]*")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class NotJsonError(ValueError):
    """Why a text is not read: ``not_json``, ``too_deep`` or ``too_many``."""


def read_values(text: str) -> list[Any]:
    """Every value in ``text``, in order. Raises NotJsonError."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    found: list[Any] = []
    at = _end(text, 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            raise NotJsonError("too_deep") from None
        except ValueError:
            raise NotJsonError("not_json") from None
        found.append(value)
        at = _end(text, at)
    return _cleaned(found)


def _end(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap is not None else at


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _cleaned(values: list[Any]) -> list[Any]:
    """The values with their texts whole, walked without recursion and within bounds."""
    whole: list[Any] = [values]
    waiting: list[tuple[Any, Any, int]] = [(whole, 0, 0)]
    count = 0
    while waiting:
        holder, key, depth = waiting.pop()
        value = holder[key]
        count += 1
        if depth > MAX_DEPTH:
            raise NotJsonError("too_deep")
        if count > MAX_VALUES:
            raise NotJsonError("too_many")
        if isinstance(value, str):
            holder[key] = _SURROGATE.sub("\ufffd", value)
        elif isinstance(value, list):
            waiting += [(value, at, depth + 1) for at in range(len(value))]
        elif isinstance(value, dict):
            waiting += [(value, at, depth + 1) for at in value]
    cleaned: list[Any] = whole[0]
    return cleaned


def mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """The mappings in a value: itself, or those in lists of lists (pages)."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from mappings(one)
