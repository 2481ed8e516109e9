"""What every format of a configuration file can do, and what it must never do.

- Text in, text out. Only the characters of our own entry change, and the commas, blank lines and
  brackets that it needs: comments, order, indentation and line ends of all else stay.
- What was edited is parsed again and must hold exactly what was meant; where it does not, or
  where the text cannot be understood, the edit is refused and names the line, not its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class NotEditableError(Exception):
    """The text cannot be edited safely. ``reason`` is ours; ``line`` counts from 1, if known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """Our entry: ``fields`` in order. Those in ``settled`` are a person's once they are there."""

    fields: Mapping[str, Any]
    settled: frozenset[str] = frozenset()

    @property
    def required(self) -> dict[str, Any]:
        """The fields that an existing entry gets as well."""
        return {key: value for key, value in self.fields.items() if key not in self.settled}


class Editor(Protocol):
    """One format. ``keys`` is (the table of servers, the name of the server).

    Every method raises NotEditableError.
    """

    def entry(self, text: str, keys: tuple[str, str]) -> Mapping[str, Any] | None:
        """The entry as it stands; None where there is none."""

    def put(self, text: str, keys: tuple[str, str], entry: Entry) -> str:
        """``text`` with the entry added, or its required fields set. Equal: nothing to do."""

    def remove(self, text: str, keys: tuple[str, str]) -> str:
        """``text`` without the entry. Equal: it was not there."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters from ``start`` up to ``end`` with ``text``."""

    start: int
    end: int
    text: str = ""


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """``text`` after ``edits``, which are in order and do not overlap."""
    pieces = []
    done = 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])


def line_of(text: str, position: int) -> int:
    """The number of the line that holds ``position``, from 1."""
    return text.count("\n", 0, position) + 1


def line_end_of(text: str) -> str:
    """The line end that most lines of ``text`` have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def ended(text: str) -> str:
    """``text`` with a line end at its end, unless it is empty."""
    return text if not text or text.endswith("\n") else text + line_end_of(text)


def table_of(found: object, line: int | None = None) -> Mapping[str, Any]:
    """``found`` as a table. Raises NotEditableError where it is something else."""
    if not isinstance(found, Mapping):
        raise NotEditableError(
            "a list or a plain value stands where a table of settings belongs", line
        )
    return found


def expected(before: Mapping[str, Any], keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    """``before`` with ``value`` at ``keys``; the tables on the way are made."""
    first, *rest = keys
    inner = before.get(first)
    if rest:
        value = expected({} if inner is None else table_of(inner), tuple(rest), value)
    return {**before, first: value}


def without(before: Mapping[str, Any], keys: tuple[str, str]) -> dict[str, Any]:
    """``before`` without the entry; its table stays, if empty."""
    table, name = keys
    kept = {key: value for key, value in before[table].items() if key != name}
    return {**before, table: kept}


def same(found: object, meant: Mapping[str, Any], table: str) -> bool:
    """Whether ``found`` is what was meant, an empty ``table`` or none being the same."""
    if not isinstance(found, Mapping):
        return False
    return _trimmed(found, table) == _trimmed(meant, table)


def _trimmed(value: Mapping[str, Any], table: str) -> list[tuple[str, str]]:
    """Comparable, with the order of the keys, ``1`` apart from ``true`` and ``nan`` equal."""
    return [(key, repr(item)) for key, item in value.items() if not (key == table and not item)]


UNSAFE = "this file is written in a way that cannot be edited without risk to the rest"
