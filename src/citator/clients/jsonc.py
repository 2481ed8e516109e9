"""JSON with comments and trailing commas, parsed with the place of every value.

Strict JSON is the same without comments and trailing commas. Names that occur twice, single
quotes and bare names are no JSON of either kind. Nesting deeper than ``DEEPEST`` is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from citator.clients.editing import NotEditableError, line_of

DEEPEST: Final = 200

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENTED = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")


@dataclass(slots=True)
class Value:
    """A value and where it stands. ``members`` are those of an object, ``elements`` those of an
    array (without a name), None for all else."""

    start: int
    end: int
    value: Any
    members: list[Member] | None = None
    elements: list[Member] | None = None


@dataclass(slots=True)
class Member:
    """A member of an object; ``start`` is its name's, ``comma`` where one follows it."""

    name: str
    start: int
    value: Value
    comma: int | None = None


@dataclass
class Parser:
    """Parses one text. ``strict``: JSON as the standard has it."""

    text: str
    strict: bool
    _blank: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        self._blank = _BLANK if self.strict else _COMMENTED

    def document(self) -> Value | None:
        """The one value; None where there is none. Raises NotEditableError."""
        start = self.skip(0)
        if start == len(self.text):
            return None
        found = self._value(start, 0)
        if self.skip(found.end) != len(self.text):
            raise self._broken("something follows the end of the document", self.skip(found.end))
        return found

    def skip(self, position: int) -> int:
        """Where the next token starts."""
        match = self._blank.match(self.text, position)
        return match.end() if match else position

    def _value(self, start: int, depth: int) -> Value:
        if depth > DEEPEST:
            raise self._broken("it is nested too deeply", start)
        head = self.text[start : start + 1]
        if head == "{":
            return self._object(start, depth)
        if head == "[":
            return self._array(start, depth)
        if head == '"':
            value, end = self._string(start)
            return Value(start, end, value)
        match = _WORD.match(self.text, start)
        if match is None:
            raise self._broken(self._wrong(start), start)
        return Value(start, match.end(), self._decoded(match[0], start))

    def _wrong(self, start: int) -> str:
        if self.strict and self.text.startswith(("//", "/*"), start):
            return "it holds a comment, which this client does not read"
        return "a value is missing or is not JSON"

    def _object(self, start: int, depth: int) -> Value:
        members: list[Member] = []
        position = self.skip(start + 1)
        while self.text[position : position + 1] != "}":
            if members and members[-1].comma is None:
                raise self._broken("a comma or a closing brace is missing", position)
            name, end = self._string(position)
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                raise self._broken("a colon is missing", colon)
            value = self._value(self.skip(colon + 1), depth + 1)
            member = Member(name, position, value)
            members.append(member)
            member.comma, position = self._after(value.end, "}")
        return Value(
            start, position + 1, {item.name: item.value.value for item in members}, members
        )

    def _array(self, start: int, depth: int) -> Value:
        items: list[Member] = []
        position = self.skip(start + 1)
        while self.text[position : position + 1] != "]":
            if items and items[-1].comma is None:
                raise self._broken("a comma or a closing bracket is missing", position)
            item = Member("", position, self._value(position, depth + 1))
            items.append(item)
            item.comma, position = self._after(item.value.end, "]")
        values = [item.value.value for item in items]
        return Value(start, position + 1, values, elements=items)

    def _after(self, end: int, closing: str) -> tuple[int | None, int]:
        """The comma behind a value, if any, and where the next token starts."""
        comma = self.skip(end)
        if self.text[comma : comma + 1] != ",":
            return None, comma
        position = self.skip(comma + 1)
        if self.strict and self.text[position : position + 1] == closing:
            raise self._broken("a comma stands before a closing bracket", comma)
        return comma, position

    def _string(self, start: int) -> tuple[str, int]:
        match = _STRING.match(self.text, start)
        if match is None:
            reason = self._wrong(start) if self.strict else "a name or a string is not JSON"
            raise self._broken(reason, start)
        return str(self._decoded(match[0], start)), match.end()

    def _decoded(self, token: str, start: int) -> Any:
        try:
            return json.loads(token)
        except ValueError:
            raise self._broken("a value is not JSON", start) from None

    def _broken(self, reason: str, position: int) -> NotEditableError:
        return NotEditableError(reason, line_of(self.text, position))
