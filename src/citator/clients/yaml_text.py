"""Edits YAML line by line: our block under one key of the document.

Only block style is edited. A table in flow style, an anchor, an alias or a merge inside it, and
more than one document are left to their author, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from citator.clients.editing import (
    UNSAFE,
    Edit,
    Entry,
    NotEditableError,
    expected,
    line_end_of,
    line_of,
    same,
    spliced,
    table_of,
    without,
)

if TYPE_CHECKING:
    import yaml

# PyYAML takes some 30 ms to import, and one client in thirteen needs it: imported in functions.


class YamlText:
    """YAML with the comments and the layout that a person gave it."""

    def entry(self, text: str, keys: tuple[str, str]) -> Mapping[str, Any] | None:
        """The entry as it stands."""
        found = parsed(text).get(keys[0])
        table = {} if found is None else table_of(found)
        return table_of(table[keys[1]]) if keys[1] in table else None

    def put(self, text: str, keys: tuple[str, str], entry: Entry) -> str:
        """``text`` with the entry."""
        present = self.entry(text, keys)
        if present is None:
            edit = _insertion(text, keys, entry.fields)
            return self._checked(text, spliced(text, [edit]), keys, entry.fields)
        for name, value in entry.required.items():
            if name not in present or present[name] != value:
                edit = _setting(text, keys, name, value)
                text = self._checked(text, spliced(text, [edit]), keys, {name: value})
        return text

    def remove(self, text: str, keys: tuple[str, str]) -> str:
        """``text`` without the entry, and without its table where that held nothing else."""
        if self.entry(text, keys) is None:
            return text
        meant = without(parsed(text), keys)
        for with_table in (True, False):
            edited = spliced(text, [_removal(text, keys, with_table)])
            if same(_or_none(edited), meant, keys[0]):
                return edited
        raise NotEditableError(UNSAFE, _line(text, keys))

    def _checked(
        self, before: str, after: str, keys: tuple[str, str], fields: Mapping[str, Any]
    ) -> str:
        meant: dict[str, Any] = parsed(before)
        if meant.get(keys[0], {}) is None:
            meant[keys[0]] = {}
        for name, value in fields.items():
            meant = expected(meant, (*keys, name), value)
        if not _equal(_or_none(after), meant):
            raise NotEditableError(UNSAFE, _line(before, keys))
        return after


def parsed(text: str) -> dict[str, Any]:
    """The document. Raises NotEditableError."""
    import yaml

    _root(text)
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise NotEditableError("it holds a value that is not plain YAML") from None
    return {} if found is None else dict(table_of(found, 1))


def _or_none(text: str) -> dict[str, Any] | None:
    try:
        return parsed(text)
    except NotEditableError:
        return None


def _equal(found: object, meant: Mapping[str, Any]) -> bool:
    """Equal whatever the order of the keys: the new entry stands first in its table."""
    return _sorted(found) == _sorted(meant)


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return sorted((repr(key), _sorted(item)) for key, item in value.items())
    return [_sorted(item) for item in value] if isinstance(value, list) else repr(value)


def _root(text: str) -> yaml.MappingNode | None:
    """The document's own mapping; None where it is empty. Raises NotEditableError."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise NotEditableError("it is not valid YAML, or more than one document", line) from None
    except (yaml.YAMLError, ValueError):
        raise NotEditableError("it is not valid YAML") from None
    except RecursionError:
        raise NotEditableError("it is nested too deeply") from None
    if root is None or _is_null(root):
        return None
    if not isinstance(root, yaml.MappingNode):
        raise NotEditableError("the document is not a table of settings", 1)
    return root


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _pair(holder: yaml.MappingNode, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """The pair called ``name``. Raises NotEditableError where there are several."""
    found = [pair for pair in holder.value if pair[0].value == name]
    if len(found) > 1:
        raise NotEditableError("a name occurs twice", found[1][0].start_mark.line + 1)
    return found[0] if found else None


def _block(text: str, pair: tuple[yaml.Node, yaml.Node]) -> yaml.MappingNode:
    """The value of ``pair``, if it is a mapping in block style. Raises NotEditableError."""
    import yaml

    key, value = pair
    line = key.start_mark.line + 1
    head = text[key.end_mark.index : _line_end(text, key.end_mark.index)].lstrip(": \t")
    if not isinstance(value, yaml.MappingNode) or value.flow_style:
        raise NotEditableError("its table of servers is not written in block style", line)
    if head.strip() and not head.startswith("#"):
        raise NotEditableError("an anchor, alias, tag or comment it depends on stands there", line)
    return value


def _refuse_shared(text: str, start: int, end: int) -> None:
    """Raises NotEditableError where an anchor, an alias or a merge key stands in the span."""
    import yaml

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if event.start_mark is not None and start <= event.start_mark.index < end:
            merge = isinstance(event, yaml.ScalarEvent) and event.value == "<<"
            if merge or getattr(event, "anchor", None) is not None:
                line = event.start_mark.line + 1
                raise NotEditableError("an anchor, an alias or a merge key stands there", line)


def _insertion(text: str, keys: tuple[str, str], fields: Mapping[str, Any]) -> Edit:
    """The block, first in its table, or with its table at the end."""
    newline = line_end_of(text)
    root = _root(text)
    if root is None:
        return _at_end(text, newline.join([f"{keys[0]}:", *_lines(keys[1], fields, "  ")]))
    if root.flow_style:
        raise NotEditableError("the document is written in flow style", root.start_mark.line + 1)
    outer = " " * root.value[0][0].start_mark.column
    found = _pair(root, keys[0])
    if found is None:
        lines = [f"{outer}{keys[0]}:", *_lines(keys[1], fields, outer + "  ")]
        return _at_end(text, newline.join(lines))
    key, value = found
    _refuse_shared(text, key.start_mark.index, max(value.end_mark.index, key.end_mark.index))
    end = _line_end(text, key.end_mark.index)
    if _is_null(value) or _is_empty(value):
        start = value.start_mark.index if not _is_null(value) or value.value else end
        last = value.end_mark.index if start != end else end
        lines = _lines(keys[1], fields, outer + "  ")
        if start == end:
            return Edit(end, end, newline + newline.join(lines))
        start = len(text[:start].rstrip(" \t"))
        rest = text[last:end]
        return Edit(start, end, rest.rstrip("\r") + newline + newline.join(lines))
    table = _block(text, found)
    lines = _lines(keys[1], fields, " " * table.value[0][0].start_mark.column)
    return Edit(end, end, newline + newline.join(lines))


def _is_empty(value: yaml.Node) -> bool:
    return value.tag == "tag:yaml.org,2002:map" and not value.value


def _at_end(text: str, block: str) -> Edit:
    """After the last line; a last line without its end leaves ours without one, too."""
    newline = line_end_of(text)
    lead = "" if not text or text.endswith("\n") else newline
    return Edit(len(text), len(text), lead + block + ("" if lead else newline))


def _lines(name: str, fields: Mapping[str, Any], indent: str) -> list[str]:
    inner = [f"{indent}  {key}: {rendered(value)}" for key, value in fields.items()]
    return [f"{indent}{name}:", *inner]


def _setting(text: str, keys: tuple[str, str], name: str, value: Any) -> Edit:
    """Replaces the value of a field, or adds the field first in the entry."""
    root = _root(text)
    found = None if root is None else _pair(root, keys[0])
    own = None if found is None else _pair(_block(text, found), keys[1])
    if own is None:
        raise NotEditableError(UNSAFE, _line(text, keys))
    entry = _block(text, own)
    _refuse_shared(text, own[0].start_mark.index, entry.end_mark.index)
    field = _pair(entry, name)
    if field is not None:
        start = field[1].start_mark.index
        space = "" if text[start - 1 : start].isspace() else " "
        return Edit(start, max(start, _end(field[1])), space + rendered(value))
    end = _line_end(text, own[0].end_mark.index)
    indent = " " * entry.value[0][0].start_mark.column
    return Edit(end, end, f"{line_end_of(text)}{indent}{name}: {rendered(value)}")


def _removal(text: str, keys: tuple[str, str], with_table: bool) -> Edit:
    """Takes the entry's lines away, and its table's where that holds nothing else."""
    root = _root(text)
    found = None if root is None else _pair(root, keys[0])
    if root is None or found is None:
        raise NotEditableError(UNSAFE)
    table = _block(text, found)
    own = _pair(table, keys[1])
    if own is None:
        raise NotEditableError(UNSAFE, _line(text, keys))
    _refuse_shared(text, own[0].start_mark.index, own[1].end_mark.index)
    end = _line_end(text, _end(own[1]))
    others = len(table.value) > 1
    if others or not with_table or "#" in text[found[0].end_mark.index : own[0].start_mark.index]:
        return _whole_lines(text, own[0].start_mark.index, end)
    if len(root.value) > 1:
        return _whole_lines(text, found[0].start_mark.index, end)
    return Edit(found[0].end_mark.index, end, ": {}")


def _whole_lines(text: str, start: int, end: int) -> Edit:
    start = text.rfind("\n", 0, start) + 1
    if end == len(text):
        return Edit(len(text[:start].removesuffix("\n").removesuffix("\r")), end)
    return Edit(start, text.find("\n", end) + 1)


def _end(node: yaml.Node) -> int:
    """Where the last character of a value stands: a block's own mark is after its comments."""
    import yaml

    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        buffer = node.end_mark.buffer
        text = buffer if isinstance(buffer, str) else ""
        end = len(text[:end].rstrip())
    return end


def _line_end(text: str, position: int) -> int:
    """The position of the line end after ``position``, before its ``\\r``."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if end > position and text[end - 1] == "\r" else end


def _line(text: str, keys: tuple[str, str]) -> int | None:
    root = _root(text)
    found = None if root is None else _pair(root, keys[0])
    return None if found is None else line_of(text, found[0].start_mark.index)


def rendered(value: Any) -> str:
    """A value as YAML: JSON, which YAML reads alike."""
    if isinstance(value, str) and value.isascii() and value.isalpha() and value.islower():
        return value
    return json.dumps(value, ensure_ascii=True)
