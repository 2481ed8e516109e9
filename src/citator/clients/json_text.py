"""Edits JSON and JSON with comments, member by member."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from citator.clients.jsonc import Member, Parser, Value

_SPACE = " \t\r\n"
_INDENT = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class JsonText:
    """JSON; ``strict`` for clients that die of comments and trailing commas."""

    strict: bool = False

    def entry(self, text: str, keys: tuple[str, str]) -> Mapping[str, Any] | None:
        """The entry as it stands."""
        found = self._found(text, keys)
        return None if found is None else table_of(found.value, line_of(text, found.start))

    def put(self, text: str, keys: tuple[str, str], entry: Entry) -> str:
        """``text`` with the entry."""
        if self.entry(text, keys) is None:
            return self._set(text, keys, dict(entry.fields))
        for name, value in entry.required.items():
            text = self._set(text, (*keys, name), value)
        return text

    def remove(self, text: str, keys: tuple[str, str]) -> str:
        """``text`` without the entry, and without its table where that held nothing else."""
        return text if self._found(text, keys) is None else self._drop(text, keys)

    def _drop(self, text: str, keys: tuple[str, str]) -> str:
        """The same for an entry that is there, whatever its value."""
        root = self._root(text)
        assert root is not None
        table = _only(text, root, keys[0])
        assert table is not None
        meant = without(root.value, keys)
        holder, name = table.value, keys[1]
        alone = len(table.value.members or []) == 1 and not _comments(text, table.value)
        if alone and len(root.members or []) > 1:
            holder, name = root, keys[0]
        for greedy in (True, False):
            edited = spliced(text, _removal(text, holder, name, greedy))
            try:
                if same(self._value(edited), meant, keys[0]):
                    return edited
            except NotEditableError:
                continue
        raise NotEditableError(UNSAFE, line_of(text, table.start))

    def items(self, text: str, path: tuple[str, ...]) -> list[Any]:
        """The elements of the array at ``path``, [] where there is none. Raises NotEditableError
        where something else stands there."""
        found = self._found(text, path)
        if found is None:
            return []
        if found.elements is None:
            raise NotEditableError("no list stands where one belongs", line_of(text, found.start))
        return list(found.value)

    def append(self, text: str, path: tuple[str, ...], item: Any) -> str:
        """``text`` with ``item`` at the end of the array at ``path``, which is made."""
        before = self.items(text, path)
        holder, root = self._found(text, path), self._root(text)
        if holder is None or root is None:
            return self._set(text, path, [item])
        edited = spliced(text, _insertion(text, root, holder, "", item))
        return self._proved(text, edited, expected(root.value, path, [*before, item]))

    def take_out(self, text: str, path: tuple[str, ...], index: int) -> str:
        """``text`` without the element of that index; without the array where it was the only
        one."""
        before = self.items(text, path)
        holder, root = self._found(text, path), self._root(text)
        assert holder is not None and root is not None
        if len(before) == 1 and len(path) == 2 and not _comments(text, holder):
            return self._drop(text, (path[0], path[1]))
        meant = expected(root.value, path, before[:index] + before[index + 1 :])
        for greedy in (True, False):
            edited = spliced(text, _removal_at(text, holder, index, greedy))
            try:
                return self._proved(text, edited, meant)
            except NotEditableError:
                continue
        raise NotEditableError(UNSAFE, line_of(text, holder.start))

    def set(self, text: str, path: tuple[str, ...], value: Any) -> str:
        """``text`` with ``value`` at ``path``; the objects on the way are made."""
        return self._set(text, path, value)

    def value(self, text: str, path: tuple[str, ...]) -> Any:
        """What stands at ``path``; None where nothing does."""
        found = self._found(text, path)
        return None if found is None else found.value

    def _proved(self, before: str, after: str, meant: Mapping[str, Any]) -> str:
        """``after``, where it says exactly what is ``meant``."""
        if not same(self._value(after), meant, ""):
            raise NotEditableError(UNSAFE, line_of(before, 0))
        return after

    def _root(self, text: str) -> Value | None:
        root = Parser(text, self.strict).document()
        if root is not None:
            table_of(root.value, line_of(text, root.start))
        return root

    def _value(self, text: str) -> Any:
        root = self._root(text)
        return {} if root is None else root.value

    def _found(self, text: str, path: tuple[str, ...]) -> Value | None:
        at = self._root(text)
        for name in path:
            if at is None:
                return None
            table_of(at.value, line_of(text, at.start))
            member = _only(text, at, name)
            at = None if member is None else member.value
        return at

    def _set(self, text: str, path: tuple[str, ...], value: Any) -> str:
        """``text`` with ``value`` at ``path``; the objects on the way are made."""
        root = self._root(text)
        if root is None:
            return ended(text) + fresh(_nested(path, value))
        meant = expected(root.value, path, value)
        edited = spliced(text, _setting(text, root, path, value))
        if not same(self._value(edited), meant, ""):
            raise NotEditableError(UNSAFE, line_of(text, root.start))
        return edited


def fresh(value: Mapping[str, Any]) -> str:
    """A file of its own."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = path
    return {first: _nested(tuple(rest), value) if rest else value}


