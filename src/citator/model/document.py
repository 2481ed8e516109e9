"""Documents and passages: everything citable, in one shape.

Data flows one way: source → document → passage → snapshot → evidence. Words in a document
(subject, text, people, paths) belong to authors of the repository and never travel unasked.
"""

from __future__ import annotations

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


class Strength(StrEnum):
    """How well a structural fact is attested."""

    STRONG = "strong"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Person:
    """Name and e-mail as the commit states them."""

    name: str
    email: str


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

    ``state`` is open, resolved, outdated or dismissed; ``commits`` are those it was joined to.
    """

    number: int
    state: str
    path: str | None = None
    line: int | None = None
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One citable text.

    ``object_id`` is the commit or blob id (40 or 64 hexadecimal digits). ``path`` (Markdown)
    and ``paths`` (a commit's touched files) are surrogate-escaped UTF-8. Times are Unix
    seconds; a Markdown blob has none of its own. ``text`` is the whole served text, redacted.
    ``review`` is of a review thread alone.
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
