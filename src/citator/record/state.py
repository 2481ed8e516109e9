"""A state of the record: what a set of accepted migrations amounts to. Plain values, no I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from citator.model.record import Item, Rejected, Relation, Revision, Specification
from citator.record.errors import Problem
from citator.record.operations import Operation, canonical_json
from citator.record.scopes import Scopes


@dataclass(frozen=True, slots=True)
class Approver:
    """One person whose key may approve: a plain label, the public key's text, e-mail addresses."""

    label: str
    key: str
    emails: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordState:
    """What the record says.

    ``accepted`` are migration ids in the order of replay; ``refused`` says why others have no
    effect; ``contested`` are slots on which accepted migrations disagree. ``rejections`` are the
    tombstones that stand, by id, and ``lifted`` the ids of those that do not. ``policy`` is what
    :func:`citator.trust.policy.parse_policy` reads, None where none was set; ``governance`` are
    the migrations that set approvers and policy, in order. ``heads`` gives, for a slot, the
    digests a next operation builds on; ``loosened`` the loosenings of each migration.
    """

    items: Mapping[str, Item] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    rejections: Mapping[str, Rejected] = field(default_factory=dict)
    specifications: Mapping[str, Specification] = field(default_factory=dict)
    approvers: tuple[Approver, ...] | None = None
    policy: Mapping[str, Any] | None = None
    governance: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()
    contested: tuple[str, ...] = ()
    loosened: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def base_of(self, operation: Operation) -> tuple[str, ...]:
        """What ``operation`` has to name as its base to follow this state."""
        return self.heads.get(operation.slot, ())

    def item(self, name: str) -> Item | None:
        """The item of this id or alias."""
        return self.items.get(name) or self.items.get(self.aliases.get(name, ""))

    def revision(self, migration: str) -> tuple[Item, Revision] | None:
        """The item and the revision that a migration landed."""
        return self._revisions.get(migration)

    @cached_property
    def _revisions(self) -> dict[str, tuple[Item, Revision]]:
        return {
            revision.id: (item, revision)
            for item in self.items.values()
            for revision in item.revisions
        }

    def relations_to(self, item: str) -> tuple[Relation, ...]:
        """The relations whose target the item is: the inverse, read and never stored."""
        return self._inverse.get(item, ())

    @cached_property
    def _inverse(self) -> dict[str, tuple[Relation, ...]]:
        found: dict[str, list[Relation]] = {}
        for item in self.items.values():
            for relation in item.relations:
                found.setdefault(relation.target, []).append(relation)
        return {target: tuple(sorted(relations)) for target, relations in found.items()}

    def governing(self, path: str) -> list[Item]:
        """The items with a current text whose scope holds ``path``, most special first.

        Which of them may be shown is the gate's to say, not this function's.
        """
        return [self.items[item] for item in self._scopes.matching(path)]

    @cached_property
    def _scopes(self) -> Scopes:
        return Scopes(
            (item.id, item.current.paths)
            for item in self.items.values()
            if item.current is not None
        )

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of :meth:`canonical`: equal wherever the same set was replayed."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The whole state as one canonical JSON text."""
        whole = {
            "items": _by_id(self.items.values()),
            "aliases": dict(self.aliases),
            "rejections": {key: asdict(one) for key, one in self.rejections.items()},
            "specifications": _by_id(self.specifications.values()),
            "approvers": None if self.approvers is None else [asdict(a) for a in self.approvers],
            "policy": None if self.policy is None else dict(self.policy),
            "governance": list(self.governance),
            "lifted": list(self.lifted),
            "accepted": list(self.accepted),
            "refused": [[p.migration, p.refusal.value, p.detail] for p in self.refused],
            "contested": list(self.contested),
        }
        return canonical_json(whole).encode()


def _by_id(values: Iterable[Item] | Iterable[Specification]) -> dict[str, Any]:
    return {value.id: _values(value) for value in values}


def _values(value: Item | Specification) -> dict[str, Any]:
    """All of it; what a text refuses only where it does, so that states of before stay the same."""
    found = asdict(value)
    for revision in found.get("revisions", ()):
        if revision["refuse"] is None:
            del revision["refuse"]
    return found
