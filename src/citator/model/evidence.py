"""What a search returns: references and plain facts, no words of the repository (rule 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citator.model.document import AdrStatus, Stated, ThreadState
from citator.model.horizon import Horizon
from citator.model.reference import DocumentKind, Ref
from citator.model.treatment import Standing, StandingReason


class Status(StrEnum):
    """How an answer ended: ``partial`` only when something was left out."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    ABSTAINED = "abstained"


class AbstainReason(StrEnum):
    """Why there is no evidence to show."""

    EMPTY_INDEX = "empty_index"
    NO_MATCH = "no_match"
    UNKNOWN_TERMS = "unknown_terms"
    WEAK_COVERAGE = "weak_coverage"
    NOTHING_ASKED = "nothing_asked"


class ClaimState(StrEnum):
    """Whether what it says was checked."""

    SUPPORTED = "supported"
    STALE = "stale"
    EXPIRED = "expired"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ReviewEvidence:
    """What a review thread says it is about, in plain tokens: evidence, never authority.

    ``change`` or ``issue`` is its number there. ``path`` is plain, or percent-encoded, or None
    where it is longer than a name that travels; ``commits`` are at most three ids that it was
    joined to.
    """

    state: ThreadState
    change: int | None = None
    issue: int | None = None
    path: str | None = None
    line: int | None = None
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cited passage.

    ``locator`` is a commit id, ``path:start-end`` where the path is plain, else the blob id.
    ``author`` is a number that is the same for one e-mail address everywhere; ``matched`` are
    the asker's own words that the passage holds; ``lines`` and ``characters`` say how much
    there is to read. ``review`` is of a review thread alone, ``stated`` of a commit.
    """

    ref: Ref
    kind: DocumentKind
    locator: str
    object_id: str
    lines: tuple[int, int]
    characters: int
    matched: tuple[str, ...]
    date: str | None = None
    author: int | None = None
    adr_status: AdrStatus | None = None
    redactions: int = 0
    standing: Standing = Standing.UNASSESSED
    standing_reason: StandingReason = StandingReason.NOT_READ
    standing_by: str | None = None
    claim_state: ClaimState = ClaimState.UNKNOWN
    authority: str = "not_assessed_by_retrieval"
    review: ReviewEvidence | None = None
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's answer: evidence in rank order, or an abstention with its reason.

    ``left_out`` counts the passages that qualified beyond the limit; ``cursor`` continues.
    """

    status: Status
    evidence: tuple[Evidence, ...]
    horizon: Horizon
    abstained: AbstainReason | None = None
    unknown_words: tuple[str, ...] = ()
    left_out: int = 0
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ReadItem:
    """The text of one reference, or why not. ``text`` is inert, bounded and not yet fenced.

    ``procedure`` says that it is an active skill: a text that a person signed to be followed.
    """

    ref: str
    problem: str | None = None
    text: str = ""
    lines: tuple[int, int] | None = None
    truncated: bool = False
    locator: str | None = None
    redactions: int = 0
    procedure: bool = False
