"""The rejections that stand: those that migrations state, and those that a key signed by itself.

A signed rejection is self-contained: it stands without the branch on which the value was proposed,
until an approver lifts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citator.model.record import Rejected, Sensitivity
from citator.record.approvals import Checked
from citator.record.folding import folded, rejection_key
from citator.record.state import RecordState


def standing(
    state: RecordState,
    said: Iterable[Checked],
    known: Mapping[str, Sensitivity],
    floor: Sensitivity,
) -> tuple[Rejected, ...]:
    """The tombstones of ``state`` and of the verified rejections in ``said``, by id.

    ``known`` gives the sensitivity of the migrations that are still there; ``floor`` is the least.
    """
    found = dict(state.rejections)
    for one in said:
        if one.approval.id not in state.lifted:
            sensitivity = max(known.get(one.statement.migration, floor), floor, key=_rank)
            found[one.approval.id] = _tombstone(one, sensitivity)
    return tuple(found[key] for key in sorted(found))


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
