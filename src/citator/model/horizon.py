"""What an answer could and could not see (rule 4).

Physical limits only, counted after the gate. A fact carries a closed code, a count where one
is known, and a plain name where one helps; it never carries words of the repository.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Limit(StrEnum):
    """A closed list of physical limits."""

    SHALLOW = "shallow"
    SINGLE_BRANCH = "single_branch"
    PARTIAL_CLONE = "partial_clone"
    MISSING_OBJECTS = "missing_objects"
    REPLACED_OBJECTS = "replaced_objects"
    GRAFTED = "grafted"
    UNBORN_HEAD = "unborn_head"
    DETACHED_HEAD = "detached_head"
    GUESSED_ENCODING = "guessed_encoding"
    UNREADABLE_COMMITS = "unreadable_commits"
    UNREADABLE_BLOBS = "unreadable_blobs"
    TOO_LARGE = "too_large"
    CUT_LONG = "cut_long"
    LFS_POINTERS = "lfs_pointers"
    SYMLINKS_NOT_FOLLOWED = "symlinks_not_followed"
    INVALID_UTF8 = "invalid_utf8"
    FRONT_MATTER_UNREADABLE = "front_matter_unreadable"
    SUBMODULES_APART = "submodules_apart"
    CONFIG_UNREADABLE = "config_unreadable"
    NO_REASONS_RECORDED = "no_reasons_recorded"
    INDEX_BEHIND = "index_behind"
    RECORD_UNREADABLE = "record_unreadable"
    LEG_OFF = "leg_off"
    TIME_LIMIT = "time_limit"
    BRANCHES_UNREAD = "branches_unread"


@dataclass(frozen=True, slots=True, order=True)
class HorizonFact:
    """One limit: its code, how many things it hid (None: unknown), a plain detail."""

    limit: Limit
    count: int | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Horizon:
    """The horizon of one answer.

    ``head`` is the commit the caller stands on, ``indexed`` the one the index was built for;
    ``complete`` says that nothing was hidden from this answer.
    """

    head: str | None
    indexed: str | None
    facts: tuple[HorizonFact, ...] = ()

    @property
    def complete(self) -> bool:
        """True where no limit stands."""
        return not self.facts

    def having(self, facts: Iterable[HorizonFact]) -> Horizon:
        """This horizon with more limits, sorted, without repeats."""
        return replace(self, facts=merge_facts([*self.facts, *facts]))


def merge_facts(facts: Iterable[HorizonFact]) -> tuple[HorizonFact, ...]:
    """Facts with one entry a (limit, detail): counts are added, an unknown count stays unknown."""
    merged: dict[tuple[Limit, str | None], int | None] = {}
    for fact in facts:
        key = (fact.limit, fact.detail)
        if key not in merged:
            merged[key] = fact.count
            continue
        known = merged[key]
        merged[key] = None if known is None or fact.count is None else known + fact.count
    return tuple(
        HorizonFact(limit, count, detail)
        for (limit, detail), count in sorted(
            merged.items(), key=lambda item: (item[0][0], item[0][1] or "")
        )
    )
