"""Slots, once all migrations are taken in → the state that readers see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from citator.model.record import (
    Anchor,
    Item,
    ItemKind,
    RecordEvidence,
    Refuse,
    Rejected,
    Relation,
    RelationType,
    Revision,
    Sensitivity,
    Specification,
    Trust,
)
from citator.record.effects import Effects
from citator.record.errors import Problem
from citator.record.folding import folded, rejection_key
from citator.record.migration import Migration
from citator.record.slots import Node, Slot
from citator.record.state import Approver, RecordState


def state_of(
    effects: Effects,
    accepted: tuple[str, ...],
    refused: tuple[Problem, ...],
    source_commits: Mapping[str, str],
) -> RecordState:
    """The state that the slots hold."""
    slots = {name: slot for name, slot in effects.slots.items() if slot.heads}
    standing = {name: slot.effective() for name, slot in slots.items()}
    named = {name: node for name, node in standing.items() if node is not None}
    contested = sorted(
        name for name, slot in slots.items() if slot.contested and not name.startswith("rejected/")
    )
    items = [name.split("/")[1] for name in named if _is_creation(name)]
    specified: dict[str, list[Specification]] = {}
    for one in sorted(_specifications(effects, named)):
        specified.setdefault(one.item, []).append(one)
    approvers, policy = named.get("approvers"), named.get("policy")
    return RecordState(
        items={
            item: _item(
                effects, item, named, tuple(specified.get(item, ())), contested, source_commits
            )
            for item in sorted(items)
        },
        aliases=dict(sorted(_aliases(named.values()))),
        rejections=_rejections(effects, named),
        specifications={one.id: one for own in specified.values() for one in own},
        approvers=None
        if approvers is None
        else tuple(map(_approver, approvers.values["approvers"])),
        policy=None if policy is None else policy.values["policy"],
        governance=_governance(slots, accepted),
        lifted=tuple(
            sorted(name.removeprefix("lifted/") for name in named if name.startswith("lifted/"))
        ),
        accepted=accepted,
        refused=refused,
        contested=tuple(contested),
        loosened=dict(effects.loosened),
        heads={name: tuple(sorted(slot.heads)) for name, slot in slots.items()},
    )


def _governance(slots: Mapping[str, Slot], accepted: Iterable[str]) -> tuple[str, ...]:
    chains = [slots[name].chain() for name in ("approvers", "policy") if name in slots]
    made = {node.migration.id for chain in chains for node in chain}
    return tuple(one for one in accepted if one in made)


def _item(
    effects: Effects,
    item: str,
    named: Mapping[str, Node],
    specifications: tuple[Specification, ...],
    contested: Collection[str],
    source_commits: Mapping[str, str],
) -> Item:
    created = named[f"item/{item}/created"]
    own = [(name, named[name]) for name in effects.by_item.get(item, ()) if name in named]
    owner = named.get(f"item/{item}/owner", created)
    retired = effects.heads(f"item/{item}/standing")
    text = effects.slots.get(f"item/{item}/text")
    return Item(
        id=item,
        kind=ItemKind(created.values["kind"]),
        owner=owner.values["owner"],
        sensitivity=effects.sensitivity(item),
        status=effects.status(item),
        created_at=created.migration.created_at,
        created_by=created.migration.id,
        revisions=tuple(
            revision_of(node.migration, node.values, source_commits.get(node.migration.id))
            for node in (text.chain() if text else ())
        ),
        relations=tuple(
            sorted(_relation(node) for name, node in own if _is_own_link(item, name, node))
        ),
        aliases=tuple(sorted(name for name, of in _aliases(n for _, n in own) if of == item)),
        evidence=tuple(sorted(_evidence(n) for _, n in own if n.operation.name == "add_evidence")),
        specifications=specifications,
        superseded_by=tuple(effects.superseders(item)),
        reason=_reason(retired),
        contested=tuple(sorted(set(contested).intersection(effects.by_item.get(item, ()))))
        if contested
        else (),
        tenant=created.values.get("tenant"),
        groups=tuple(created.values.get("groups", ())),
    )


def _is_creation(slot: str) -> bool:
    return slot.startswith("item/") and slot.endswith("/created")


def _reason(standing: list[Node]) -> str:
    """Why an item is retired, or was restored: the first that says it, those that retire before."""
    ordered = sorted(standing, key=lambda n: (n.operation.name != "deprecate_item", n.link))
    return next((n.values["reason"] for n in ordered if "reason" in n.values), "")


def _is_own_link(item: str, name: str, node: Node) -> bool:
    return node.operation.name == "add_relation" and name.split("/")[1] == item


def revision_of(
    migration: Migration, values: Mapping[str, Any], source_commit: str | None = None
) -> Revision:
    """The revision that a migration lands, or would land, by the values of its operation."""
    return Revision(
        id=migration.id,
        digest=migration.digest,
        title=values["title"],
        ruling=values["ruling"],
        body=migration.body,
        author=migration.author,
        created_at=migration.created_at,
        valid_from=values.get("valid_from", migration.created_at),
        valid_to=values.get("valid_to"),
        trust=Trust(values.get("trust", Trust.UNVERIFIED.value)),
        labels=tuple(values.get("labels", ())),
        paths=tuple(values.get("paths", ())),
        anchors=tuple(_anchor(one) for one in values.get("anchors", ())),
        refuse=refuse_of(values),
        source_commit=source_commit,
    )


def refuse_of(values: Mapping[str, Any]) -> Refuse | None:
    """What the values of a text refuse, None where nothing."""
    said = values.get("refuse")
    return None if said is None else Refuse(**{key: tuple(some) for key, some in said.items()})


def _anchor(values: Mapping[str, Any]) -> Anchor:
    lines = values.get("lines")
    return Anchor(**{**values, "lines": (lines[0], lines[1]) if lines else None})


def _relation(node: Node) -> Relation:
    values = node.values
    kind = RelationType(values["type"])
    return Relation(values["source"], kind, values["target"], values.get("note", ""))


def _evidence(node: Node) -> RecordEvidence:
    values = node.values
    return RecordEvidence(values["source"], values["description"], values.get("confidence", 100))


def _aliases(nodes: Iterable[Node]) -> Iterable[tuple[str, str]]:
    for node in nodes:
        if node.operation.name == "add_alias":
            yield node.values["alias"], node.values["item"]


def _specifications(effects: Effects, named: Mapping[str, Node]) -> Iterable[Specification]:
    for name, node in named.items():
        if name.startswith("specification/"):
            first = next(iter(effects.slots[name].chain())).values
            yield Specification(
                id=first["specification"],
                item=first["item"],
                uri=first["uri"],
                format=first["format"],
                superseded_by=node.values.get("by"),
            )


def _rejections(effects: Effects, named: Mapping[str, Node]) -> dict[str, Rejected]:
    """Every rejection that no lift names. Rejections of one value do not disagree: all stand."""
    found = {}
    for name, slot in effects.slots.items():
        if not name.startswith("rejected/"):
            continue
        for link, node in slot.nodes.items():
            if f"lifted/{link}" not in named:
                found[link] = _rejected(link, node)
    return dict(sorted(found.items()))


def _rejected(link: str, node: Node) -> Rejected:
    values, kind = node.values, node.values.get("kind")
    scope = tuple(values.get("scope", ()))
    return Rejected(
        id=link,
        key=rejection_key(values["value"], kind, scope),
        folded=folded(values["value"]),
        value=values["value"],
        reason=values["reason"],
        source=node.migration.id,
        at=node.migration.created_at,
        kind=ItemKind(kind) if kind else None,
        scope=scope,
        change=values.get("change", ""),
        sensitivity=Sensitivity(values.get("sensitivity", Sensitivity.INTERNAL.value)),
        tenant=values.get("tenant"),
        groups=tuple(values.get("groups", ())),
    )


def _approver(values: Mapping[str, Any]) -> Approver:
    return Approver(values["label"], values["key"], tuple(values.get("emails", ())))
