"""What of the record travels in an answer: references, closed words, signed rulings (rule 1)."""

from __future__ import annotations

from dataclasses import dataclass

from citator.model.evidence import ClaimState
from citator.model.record import ItemKind, RecordStatus, Sensitivity
from citator.model.reference import Ref
from citator.model.treatment import Standing, StandingReason


@dataclass(frozen=True, slots=True)
class DecisionEvidence:
    """One decision that bears on a question.

    ``ruling`` (at most 280 characters, inert) is there only where a key that a person pinned on
    this machine signed it; else None. ``signature`` and ``landed`` are its assurance. ``matched``
    are words of the asker; ``scope`` those of its path patterns that are plain. ``governs`` says
    that it was found by a path that the caller named, ``brought_by`` names a file that is likely
    concerned and that its scope holds: nobody named it. ``standing_by`` is what to cite for the
    standing: a commit or a decision, if anything.
    """

    ref: Ref
    item: str
    revision: str
    kind: ItemKind
    status: RecordStatus
    sensitivity: Sensitivity
    signature: str
    landed: str
    lines: tuple[int, int]
    characters: int
    valid_from: str
    valid_to: str | None = None
    ruling: str | None = None
    matched: tuple[str, ...] = ()
    governs: bool = False
    brought_by: str | None = None
    standing: Standing = Standing.UNASSESSED
    standing_reason: StandingReason = StandingReason.NOT_READ
    standing_by: str | None = None
    claim_state: ClaimState = ClaimState.UNKNOWN


@dataclass(frozen=True, slots=True)
class RejectionNotice:
    """A value that a person rejected, and that the question speaks of.

    ``rejection`` is its id (64 hexadecimal digits), ``migration`` what was rejected, ``date`` the
    day that its signer states. ``reason`` (at most 280 characters, inert) travels as a ruling does.
    """

    rejection: str
    migration: str
    date: str
    kind: ItemKind | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Governing:
    """What the record says to a question: rejections first, then decisions in rank order.

    ``facts`` are codes of what of the record could not be used.
    """

    decisions: tuple[DecisionEvidence, ...] = ()
    rejections: tuple[RejectionNotice, ...] = ()
    left_out: int = 0
    facts: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether the record says nothing to it. What a predicted file brought says nothing."""
        spoken = (one.governs or one.matched or one.brought_by is None for one in self.decisions)
        return not (self.rejections or any(spoken))
