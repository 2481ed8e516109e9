"""Theurian's knowledge migrations (``theurian.dev/v1``): YAML → plain values, in replay order.

- A file is read as data. An operation or a field that this reader does not know is told by its
  name's place, never guessed at; one unreadable file never hides another.
- The order is theirs: level by level over ``dependsOn``, by id within a level.
- Whatever authority a file claims (a status, a trust level, an author) stays a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

API_VERSION: Final = "theurian.dev/v1"
MAX_OPERATIONS: Final = 1_000

_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_ITEM: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*")
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "createItem": ("itemId", "kind", "owner"),
    "upsertRevision": ("itemId", "contentFile", "contentSha256"),
    "deprecateItem": ("itemId",),
    "restoreItem": ("itemId",),
    "addRelation": ("sourceItemId", "relationType", "targetItemId"),
    "removeRelation": ("sourceItemId", "relationType", "targetItemId"),
    "addAlias": ("alias", "itemId"),
    "removeAlias": ("alias",),
    "changeSensitivity": ("itemId", "sensitivity"),
    "changeOwner": ("itemId", "owner"),
    "registerSpecification": ("specId", "itemId", "sourceUri", "format"),
    "supersedeSpecification": ("specId", "supersededBy"),
    "addEvidence": ("itemId", "description"),
    "removeEvidence": ("itemId", "sourceUri"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One operation: its name, and its values as they were written."""

    name: str
    values: Mapping[str, Any]

    def text(self, key: str) -> str:
        """The text under ``key``, empty where there is none."""
        value = self.values.get(key)
        return value.strip() if isinstance(value, str) else ""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What a revision says of itself."""
        value = self.values.get("metadata")
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Source:
    """One migration file. ``folder`` is where it lay: body files are named from there."""

    id: str
    created_at: str
    author: str
    depends_on: tuple[str, ...]
    changes: tuple[Change, ...]
    folder: str = ""


class NotTheurianError(ValueError):
    """The text is no migration of this format. Its own text is a code."""


def parse(text: str, folder: str = "") -> Source:
    """The migration in ``text``. Raises NotTheurianError with a code."""
    # Here, because PyYAML is slow to import.
    from citator.formats.yaml_safe import load

    loaded = load(text)
    if not isinstance(loaded.value, dict) or not loaded.readable:
        raise NotTheurianError(loaded.problems[0].code if loaded.problems else "not_yaml")
    values = loaded.value
    if values.get("apiVersion") != API_VERSION:
        raise NotTheurianError("other_version")
    made, operations = values.get("id"), values.get("operations")
    if not isinstance(made, str) or not _ULID.fullmatch(made):
        raise NotTheurianError("id_malformed")
    if not isinstance(operations, list) or not 1 <= len(operations) <= MAX_OPERATIONS:
        raise NotTheurianError("operations_malformed")
    depends = values.get("dependsOn")
    return Source(
        id=made,
        created_at=_text(values.get("createdAt")),
        author=_text(values.get("author")),
        depends_on=tuple(one for one in _list(depends) if isinstance(one, str)),
        changes=tuple(_change(one) for one in operations),
        folder=folder,
    )


def _change(value: object) -> Change:
    name = value.get("op") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(name, str) or name not in _NEEDED:
        raise NotTheurianError("operation_unknown")
    for key in _NEEDED[name]:
        if not _text(value.get(key)):
            raise NotTheurianError("field_missing")
        if key.endswith("temId") and not is_item_id(_text(value[key])):
            raise NotTheurianError("item_id_malformed")
    return Change(name, {key: one for key, one in value.items() if key != "op"})


def is_item_id(text: str) -> bool:
    """Whether ``text`` is an item id of that format."""
    return len(text) <= 200 and _ITEM.fullmatch(text) is not None


def ordered(sources: Iterable[Source]) -> list[Source]:
    """The migrations in their order of replay. What waits in a circle comes last, by id."""
    waiting = {one.id: one for one in sorted(sources, key=lambda one: one.id)}
    done: set[str] = set()
    found: list[Source] = []
    while waiting:
        ready = [
            one
            for one in waiting.values()
            if all(other in done or other not in waiting for other in one.depends_on)
        ]
        for one in ready or list(waiting.values()):
            found.append(one)
            done.add(one.id)
            del waiting[one.id]
    return found


def texts(value: object) -> Sequence[str]:
    """The texts of a list, stripped; others are left out."""
    return [one.strip() for one in _list(value) if isinstance(one, str) and one.strip()]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
