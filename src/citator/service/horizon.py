"""The horizon of an answer: what git, the index and the legs could not see (rule 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from citator.git import history, repository
from citator.index.protocol import Snapshot, View
from citator.model.horizon import Horizon, HorizonFact, Limit, merge_facts
from citator.service.readership import Mask, commits_behind, told
from citator.service.workspace import Workspace

# Of these the index keeps one fact an item, so that an increment can forget exactly what it
# replaced; an answer counts them.
ITEMISED = frozenset(
    {
        Limit.CUT_LONG,
        Limit.FRONT_MATTER_UNREADABLE,
        Limit.GUESSED_ENCODING,
        Limit.INVALID_UTF8,
        Limit.LFS_POINTERS,
        Limit.MISSING_OBJECTS,
        Limit.SUBMODULES_APART,
        Limit.SYMLINKS_NOT_FOLLOWED,
        Limit.TOO_LARGE,
        Limit.UNREADABLE_BLOBS,
        Limit.UNREADABLE_COMMITS,
    }
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What an answer was found in: a view, and the mask that hides the rest."""

    view: View
    mask: Mask


def horizon_of(
    workspace: Workspace,
    snapshot: Snapshot | None,
    legs_off: Iterable[str] = (),
    seen: Seen | None = None,
) -> Horizon:
    """What an answer from ``snapshot`` for this workspace's HEAD could not see.

    ``seen`` is told of where something is hidden: limits of what is hidden are none.
    """
    head = workspace.head.commit
    if seen is not None and seen.mask.hides:
        return _masked(workspace, snapshot, legs_off, seen)
    facts = [*repository.limits(workspace.repository, workspace.head)]
    facts.extend(HorizonFact(Limit.LEG_OFF, None, leg) for leg in legs_off)
    indexed = None
    if snapshot is not None:
        indexed = snapshot.tip
        facts.extend(summed(snapshot.facts))
        if indexed is not None and head is not None and indexed != head:
            facts.append(behind(workspace, indexed, head))
    return Horizon(head, indexed, merge_facts(facts))


def _masked(
    workspace: Workspace, snapshot: Snapshot | None, legs_off: Iterable[str], seen: Seen
) -> Horizon:
    """The horizon of an answer from what a mask left. Of nothing, only the legs are told."""
    head = workspace.head.commit
    facts = [HorizonFact(Limit.LEG_OFF, None, leg) for leg in legs_off]
    indexed = None if snapshot is None else snapshot.tip
    if snapshot is None or seen.mask.everything:
        return Horizon(head, indexed, merge_facts(facts))
    facts.extend(repository.limits(workspace.repository, workspace.head))
    facts.extend(summed(told(workspace, seen.view, snapshot, seen.mask)))
    if indexed is not None and head is not None and indexed != head:
        if not repository.has_commit(workspace.repository, indexed):
            facts.append(HorizonFact(Limit.INDEX_BEHIND))
        elif count := commits_behind(workspace, indexed, head, seen.mask):
            facts.append(HorizonFact(Limit.INDEX_BEHIND, count))
    return Horizon(head, indexed, merge_facts(facts))


def summed(facts: Iterable[HorizonFact]) -> tuple[HorizonFact, ...]:
    """Itemised facts as one count a limit."""
    return merge_facts(
        HorizonFact(fact.limit, fact.count) if fact.limit in ITEMISED else fact for fact in facts
    )


def behind(workspace: Workspace, indexed: str, head: str) -> HorizonFact:
    """By how many commits the index lags HEAD; unknown where the indexed commit is gone."""
    if not repository.has_commit(workspace.repository, indexed):
        return HorizonFact(Limit.INDEX_BEHIND)
    count = history.count_between(workspace.repository, indexed, head)
    return HorizonFact(Limit.INDEX_BEHIND, count)
