"""How well a decision is answered for: two facts, each with an order, and what a policy asks.

- A signature is *none*, typed at a *terminal*, made by a *key*, or made by a key *with presence*
  (a security key that says it was touched). What landed is *no*, *on a local branch*, or
  *verified by CI*.
- What is asked is a level and a number of different approvers; the level reached is the highest
  that enough of them reached together.
- A typed approval names nobody that can be checked. All of them together are one approver, and
  none where the author may not approve. No policy that asks for a key takes one.
- Where the author may not approve, what the author signed is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from citator.trust.errors import PolicyRefusedError

MAX_APPROVERS = 100


class _Level(StrEnum):
    """A closed set whose members are declared from the least to the most."""

    @classmethod
    def named(cls, name: object) -> Self | None:
        """The member called ``name``, if any."""
        return next((one for one in cls if one.value == name), None)

    def _rank(self, other: str) -> tuple[int, int]:
        """Where this member stands, and where ``other``, of the same set, stands."""
        members = list(type(self))
        return members.index(self), members.index(type(self)(other))

    def __lt__(self, other: str) -> bool:
        mine, its = self._rank(other)
        return mine < its

    def __le__(self, other: str) -> bool:
        mine, its = self._rank(other)
        return mine <= its

    def __gt__(self, other: str) -> bool:
        mine, its = self._rank(other)
        return mine > its

    def __ge__(self, other: str) -> bool:
        mine, its = self._rank(other)
        return mine >= its


class Signature(_Level):
    """What stands behind an approval."""

    NONE = "none"
    TERMINAL = "terminal"
    KEY = "key"
    KEY_WITH_PRESENCE = "key_with_presence"


class Landed(_Level):
    """Where the approved text is."""

    NO = "no"
    LOCAL_BRANCH = "local_branch"
    VERIFIED_BY_CI = "verified_by_ci"


@dataclass(frozen=True, slots=True)
class Assurance:
    """The two facts that every decision served carries."""

    signature: Signature
    landed: Landed


@dataclass(frozen=True, slots=True)
class Assent:
    """One verified approval, as far as a policy weighs it.

    ``approver`` is the pinned label of the key's owner; ``None`` for a typed approval, which
    proves nobody. ``by_author`` says that this approver wrote what is approved.
    """

    approver: str | None
    signature: Signature
    by_author: bool = False


@dataclass(frozen=True, slots=True)
class Threshold:
    """What is asked for: so many different approvers, each so sure, and how far it has landed."""

    signature: Signature = Signature.KEY
    approvers: int = 1
    landed: Landed = Landed.NO

    def __post_init__(self) -> None:
        if self.signature is Signature.NONE or not 1 <= self.approvers <= MAX_APPROVERS:
            raise PolicyRefusedError(
                "policy_asks_for_nothing",
                "a policy must ask for a signature, and for at least one approver",
                f"ask for `terminal` or more, and for 1 to {MAX_APPROVERS} approvers",
            )

    def stricter(self, other: Threshold) -> Threshold:
        """The least that satisfies both."""
        return Threshold(
            max(self.signature, other.signature),
            max(self.approvers, other.approvers),
            max(self.landed, other.landed),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was reached, whether it is enough, and how many approvers counted at the asked level."""

    assurance: Assurance
    accepted: bool
    counted: int


def accepted_by(assurance: Assurance, needed: Threshold) -> bool:
    """Whether the two facts are as high as ``needed`` (whose number is already in the first)."""
    return (
        assurance.signature is not Signature.NONE
        and assurance.signature >= needed.signature
        and assurance.landed >= needed.landed
    )


def judge(
    assents: Iterable[Assent],
    landed: Landed,
    needed: Threshold,
    *,
    author_may_approve: bool,
) -> Judgement:
    """Weigh verified approvals of one migration. The order of ``assents`` is of no account."""
    best = _best_of_each(assents, author_may_approve=author_may_approve)
    levels = sorted(best.values(), reverse=True)
    reached = levels[needed.approvers - 1] if len(levels) >= needed.approvers else Signature.NONE
    assurance = Assurance(reached, landed)
    counted = sum(level >= needed.signature for level in levels)
    return Judgement(assurance, accepted_by(assurance, needed), counted)


def _best_of_each(
    assents: Iterable[Assent], *, author_may_approve: bool
) -> dict[str | None, Signature]:
    """The highest signature of each different approver that may count at all."""
    best: dict[str | None, Signature] = {}
    for assent in assents:
        level = assent.signature
        if assent.approver is None:
            level = min(level, Signature.TERMINAL)
        if level is Signature.NONE or not (author_may_approve or _is_another(assent)):
            continue
        best[assent.approver] = max(level, best.get(assent.approver, Signature.NONE))
    return best


def _is_another(assent: Assent) -> bool:
    """Whether somebody else than the author provably approved."""
    return assent.approver is not None and not assent.by_author
