"""Documents and passages: everything citable, in one shape.

Data flows one way: source → document → passage → snapshot → evidence. Words in a document
(subject, text, people, paths) belong to authors of the repository and never travel unasked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from citator.model.reference import DocumentKind, Ref


class AdrStatus(StrEnum):
    """The status an architecture decision record states of itself: a claim, not an approval."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"


class ThreadState(StrEnum):
    """How a review thread stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    OUTDATED = "outdated"
    DISMISSED = "dismissed"


class Reviewer(StrEnum):
    """What kind of review found something."""

    CODE_REVIEW = "code-review"
    SECURITY = "security"
    ADVERSARIAL = "adversarial"


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Strength(StrEnum):
    """How well a structural fact is attested."""

    STRONG = "strong"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Person:
    """Name and e-mail as the commit states them."""

    name: str
    email: str


def author_number(person: Person) -> int:
    """A number (32 bits) that is the same for one e-mail address in every clone and answer.

    It names nobody; it lets a reader see that two items have one author.
    """
    key = (person.email or person.name).strip().lower()
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big")


@dataclass(frozen=True, slots=True)
class Trailer:
    """``Key: value`` of a commit message. Strong in a trailing block, weak in the body."""

    key: str
    value: str
    strength: Strength


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines ``start``..``end`` (1-based, inclusive) of the document's served text."""

    start: int
    end: int
    text: str
    ref: Ref


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """What a review thread is about: a number of a change or issue, where, and how it stands.

    ``commits`` are the ids of those it was joined to. All of it is what the file says.
    """

    number: int
    state: ThreadState
    path: str | None = None
    line: int | None = None
    commits: tuple[str, ...] = ()
    is_issue: bool = False


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """What a review found, ``count`` times over: its kind and its severity, no words."""

    reviewer: Reviewer
    severity: Severity
    count: int = 1


@dataclass(frozen=True, slots=True)
class Stated:
    """What the trailers of a commit state, as far as it is a closed word, a number or an id.

    ``findings`` come worst first, each pair once; ``reviewed_by`` holds author numbers, ``fixes``
    and ``reverts`` commit ids or their beginnings (7 to 64 hexadecimal digits), ``issues`` the
    numbers of issues that it fixes: each at most three, in the order of the message.
    """

    findings: tuple[ReviewFinding, ...] = ()
    reviewed_by: tuple[int, ...] = ()
    fixes: tuple[str, ...] = ()
    issues: tuple[int, ...] = ()
    reverts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One citable text.

    ``object_id`` is the commit or blob id (40 or 64 hexadecimal digits). ``path`` (Markdown)
    and ``paths`` (a commit's touched files) are surrogate-escaped UTF-8. Times are Unix
    seconds; a Markdown blob has none of its own. ``text`` is the whole served text, redacted.
    ``review`` is of a review thread alone, ``stated`` of a commit.
    """

    kind: DocumentKind
    object_id: str
    subject: str
    text: str
    passages: tuple[Passage, ...]
    path: str | None = None
    paths: tuple[str, ...] = ()
    author: Person | None = None
    authored_at: int | None = None
    committed_at: int | None = None
    parents: tuple[str, ...] = ()
    issue_keys: tuple[str, ...] = ()
    trailers: tuple[Trailer, ...] = ()
    adr_number: int | None = None
    adr_status: AdrStatus | None = None
    adr_date: str | None = None
    supersedes: tuple[str, ...] = ()
    redactions: int = 0
    review: ReviewFacts | None = None
    stated: Stated | None = None
