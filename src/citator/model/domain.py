"""What a task is about, and what a signed policy says of it. Closed sets and plain tokens alone.

- A domain and an intent are found by fixed rules over the asker's words (rule 3); nothing of a
  document takes part.
- No domain and no intent refuses a question: what is missing is a *gap*, told beside the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Domain(StrEnum):
    """What a task is about. Those after ``GENERAL`` have no policy until a pack covers them."""

    PROGRAMMING = "programming"
    PROJECT_MEMORY = "project_memory"
    GENERAL = "general"
    LAW = "law"
    ACCOUNTING = "accounting"
    CYBERSECURITY = "cybersecurity"
    UX = "ux"
    MEDICINE = "medicine"
    FINANCE = "finance"


class Intent(StrEnum):
    """What is wanted of it."""

    EXPLAIN = "explain"
    FIND = "find"
    CHANGE = "change"
    CHOOSE = "choose"
    OPERATE = "operate"
    LEARN = "learn"
    UNCLEAR = "unclear"


class GapKind(StrEnum):
    """What a policy does not give to this task, and why."""

    NO_POLICY = "no_policy"  # no pack covers the domain
    NO_SOURCE = "no_source"  # a pack covers it, and names no source for this intent
    EXPIRES_SOON = "expires_soon"  # within 90 days
    EXPIRED = "expired"
    UNSIGNED = "unsigned"
    UNTRUSTED_KEY = "untrusted_key"
    TAMPERED = "tampered"
    ROLLED_BACK = "rolled_back"
    NOT_ADDED = "not_added"  # it lies there, and no person added it
    WRONG_NAMESPACE = "wrong_namespace"
    UNKNOWN_FIELDS = "unknown_fields"
    MALFORMED = "malformed"
    NOT_YET_VALID = "not_yet_valid"
    TOO_NEW = "too_new"
    UNREADABLE = "unreadable"


class SourceKind(StrEnum):
    """What kind of thing a source is: what this repository holds, or a place of the web."""

    COMMITS = "commits"
    DOCUMENTS = "documents"
    DECISIONS = "decisions"
    REVIEWS = "reviews"
    WEB = "web"


class Authority(StrEnum):
    """What a source is for its domain, as whoever signed the pack says."""

    PRIMARY = "primary"
    OFFICIAL = "official"
    STANDARD = "standard"
    CONTEXTUAL = "contextual"
    NOT_ASSESSED = "not_assessed_by_retrieval"


@dataclass(frozen=True, slots=True)
class Task:
    """A task, classified. ``rule`` is the name of the rule that fired (``law.strong.en``), and
    ``matched`` are the asker's own words under it; an unclear task is ``general`` by ``nothing``.
    ``also`` is another domain that words of the task are of, though the project's weigh as much.
    """

    domain: Domain
    intent: Intent
    rule: str
    matched: tuple[str, ...] = ()
    also: Domain | None = None

    @property
    def unclear(self) -> bool:
        """Whether no rule fired, so that it is answered as general."""
        return not self.matched


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """``of`` names the domain, or the pack, that is missing or was not loaded."""

    kind: GapKind
    of: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What the policy here says of a task: the sources that apply, by ``pack/source``, those of
    them that lie outside this repository, and the gaps."""

    task: Task
    sources: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
