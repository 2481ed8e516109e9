"""How later history treated a commit or a decision, and what that makes of its standing.

- A treatment is a typed, cited link. Its strength says how well the link itself is attested; a
  mention in the body of a message never decides a standing.
- A treatment counts while what made it is itself in force: parity is over the graph of what
  treats what, never over the words of a message.
- Of the treatments that decide, the latest that counts wins: a reinstatement after a revert, a
  revert after that.
- A standing is computed by one pure function, and always has a reason and, where something
  treats it, what to cite for it. Nothing is in force from silence where history was not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from citator.model.document import AdrStatus
from citator.model.record import RecordStatus


class Standing(StrEnum):
    """Whether it still holds."""

    IN_FORCE = "in_force"
    CAUTION = "caution"
    NOT_IN_FORCE = "not_in_force"
    UNASSESSED = "unassessed"


class Treatment(StrEnum):
    """What a later commit or record does to an earlier one."""

    CITES = "cites"
    FOLLOWS = "follows"
    LIMITS = "limits"
    QUESTIONS = "questions"
    SUPERSEDES = "supersedes"
    REVERTS = "reverts"
    REINSTATES = "reinstates"
    REJECTS = "rejects"
    IMPLEMENTS = "implements"
    FIXES = "fixes"
    ORPHANED = "orphaned"


class Attested(StrEnum):
    """How well a link is attested, best first."""

    FULL_SHA = "full_sha"
    SHORT_SHA = "short_sha"
    PULL_REQUEST = "pull_request"
    QUOTED_TITLE = "quoted_title"
    STRUCTURE = "structure"
    BODY_MENTION = "body_mention"

    @property
    def rank(self) -> int:
        """5 (a full id) to 0 (a mention in the body)."""
        return len(_ATTESTED) - 1 - _ATTESTED.index(self)

    @property
    def decides(self) -> bool:
        """Whether a treatment attested like this may change a standing."""
        return self is not Attested.BODY_MENTION


_ATTESTED = list(Attested)


class Rule(StrEnum):
    """The rule that found a treatment."""

    REVERT_SENTENCE = "revert_sentence"  # This reverts commit <id>
    REVERT_TITLE = "revert_title"  # Revert "<title>"
    REVERT_CHANGE = "revert_change"  # Revert PR #<n>, Reverts <repository>#<n>
    REVERT_TYPE = "revert_type"  # revert: <title>
    REVERT_MERGE = "revert_merge"  # a merge was reverted, and with it what it had brought
    REVERT_OF_REVERT = "revert_of_revert"
    REAPPLY = "reapply"  # Reapply or Reland "<title>"
    TRAILER = "trailer"
    MENTION = "mention"
    PICKED = "picked"  # (cherry picked from commit <id>)
    RELATION = "relation"  # between two decisions
    ADR_LINK = "adr_link"  # what one says of another
    PREMISE = "premise"
    SCOPE_GONE = "scope_gone"


class StandingReason(StrEnum):
    """Why it stands as it does."""

    # in force
    UNTREATED = "untreated"
    FOLLOWED = "followed"
    REINSTATED = "reinstated"
    APPROVED = "approved"
    STATED_ACCEPTED = "stated_accepted"
    # caution
    LIMITED = "limited"
    QUESTIONED = "questioned"
    CONTESTED = "contested"
    PREMISE_BROKEN = "premise_broken"
    ORPHANED = "orphaned"
    NOT_YET_VALID = "not_yet_valid"
    TREATED_ON_PROTECTED_BRANCH = "treated_on_protected_branch"
    # not in force
    REVERTED = "reverted"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"
    EXPIRED = "expired"
    # unassessed
    PROPOSED = "proposed"
    NO_RULING = "no_ruling"
    NOT_READ = "not_read"
    NOT_IN_HISTORY = "not_in_history"


@dataclass(frozen=True, slots=True)
class Edge:
    """One treatment. Ids are of a commit, a decision (its item) or a blob, and a page that treats
    another is named by its path: plain tokens all.

    ``of`` is None where what is claimed to be treated was not found; ``claimed`` is then how it
    was named, as far as that is a plain token. ``date`` is the day of ``by`` (``YYYY-MM-DD``, ""
    where it states none). ``part`` says that a part alone is treated. ``confirmed`` says whether
    the two changes are the inverse of each other; None where that was not, or could not be, seen.
    """

    treatment: Treatment
    by: str
    of: str | None
    claimed: str
    rule: Rule
    strength: Attested
    date: str
    part: bool = False
    confirmed: bool | None = None


def edge_from(values: Mapping[str, Any]) -> Edge:
    """The treatment that ``dataclasses.asdict`` made ``values`` of. Raises as a bad one does."""
    return Edge(
        **{
            **values,
            "treatment": Treatment(values["treatment"]),
            "rule": Rule(values["rule"]),
            "strength": Attested(values["strength"]),
        }
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """A standing, why, and what to cite for it (a commit, a decision or a blob), if anything."""

    standing: Standing
    reason: StandingReason
    by: str | None = None


NOT_READ: Final = Verdict(Standing.UNASSESSED, StandingReason.NOT_READ)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one thing beside its treatment. Times are RFC 3339 in UTC or a day.

    ``is_ruling`` is False for what rules nothing (a guide, a review thread). ``gone`` says that
    what it governs is gone, ``broken`` that what it rests on is no longer so, each with the commit
    that did it, where that is known. ``elsewhere`` are treatments that the protected branch has and
    HEAD has not; ``superseded_by`` is what retired a decision, where that may be known.
    """

    is_ruling: bool = True
    status: RecordStatus | None = None
    adr_status: AdrStatus | None = None
    superseded_by: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    contested: bool = False
    gone: bool = False
    gone_by: str | None = None
    broken: bool = False
    broken_by: str | None = None
    elsewhere: tuple[Edge, ...] = ()


