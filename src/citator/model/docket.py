"""A docket: all that bears on some lines, a file, a symbol, a commit, a decision or a question.

Plain tokens alone (rule 1): ids, dates, numbers, closed words; paths are percent-encoded where they
are not plain, names that are not plain are None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from citator.model.document import Stated
from citator.model.evidence import AbstainReason, ClaimState, Evidence
from citator.model.horizon import Horizon
from citator.model.reference import Ref
from citator.model.ruling import Governing
from citator.model.treatment import Edge, Verdict


class Shape(StrEnum):
    """A closed list of what can be asked about."""

    LINES = "lines"
    PATH = "path"
    SYMBOL = "symbol"
    COMMIT = "commit"
    DECISION = "decision"
    TEXT = "text"
    QUESTION = "question"


class Relation(StrEnum):
    """What the commit of some lines is to them."""

    INTRODUCED = "introduced"
    AT_OR_BEFORE = "at_or_before"  # the edge of what this clone has, or of what could be read
    UNFINISHED = "unfinished"  # time was over: it is of this commit or an older one
    UNCOMMITTED = "uncommitted"
    NOT_IN_VIEW = "not_in_view"


class Role(StrEnum):
    """Why a commit is in a docket, the nearest first."""

    NAMED = "named"
    DEFINED = "defined"
    BEHAVIOUR = "behaviour"
    AT_OR_BEFORE = "at_or_before"  # the edge of what this clone has: it, or an older one, did it
    REMOVED = "removed"
    ADDED_TEXT = "added_text"
    CHANGED_TEXT = "changed_text"
    TOUCHED = "touched"


@dataclass(frozen=True, slots=True)
class Passed:
    """A commit that only changed the form, the place or the name of some lines: ``what`` it did.
    ``commit`` is None where that is not committed."""

    commit: str | None
    what: str
    path: str


@dataclass(frozen=True, slots=True)
class DocketLines:
    """Lines ``first`` to ``last`` of ``path`` as it is now, and the commit they are of.

    In that commit they begin at ``there_path``:``there_line``. ``others`` are older commits that
    made parts of them.
    """

    path: str
    first: int
    last: int
    relation: Relation
    commit: str | None = None
    there_path: str | None = None
    there_line: int | None = None
    passed: tuple[Passed, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocketCommit:
    """A commit and what is known of it.

    ``ref`` reads its message, None where it does not say why (or is not indexed yet); ``changes``
    are numbers of pull requests; ``lines`` counts those of the asked lines that are its own.
    """

    commit: str
    role: Role
    date: str | None
    author: int | None
    lines: int
    ref: Ref | None
    changes: tuple[int, ...]
    stated: Stated | None
    verdict: Verdict
    treatment: tuple[Edge, ...]
    claim_state: ClaimState = ClaimState.UNKNOWN


@dataclass(frozen=True, slots=True)
class Removal:
    """``commit`` took ``lines`` lines away, from line ``first`` of ``path`` on; ``instead`` lines
    stand there since. ``whole``: the file is gone, or has the name ``now``.
    """

    commit: str
    path: str
    first: int
    lines: int
    instead: int
    whole: bool = False
    now: str | None = None


@dataclass(frozen=True, slots=True)
class DocketPlace:
    """A place in the code: a definition, a caller, a text. ``name`` is what it stands in."""

    path: str
    first: int
    last: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Partner:
    """A file that changed in ``together`` of the last ``of`` changes."""

    path: str
    together: int
    of: int


@dataclass(frozen=True, slots=True)
class Owner:
    """An author by number, what share of the weight is theirs (0 to 1), how many of the changes,
    and when the last was (``YYYY-MM-DD``)."""

    author: int
    share: float
    changes: int
    last: str


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose work ``path`` is: ``owners``, most first; ``factor``: how few hold half of it;
    ``changes`` that count; ``declared``: those that CODEOWNERS names (of a folder, for its first
    file), where plain."""

    path: str
    owners: tuple[Owner, ...]
    factor: int
    changes: int
    declared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Docket:
    """The docket. ``unfinished``: time was over; asked for more, it goes on from there.

    ``callers_left_out`` counts places beyond those listed. ``evidence`` are documents in rank
    order, ``reviews`` review threads; ``ownership`` is of a path that was asked about itself.
    ``abstained`` says why there is nothing at all.
    """

    shape: Shape
    horizon: Horizon
    path: str | None = None
    symbol: str | None = None
    places: tuple[DocketPlace, ...] = ()
    lines: tuple[DocketLines, ...] = ()
    commits: tuple[DocketCommit, ...] = ()
    removals: tuple[Removal, ...] = ()
    record: Governing = field(default_factory=Governing)
    reviews: tuple[Evidence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    tests: tuple[str, ...] = ()
    partners: tuple[Partner, ...] = ()
    ownership: Ownership | None = None
    callers: tuple[DocketPlace, ...] = ()
    callers_left_out: int = 0
    commits_left_out: int = 0
    unfinished: bool = False
    abstained: AbstainReason | None = None

    @property
    def empty(self) -> bool:
        """Whether it holds nothing that bears on what was asked."""
        return (
            not (self.commits or self.lines or self.removals or self.evidence or self.reviews)
            and self.record.silent
        )
