"""Views of the record, kept on disk: small files under ``derived/record``, each naming a partition.

- A view says where to look and not what to believe: what is served is verified again. It is sealed
  with the secret of the data directory: one that was put there or changed is no view.
- What an audience may no longer see is destroyed with the view that held it, in every kept view,
  whoever asks next.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from citator.index.partition import Partition
from citator.index.partition_store import Partitions, retire
from citator.model.record import ItemKind, RecordStatus, Rejected, Sensitivity
from citator.model.treatment import Edge, edge_from
from citator.model.visibility import Audience, may_disclose, may_surface
from citator.record.evaluation import UNSIGNED, Proof, Record
from citator.record.rejections import may_know
from citator.record.treatment import ItemFacts
from citator.store import files
from citator.store.seal import contents, sealed, unsealed
from citator.trust.assurance import Assurance, Landed, Signature

VERSION: Final = 6
KEPT: Final = 8


@dataclass(frozen=True)
class RecordView:
    """The record as one audience sees it. Close the partition when done.

    ``assurance`` and ``proofs`` are by revision; ``outside`` are the revisions of the second
    ledger, ``rejections`` those the audience may know; ``facts`` are codes of what could not be
    used, without a count of anything withheld. ``items`` are the decisions that the audience may
    know of, retired ones too; ``edges`` how they treat each other. ``refusing`` are the revisions
    that refuse something, where the policy says that this blocks.
    """

    partition: Partition
    assurance: Mapping[str, Assurance] = field(default_factory=dict)
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    rejections: tuple[Rejected, ...] = ()
    facts: tuple[str, ...] = ()
    items: Mapping[str, ItemFacts] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    refusing: frozenset[str] = frozenset()

    def assurance_of(self, revision: str) -> Assurance:
        """The two facts of a revision."""
        return self.assurance.get(revision, UNSIGNED)


def keep(folder: Path, key: str, audience: Audience, view: RecordView, secret: bytes) -> None:
    """Keep a view."""
    values: dict[str, Any] = {
        "version": VERSION,
        "audience": asdict(audience),
        "partition": view.partition.id,
        "texts": view.partition.texts,
        "assurance": {
            one: [facts.signature.value, facts.landed.value]
            for one, facts in view.assurance.items()
        },
        "proofs": {
            one: [proof.digest, proof.migration, list(proof.approvals)]
            for one, proof in view.proofs.items()
        },
        "outside": sorted(view.outside),
        "rejections": [asdict(one) for one in view.rejections],
        "facts": list(view.facts),
        "items": {key: asdict(one) for key, one in view.items.items()},
        "edges": [asdict(one) for one in view.edges],
        "refusing": sorted(view.refusing),
    }
    files.make_directory(folder)
    data = json.dumps(values, sort_keys=True).encode()
    files.write_atomically(folder / f"{key}.json", sealed(secret, f"view {key}", data))


def withdraw(folder: Path, partitions: Partitions, records: Iterable[Record]) -> None:
    """Destroy every kept view that holds what its audience may no longer see, and its partition.

    An approved text that these records do not know at all is of another branch, and is left. What
    cannot be read is destroyed, and what is unapproved or of a second ledger that these records
    leave out: of that nobody could say whether it may still be seen.
    """
    records = tuple(records)
    known = {one for each in records for one in each.proofs}
    for path in sorted(folder.glob("*.json")):
        if not _holds_only_seen(path, records, known):
            with files.guarded():
                path.unlink(missing_ok=True)
    sweep(folder, partitions)


def _holds_only_seen(path: Path, records: tuple[Record, ...], known: set[str]) -> bool:
    """Whether a kept view can be read, and all that it holds may still be seen."""
    try:
        values = json.loads(contents(path.read_bytes()))
        audience = _audience(values["audience"])
        held, told = set(values["proofs"]), {one["id"] for one in values["rejections"]}
        outside = set(values["outside"])
        items = set(values["items"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    allowed = {one for each in records for one in _allowed(each, audience)}
    stand = {one.id for each in records for one in each.tombstones if may_know(one, audience)}
    looked_at = held if audience.unapproved else (held & known) | outside
    hidden = {
        item.id
        for each in records
        for item in each.state.items.values()
        if not may_disclose(item.sensitivity, item.tenant, item.groups, audience)
    }
    return looked_at <= allowed and told <= stand and items.isdisjoint(hidden)


def _allowed(record: Record, audience: Audience) -> Iterable[str]:
    """The effective revisions that an audience may see. Proposals are not counted among them: a
    kept view with proposals is made anew."""
    for item in record.state.items.values():
        if may_surface(item.status, audience) and may_disclose(
            item.sensitivity, item.tenant, item.groups, audience
        ):
            yield from (one.id for one in item.revisions)


def _audience(values: Mapping[str, Any]) -> Audience:
    return Audience(
        Sensitivity(values["ceiling"]),
        values["unapproved"],
        values["tenant"],
        tuple(values["groups"]),
    )


def sweep(folder: Path, partitions: Partitions) -> None:
    """Forget all but the newest views, and every partition that none of them names.

    A view that cannot be read names none, and is forgotten.
    """
    try:
        kept = sorted(folder.glob("*.json"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
        named = {one: _named(one) for one in kept[:KEPT]}
        for old in kept:
            if named.get(old) is None:
                old.unlink(missing_ok=True)
    except OSError:
        return
    retire(partitions, {one for one in named.values() if one is not None})


def _named(path: Path) -> str | None:
    """The partition that a kept view names, None where it cannot be read."""
    try:
        return str(json.loads(contents(path.read_bytes()))["partition"])
    except (ValueError, KeyError, TypeError):
        return None


def load(folder: Path, key: str, partitions: Partitions, secret: bytes) -> RecordView | None:
    """The view that was kept under ``key``; None where there is none to rely on."""
    try:
        raw = unsealed(secret, f"view {key}", (folder / f"{key}.json").read_bytes())
        values = json.loads(raw or b"")
        if values["version"] != VERSION:
            return None
        return RecordView(
            partition=_opened(values, partitions),
            assurance={
                key: Assurance(Signature(one[0]), Landed(one[1]))
                for key, one in values["assurance"].items()
            },
            proofs={
                key: Proof(one[0], one[1], tuple(one[2])) for key, one in values["proofs"].items()
            },
            outside=frozenset(values["outside"]),
            rejections=tuple(_rejected(one) for one in values["rejections"]),
            facts=tuple(values["facts"]),
            items={key: _item(one) for key, one in values["items"].items()},
            edges=tuple(edge_from(one) for one in values["edges"]),
            refusing=frozenset(values["refusing"]),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None


def _opened(values: Mapping[str, Any], partitions: Partitions) -> Partition:
    if values["texts"] == 0:
        return partitions.of(())
    found = partitions.open(values["partition"])
    if found is None:
        raise KeyError("partition")
    return found


def _item(values: dict[str, Any]) -> ItemFacts:
    lists = {name: tuple(values[name]) for name in ("superseded_by", "paths", "premises")}
    return ItemFacts(**{**values, **lists, "status": RecordStatus(values["status"])})


def _rejected(values: dict[str, Any]) -> Rejected:
    kind = values["kind"]
    return Rejected(
        **{
            **values,
            "kind": None if kind is None else ItemKind(kind),
            "sensitivity": Sensitivity(values["sensitivity"]),
            "scope": tuple(values["scope"]),
            "groups": tuple(values["groups"]),
        }
    )
