"""What the trailers of a commit state as closed words, numbers and ids. Their words stay behind.

- ``Review-Finding: security HIGH — text``: kind and severity out of a closed set, in any case, with
  a dash or a colon and words after it. What does not fit is no finding.
- ``Reviewed-by: Name <address>`` is an author number; a name without an address is none.
- ``Fixes: 1f8558f0`` and ``Fixes: #12`` are a commit and an issue; ``Reverts:`` is a commit, and so
  is the sentence that git writes (``This reverts commit …``). An issue of another repository, and
  digits alone that could be the number of anything, are neither.
- Whatever a trailer states is what the author of the commit wrote: evidence, never authority.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from citator.formats.trailers import FINDING_KEY
from citator.model.document import (
    Person,
    Reviewer,
    ReviewFinding,
    Severity,
    Stated,
    Trailer,
    author_number,
)

MOST: Final = 3

_KEYS: Final = frozenset({"Reviewed-by", "Fixes", "Reverts", FINDING_KEY})
_FINDING: Final = re.compile(
    r"(code-review|security|adversarial)\s+(critical|high|medium|low)\s*(?:[\u2012-\u2015:]|--?)\s*\S",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"<([^<>\s]{1,200}@[^<>\s]{1,200})>")
_COMMIT: Final = re.compile(r"(?:commit )?([0-9a-f]{7,64})(?![\w-])")
_DIGITS: Final = 12
_ISSUE: Final = re.compile(r"(?<![\w/-])(?:#|GH-)([1-9][0-9]{0,8})(?![\w-])")
_SENTENCE: Final = "This reverts commit "
_REVERTS: Final = re.compile(r"^This reverts commit ([0-9a-f]{7,64})(?![\w-])", re.MULTILINE)

_Any = TypeVar("_Any")


def stated_of(trailers: Sequence[Trailer], text: str) -> Stated | None:
    """What ``trailers`` of the message ``text`` state; None where nothing, as of most messages."""
    reverting = _SENTENCE in text
    if not reverting and not any(trailer.key in _KEYS for trailer in trailers):
        return None
    reverts = [match[1] for match in _REVERTS.finditer(text)] if reverting else []
    findings: Counter[tuple[Reviewer, Severity]] = Counter()
    reviewers: list[int] = []
    fixes: list[str] = []
    issues: list[int] = []
    for trailer in trailers:
        if trailer.key == "Reviewed-by":
            reviewers += _reviewer(trailer.value)
        elif trailer.key == "Fixes":
            fixes += _commit(trailer.value)
            issues += [int(match[1]) for match in _ISSUE.finditer(trailer.value)]
        elif trailer.key == "Reverts":
            reverts += _commit(trailer.value)
        elif trailer.key == FINDING_KEY:
            findings.update(_finding(trailer.value))
    stated = Stated(
        findings=_sorted(findings),
        reviewed_by=_first(reviewers),
        fixes=_first(fixes),
        issues=_first(issues),
        reverts=_first(reverts),
    )
    return stated if stated != Stated() else None


def _finding(value: str) -> list[tuple[Reviewer, Severity]]:
    match = _FINDING.match(value)
    return [(Reviewer(match[1].lower()), Severity(match[2].lower()))] if match else []


def _reviewer(value: str) -> list[int]:
    match = _ADDRESS.search(value)
    return [author_number(Person("", match[1]))] if match else []


def _commit(value: str) -> list[str]:
    match = _COMMIT.match(value)
    if match is None or (match[1].isdigit() and len(match[1]) < _DIGITS):
        return []
    return [match[1]]


def _first(found: Iterable[_Any]) -> tuple[_Any, ...]:
    return tuple(dict.fromkeys(found))[:MOST]


def _sorted(findings: Counter[tuple[Reviewer, Severity]]) -> tuple[ReviewFinding, ...]:
    severities, reviewers = list(Severity), list(Reviewer)

    def order(pair: tuple[Reviewer, Severity]) -> tuple[int, int]:
        return severities.index(pair[1]), reviewers.index(pair[0])

    return tuple(ReviewFinding(*pair, findings[pair]) for pair in sorted(findings, key=order))