def _only(text: str, holder: Value, name: str) -> Member | None:
    """The member called ``name``. Raises NotEditableError where there are several."""
    found = [member for member in holder.members or [] if member.name == name]
    if len(found) > 1:
        raise NotEditableError("a name occurs twice", line_of(text, found[1].start))
    return found[0] if found else None


def _setting(text: str, root: Value, path: tuple[str, ...], value: Any) -> list[Edit]:
    at = root
    for depth, name in enumerate(path):
        member = _only(text, at, name)
        if member is None:
            rest = path[depth + 1 :]
            return _insertion(text, root, at, name, _nested(rest, value) if rest else value)
        at = member.value
    if at.value == value:
        return []
    indent = _indent(text, at.start)
    compact = "\n" not in text[root.start : root.end]
    return [Edit(at.start, at.end, _rendered(text, root, value, indent, compact))]


def _insertion(text: str, root: Value, holder: Value, name: str, value: Any) -> list[Edit]:
    members = _inside(holder)
    last = members[-1] if members else None
    tail = holder.start + 1 + len(text[holder.start + 1 : holder.end - 1].rstrip(_SPACE))
    compact = "\n" not in text[(holder if members else root).start : holder.end]
    if not members and root is holder:
        compact = False
    indent = _member_indent(text, root, holder)
    comma = "," if last is not None and last.comma is not None else ""
    lead = (" " if last else "") if compact else line_end_of(text) + indent
    head = "" if holder.members is None else f"{json.dumps(name)}: "
    body = f"{head}{_rendered(text, root, value, indent, compact)}{comma}"
    closing = ""
    if last is None and not compact and "\n" not in text[tail : holder.end - 1]:
        closing = line_end_of(text) + _indent(text, holder.start)
    edits = [Edit(tail, tail, lead + body + closing)]
    if last is not None and last.comma is None:
        edits.insert(0, Edit(last.value.end, last.value.end, ","))
    return edits


def _inside(holder: Value) -> list[Member]:
    """What an object or an array holds."""
    return (holder.elements if holder.members is None else holder.members) or []


def _removal(text: str, holder: Value, name: str, greedy: bool) -> list[Edit]:
    """Takes the member away with the white space before it (``greedy``) and one comma."""
    members = _inside(holder)
    index = next(i for i, member in enumerate(members) if member.name == name)
    return _removal_at(text, holder, index, greedy)


def _removal_at(text: str, holder: Value, index: int, greedy: bool) -> list[Edit]:
    members = _inside(holder)
    member = members[index]
    if len(members) == 1 and not _comments(text, holder):
        return [Edit(holder.start + 1, holder.end - 1)]
    start = len(text[: member.start].rstrip(_SPACE)) if greedy else member.start
    edits = [Edit(start, member.value.end)]
    before = members[index - 1].comma if index and index == len(members) - 1 else None
    if member.comma is not None:
        edits.append(Edit(member.comma, member.comma + 1))
    elif before is not None:
        start = max(start, before + 1)
        edits = [Edit(before, before + 1), Edit(start, member.value.end)]
    return edits


def _comments(text: str, holder: Value) -> bool:
    """Whether anything but white space, commas and the members stands inside."""
    rest = text[holder.start + 1 : holder.end - 1]
    for member in reversed(_inside(holder)):
        offset = holder.start + 1
        rest = rest[: member.start - offset] + rest[member.value.end - offset :]
    return bool(rest.replace(",", "").strip(_SPACE))


def _rendered(text: str, root: Value, value: Any, indent: str, compact: bool) -> str:
    if compact:
        return json.dumps(value, ensure_ascii=False)
    dumped = json.dumps(value, ensure_ascii=False, indent=_unit(text, root))
    return dumped.replace("\n", line_end_of(text) + indent)


def _member_indent(text: str, root: Value, holder: Value) -> str:
    """The indentation of the holder's last member on a line of its own, or one step deeper."""
    for member in reversed(_inside(holder)):
        line = text[text.rfind("\n", 0, member.start) + 1 : member.start]
        if "\n" in text[holder.start : member.start] and not line.strip(" \t"):
            return line
    return _indent(text, holder.start) + _unit(text, root)


def _unit(text: str, root: Value) -> str:
    """One step of indentation: that of the root's first member, or two spaces."""
    for member in root.members or []:
        line = text[text.rfind("\n", 0, member.start) + 1 : member.start]
        if "\n" in text[root.start : member.start] and line and not line.strip(" \t"):
            outer = _indent(text, root.start)
            return line.removeprefix(outer) or "  "
    return "  "


def _indent(text: str, position: int) -> str:
    """The white space that the line of ``position`` starts with."""
    match = _INDENT.match(text, text.rfind("\n", 0, position) + 1)
    return match[0] if match else ""
