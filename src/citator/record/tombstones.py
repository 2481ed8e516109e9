"""The rejections that stand: those that migrations state, and those that a key signed by itself.

- A signed rejection is self-contained: it stands without the branch on which the value was
  proposed, until an approver lifts it.
- A rejection is for those alone who may know of the migration that it came with, or was about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from citator.model.record import Rejected, Sensitivity
from citator.record.approvals import Checked
from citator.record.folding import folded, rejection_key
from citator.record.rules import Reach
from citator.record.state import RecordState


def standing(
    state: RecordState,
    said: Iterable[Checked],
    known: Mapping[str, Reach],
    floor: Sensitivity,
) -> tuple[Rejected, ...]:
    """The tombstones of ``state`` and of the verified rejections in ``said``, by id.

    ``known`` says whom the migrations that are still there concern. ``floor`` is the least
    sensitivity; above *internal*, what nobody knows any more is restricted.
    """
    gone = Sensitivity.RESTRICTED if floor.rank > Sensitivity.INTERNAL.rank else floor
    found = dict(state.rejections)
    for one in said:
        if one.approval.id not in state.lifted:
            found[one.approval.id] = _tombstone(one, floor)
    return tuple(_reaching(found[key], known, gone) for key in sorted(found))


def _reaching(rejected: Rejected, known: Mapping[str, Reach], gone: Sensitivity) -> Rejected:
    """``rejected``, for nobody who may not know of the migration that it belongs to."""
    reach = known.get(rejected.source, Reach(gone))
    tenants = dict.fromkeys((*([rejected.tenant] if rejected.tenant else []), *reach.tenants))
    lists = dict.fromkeys((*([rejected.groups] if rejected.groups else []), *reach.groups))
    shared = [one for one in next(iter(lists), ()) if all(one in each for each in lists)]
    return replace(
        rejected,
        sensitivity=max(rejected.sensitivity, reach.sensitivity, key=_rank),
        # Joined, several are a name that nobody has.
        tenant=" ".join(tenants) or None,
        groups=tuple(shared) if shared or not lists else (" ".join(map(" ".join, lists)),),
    )


def what(one: Checked) -> tuple[str, str]:
    """What a rejection rejects, and a lift lifts: the migration, and the key of the value."""
    return one.statement.migration, _key(one)


def _rank(sensitivity: Sensitivity) -> int:
    return sensitivity.rank


def _key(one: Checked) -> str:
    rejected = one.statement.rejected
    assert rejected is not None
    return rejection_key(rejected.value, rejected.kind, rejected.scope)


def _tombstone(one: Checked, sensitivity: Sensitivity) -> Rejected:
    statement = one.statement
    rejected = statement.rejected
    assert rejected is not None
    return Rejected(
        id=one.approval.id,
        key=_key(one),
        folded=folded(rejected.value),
        value=rejected.value,
        reason=statement.reason,
        source=statement.migration,
        at=statement.time,
        kind=rejected.kind,
        scope=rejected.scope,
        change=rejected.change,
        sensitivity=sensitivity,
    )
