"""A small, safe part of YAML: plain data of bounded size and depth, nothing clever.

- Mappings with text keys, sequences, text, integers, decimals, true, false, null. No other tag.
- Anchors, aliases and merge keys are refused, so that nothing can expand.
- ``yes``, ``no``, ``on``, ``off`` and dates are text: only ``true`` and ``false`` are booleans.
- A key that stands twice means neither: it is dropped and reported.
- What is refused is said by code and line; no word of the text is repeated.

Importing this module imports PyYAML: callers do so when they have YAML to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

MAX_CHARACTERS = 65_536
MAX_DEPTH = 24

_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}(?:[eE][-+]?[0-9]{1,3})?")
_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({None, "!", f"{_TAG}str"})
_PLAIN_TAGS = frozenset({None, *(f"{_TAG}{name}" for name in ("bool", "int", "float", "null"))})


_FATAL = frozenset(
    {
        "alias_refused",
        "key_not_text",
        "many_documents",
        "not_yaml",
        "tag_refused",
        "too_deep",
        "too_large",
    }
)


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """What is wrong (a code) and where (1-based line, None: the whole text)."""

    code: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The data (None where nothing could be read) and every problem met.

    ``lines`` gives the line of each key of the top mapping.
    """

    value: object
    problems: tuple[YamlProblem, ...]
    lines: dict[str, int]

    @property
    def readable(self) -> bool:
        """Whether the text was read to its end."""
        return not any(problem.code in _FATAL for problem in self.problems)


class _RefusedError(Exception):
    def __init__(self, code: str, line: int | None) -> None:
        super().__init__(code)
        self.problem = YamlProblem(code, line)


def load(text: str) -> Loaded:
    """The data that ``text`` holds. Never raises."""
    if len(text) > MAX_CHARACTERS:
        return Loaded(None, (YamlProblem("too_large"),), {})
    builder = _Builder()
    try:
        for event in _events(text):
            builder.take(event)
    except _RefusedError as refused:
        return Loaded(None, (*builder.problems, refused.problem), {})
    return Loaded(builder.value, tuple(builder.problems), builder.lines)


def _events(text: str) -> Iterator[yaml.Event]:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _RefusedError("not_yaml", mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, ValueError, IndexError, OverflowError):
        raise _RefusedError("not_yaml", None) from None


class _Mapping:
    """A mapping under construction; ``key`` waits for its value."""

    def __init__(self) -> None:
        self.data: dict[str, object] = {}
        self.lines: dict[str, int] = {}
        self.repeated: set[str] = set()
        self.key: str | None = None


class _Builder:
    """Builds data from parser events without recursion."""

    def __init__(self) -> None:
        self.value: object = None
        self.lines: dict[str, int] = {}
        self.problems: list[YamlProblem] = []
        self._stack: list[_Mapping | list[object]] = []
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Take in one event. Raises _RefusedError."""
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _RefusedError("alias_refused", line)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _RefusedError("many_documents", line)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._enter(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._leave()

    def _enter(self, event: Any, line: int | None) -> None:
        if event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            raise _RefusedError("tag_refused", line)
        if len(self._stack) >= MAX_DEPTH:
            raise _RefusedError("too_deep", line)
        top = self._stack[-1] if self._stack else None
        if isinstance(top, _Mapping) and top.key is None:
            raise _RefusedError("key_not_text", line)
        self._stack.append(_Mapping() if isinstance(event, yaml.MappingStartEvent) else [])

    def _leave(self) -> None:
        closed = self._stack.pop()
        if not isinstance(closed, _Mapping):
            self._add(closed)
            return
        if not self._stack:
            self.lines = closed.lines
        for key in closed.repeated:
            closed.data.pop(key, None)
        self._add(closed.data)

    def _scalar(self, event: Any, line: int | None) -> None:
        plain = not event.style and event.tag in _PLAIN_TAGS
        if not plain and event.tag not in _TEXT_TAGS:
            raise _RefusedError("tag_refused", line)
        if _SURROGATE.search(event.value):
            raise _RefusedError("not_yaml", line)
        top = self._stack[-1] if self._stack else None
        if isinstance(top, _Mapping) and top.key is None:
            self._take_key(top, event.value, line)
        else:
            self._add(_resolved(event.value) if plain else event.value)

    def _add(self, value: object) -> None:
        if not self._stack:
            self.value = value
            return
        top = self._stack[-1]
        if isinstance(top, list):
            top.append(value)
        elif top.key is not None:
            top.data[top.key] = value
            top.key = None

    def _take_key(self, mapping: _Mapping, key: str, line: int | None) -> None:
        if key == "<<":
            raise _RefusedError("alias_refused", line)
        if key in mapping.lines:
            mapping.repeated.add(key)
            self.problems.append(YamlProblem("repeated_key", line))
        mapping.lines[key] = line or 0
        mapping.key = key


def _resolved(text: str) -> object:
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text
