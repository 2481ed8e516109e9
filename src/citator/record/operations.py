"""The closed set of operations by which a migration changes the record.

- Each acts on one *slot* (an item's text, its status, one relation …) and names, as ``base``, the
  digests of the operations it builds on there: none for the first, two or more to settle a
  disagreement. Operations on different slots never conflict.
- ``approvers`` and ``policy`` are governance: they count only under a root that a person pinned.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from citator.model.record import (
    RULING_CHARACTERS,
    ItemKind,
    RelationType,
    Sensitivity,
    Trust,
)
from citator.record import fields
from citator.record.errors import MigrationError, Refusal
from citator.record.fields import BadValueError, Check
from citator.record.folding import rejection_key
from citator.trust.errors import KeyRefusedError, PolicyRefusedError
from citator.trust.keys import parse_public_key
from citator.trust.pins import is_label
from citator.trust.policy import parse_policy

_NEEDED: Final = True
_FREE: Final = False

_ITEM: Final = {"item": (fields.ulid, _NEEDED)}
_REASON: Final = {"reason": (fields.text(500), _FREE)}
_GLOBS: Final = fields.listed(fields.path_pattern)
_RELATION: Final = {
    "source": (fields.ulid, _NEEDED),
    "type": (fields.one_of(RelationType), _NEEDED),
    "target": (fields.ulid, _NEEDED),
}
_ALIAS: Final = {"alias": (fields.alias, _NEEDED), **_ITEM}
_WITHHELD: Final = {
    "sensitivity": (fields.one_of(Sensitivity), _FREE),
    "tenant": (fields.alias, _FREE),
    "groups": (fields.listed(fields.alias), _FREE),
}


def _key(value: Any) -> str:
    if not isinstance(value, str):
        raise BadValueError("a public key in OpenSSH's form is wanted")
    try:
        return parse_public_key(value).text
    except KeyRefusedError:
        raise BadValueError("a public key in OpenSSH's form is wanted") from None


def _label(value: Any) -> str:
    if not isinstance(value, str) or not is_label(value):
        raise BadValueError("a plain name of at most 64 characters is wanted")
    return value


def _policy(value: Any) -> dict[str, object]:
    try:
        return parse_policy(value).to_dict()
    except PolicyRefusedError:
        raise BadValueError("a policy as `citator trust` writes it is wanted") from None


_APPROVER: Final = fields.table(
    label=(_label, _NEEDED),
    key=(_key, _NEEDED),
    emails=(fields.listed(fields.text(200), 16), _FREE),
)


def _approvers(value: Any) -> list[dict[str, Any]]:
    """A label is one person however it is written, and a key is one person's."""
    found: list[dict[str, Any]] = fields.listed(_APPROVER, ordered=True)(value)
    if not found or len({one["key"] for one in found}) < len(found):
        raise BadValueError("at least one approver is wanted, and each key once")
    spelled = {one["label"].casefold(): one["label"] for one in found}
    if any(spelled[one["label"].casefold()] != one["label"] for one in found):
        raise BadValueError("a label is wanted in one spelling")
    return found


SCHEMAS: Final[Mapping[str, Mapping[str, tuple[Check, bool]]]] = {
    "create_item": {
        **_ITEM,
        "kind": (fields.one_of(ItemKind), _NEEDED),
        "owner": (fields.text(100), _NEEDED),
        **_WITHHELD,
    },
    "upsert_revision": {
        **_ITEM,
        "title": (fields.text(200), _NEEDED),
        "ruling": (fields.text(RULING_CHARACTERS), _NEEDED),
        "trust": (fields.one_of(Trust), _FREE),
        "labels": (fields.listed(fields.alias), _FREE),
        "paths": (_GLOBS, _FREE),
        "anchors": (fields.listed(fields.anchor, ordered=True), _FREE),
        "refuse": (fields.refuse, _FREE),
        "valid_from": (fields.time, _FREE),
        "valid_to": (fields.time, _FREE),
    },
    "deprecate_item": {**_ITEM, **_REASON},
    "restore_item": {**_ITEM, **_REASON},
    "add_relation": {**_RELATION, "note": (fields.text(500), _FREE)},
    "remove_relation": _RELATION,
    "add_alias": _ALIAS,
    "remove_alias": _ALIAS,
    "change_sensitivity": {
        **_ITEM,
        "sensitivity": (fields.one_of(Sensitivity), _NEEDED),
        "reason": (fields.text(500), _NEEDED),
    },
    "change_owner": {**_ITEM, "owner": (fields.text(100), _NEEDED)},
    "register_specification": {
        "specification": (fields.ulid, _NEEDED),
        **_ITEM,
        "uri": (fields.text(512), _NEEDED),
        "format": (fields.media_type, _NEEDED),
    },
    "supersede_specification": {
        "specification": (fields.ulid, _NEEDED),
        "by": (fields.ulid, _NEEDED),
    },
    "add_evidence": {
        **_ITEM,
        "source": (fields.text(512), _NEEDED),
        "description": (fields.text(500), _NEEDED),
        "confidence": (fields.number(0, 100), _FREE),
    },
    "remove_evidence": {**_ITEM, "source": (fields.text(512), _NEEDED)},
    "reject_value": {
        "value": (fields.text(500), _NEEDED),
        "reason": (fields.text(500), _NEEDED),
        "change": (fields.text(500), _FREE),
        "kind": (fields.one_of(ItemKind), _FREE),
        "scope": (_GLOBS, _FREE),
        **_WITHHELD,
    },
    "lift_rejection": {
        "rejection": (fields.digest, _NEEDED),
        "reason": (fields.text(500), _NEEDED),
    },
    "set_approvers": {"approvers": (_approvers, _NEEDED)},
    "set_policy": {"policy": (_policy, _NEEDED)},
}
GOVERNANCE: Final = frozenset({"set_approvers", "set_policy"})


