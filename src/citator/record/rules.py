"""Who may approve, and under which policy: now, and until which migration earlier ones could."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citator.model.record import ItemKind, Sensitivity
from citator.model.visibility import Audience, may_disclose
from citator.record.migration import Migration
from citator.trust.assurance import Threshold
from citator.trust.pins import Pin
from citator.trust.policy import Policy, parse_policy


@dataclass(frozen=True, slots=True)
class Who:
    """An approver. ``ended_by`` is the migration that took the key out, None where it is in."""

    label: str
    emails: tuple[str, ...] = ()
    ended_by: str | None = None

    def is_author(self, author: str) -> bool:
        """Whether ``author``, as a migration states it, is this person."""
        stated = author.casefold()
        address = stated.partition("<")[2].partition(">")[0].strip()
        return stated == self.label.casefold() or address in {one.casefold() for one in self.emails}


@dataclass(frozen=True, slots=True)
class Named:
    """A policy that held. ``ended_by`` is the migration that replaced it, None where it holds."""

    policy: Policy
    ended_by: str | None = None


@dataclass(frozen=True)
class Rules:
    """Everyone who ever might approve, by key; every policy that ever held, by digest."""

    keys: Mapping[str, Who]
    policies: Mapping[str, Named]
    policy: Policy

    @classmethod
    def of(cls, pin: Pin, chain: Iterable[Migration]) -> Rules:
        """The rules of a pin, and of the migrations that changed them, in order."""
        keys = {one.key.text: Who(one.label, one.emails) for one in pin.approvers}
        policies = {pin.policy.digest: Named(pin.policy)}
        policy = pin.policy
        for migration in chain:
            for operation in migration.operations:
                if operation.name == "set_approvers":
                    keys = {key: _ended(who, migration.id) for key, who in keys.items()}
                    for one in operation.values["approvers"]:
                        keys[one["key"]] = Who(one["label"], tuple(one.get("emails", ())))
                elif operation.name == "set_policy":
                    policy = parse_policy(operation.values["policy"])
                    policies = {
                        digest: replace(named, ended_by=named.ended_by or migration.id)
                        for digest, named in policies.items()
                    }
                    policies[policy.digest] = Named(policy)
        return cls(keys, policies, policy)

    @property
    def approvers(self) -> dict[str, str]:
        """The labels of those who may approve now, by the key's text."""
        return {key: who.label for key, who in self.keys.items() if who.ended_by is None}


def policies_of(migration: Migration) -> list[str]:
    """The digests of the policies that a migration sets."""
    return [
        parse_policy(one.values["policy"]).digest
        for one in migration.operations
        if one.name == "set_policy"
    ]


def _ended(who: Who, migration: str) -> Who:
    return who if who.ended_by is not None else replace(who, ended_by=migration)


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom something concerns: its sensitivity, the tenants and groups of what it is about."""

    sensitivity: Sensitivity
    tenants: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    def is_for(self, audience: Audience) -> bool:
        """Whether an audience may know of it: each tenant and each list of groups has to pass."""
        return all(
            may_disclose(self.sensitivity, tenant, groups, audience)
            for tenant in self.tenants or (None,)
            for groups in self.groups or ((),)
        )


class Weights:
    """How much a migration matters: the kinds and the highest sensitivity of what it touches.

    Anybody can add a file that calls an item something else: every kind that any file gives it
    counts, so that such a file can only raise what is asked for.
    """

    def __init__(self, migrations: Iterable[Migration]) -> None:
        self._kinds: dict[str, set[ItemKind]] = {}
        self._sensitivities: dict[str, Sensitivity] = {}
        self._members: dict[str, dict[tuple[str | None, tuple[str, ...]], None]] = {}
        for operation in (one for each in migrations for one in each.operations):
            item: str = operation.values.get("item", "")
            if operation.name == "create_item":
                self._kinds.setdefault(item, set()).add(ItemKind(operation.values["kind"]))
                tenant, groups = operation.values.get("tenant"), operation.values.get("groups", ())
                self._members.setdefault(item, {})[tenant, tuple(groups)] = None
            if operation.name in ("create_item", "change_sensitivity"):
                stated = operation.values.get("sensitivity", Sensitivity.INTERNAL.value)
                self._raise(item, Sensitivity(stated))

    def _raise(self, item: str, stated: Sensitivity) -> None:
        known = self._sensitivities.get(item, Sensitivity.PUBLIC)
        self._sensitivities[item] = max(known, stated, key=lambda one: one.rank)

    def sensitivity(self, migration: Migration) -> Sensitivity:
        """The highest sensitivity that anything it touches was ever given."""
        found = [Sensitivity.PUBLIC if self.items_of(migration) else Sensitivity.INTERNAL]
        found += [
            self._sensitivities.get(item, Sensitivity.INTERNAL) for item in self.items_of(migration)
        ]
        found += [
            Sensitivity(one.values["sensitivity"])
            for one in migration.operations
            if "sensitivity" in one.values
        ]
        return max(found, key=lambda one: one.rank)

    def reach(self, migration: Migration) -> Reach:
        """Whom a migration concerns: all that anything it touches was ever given."""
        members = [one for item in self.items_of(migration) for one in self._members.get(item, ())]
        stated = [
            one.values["sensitivity"] for one in migration.operations if "sensitivity" in one.values
        ]
        alone = max(map(Sensitivity, stated), key=lambda one: one.rank, default=None)
        touches = bool(self.items_of(migration)) or alone is None
        return Reach(
            self.sensitivity(migration) if touches or alone is None else alone,
            tuple(dict.fromkeys(tenant for tenant, _ in members if tenant is not None)),
            tuple(dict.fromkeys(groups for _, groups in members if groups)),
        )

    def needed(self, migration: Migration, policy: Policy) -> Threshold:
        """What ``policy`` asks for, the strictest of everything the migration touches."""
        sensitivity = self.sensitivity(migration)
        needed = policy.needed(ItemKind.DECISION, sensitivity)
        for item in self.items_of(migration):
            for kind in self._kinds.get(item, ()):
                needed = needed.stricter(policy.needed(kind, sensitivity))
        return needed

    @staticmethod
    def items_of(migration: Migration) -> list[str]:
        """The items that a migration is about."""
        keys = ("item", "source", "target")
        return [
            one.values[key]
            for one in migration.operations
            for key in keys
            if key in one.values and (key == "item" or one.name.endswith("_relation"))
        ]
