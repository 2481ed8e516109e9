"""What is missing of the policy, as sentences for people. Ids and dates alone are put in."""

from __future__ import annotations

from typing import Final

from citator.model.domain import Gap, GapKind

SENTENCES: Final = {
    GapKind.NO_POLICY: "no policy here covers the domain {of}; the project was searched",
    GapKind.NO_SOURCE: "the policy for {of} names no source for what is asked",
    GapKind.EXPIRES_SOON: "the policy pack {of} expires within 90 days",
    GapKind.EXPIRED: "the policy pack {of} expired, and counts no more",
    GapKind.UNSIGNED: "the policy pack {of} is not signed, and not loaded",
    GapKind.UNTRUSTED_KEY: "no root pinned here holds the key that signed {of}; it is not loaded",
    GapKind.TAMPERED: "the policy pack {of} is not what was signed, and not loaded",
    GapKind.ROLLED_BACK: "the policy pack {of} is older than one that was here, and not loaded",
    GapKind.NOT_ADDED: "the policy pack {of} lies here and was not added, so it is not loaded",
    GapKind.WRONG_NAMESPACE: "the policy pack {of} was signed for something else; it is not loaded",
    GapKind.UNKNOWN_FIELDS: "the policy pack {of} says what is not known here; it is not loaded",
    GapKind.MALFORMED: "the policy pack {of} cannot be read, and is not loaded",
    GapKind.NOT_YET_VALID: "the policy pack {of} is from the future, by this clock, and not loaded",
    GapKind.TOO_NEW: "the policy pack {of} wants a newer citator, and is not loaded",
    GapKind.UNREADABLE: "the policy pack {of} is damaged, or others could write it; not loaded",
}


def gap_sentence(gap: Gap) -> str:
    """One gap, for people."""
    return SENTENCES[gap.kind].format(of=gap.of)
