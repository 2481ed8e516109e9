"""Rows of the index → evidence: the border where the repository's words stay behind (rule 1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from citator.index.protocol import Row
from citator.model.document import ReviewFacts, author_number
from citator.model.domain import Authority
from citator.model.evidence import ClaimState, Evidence, ReviewEvidence
from citator.model.plain import MAX_TOTAL, is_plain, percent_encoded
from citator.model.reference import DocumentKind
from citator.model.spoken import names_in
from citator.model.treatment import NOT_READ, StandingReason, Verdict

if TYPE_CHECKING:
    from citator.service.policy import Policy
    from citator.service.spoken_since import Speaks
    from citator.service.treatment import Treatments

MOST_COMMITS = 3


def evidence_of(
    row: Row,
    matched: tuple[str, ...],
    treated: Treatments | None = None,
    policy: Policy | None = None,
) -> Evidence:
    """What may travel of a row. ``matched`` are words the asker used, never the row's; how it
    stands is as ``treated`` says, what it is worth as ``policy`` does where it names it."""
    verdict = NOT_READ if treated is None else verdict_of(row, treated)
    named = None if policy is None else policy.source_of(row)
    state = claim_state_of(row, verdict, treated)
    if policy is not None and named is not None:
        state = policy.state(named, row, state)
    return Evidence(
        ref=row.ref,
        kind=row.kind,
        locator=locator(row),
        object_id=row.object_id,
        lines=(row.start, row.end),
        characters=len(row.text),
        matched=matched,
        date=iso_date(row.authored_at),
        author=None if row.author is None else author_number(row.author),
        adr_status=row.adr_status,
        redactions=row.redactions,
        review=None if row.review is None else review_of(row.review),
        stated=row.stated,
        standing=verdict.standing,
        standing_reason=verdict.reason,
        standing_by=verdict.by,
        claim_state=state,
        authority=(Authority.NOT_ASSESSED if named is None else named.authority).value,
    )


def verdict_of(row: Row, treated: Treatments) -> Verdict:
    """How what a row is of stands: a commit by its treatment, a decision record by what it says."""
    if row.kind is DocumentKind.COMMIT:
        return treated.verdict(row.object_id)
    return treated.stated(row.object_id, row.adr_status)


def claim_state_of(row: Row, verdict: Verdict, treated: Treatments | None) -> ClaimState:
    """Expired, or stale where nothing is left of what a commit did to files, or something that
    it or a page names is seen to be another at this HEAD; else it is not known whether it still is
    so, because nothing checked that, or nobody looked yet. Stale says nothing of the standing."""
    if verdict.reason is StandingReason.EXPIRED:
        return ClaimState.EXPIRED
    if treated is None:
        return ClaimState.UNKNOWN
    if row.kind is DocumentKind.COMMIT and treated.files_gone(row.object_id):
        return ClaimState.STALE
    changed = treated.names_changed(row.object_id, _speaks(row))
    return ClaimState.STALE if changed else ClaimState.UNKNOWN


def _speaks(row: Row) -> Speaks | None:
    """How to tell what a row's document names; None where the passage names nothing."""
    if row.kind not in (DocumentKind.COMMIT, DocumentKind.MARKDOWN) or not names_in(row.text):
        return None
    from citator.service.spoken_since import QUICK_SECONDS, by_commit, by_page

    if row.kind is DocumentKind.COMMIT:
        return lambda repo, _: by_commit(repo, row.object_id, row.paths)
    return lambda repo, tip: by_page(repo, tip, row.object_id, row.path, QUICK_SECONDS)


def locator(row: Row) -> str:
    """Where a person finds it: a commit id, ``path:start-end`` if plain, else the blob id."""
    if row.kind is DocumentKind.COMMIT:
        return row.object_id
    name = row.path if row.path and is_plain(row.path) else row.object_id
    return f"{name}:{row.start}-{row.end}"


def review_of(facts: ReviewFacts) -> ReviewEvidence:
    """What may travel of a thread: how it stands and what it is about."""
    path = facts.path
    if path is not None and not is_plain(path):
        path = percent_encoded(path)
    return ReviewEvidence(
        state=facts.state,
        change=None if facts.is_issue else facts.number,
        issue=facts.number if facts.is_issue else None,
        path=path if path is not None and 0 < len(path) <= MAX_TOTAL else None,
        line=facts.line,
        commits=facts.commits[:MOST_COMMITS],
    )


def iso_date(seconds: int | None) -> str | None:
    """``YYYY-MM-DD`` in UTC, None for a time outside the years 1 to 9999."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
