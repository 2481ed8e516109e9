"""The journal of a clone: what this machine's person changed, by event, ids and digests alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citator.model.errors import IntegrityError
from citator.service.workspace import Workspace
from citator.store.journal import FOLDER, MOST_NAMED, Entry, Journal, Verified


class Event(StrEnum):
    """What happened to the record, or to what is trusted here."""

    BEGUN = "ledger_begun"
    PROPOSED = "proposed"
    READY = "draft_ready"
    APPROVED = "approved"
    REJECTED = "rejected"
    LIFTED = "rejection_lifted"
    LANDED = "landed"
    ATTESTED = "attested"
    PINNED = "root_pinned"
    UNPINNED = "root_unpinned"
    LEDGER_SET = "second_ledger_set"
    AUDIENCE_SET = "audience_set"
    READERSHIP_SET = "readership_set"
    REVIEWS_KEPT = "reviews_kept"
    ANSWERED = "finding_answered"
    WORDS_TRUSTED = "words_trusted"
    CLAIMED = "claimed"
    CLAIM_EXTENDED = "claim_extended"
    CLAIM_RELEASED = "claim_released"
    CLAIMS_SYNCED = "claims_synced"


@dataclass(frozen=True, slots=True)
class History:
    """Entries, the newest first, and whether the chain they hang on is whole."""

    entries: tuple[Entry, ...]
    verified: Verified


def of(workspace: Workspace) -> Journal:
    """The journal of this clone."""
    return Journal(workspace.place.local / FOLDER)


def note(
    workspace: Workspace,
    event: Event,
    time: str,
    subjects: Sequence[str] = (),
    digests: Sequence[str] = (),
) -> None:
    """Commit one entry. More ids or digests than an entry holds are cut."""
    named, proved = subjects[:MOST_NAMED], digests[:MOST_NAMED]
    of(workspace).append(event.value, time, subjects=named, digests=proved)


def require_whole(workspace: Workspace) -> None:
    """Raise IntegrityError where the journal is not what was written there."""
    broken = of(workspace).verify().broken
    if broken is not None:
        raise IntegrityError(
            "journal_broken",
            f"entry {broken.n} of the journal of this clone does not follow from the one before",
            "somebody changed it, or a disk did; move the folder `journal` (citator doctor says "
            "where the data is) aside to go on with a new one",
        )


def history(workspace: Workspace, limit: int = 50, before: int | None = None) -> History:
    """The newest entries (numbered below ``before``), with the chain checked."""
    journal = of(workspace)
    return History(tuple(journal.newest(limit, before)), journal.verify())


def prune(workspace: Workspace, before: int, time: str) -> Entry | None:
    """Delete whole files of entries below ``before``; the entry that says so."""
    return of(workspace).prune(before, time)
