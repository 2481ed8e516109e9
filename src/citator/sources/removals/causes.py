"""Whether a commit removed something, and whether it says why: by the shape of its message.

- A *revert* is one by structure: git's sentence or title, a ``revert:`` type. The word in a
  sentence is none.
- A *stated* removal has a title that begins with removing and a body that explains.
- An *explained* commit only explains itself: enough for what a manifest shows, for nothing else.
- Programs that update dependencies state no reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from citator.git.records import RawCommit

LONG_ENOUGH: Final = 8
MOST_UNDONE: Final = 16


class Cause(IntEnum):
    """Why something left, the strongest first."""

    REVERT = 1
    STATED = 2
    EXPLAINED = 3


@dataclass(frozen=True, slots=True)
class Stated:
    """What a commit says of its removing: ``ref`` cites its words where it explains itself;
    ``undoes`` are the commits (or their first digits) that it reverts by id."""

    cause: Cause
    ref: str
    undoes: tuple[str, ...] = ()


_REVERT: Final = re.compile(
    r"(?:\[[^\]]{1,40}\] ?|[\w./-]{1,40}: )?"
    r"(?:Reverts? (?:[0-9a-f]{7,40}\b|\"|“|'|PR #|pull request #|#)"
    r"|revert(?:\([^)]{1,60}\))?!?: |Back(?:ed)? ?out |Roll ?back: )",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(
    r"[^\n]{0,300}\n\s{0,20}This reverts commit [0-9a-f]{7}|(?s:.*)\nReverts [0-9a-f]{40}(?![\w-])"
)
_UNDOES: Final = re.compile(
    r"^(?:This r|R)everts? (?:commit )?([0-9a-f]{7,40})(?![\w-])", re.MULTILINE
)
_REMOVES: Final = re.compile(
    r"(?:\[[^\]]{1,40}\] ?){0,3}(?:[\w./, *-]{1,40}(?:\([^)]{1,60}\))?!?: ?)?"
    r"(?:completely |temporarily |actually |also |finally |partially )?"
    r"(?:re-?)?(?:remov(?:e|ed|es|ing)|drop(?:s|ped)?|delet(?:e|ed|es)|(?:get(?:ting)?|got) rid of"
    r"|retir(?:e|ed)|disallow|forbid|ban|kill|stop|don't|do not|no longer|un-?ship|eliminat(?:e|ed)"
    r"|discontinue|abandon|give up|purge|nuke|rip out|throw out|prune|undo|roll ?back|disable)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|in order to|instead|no longer|caus(?:e[sd]?|ing)"
    r"|br(?:oke|eaks?|oken)|reasons?|turns out|due to|as (?:it|this|they|we|the)|never|unused"
    r"|not (?:needed|used|supported|worth)|fail(?:s|ed|ing|ures?)?|problem|issues?|slow|flak[ey]"
    r"|regress\w{0,6}|incorrect|wrong|unsafe|insecure|deprecat\w{1,6}|obsolete|superseded|redundant"
    r"|unnecessary|confus\w{1,5}|leak\w{0,3}|incompatib\w{1,8})\b",
    re.IGNORECASE,
)


def stated_by(raw: RawCommit, *, manifests: bool) -> Stated | None:
    """What a commit says of what it removes; None where it says nothing that counts.

    ``manifests`` says that it touches one, so that an explanation is enough.
    """
    if len(raw.parents) > 1:
        return None
    subject = raw.message.lstrip("\n").split("\n", 1)[0][:300]
    reverts = bool(_REVERT.match(subject)) or _OPENS.match(raw.message) is not None
    if not (reverts or manifests or _REMOVES.match(subject)):
        return None
    # Slow to load, and whoever only names a cause needs it not.
    from citator.sources.commits import document_of

    document = document_of(raw)
    ref = str(document.passages[0].ref) if document is not None and document.passages else ""
    if reverts:
        undoes = _UNDOES.findall(raw.message)[:MOST_UNDONE]
        return Stated(Cause.REVERT, ref, tuple(undoes))
    if document is None or not _explains(document.text):
        return None
    if _REMOVES.match(subject):
        return Stated(Cause.STATED, ref)
    return Stated(Cause.EXPLAINED, ref) if manifests else None


def _explains(text: str) -> bool:
    """Whether a body gives a reason in so many words."""
    body = text.partition("\n")[2]
    return _REASON.search(body) is not None and len(body.split()) >= LONG_ENOUGH
