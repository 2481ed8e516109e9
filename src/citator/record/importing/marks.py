"""How an import is recognised again: a mark kept as evidence of the item it made.

A mark is ``import:ORIGIN:KEY:CONTENT``: digests of what named the text where it was read, and of
the text. An import asks which marks there are, landed or proposed, and makes none twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from citator.record.importing.draft import Origin
from citator.record.migration import Migration

_MARK: Final = re.compile(r"import:([a-z]+):([0-9a-f]{32}):([0-9a-f]{64})")


def mark(origin: Origin, key: str, content: str) -> str:
    """The mark of a text (``content``: its digest) read under ``key``."""
    return f"import:{origin.value}:{_key(key)}:{content}"


def _key(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass
class Known:
    """What the migrations there are, landed and proposed, already hold.

    ``aliases`` and ``keys`` and ``contents`` lead to item ids; ``slots`` are all that any
    operation acts on.
    """

    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    contents: dict[tuple[str, str], str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    slots: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, migrations: Iterable[Migration]) -> Known:
        """What ``migrations`` hold."""
        known = cls()
        for migration in migrations:
            known.add(migration)
        return known

    def add(self, migration: Migration) -> None:
        """Take one more in."""
        for operation in migration.operations:
            self.slots.add(operation.slot)
            values = operation.values
            if operation.name == "add_alias":
                self.aliases.setdefault(values["alias"], values["item"])
            elif operation.name == "add_evidence":
                found = _MARK.fullmatch(values["source"])
                if found is not None:
                    self.keys[found[1], found[2]] = values["item"]
                    self.contents[found[1], found[3]] = values["item"]

    def item_of(self, origin: Origin, key: str) -> str | None:
        """The item that was read under ``key`` before."""
        return self.keys.get((origin.value, _key(key)))

    def holder_of(self, origin: Origin, content: str) -> str | None:
        """The item that has this very text already."""
        return self.contents.get((origin.value, content))