@dataclass(frozen=True, slots=True)
class Operation:
    """One checked operation: ``values`` in canonical spelling, keys as in :data:`SCHEMAS`."""

    name: str
    values: Mapping[str, Any]
    base: tuple[str, ...] = ()

    @property
    def slot(self) -> str:
        """What it acts on: operations on one slot form a chain."""
        return slot_of(self.name, self.values)

    @property
    def items(self) -> tuple[str, ...]:
        """The items that must exist before it."""
        if self.name == "create_item":
            return ()
        if self.name.endswith("_relation"):
            return self.values["source"], self.values["target"]
        return (self.values["item"],) if "item" in self.values else ()

    def canonical(self) -> dict[str, Any]:
        """The mapping that is digested, and written into a file."""
        return {"op": self.name, "base": list(self.base), **self.values}


def slot_of(name: str, values: Mapping[str, Any]) -> str:
    """The slot on which an operation of this name and these values acts."""
    item = values.get("item", "")
    if name in ("add_relation", "remove_relation"):
        return f"relation/{values['source']}/{values['type']}/{values['target']}"
    if name in ("add_alias", "remove_alias"):
        return f"alias/{values['alias']}"
    if name in ("add_evidence", "remove_evidence"):
        return f"evidence/{item}/{hashlib.sha256(values['source'].encode()).hexdigest()}"
    if name in ("register_specification", "supersede_specification"):
        return f"specification/{values['specification']}"
    if name == "reject_value":
        key = rejection_key(values["value"], values.get("kind"), values.get("scope", ()))
        return f"rejected/{key}"
    if name == "lift_rejection":
        return f"lifted/{values['rejection']}"
    if name in GOVERNANCE:
        return name.removeprefix("set_")
    return f"item/{item}/{_ITEM_SLOTS[name]}"


_ITEM_SLOTS: Final = {
    "create_item": "created",
    "upsert_revision": "text",
    "deprecate_item": "standing",
    "restore_item": "standing",
    "change_sensitivity": "sensitivity",
    "change_owner": "owner",
}


def checked(raw: Any, position: int) -> Operation:
    """The operation that front matter holds at ``position`` (1-based). Raises MigrationError."""
    where = f"operation {position}"
    if not isinstance(raw, dict) or not isinstance(raw.get("op"), str):
        raise MigrationError(Refusal.FIELD, f"{where}: a mapping with `op` is wanted")
    schema = SCHEMAS.get(raw["op"])
    if schema is None:
        raise MigrationError(Refusal.UNKNOWN_OPERATION, where)
    given = {key: value for key, value in raw.items() if key not in ("op", "base")}
    for key in given:
        if key not in schema:
            raise MigrationError(Refusal.UNKNOWN_FIELD, where)
    values = {}
    for key, (check, needed) in schema.items():
        if given.get(key) is None:
            if needed:
                raise MigrationError(Refusal.FIELD, f"{where}: `{key}` is wanted")
            continue
        held = _held(check, given[key], f"{where}, `{key}`")
        if held != [] or needed:  # an empty list says what its absence says: one digest for both
            values[key] = held
    base = raw.get("base", [])
    bases = _held(fields.listed(fields.digest), [base] if isinstance(base, str) else base, where)
    return Operation(raw["op"], values, tuple(bases))


def _held(check: Check, value: Any, where: str) -> Any:
    try:
        return check(value)
    except BadValueError as error:
        raise MigrationError(Refusal.FIELD, f"{where}: {error}") from None


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: one value, one text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
