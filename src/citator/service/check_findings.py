"""What a check of a change finds, as values: facts, references and plain names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from citator.guard.resurrections import Strength
from citator.model.evidence import ReadItem
from citator.model.horizon import Horizon
from citator.model.reference import Ref
from citator.model.ruling import DecisionEvidence, RejectionNotice

if TYPE_CHECKING:
    from citator.service.cochange import Partner
    from citator.service.conflicts import Notice

MAX_PATHS: Final = 300  # of which it is asked who governs them, and who claims them


class FindingKind(StrEnum):
    """What was found, in the order in which it is told."""

    REFUSED = "refused"
    REJECTED = "rejected"
    RESURRECTION = "resurrection"
    GOVERNED = "governed"
    CLAIMED = "claimed"
    CALLERS = "callers"
    PARTNER = "partner"


@dataclass(frozen=True, slots=True)
class RemovalNotice:
    """What left, and by which commit. ``cause`` and ``what`` are closed words; ``name`` is there
    where it is plain, ``reason`` (a reference) where the commit explains itself; ``share`` is how
    much of the removed lines comes back, ``also`` how many more things of the commit do. ``says``
    is the commit's own reason (at most 280 characters, inert), where the operator trusts it."""

    commit: str
    date: str
    cause: str
    what: str
    name: str | None
    path: str
    line: int
    share: float
    also: int
    reason: Ref | None
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that bears on the change. ``path`` and ``line`` are of the change (None: of all of
    it, 0: unknown); ``mined`` says that nobody signed it."""

    id: str
    kind: FindingKind
    strength: Strength
    path: str | None = None
    line: int = 0
    decision: DecisionEvidence | None = None
    rejection: RejectionNotice | None = None
    removal: RemovalNotice | None = None
    partner: Partner | None = None
    claim: Notice | None = None
    name: str | None = None
    callers: tuple[str, ...] = ()
    predicate: str | None = None
    blocks: bool = False

    @property
    def mined(self) -> bool:
        """Whether it comes from history alone."""
        return self.decision is None and self.rejection is None and self.claim is None

    @property
    def subject(self) -> str:
        """What it is about: an item, a rejection, a ticket, a commit, or a path."""
        if self.decision is not None:
            return self.decision.item
        if self.rejection is not None:
            return self.rejection.rejection
        if self.claim is not None:
            return self.claim.ticket or ""
        return self.removal.commit if self.removal is not None else self.path or ""


@dataclass(slots=True)
class Gathered:
    """What was found so far: how many more are left out, and what could not be looked at."""

    findings: list[Finding] = field(default_factory=list)
    left_out: int = 0
    off: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer. ``files`` take part, of which ``unread`` by their path alone; ``left_out`` more
    was found; ``base`` is the commit it was held against. ``texts`` were asked for."""

    findings: tuple[Finding, ...]
    files: int
    unread: int
    left_out: int
    base: str
    horizon: Horizon
    texts: tuple[ReadItem, ...] = ()

    @property
    def blocked(self) -> bool:
        """Whether a decision refuses it."""
        return any(one.blocks for one in self.findings)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked beside the change: the texts of the first ``read`` removals; ``every`` shows
    also what is weak or has withdrawn itself. ``patience``: how many commits may be read first
    (None: all). ``quiet`` leaves no trace that it was shown."""

    read: int = 0
    every: bool = False
    patience: int | None = None
    quiet: bool = False


def finding_id(kind: FindingKind, *parts: str) -> str:
    """The id of a finding: 12 hexadecimal digits of what it is about, the same on every machine."""
    raw = "\0".join((kind.value, *parts)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(raw).hexdigest()[:12]
