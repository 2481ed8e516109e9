"""What a migration would change: its text, and the state that follows from it, before and after.

- The state before is what counts now; the state after has this migration in it, and nothing else
  that waits, unless it was approved already and this one builds on it.
- Everything is shown: also what a reader with a lower ceiling may not know.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from citator.formats.steering import Sign
from citator.model.record import Item, RecordStatus, Refuse, Rejected
from citator.record.errors import Problem
from citator.record.migration import Migration
from citator.record.operations import canonical_json
from citator.record.replay import replay
from citator.record.rules import Weights
from citator.record.state import RecordState
from citator.service.decide import spoken_against
from citator.service.desk import Desk
from citator.service.proposing import flags_of
from citator.trust.assurance import Signature, Threshold
from citator.trust.keys import parse_public_key
from citator.trust.pins import Approver, Pin
from citator.trust.policy import Policy

_RETIRED = frozenset({RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED})


@dataclass(frozen=True, slots=True)
class Change:
    """One fact that would be another: of which decision (empty: of the whole record).

    ``loosens`` says that something would be shown, allowed or counted that is not now.
    """

    item: str
    what: str
    before: str
    after: str
    loosens: bool = False


@dataclass(frozen=True)
class Preview:
    """All that a reviewer sees of a migration.

    ``text`` is a diff of the decision's text, line by line; ``problem`` why it would have no effect
    and ``conflicts`` the slots on which it would disagree with what stands; ``against`` the
    rejections that speak against it; ``reached`` and ``needed`` what its approvals amount to and
    what the policy asks for (None: nobody pinned a root here).
    """

    desk: Desk
    migration: Migration
    text: tuple[str, ...]
    changes: tuple[Change, ...]
    problem: Problem | None
    conflicts: tuple[str, ...]
    against: tuple[Rejected, ...]
    flags: tuple[Sign, ...]
    reached: Signature
    needed: Threshold | None

    @property
    def loosenings(self) -> tuple[str, ...]:
        """What it says it loosens."""
        return self.migration.loosens


def preview(desk: Desk, migration: Migration) -> Preview:
    """What ``migration`` would change in the ledger of ``desk``."""
    others = [one.migration for one in desk.approved() if one.migration.id != migration.id]
    effective = (
        list(desk.record.effective) if desk.record.pinned else list(desk.ledger.landed.values())
    )
    effective = [one for one in effective if one.id != migration.id]
    before, after = replay(effective), replay([*effective, migration])
    problem = _problem_of(after, migration)
    if problem is not None and others:
        waiting = replay([*effective, *others])
        then = replay([*effective, *others, migration])
        if _problem_of(then, migration) is None:
            before, after, problem = waiting, then, None
    standing = desk.record.proposed.get(migration.id)
    return Preview(
        desk,
        migration,
        tuple(_text(before, migration)),
        tuple(changes(before, after, migration, desk)),
        problem,
        tuple(sorted(set(after.contested) - set(before.contested))),
        spoken_against(desk, migration, None),
        flags_of(migration),
        standing.assurance.signature if standing is not None else Signature.NONE,
        needed(desk, migration),
    )


def needed(desk: Desk, migration: Migration) -> Threshold | None:
    """What the policy in force asks for of this migration."""
    policy = desk.record.policy
    if policy is None or not desk.record.pinned:
        return None
    if migration.is_governance:
        return desk.pin().policy.strictest
    return Weights(desk.migrations).needed(migration, policy)


def _problem_of(state: RecordState, migration: Migration) -> Problem | None:
    return next((one for one in state.refused if one.migration == migration.id), None)


def _text(before: RecordState, migration: Migration) -> list[str]:
    """The lines of the text, each marked as kept, new or gone."""
    revision = migration.revision
    old: list[str] = []
    if revision is not None:
        item = before.items.get(revision.values["item"])
        if item is not None and item.current is not None:
            old = item.current.body.splitlines()
    diff = difflib.ndiff(old, migration.body.splitlines())
    return [line for line in diff if not line.startswith("?")]


def changes(
    before: RecordState, after: RecordState, migration: Migration, desk: Desk
) -> list[Change]:
    """Every fact of the state that would be another."""
    found = []
    for item in sorted({*before.items, *after.items}):
        found += _of_item(item, before.items.get(item), after.items.get(item))
    for key in sorted({*before.rejections, *after.rejections}):
        found += _of_rejection(before.rejections.get(key), after.rejections.get(key))
    return found + (_of_governance(migration, desk) if migration.is_governance else [])


def _refused(said: Refuse | None) -> str:
    kinds = {} if said is None else asdict(said)
    return ", ".join(f"{kind}: {one}" for kind, some in kinds.items() for one in some)


_FACTS: Mapping[str, Callable[[Item], str]] = {
    "status": lambda item: item.status.value,
    "kind": lambda item: item.kind.value,
    "title": lambda item: item.current.title if item.current else "",
    "ruling": lambda item: item.current.ruling if item.current else "",
    "owner": lambda item: item.owner,
    "sensitivity": lambda item: item.sensitivity.value,
    "scope": lambda item: ", ".join(item.current.paths) if item.current else "",
    "refuse": lambda item: _refused(item.current.refuse) if item.current else "",
    "labels": lambda item: ", ".join(item.current.labels) if item.current else "",
    "valid_from": lambda item: item.current.valid_from if item.current else "",
    "valid_to": lambda item: (item.current.valid_to or "") if item.current else "",
    "trust": lambda item: item.current.trust.value if item.current else "",
    "aliases": lambda item: ", ".join(item.aliases),
    "relations": lambda item: ", ".join(f"{one.type.value} {one.target}" for one in item.relations),
    "superseded_by": lambda item: ", ".join(item.superseded_by),
    "evidence": lambda item: ", ".join(one.source for one in item.evidence),
    "specifications": lambda item: ", ".join(one.uri for one in item.specifications),
    "tenant": lambda item: item.tenant or "",
    "groups": lambda item: ", ".join(item.groups),
    "contested": lambda item: ", ".join(item.contested),
}


def _of_item(item: str, before: Item | None, after: Item | None) -> list[Change]:
    found = []
    for what, fact in _FACTS.items():
        old = fact(before) if before is not None else ""
        new = fact(after) if after is not None else ""
        if old != new:
            found.append(Change(item, what, old, new, _loosens(what, before, after)))
    return found


def _loosens(what: str, before: Item | None, after: Item | None) -> bool:
    if before is None or after is None:
        return False
    if what == "status":
        return before.status in _RETIRED and after.status not in _RETIRED
    return what == "sensitivity" and after.sensitivity.rank < before.sensitivity.rank


def _of_rejection(before: Rejected | None, after: Rejected | None) -> list[Change]:
    old = "" if before is None else _rejection(before)
    new = "" if after is None else _rejection(after)
    return [Change("", "rejection", old, new, after is None)] if old != new else []


def _rejection(one: Rejected) -> str:
    where = f" in {', '.join(one.scope)}" if one.scope else ""
    kind = f" ({one.kind.value})" if one.kind else ""
    change = f"; unless {one.change}" if one.change else ""
    return f"{one.value}{kind}{where}: {one.reason}{change}"


def _of_governance(migration: Migration, desk: Desk) -> list[Change]:
    found = []
    for operation in migration.operations:
        if operation.name == "set_approvers":
            old = sorted(
                f"{label} {parse_public_key(key).fingerprint}"
                for key, label in desk.record.approvers.items()
            )
            new = sorted(
                f"{one['label']} {parse_public_key(one['key']).fingerprint}"
                for one in operation.values["approvers"]
            )
            found.append(Change("", "approvers", "; ".join(old), "; ".join(new), True))
        elif operation.name == "set_policy":
            now = desk.record.policy
            old_policy = canonical_json(now.to_dict()) if now is not None else ""
            new_policy = canonical_json(operation.values["policy"])
            found.append(Change("", "policy", old_policy, new_policy, True))
    return found


def approvers_for(desk: Desk, migration: Migration, pin: Pin) -> dict[str, Approver]:
    """Whose keys count for this migration, by the key's text."""
    if migration.is_governance:
        return {one.key.text: one for one in pin.approvers}
    return approvers_of(desk, pin)


def approvers_of(desk: Desk, pin: Pin) -> dict[str, Approver]:
    """Whose keys count now, by the key's text."""
    emails = {one.key.text: one.emails for one in pin.approvers}
    emails |= {one.key: one.emails for one in desk.record.state.approvers or ()}
    return {
        text: Approver(label, parse_public_key(text), emails.get(text, ()))
        for text, label in desk.record.approvers.items()
    }


def policy_of(desk: Desk, pin: Pin) -> Policy:
    """The policy in force: the one a statement names."""
    return desk.record.policy or pin.policy
