"""What each operation does to the record, and when it is refused. One rule, one function.

- A migration is tried operation by operation; where one is refused, those before it are taken back.
- What an operation may do to its own slot is judged by what it builds on there, so that two
  branches which do the same, or disagree, are told from one that is wrong.
- A disagreement never discloses and never readmits: until it is settled, a contested sensitivity
  is the highest of those asked for, and an item that one side retires is retired.
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
        loosened: set[str] = set()
        slots = [operation.slot for operation in migration.operations]
        try:
            for index, operation in enumerate(migration.operations):
                slot = self.slots.setdefault(slots[index], Slot())
                if any(base not in slot.nodes for base in operation.base):
                    raise RefusedOperationError(Refusal.MISSING_BASE)
                loosened.update(_RULES[operation.name](self, operation, slot))
                done.append((slot, slot.heads))
                slot.add(Node(operation, migration, migration.links[index]))
                self._note_superseder(operation)
            undeclared = sorted(loosened - set(migration.loosens))
            if undeclared:
                raise RefusedOperationError(Refusal.UNDECLARED_LOOSENING, undeclared[0])
        except RefusedOperationError as refused:
            for slot, heads in reversed(done):
                slot.drop_last(heads)
            return Problem(migration.id, refused.refusal, refused.detail)
        for name, operation in zip(slots, migration.operations, strict=True):
            for item in {operation.values.get("item", ""), *operation.items} - {""}:
                self.by_item.setdefault(item, {})[name] = None
        if loosened:
            self.loosened[migration.id] = tuple(sorted(loosened))
        return None

    def _note_superseder(self, operation: Operation) -> None:
        """Note where to look. A note about an operation that is taken back does no harm."""
        if operation.values.get("type") == SUPERSEDES:
            source, target = operation.values["source"], operation.values["target"]
            self._superseders.setdefault(target, set()).add(source)

    def heads(self, slot: str) -> list[Node]:
        """The newest operations of a slot: more than one where they were made side by side."""
        kept = self.slots.get(slot)
        return [kept.nodes[link] for link in kept.heads] if kept is not None else []

    def standing(self, slot: str) -> Node | None:
        """What stands in a slot."""
        kept = self.slots.get(slot)
        return kept.effective() if kept is not None else None

    def status(self, item: str) -> RecordStatus:
        """Where an item stands now."""
        if self.standing(f"item/{item}/text") is None:
            return RecordStatus.DRAFT
        if _some(self.heads(f"item/{item}/standing"), "deprecate_item"):
            return RecordStatus.DEPRECATED
        if self.is_superseded(item):
            return RecordStatus.SUPERSEDED
        return RecordStatus.APPROVED

    def is_superseded(self, item: str) -> bool:
        """Whether another item supersedes it, retired besides or not."""
        return any(True for _ in self.superseders(item))

    def superseders(self, item: str) -> Iterator[str]:
        """The items that supersede ``item``, by id."""
        for source in sorted(self._superseders.get(item, ())):
            if _some(self.heads(f"relation/{source}/{SUPERSEDES}/{item}"), "add_relation"):
                yield source

    def sensitivity(self, item: str) -> Sensitivity:
        """The sensitivity of an item that exists."""
        return self.highest(item, self.heads(f"item/{item}/sensitivity"))

    def highest(self, item: str, among: list[Node]) -> Sensitivity:
        """The highest sensitivity that ``among`` give an item, or that it was created with."""
        created = self.standing(f"item/{item}/created")
        nodes = among or ([created] if created is not None else [])
        given = [node.values.get("sensitivity", Sensitivity.INTERNAL.value) for node in nodes]
        found = [Sensitivity(one) for one in given]
        return max(found, key=lambda one: one.rank, default=Sensitivity.RESTRICTED)

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


def _some(nodes: list[Node], name: str) -> bool:
    return any(node.operation.name == name for node in nodes)


Rule = Callable[[Effects, Operation, Slot], list[str]]


def _create_item(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    if slot.heads:
        raise RefusedOperationError(Refusal.ITEM_EXISTS, operation.values["item"])
    return []


def _upsert_revision(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    if effects.status(operation.values["item"]) in _RETIRED:
        raise RefusedOperationError(Refusal.RETIRED_ITEM, operation.values["item"])
    return []


def _deprecate_item(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    _require_text_and_no_successor(effects, operation.values["item"])
    before = slot.newest(operation.base)
    if before and all(node.operation.name == "deprecate_item" for node in before):
        raise _wrong_status(RecordStatus.DEPRECATED)
    return []


def _restore_item(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    item = operation.values["item"]
    _require_text_and_no_successor(effects, item)
    if not _some(slot.newest(operation.base), "deprecate_item"):
        raise _wrong_status(RecordStatus.APPROVED)
    return [f"restore_item:{item}"]


def _require_text_and_no_successor(effects: Effects, item: str) -> None:
    if effects.status(item) is RecordStatus.DRAFT:
        raise RefusedOperationError(Refusal.NO_TEXT, item)
    if effects.is_superseded(item):
        raise _wrong_status(RecordStatus.SUPERSEDED)


def _wrong_status(status: RecordStatus) -> RefusedOperationError:
    return RefusedOperationError(Refusal.TRANSITION, f"it is {status.value}")


def _add_relation(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
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


def _remove_relation(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    _require_added(slot.newest(operation.base), "add_relation")
    if operation.values["type"] == SUPERSEDES:
        return [f"readmit:{operation.values['target']}"]
    return []


def _require_added(before: list[Node], name: str) -> None:
    if not _some(before, name):
        raise RefusedOperationError(Refusal.NOTHING_TO_REMOVE)


def _add_alias(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    node = slot.at(operation.base)
    if node is not None and node.operation.name == "add_alias":
        raise RefusedOperationError(Refusal.ALIAS_TAKEN)
    return []


def _remove_alias(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    item = operation.values["item"]
    own = [node for node in slot.newest(operation.base) if node.values["item"] == item]
    _require_added(own, "add_alias")
    return []


def _change_sensitivity(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    item = operation.values["item"]
    before = effects.highest(item, slot.newest(operation.base))
    if Sensitivity(operation.values["sensitivity"]).rank < before.rank:
        return [f"lower_sensitivity:{item}"]
    return []


def _remove_evidence(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    _require_added(slot.newest(operation.base), "add_evidence")
    return []


def _register_specification(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    if slot.heads:
        raise RefusedOperationError(Refusal.ITEM_EXISTS, operation.values["specification"])
    return []


def _supersede_specification(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    own, by = operation.values["specification"], operation.values["by"]
    if own == by:
        raise RefusedOperationError(Refusal.SELF_RELATION, own)
    for one, node in (
        (own, slot.at(operation.base)),
        (by, effects.standing(f"specification/{by}")),
    ):
        if node is None or node.operation.name != "register_specification":
            raise RefusedOperationError(Refusal.MISSING_ITEM, one)
    return []


def _lift_rejection(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    return [f"lift_rejection:{operation.values['rejection']}"]


def _set_governance(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
    return [f"change_{operation.slot}"] if slot.heads else []


def _allowed(effects: Effects, operation: Operation, slot: Slot) -> list[str]:
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