_ENDED: Final = {
    RecordStatus.SUPERSEDED: StandingReason.SUPERSEDED,
    RecordStatus.DEPRECATED: StandingReason.DEPRECATED,
    RecordStatus.REJECTED: StandingReason.REJECTED,
}
_STATED_ENDED: Final = {
    AdrStatus.SUPERSEDED: StandingReason.SUPERSEDED,
    AdrStatus.DEPRECATED: StandingReason.DEPRECATED,
    AdrStatus.REJECTED: StandingReason.REJECTED,
}
_PENDING: Final = frozenset({RecordStatus.DRAFT, RecordStatus.PROPOSED})
# What ends a ruling or brings it back, each with the reason that it gives.
DECIDING: Final = {
    Treatment.REVERTS: StandingReason.REVERTED,
    Treatment.SUPERSEDES: StandingReason.SUPERSEDED,
    Treatment.REJECTS: StandingReason.REJECTED,
    Treatment.REINSTATES: StandingReason.REINSTATED,
}
UNDOING: Final = frozenset({Treatment.REVERTS, Treatment.REINSTATES})


def standing_of(facts: Facts, treatments: Sequence[Edge], now: str | None = None) -> Verdict:
    """How something stands. ``treatments`` are those that count, newest first.

    ``now`` is a time (RFC 3339, UTC) or a day; None leaves validity unread.
    """
    ended = _ended(facts, now)
    if ended is not None:
        return ended
    if facts.status in _PENDING or facts.adr_status is AdrStatus.PROPOSED:
        return Verdict(Standing.UNASSESSED, StandingReason.PROPOSED)
    deciding = [one for one in treatments if one.strength.decides]
    last = next((one for one in deciding if one.treatment in DECIDING and not one.part), None)
    if last is not None and last.treatment is not Treatment.REINSTATES:
        return Verdict(Standing.NOT_IN_FORCE, DECIDING[last.treatment], last.by)
    doubt = _doubt(facts, deciding if last is None else deciding[: deciding.index(last)], now)
    if doubt is not None:
        return doubt
    if last is not None:
        return Verdict(Standing.IN_FORCE, StandingReason.REINSTATED, last.by)
    return _holding(facts, deciding)


def _ended(facts: Facts, now: str | None) -> Verdict | None:
    """What its own record says: that is stronger than what a commit claims."""
    reason = _ENDED.get(facts.status) if facts.status else None
    if reason is None and facts.adr_status is not None:
        reason = _STATED_ENDED.get(facts.adr_status)
    if reason is not None:
        return Verdict(Standing.NOT_IN_FORCE, reason, facts.superseded_by)
    if now is not None and facts.valid_to is not None and facts.valid_to <= now:
        return Verdict(Standing.NOT_IN_FORCE, StandingReason.EXPIRED)
    return None


