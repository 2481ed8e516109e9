"""The statements of a TOML document and where they stand.

Only for text that the standard library's parser has accepted already: this finds places, it does
not judge. A statement is a header or a pair; white space and comments are between statements.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'"
_BETWEEN = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_PART = re.compile(rf"[ \t]*({_STRING}|[A-Za-z0-9_-]+)[ \t]*(\.?)", re.DOTALL)
_TOKEN = re.compile(rf"{_STRING}|#[^\n]*|[\[\]{{}}]|[^\[\]{{}}\"'#]+", re.DOTALL)
_BARE = re.compile(r"[^#\n]*")
_QUOTED = re.compile(_STRING, re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """A header (``value`` None) or a pair, with its whole path.

    ``end`` is where its last character ends; ``value`` the span of a pair's value.
    """

    path: tuple[str, ...]
    start: int
    end: int
    value: tuple[int, int] | None = None


def statements(text: str) -> Iterator[Statement]:
    """Every statement of valid TOML, in order."""
    table: tuple[str, ...] = ()
    position = _skip(text, 0)
    while position < len(text):
        if text[position] == "[":
            opening = 2 if text.startswith("[[", position) else 1
            table, after = _path(text, position + opening)
            found = Statement(table, position, after + opening)
        else:
            path, after = _path(text, position)
            start = after + 1 + _spaces(text, after + 1)
            end = _value_end(text, start)
            found = Statement((*table, *path), position, end, (start, end))
        yield found
        position = _skip(text, found.end)


def _skip(text: str, position: int) -> int:
    match = _BETWEEN.match(text, position)
    return match.end() if match else position


def _spaces(text: str, position: int) -> int:
    rest = text[position:].lstrip(" \t")
    return len(text) - position - len(rest)


def _path(text: str, position: int) -> tuple[tuple[str, ...], int]:
    """A dotted name and where it ends."""
    parts: list[str] = []
    while match := _PART.match(text, position):
        parts.append(_name(match[1]))
        position = match.end()
        if not match[2]:
            break
    return tuple(parts), position


def _name(part: str) -> str:
    return next(iter(tomllib.loads(f"{part} = 0"))) if part[0] in "\"'" else part


def _value_end(text: str, start: int) -> int:
    if match := _QUOTED.match(text, start):
        return match.end()
    if text[start] not in "[{":
        bare = _BARE.match(text, start)
        return start + len(bare[0].rstrip() if bare else "")
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if depth == 0:
            return token.end()
    return len(text)
