"""The record's vocabulary and values: items, revisions, relations, rejections.

- Every set is closed. What a value *claims* (trust, author, time) is never authority: status is
  derived from verified approvals when the record is read, and is no word of any file.
- Ids are ULIDs, minted, never asked for: an id carries no words of its author.
- Times are RFC 3339 in UTC, to the second, as text: they sort, and no clock is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

RULING_CHARACTERS = 280
FOLDER: Final = ".citator"


def is_of_record(path: str) -> bool:
    """Whether what lies at ``path`` is the record's own, which is read by itself: it is no code and
    has no past, because how much changed there may not be for everybody."""
    return path.startswith(f"{FOLDER}/")


class ItemKind(StrEnum):
    """What a decision is about."""

    ARCHITECTURE = "architecture"
    DECISION = "decision"
    DOMAIN = "domain"
    OPERATIONS = "operations"
    SECURITY = "security"
    TESTING = "testing"
    API = "api"
    INCIDENT = "incident"
    CONVENTION = "convention"
    REJECTED_APPROACH = "rejected-approach"
    KNOWN_EXCEPTION = "known-exception"


class RelationType(StrEnum):
    """A typed link from one item to another. Inverses are read, never stored."""

    IMPLEMENTS = "implements"
    SUPERSEDES = "supersedes"
    DEPENDS_ON = "depends_on"
    CONSTRAINED_BY = "constrained_by"
    VERIFIED_BY = "verified_by"
    REVIEWED_BY = "reviewed_by"
    CONTRADICTS = "contradicts"
    RELATED_TO = "related_to"
    DERIVED_FROM = "derived_from"
    EVIDENCED_BY = "evidenced_by"
    REJECTS = "rejects"
    EXCEPTION_TO = "exception_to"


class Sensitivity(StrEnum):
    """Who may see it: public < internal < confidential < restricted."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"

    @property
    def rank(self) -> int:
        """0 (public) to 3 (restricted)."""
        return _SENSITIVITIES.index(self)


_SENSITIVITIES = list(Sensitivity)


class RecordStatus(StrEnum):
    """Where an item stands. Derived, never stored in the file that asks for it."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    APPROVED = "approved"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


class Trust(StrEnum):
    """How well its author says it is founded: a claim, consulted by nothing but a reader."""

    UNVERIFIED = "unverified"
    INFERRED = "inferred"
    REVIEWED = "reviewed"


# The moves a status can make, and the operation or signature that makes each.
TRANSITIONS: dict[tuple[RecordStatus | None, RecordStatus], str] = {
    (None, RecordStatus.DRAFT): "decide --draft",
    (None, RecordStatus.PROPOSED): "decide",
    (RecordStatus.DRAFT, RecordStatus.PROPOSED): "decide --ready",
    (RecordStatus.PROPOSED, RecordStatus.APPROVED): "approve, apply",
    (RecordStatus.PROPOSED, RecordStatus.REJECTED): "reject",
    (RecordStatus.APPROVED, RecordStatus.DEPRECATED): "deprecate_item",
    (RecordStatus.DEPRECATED, RecordStatus.APPROVED): "restore_item",
    (RecordStatus.APPROVED, RecordStatus.SUPERSEDED): "add_relation supersedes",
    (RecordStatus.SUPERSEDED, RecordStatus.APPROVED): "remove_relation supersedes",
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a revision points: a commit, a blob, a path with lines, or an address outside."""

    commit: str | None = None
    blob: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """What a decision refuses, where the policy lets it: names of packages, what is imported, globs
    of paths, and patterns of a line in which ``*`` is any text."""

    packages: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """One text of an item. ``id`` is the ULID of the migration that landed it.

    ``digest`` is the SHA-256 of that migration's canonical form: what an approver signed.
    ``paths`` are globs of what the decision governs. ``valid_from`` is the migration's own time
    where its author stated none. ``source_commit`` (the commit that first added the file) is
    known only where history was read.
    """

    id: str
    digest: str
    title: str
    ruling: str
    body: str
    author: str
    created_at: str
    valid_from: str
    valid_to: str | None = None
    trust: Trust = Trust.UNVERIFIED
    labels: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    refuse: Refuse | None = None
    source_commit: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """``source`` → ``target``, both item ids."""

    source: str
    type: RelationType
    target: str
    note: str = ""


@dataclass(frozen=True, slots=True, order=True)
class RecordEvidence:
    """What an item rests on: a reference or an address, and why. ``confidence`` is in percent."""

    source: str
    description: str
    confidence: int = 100


@dataclass(frozen=True, slots=True, order=True)
class Specification:
    """A document that an item specifies, or that specifies it."""

    id: str
    item: str
    uri: str
    format: str
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A decision as a set of accepted migrations leaves it.

    ``revisions`` are oldest first; the last is current. ``contested`` names the slots on which
    two migrations disagree: what was agreed before stands until a third resolves it.
    """

    id: str
    kind: ItemKind
    owner: str
    sensitivity: Sensitivity
    status: RecordStatus
    created_at: str
    created_by: str
    revisions: tuple[Revision, ...] = ()
    relations: tuple[Relation, ...] = ()
    aliases: tuple[str, ...] = ()
    evidence: tuple[RecordEvidence, ...] = ()
    specifications: tuple[Specification, ...] = ()
    superseded_by: tuple[str, ...] = ()
    reason: str = ""
    contested: tuple[str, ...] = ()
    tenant: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def current(self) -> Revision | None:
        """The newest revision, None where the item has no text."""
        return self.revisions[-1] if self.revisions else None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A tombstone: a value that was rejected, keyed on its folded form.

    ``id`` names this tombstone, and is what a lift names; ``key`` is a digest of (folded value,
    kind, scope). ``scope`` are path globs, empty for everywhere. ``source`` is the migration that
    was rejected or that rejects; ``change`` is what would change the reviewer's mind.
    """

    id: str
    key: str
    folded: str
    value: str
    reason: str
    source: str
    at: str
    kind: ItemKind | None = None
    scope: tuple[str, ...] = ()
    change: str = ""
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    tenant: str | None = None
    groups: tuple[str, ...] = ()
