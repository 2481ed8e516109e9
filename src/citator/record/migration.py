"""A migration: one Markdown file that changes the record, and its canonical digest.

    ---
    citator: 1
    id: 01J9ZK4E3M8QW7X2V5T6R1N0PA
    author: "Ada"
    created_at: "2026-03-01T09:00:00Z"
    operations:
      - {"op": "create_item", …}
    ---
    The text of the one revision it lands, or the reason for its operations.

- The schema is closed and versioned; what is not understood is refused, never skipped.
- The digest is over a canonical form: operations as JSON with sorted keys, text with LF. A checkout
  with CRLF, other quotes or another file name has the same digest; another meaning has not.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol

from citator.model.record import RecordStatus
from citator.record import fields
from citator.record.errors import MigrationError, Refusal
from citator.record.operations import GOVERNANCE, Operation, canonical_json, checked

VERSION: Final = 1
MAX_BYTES: Final = 262_144
MAX_HEAD: Final = 65_536
MAX_OPERATIONS: Final = 250
_KEYS: Final = frozenset(
    {"citator", "id", "author", "created_at", "draft", "loosens", "operations"}
)
_SLUG: Final = re.compile(r"[a-z0-9]+")
_LOOSENING: Final = re.compile(r"[a-z_]+(?::[0-9A-Za-z_]+)*")


@dataclass(frozen=True)
class Migration:
    """One checked migration.

    ``loosens`` are the loosenings it says it makes, in the words of
    :func:`citator.record.replay.replay`; ``draft`` says that its author is not done.
    """

    id: str
    author: str
    created_at: str
    operations: tuple[Operation, ...]
    body: str
    loosens: tuple[str, ...] = ()
    draft: bool = False

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical form: what an approval signs."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The canonical form: one line of JSON, then the text."""
        return f"{canonical_json(self._head())}\n{self.body}".encode()

    def _head(self) -> dict[str, Any]:
        return {
            "citator": VERSION,
            "id": self.id,
            "author": self.author,
            "created_at": self.created_at,
            "draft": self.draft,
            "loosens": list(self.loosens),
            "operations": [one.canonical() for one in self.operations],
        }

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The digest of each operation, which a later one names as its base."""
        return tuple(f"{_link(self.digest, index)}" for index in range(len(self.operations)))

    @property
    def is_governance(self) -> bool:
        """Whether it changes approvers or policy."""
        return any(one.name in GOVERNANCE for one in self.operations)

    @property
    def revision(self) -> Operation | None:
        """The operation that lands this file's text as a revision, if there is one."""
        return next((one for one in self.operations if one.name == "upsert_revision"), None)

    def file_name(self) -> str:
        """The name of its file. Only the id in it means anything: a rename changes nothing."""
        revision = self.revision
        words = _SLUG.findall(revision.values["title"].lower()) if revision else []
        return f"{'-'.join([self.id, *words])[:80].rstrip('-')}.md"

    def render(self) -> bytes:
        """The file. Parsing it gives this migration again. Raises MigrationError: too large."""
        lines = ["---", f"citator: {VERSION}", f"id: {self.id}"]
        lines += [f"author: {_quoted(self.author)}", f"created_at: {_quoted(self.created_at)}"]
        if self.draft:
            lines.append("draft: true")
        if self.loosens:
            lines.append(f"loosens: {_quoted(list(self.loosens))}")
        lines.append("operations:")
        for operation in self.operations:
            entries = [f"    {key}: {_quoted(value)}" for key, value in _shown(operation)]
            lines.append("  -" + entries[0][3:])
            lines += entries[1:]
        head = "\n".join(lines)
        data = f"{head}\n---\n{self.body}".encode()
        if len(data) > MAX_BYTES or len(head) > MAX_HEAD:
            raise MigrationError(Refusal.TOO_LARGE)
        return data

    def ready(self) -> Migration:
        """The same, no longer a draft."""
        return replace(self, draft=False)


class Proposed(Protocol):
    """A migration that does not count, and how it stands."""

    @property
    def migration(self) -> Migration: ...

    @property
    def status(self) -> RecordStatus: ...


