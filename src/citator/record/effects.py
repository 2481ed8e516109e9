"""What each operation does to the record, and when it is refused. One rule, one function.

A migration is tried operation by operation; where one is refused, those before it are taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from citator.model.record import RecordStatus, RelationType, Sensitivity
from citator.record.errors import Problem, Refusal
from citator.record.migration import Migration
from citator.record.operations import Operation
from citator.record.slots import Node, Slot

SUPERSEDES = RelationType.SUPERSEDES.value
_RETIRED = frozenset({RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED})


class RefusedOperationError(Exception):
    """An operation may not be done here."""

    def __init__(self, refusal: Refusal, detail: str = "") -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
        self.detail = detail


class Effects:
    """The slots of a record while it is replayed."""

    def __init__(self) -> None:
        self.slots: dict[str, Slot] = {}
        self.loosened: dict[str, tuple[str, ...]] = {}
        self.by_item: dict[str, dict[str, None]] = {}
        self._superseders: dict[str, set[str]] = {}

    def apply(self, migration: Migration) -> Problem | None:
        """Take a migration in whole, or say why not and change nothing."""
        done: list[tuple[Slot, list[str]]] = []
        loosened: list[str] = []
        try:
            for operation, link in zip(migration.operations, migration.links, strict=True):
                loosened += _RULES[operation.name](self, operation)
                slot = self.slots.setdefault(operation.slot, Slot())
                done.append((slot, slot.heads))
                slot.add(Node(operation, migration, link))
                self._file(operation)
            undeclared = sorted(set(loosened) - set(migration.loosens))
            if undeclared:
                raise RefusedOperationError(Refusal.UNDECLARED_LOOSENING, undeclared[0])
        except RefusedOperationError as refused:
            for slot, heads in reversed(done):
                slot.drop_last(heads)
            return Problem(migration.id, refused.refusal, refused.detail)
        if loosened:
            self.loosened[migration.id] = tuple(sorted(set(loosened)))
        return None

    def _file(self, operation: Operation) -> None:
        """Note which items a slot is about. A note about an operation taken back does no harm."""
        slot = operation.slot
        for item in {operation.values.get("item", ""), *operation.items} - {""}:
            self.by_item.setdefault(item, {})[slot] = None
        if operation.values.get("type") == SUPERSEDES:
            source, target = operation.values["source"], operation.values["target"]
            self._superseders.setdefault(target, set()).add(source)

    def standing(self, slot: str) -> Node | None:
        """What stands in a slot."""
        kept = self.slots.get(slot)
        return kept.effective() if kept is not None else None

    def status(self, item: str) -> RecordStatus:
        """Where an item stands now."""
        if self.standing(f"item/{item}/text") is None:
            return RecordStatus.DRAFT
        standing = self.standing(f"item/{item}/standing")
        if standing is not None and standing.operation.name == "deprecate_item":
            return RecordStatus.DEPRECATED
        if any(True for _ in self.superseders(item)):
            return RecordStatus.SUPERSEDED
        return RecordStatus.APPROVED

    def superseders(self, item: str) -> Iterator[str]:
        """The items that supersede ``item``, by id."""
        for source in sorted(self._superseders.get(item, ())):
            node = self.standing(f"relation/{source}/{SUPERSEDES}/{item}")
            if node is not None and node.operation.name == "add_relation":
                yield source

    def sensitivity(self, item: str) -> Sensitivity:
        """The sensitivity of an item that exists."""
        for slot in ("sensitivity", "created"):
            node = self.standing(f"item/{item}/{slot}")
            if node is not None:
                return Sensitivity(node.values.get("sensitivity", Sensitivity.INTERNAL.value))
        return Sensitivity.RESTRICTED

    def leads_to(self, start: str, goal: str) -> bool:
        """Whether ``start`` is superseded, directly or through others, by ``goal``."""
        seen, waiting = {start}, [start]
        while waiting:
            for source in self.superseders(waiting.pop()):
                if source == goal:
                    return True
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return False


Rule = Callable[[Effects, Operation], list[str]]


def _create_item(effects: Effects, operation: Operation) -> list[str]:
    if operation.slot in effects.slots and effects.slots[operation.slot].heads:
        raise RefusedOperationError(Refusal.ITEM_EXISTS, operation.values["item"])
    return []


def _upsert_revision(effects: Effects, operation: Operation) -> list[str]:
    if effects.status(operation.values["item"]) in _RETIRED:
        raise RefusedOperationError(Refusal.RETIRED_ITEM, operation.values["item"])
    return []


def _deprecate_item(effects: Effects, operation: Operation) -> list[str]:
    _require(effects, operation.values["item"], RecordStatus.APPROVED)
    return []


def _restore_item(effects: Effects, operation: Operation) -> list[str]:
    item = operation.values["item"]
    _require(effects, item, RecordStatus.DEPRECATED)
    return [f"restore_item:{item}"]


def _require(effects: Effects, item: str, wanted: RecordStatus) -> None:
    status = effects.status(item)
    if status is RecordStatus.DRAFT:
        raise RefusedOperationError(Refusal.NO_TEXT, item)
    if status is not wanted:
        raise RefusedOperationError(Refusal.TRANSITION, f"it is {status.value}")


def _add_relation(effects: Effects, operation: Operation) -> list[str]:
    source, target = operation.values["source"], operation.values["target"]
    if source == target:
        raise RefusedOperationError(Refusal.SELF_RELATION, source)
    if operation.values["type"] == SUPERSEDES:
        for item in (source, target):
            if effects.status(item) is RecordStatus.DRAFT:
                raise RefusedOperationError(Refusal.NO_TEXT, item)
        if effects.leads_to(source, target):
            raise RefusedOperationError(Refusal.SUPERSEDES_CYCLE, target)
        if effects.status(source) in _RETIRED:
            raise RefusedOperationError(Refusal.RETIRED_ITEM, source)
    return []


def _remove_relation(effects: Effects, operation: Operation) -> list[str]:
    _require_added(effects, operation, "add_relation")
    if operation.values["type"] == SUPERSEDES:
        return [f"readmit:{operation.values['target']}"]
    return []


def _require_added(effects: Effects, operation: Operation, name: str) -> Node:
    node = effects.standing(operation.slot)
    if node is None or node.operation.name != name:
        raise RefusedOperationError(Refusal.NOTHING_TO_REMOVE)
    return node


def _add_alias(effects: Effects, operation: Operation) -> list[str]:
    node = effects.standing(operation.slot)
    if node is not None and node.operation.name == "add_alias":
        raise RefusedOperationError(Refusal.ALIAS_TAKEN)
    return []


def _remove_alias(effects: Effects, operation: Operation) -> list[str]:
    node = _require_added(effects, operation, "add_alias")
    if node.values["item"] != operation.values["item"]:
        raise RefusedOperationError(Refusal.NOTHING_TO_REMOVE)
    return []


def _change_sensitivity(effects: Effects, operation: Operation) -> list[str]:
    item = operation.values["item"]
    if Sensitivity(operation.values["sensitivity"]).rank < effects.sensitivity(item).rank:
        return [f"lower_sensitivity:{item}"]
    return []


def _remove_evidence(effects: Effects, operation: Operation) -> list[str]:
    _require_added(effects, operation, "add_evidence")
    return []


def _register_specification(effects: Effects, operation: Operation) -> list[str]:
    if effects.standing(operation.slot) is not None:
        raise RefusedOperationError(Refusal.ITEM_EXISTS, operation.values["specification"])
    return []


def _supersede_specification(effects: Effects, operation: Operation) -> list[str]:
    own, by = operation.values["specification"], operation.values["by"]
    if own == by:
        raise RefusedOperationError(Refusal.SELF_RELATION, own)
    for one in (own, by):
        node = effects.standing(f"specification/{one}")
        if node is None or node.operation.name != "register_specification":
            raise RefusedOperationError(Refusal.MISSING_ITEM, one)
    return []


def _lift_rejection(effects: Effects, operation: Operation) -> list[str]:
    return [f"lift_rejection:{operation.values['rejection']}"]


def _set_governance(effects: Effects, operation: Operation) -> list[str]:
    return [f"change_{operation.slot}"] if effects.standing(operation.slot) is not None else []


def _allowed(effects: Effects, operation: Operation) -> list[str]:
    return []


_RULES: dict[str, Rule] = {
    "create_item": _create_item,
    "upsert_revision": _upsert_revision,
    "deprecate_item": _deprecate_item,
    "restore_item": _restore_item,
    "add_relation": _add_relation,
    "remove_relation": _remove_relation,
    "add_alias": _add_alias,
    "remove_alias": _remove_alias,
    "change_sensitivity": _change_sensitivity,
    "change_owner": _allowed,
    "register_specification": _register_specification,
    "supersede_specification": _supersede_specification,
    "add_evidence": _allowed,
    "remove_evidence": _remove_evidence,
    "reject_value": _allowed,
    "lift_rejection": _lift_rejection,
    "set_approvers": _set_governance,
    "set_policy": _set_governance,
}
