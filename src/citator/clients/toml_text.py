"""Edits TOML: our table under a header of its own, pair by pair.

An entry that somebody wrote as an inline table or with dotted names is left to them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from citator.clients.editing import (
    UNSAFE,
    Edit,
    Entry,
    NotEditableError,
    ended,
    expected,
    line_end_of,
    line_of,
    same,
    spliced,
    table_of,
    without,
)
from citator.clients.toml import Statement, statements

MOST_DEEP: Final = 64


class TomlText:
    """TOML with the comments, order and spacing that a person gave it."""

    def entry(self, text: str, keys: tuple[str, str]) -> Mapping[str, Any] | None:
        """The entry as it stands."""
        table = table_of(parsed(text).get(keys[0], {}))
        return table_of(table[keys[1]]) if keys[1] in table else None

    def put(self, text: str, keys: tuple[str, str], entry: Entry) -> str:
        """``text`` with the entry."""
        present = self.entry(text, keys)
        if present is None:
            return self._checked(text, _appended(text, keys, entry.fields), keys, entry.fields)
        for name, value in entry.required.items():
            if name not in present or present[name] != value:
                edited = spliced(text, [_setting(text, keys, name, value)])
                text = self._checked(text, edited, keys, {name: value})
        return text

    def remove(self, text: str, keys: tuple[str, str]) -> str:
        """``text`` without the entry's own tables."""
        if self.entry(text, keys) is None:
            return text
        edited = spliced(text, _removals(text, keys))
        if edited and not edited.strip():
            edited = ""
        meant = without(parsed(text), keys)
        if not same(_or_none(edited), meant, keys[0]):
            raise NotEditableError(UNSAFE, _line(text, keys))
        return edited

    def _checked(
        self, before: str, after: str, keys: tuple[str, str], fields: Mapping[str, Any]
    ) -> str:
        meant: dict[str, Any] = parsed(before)
        for name, value in fields.items():
            meant = expected(meant, (*keys, name), value)
        found = _or_none(after)
        if not isinstance(found, dict) or repr(_sorted(found)) != repr(_sorted(meant)):
            raise NotEditableError(UNSAFE, _line(before, keys))
        return after


def parsed(text: str) -> dict[str, Any]:
    """The document. Raises NotEditableError."""
    try:
        found = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError is one; a number of thousands of digits another
        raise NotEditableError("it is not valid TOML", _told(text, str(error))) from None
    except RecursionError:
        raise NotEditableError("it is nested too deeply") from None
    if _is_deep(found):  # a key with a thousand dots is read without recursion, and not compared so
        raise NotEditableError("it is nested too deeply")
    return found


def _is_deep(value: Any) -> bool:
    """Whether anything stands below more than MOST_DEEP tables and lists."""
    level = [value]
    for _ in range(MOST_DEEP):
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _told(text: str, message: str) -> int | None:
    """The line that the parser complains of."""
    _, found, rest = message.partition("(at line ")
    if found:
        return int(rest.split(",")[0])
    return line_of(text, len(text)) if "end of document" in message else None


def _or_none(text: str) -> dict[str, Any] | None:
    try:
        return parsed(text)
    except NotEditableError:
        return None


def _sorted(value: Any) -> Any:
    """Tables in the order of their names: a header may stand anywhere in the file."""
    if isinstance(value, dict):
        return [(key, _sorted(value[key])) for key in sorted(value)]
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _line(text: str, keys: tuple[str, str]) -> int | None:
    """Where the entry, else its table, starts."""
    found = [item for item in statements(text) if item.path[:2] == keys]
    found = found or [item for item in statements(text) if item.path[:1] == keys[:1]]
    return line_of(text, found[0].start) if found else None


def _appended(text: str, keys: tuple[str, str], fields: Mapping[str, Any]) -> str:
    """The table at the end, after an empty line; the last line ends as it did before."""
    newline = line_end_of(text)
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {rendered(fields[key])}" for key in fields)]
    block = newline.join(lines)
    if not text:
        return block + newline
    return ended(text) + newline + block + (newline if text.endswith("\n") else "")


def _setting(text: str, keys: tuple[str, str], name: str, value: Any) -> Edit:
    """Replaces the value of a pair, or adds the pair after the last one of the table."""
    last = None
    for found in _section(text, keys):
        if found.path == (*keys, name) and found.value is not None:
            return Edit(*found.value, rendered(value))
        last = found
    if last is None:
        raise NotEditableError(UNSAFE, _line(text, keys))
    end = text.find("\n", last.end)
    start = text.rfind("\n", 0, last.start) + 1
    indent = text[start : last.start] if not text[start : last.start].strip() else ""
    newline = line_end_of(text)
    if end < 0:
        return Edit(len(text), len(text), f"{newline}{indent}{name} = {rendered(value)}")
    return Edit(end + 1, end + 1, f"{indent}{name} = {rendered(value)}{newline}")


def _section(text: str, keys: tuple[str, str]) -> Iterator[Statement]:
    """The entry's header and the pairs below it."""
    inside = False
    for found in statements(text):
        if found.value is None:
            inside = found.path == keys
        if inside:
            yield found


def _removals(text: str, keys: tuple[str, str]) -> list[Edit]:
    """Each run of the entry's tables, with one empty line before it."""
    runs: list[tuple[int, int]] = []
    mine = False
    for found in statements(text):
        if found.value is None:
            starts = found.path[:2] == keys
            if starts and not mine:
                runs.append((found.start, found.end))
            mine = starts
        if mine:
            runs[-1] = (runs[-1][0], found.end)
    return [_run(text, *run) for run in runs]


def _run(text: str, start: int, end: int) -> Edit:
    start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    before = text[:start]
    for empty in ("\r\n", "\n"):
        if before.endswith("\n" + empty) or before == empty:
            start -= len(empty)
            break
    if line_end >= 0:
        return Edit(start, line_end + 1)
    return Edit(len(text[:start].removesuffix("\n").removesuffix("\r")), len(text))


def rendered(value: Any) -> str:
    """A value as TOML; a text with backslashes as it reads, between single quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(rendered(item) for item in value)}]"
    if isinstance(value, str):
        if "\\" in value and "'" not in value and value.isprintable():
            return f"'{value}'"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