def _doubt(facts: Facts, deciding: Sequence[Edge], now: str | None) -> Verdict | None:
    """What gives reason for caution, the worst first."""

    def caution(reason: StandingReason, by: str | None = None) -> Verdict:
        return Verdict(Standing.CAUTION, reason, by)

    for one in facts.elsewhere:
        if one.strength.decides and one.treatment in DECIDING:
            return caution(StandingReason.TREATED_ON_PROTECTED_BRANCH, one.by)
    if facts.broken:
        return caution(StandingReason.PREMISE_BROKEN, facts.broken_by)
    if facts.contested:
        return caution(StandingReason.CONTESTED)
    for one in deciding:
        if one.treatment is Treatment.QUESTIONS:
            return caution(StandingReason.QUESTIONED, one.by)
        if one.treatment is Treatment.LIMITS or (one.treatment is Treatment.REVERTS and one.part):
            return caution(StandingReason.LIMITED, one.by)
    if facts.gone:
        return caution(StandingReason.ORPHANED, facts.gone_by)
    if now is not None and facts.valid_from is not None and facts.valid_from > now:
        return caution(StandingReason.NOT_YET_VALID)
    return None


def _holding(facts: Facts, deciding: Sequence[Edge]) -> Verdict:
    if facts.status is RecordStatus.APPROVED:
        return Verdict(Standing.IN_FORCE, StandingReason.APPROVED)
    if facts.adr_status is AdrStatus.ACCEPTED:
        return Verdict(Standing.IN_FORCE, StandingReason.STATED_ACCEPTED)
    if not facts.is_ruling:
        return Verdict(Standing.UNASSESSED, StandingReason.NO_RULING)
    followed = (Treatment.FOLLOWS, Treatment.IMPLEMENTS)
    for one in deciding:
        if one.treatment in followed:
            return Verdict(Standing.IN_FORCE, StandingReason.FOLLOWED, one.by)
    return Verdict(Standing.IN_FORCE, StandingReason.UNTREATED)


def counting(
    treated: str, edges_of: Callable[[str], Iterable[Edge]], rejected: Iterable[str] = ()
) -> tuple[Edge, ...]:
    """Those of the treatments of ``treated`` that count, in the order of ``edges_of``.

    ``edges_of`` gives the treatments of an id, newest first. A treatment counts unless what made
    it does not stand: reverted, or one of ``rejected``. A chain that comes back to
    itself (ids that somebody made up) counts for nothing.
    """
    gone = set(rejected)
    stands: dict[str, bool] = {}
    kept: dict[str, tuple[Edge, ...]] = {}
    waiting = [treated]
    inside: set[str] = set()
    while waiting:
        one = waiting[-1]
        if one in kept:
            waiting.pop()
            continue
        found = [edge for edge in edges_of(one) if edge.by != one]
        open_ = [edge.by for edge in found if edge.by not in stands and edge.by not in inside]
        if one not in inside and open_:
            inside.add(one)
            waiting += open_
            continue
        kept[one] = tuple(edge for edge in found if stands.get(edge.by, False))
        stands[one] = one not in gone and _stands(kept[one])
        inside.discard(one)
        waiting.pop()
    return kept[treated]


def _stands(treatments: Sequence[Edge]) -> bool:
    """Whether what was treated so still takes effect: what is taken back does not, but what is
    superseded has had its effect, and its successor stands on that."""
    for one in treatments:
        if one.strength.decides and not one.part and one.treatment in UNDOING:
            return one.treatment is Treatment.REINSTATES
    return True


TOO_MANY_FILES: Final = "too_many_files"  # why nothing could be observed: nobody looked


class DriftState(StrEnum):
    """What became of a file since something was said about it."""

    HOLDS = "holds"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    NOT_OBSERVED = "not_observed"


@dataclass(frozen=True, slots=True)
class Drift:
    """One file: plain, or percent-encoded. ``by`` is the commit that last did it, ``now`` where it
    lies since it was moved; ``why`` says why nothing could be observed."""

    path: str
    state: DriftState
    by: str | None = None
    now: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class SymbolDrift:
    """One name that a commit, a decision or a page speaks of: of a symbol, or of a dependency.

    ``path`` is where it was defined then, ``now`` where it is since it moved (both plain, or
    percent-encoded), ``by`` the commit that last changed or moved it, ``why`` says why nothing
    could be observed.
    """

    name: str
    state: DriftState
    path: str | None = None
    by: str | None = None
    now: str | None = None
    why: str | None = None
    is_dependency: bool = False
