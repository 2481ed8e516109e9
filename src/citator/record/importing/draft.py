"""What an importer found, before it is a migration: plain values that claim nothing.

A draft is one decision of another format: its texts, what it is linked to, and whether it was
rejected there. Whatever status it had, it can only become a proposal or a pending rejection.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from citator.model.record import ItemKind, RelationType, Sensitivity, Trust

DERIVED = "ruling-derived"


class Origin(StrEnum):
    """The format that a draft was read from."""

    ADR = "adr"
    THEURIAN = "theurian"
    OKF = "okf"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a decision. ``content`` is the SHA-256 of what was read: equal texts, equal
    content, whatever the ids. ``anchors`` are mappings as a migration writes them.

    ``derived`` says that nobody wrote the ruling: it was cut from the body. ``sensitivity`` is
    what this very text was marked with, where its source says so apart from the decision's.
    """

    title: str
    ruling: str
    body: str
    content: str
    derived: bool = False
    trust: Trust = Trust.INFERRED
    labels: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    anchors: tuple[Mapping[str, Any], ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    sensitivity: Sensitivity | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A relation with another draft, by that one's key; ``inverse``: the other is its source."""

    type: RelationType
    other: str
    note: str = ""
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Support:
    """What a decision rests on, as its source states it. ``confidence`` is in percent."""

    source: str
    description: str
    confidence: int = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """One decision to propose. ``key`` names it where it was read (a path, an id), uniquely.

    ``texts`` are oldest first, at least one. ``rejected`` and ``retired`` hold the reason where
    it was turned down or withdrawn; None where it was not. ``unfinished`` says that its author
    was not done.
    """

    key: str
    texts: tuple[Text, ...]
    kind: ItemKind = ItemKind.DECISION
    owner: str = "unassigned"
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    tenant: str | None = None
    groups: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    support: tuple[Support, ...] = ()
    specifications: tuple[tuple[str, str], ...] = ()
    rejected: str | None = None
    change: str = ""
    retired: str | None = None
    unfinished: bool = False

    @property
    def text(self) -> Text:
        """The newest text."""
        return self.texts[-1]


def content_digest(*parts: str) -> str:
    """The SHA-256 of texts, each by its length: what makes two imports of one text one."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
