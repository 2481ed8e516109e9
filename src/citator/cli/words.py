"""The closed vocabularies as sentences for people: limits, reasons, kinds of findings.

Every member has its sentence (tested); none carries words of the repository.
"""

from __future__ import annotations

from citator.model.evidence import AbstainReason
from citator.service.wording import LIMITS, limit_sentence, size

__all__ = [
    "ABSTENTIONS",
    "FINDINGS",
    "LIMITS",
    "SIGNATURES",
    "counted",
    "coverage",
    "limit_sentence",
    "size",
]

ABSTENTIONS: dict[AbstainReason, str] = {
    AbstainReason.EMPTY_INDEX: "nothing in this history explains itself yet",
    AbstainReason.NO_MATCH: "no passage of this history holds what was asked",
    AbstainReason.UNKNOWN_TERMS: "this history never mentions the words that decide the question",
    AbstainReason.WEAK_COVERAGE: "what was found covers too little of the question to stand on",
    AbstainReason.NOTHING_ASKED: "the question holds no word to search for",
}


FINDINGS: dict[str, str] = {
    "revert_with_reason": "A change that was taken back, with the reason",
    "removal_with_reason": "Something that was removed, with the reason",
    "most_cited_decision": "What later commits refer to most",
}

SIGNATURES: dict[str, str] = {
    "none": "nothing",
    "terminal": "typed at a terminal",
    "key": "signed with a key",
    "key_with_presence": "signed with a key that was touched",
}


def counted(number: int, noun: str) -> str:
    """``1 commit``, ``2 commits``, ``1,234 passages``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def coverage(examined: int, explained: int) -> list[str]:
    """How much of the history says why, in one line; nothing where no commit was read."""
    if not examined:
        return []
    share = 100 * explained / examined
    return [f"{explained:,} of {counted(examined, 'commit')} say why ({share:.0f}%)."]