def _link(digest: str, index: int) -> str:
    return hashlib.sha256(f"{digest}/{index}".encode()).hexdigest()


def _shown(operation: Operation) -> list[tuple[str, Any]]:
    shown = [("op", operation.name), *operation.values.items()]
    return [*shown, ("base", list(operation.base))] if operation.base else shown


def _quoted(value: Any) -> str:
    """JSON, which is YAML too. Texts were checked to be printable."""
    return json.dumps(value, ensure_ascii=False)


def parse(data: bytes) -> Migration:
    """The migration that a file holds. Raises MigrationError."""
    if len(data) > MAX_BYTES:
        raise MigrationError(Refusal.TOO_LARGE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MigrationError(Refusal.UNREADABLE, "it is not UTF-8") from None
    head, body = _parted(text.replace("\r\n", "\n").replace("\r", "\n"))
    return _of(_loaded(head), body)


def _parted(text: str) -> tuple[str, str]:
    if not text.startswith("---\n"):
        raise MigrationError(Refusal.UNREADABLE)
    if text.endswith("\n---"):
        text += "\n"
    head, closing, body = text[4:].partition("\n---\n")
    if not closing:
        raise MigrationError(Refusal.UNREADABLE)
    return head, body


def _loaded(head: str) -> Mapping[str, Any]:
    if len(head) > MAX_HEAD:
        raise MigrationError(Refusal.TOO_LARGE)
    # Here, because PyYAML is slow to import.
    from citator.formats.yaml_safe import load

    loaded = load(head)
    if loaded.problems or not isinstance(loaded.value, dict):
        line = loaded.problems[0].line if loaded.problems else None
        raise MigrationError(Refusal.UNREADABLE, f"line {line + 1}" if line else "")
    return loaded.value


def _of(values: Mapping[str, Any], body: str) -> Migration:
    version = values.get("citator")
    if type(version) is not int or version != VERSION:
        raise MigrationError(Refusal.VERSION)
    if not set(values) <= _KEYS:
        raise MigrationError(Refusal.UNKNOWN_FIELD)
    operations = values.get("operations")
    if not isinstance(operations, list) or not 1 <= len(operations) <= MAX_OPERATIONS:
        raise MigrationError(Refusal.FIELD, f"`operations`: 1 to {MAX_OPERATIONS} are wanted")
    made = tuple(checked(raw, position) for position, raw in enumerate(operations, 1))
    if sum(one.name == "upsert_revision" for one in made) > 1:
        raise MigrationError(Refusal.FIELD, "a migration lands the text of one revision")
    if len({one.slot for one in made}) < len(made):
        raise MigrationError(Refusal.FIELD, "two operations act on one slot")
    if len({one.name in GOVERNANCE for one in made}) > 1:
        raise MigrationError(Refusal.GOVERNANCE_MIXED)
    return Migration(
        id=_field(fields.ulid, values, "id"),
        author=_field(fields.text(320), values, "author"),
        created_at=_field(fields.time, values, "created_at"),
        operations=made,
        body=_checked_body(body),
        loosens=tuple(_field(fields.listed(_loosening), values, "loosens", [])),
        draft=_field(fields.flag, values, "draft", False),
    )


def _field(check: fields.Check, values: Mapping[str, Any], key: str, default: Any = None) -> Any:
    value = values.get(key)
    if value is None:
        if default is None:
            raise MigrationError(Refusal.FIELD, f"`{key}` is wanted")
        return default
    try:
        return check(value)
    except fields.BadValueError as error:
        raise MigrationError(Refusal.FIELD, f"`{key}`: {error}") from None


def _loosening(value: Any) -> str:
    if not isinstance(value, str) or not _LOOSENING.fullmatch(value) or len(value) > 200:
        raise fields.BadValueError("words like `restore_item:ID` are wanted")
    return value


def _checked_body(body: str) -> str:
    if "\0" in body:
        raise MigrationError(Refusal.UNREADABLE, "its text holds a NUL")
    return body.strip("\n") + "\n" if body.strip() else ""
