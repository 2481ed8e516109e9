"""What a row carries beside its words where its document has it: the facts of a thread or commit.

- Most documents have none, and their rows are as short as ever.
- Closed words are read back as such: anything else is damage.
"""

from __future__ import annotations

from typing import Any, Final

from citator.model.document import (
    Document,
    Reviewer,
    ReviewFacts,
    ReviewFinding,
    Severity,
    Stated,
    ThreadState,
)

SHOWN_COMMITS: Final = 3


def attached(document: Document) -> list[Any]:
    """At most one value to store after the others of a row."""
    review, stated = document.review, document.stated
    if review is not None:
        return [
            [
                review.number,
                review.state,
                review.path,
                review.line,
                " ".join(review.commits[:SHOWN_COMMITS]),
                int(review.is_issue),
            ]
        ]
    if stated is not None:
        return [
            [
                [[one.reviewer, one.severity, one.count] for one in stated.findings],
                stated.reviewed_by,
                " ".join(stated.fixes),
                stated.issues,
                " ".join(stated.reverts),
            ]
        ]
    return []


def review_of(values: list[Any]) -> ReviewFacts:
    """The facts of a thread. Raises ValueError, TypeError."""
    number, state, path, line, commits, is_issue = values
    return ReviewFacts(
        number, ThreadState(state), path, line, tuple(commits.split()), is_issue == 1
    )


def stated_of(values: list[Any]) -> Stated:
    """What a commit states. Raises ValueError, TypeError."""
    findings, reviewed_by, fixes, issues, reverts = values
    return Stated(
        tuple(ReviewFinding(Reviewer(who), Severity(bad), count) for who, bad, count in findings),
        tuple(reviewed_by),
        tuple(fixes.split()),
        tuple(issues),
        tuple(reverts.split()),
    )
