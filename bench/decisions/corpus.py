"""The judged decisions (theurian's evaluation corpus, Apache-2.0) as a record of ours.

Read from a folder that ``bench/data/prepare_decisions.py`` makes; nothing of it is stored here.
Every item is built with migrations, as if approved: what is retired was superseded by its
successor, or deprecated where it has none; what is proposed or rejected stays outside the state.
Where the corpus has no ruling the title stands for it, and the item's name becomes an alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from citator.model.record import RecordStatus
from citator.record.migration import Migration
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.state import RecordState
from citator.record.ulid import mint

MOMENT = 1_790_000_000_000
DAY = "2026-09-20"
# What took the place of what, among the visible items. One that was superseded by nothing named
# is deprecated here.
SUCCESSORS = {
    "domain.session-token-ttl-v1": "domain.session-token-ttl-v2",
    "domain.session-token-ttl-v2": "domain.session-token-ttl",
}
WAITING = {
    "draft": RecordStatus.DRAFT,
    "proposed": RecordStatus.PROPOSED,
    "rejected": RecordStatus.REJECTED,
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A migration that is not effective."""

    migration: Migration
    status: RecordStatus


@dataclass(frozen=True, slots=True)
class Source:
    """One item of the corpus: its name, its bodies (oldest first), and how it ends."""

    name: str
    kind: str
    sensitivity: str
    status: str
    bodies: tuple[str, ...]

    @property
    def title(self) -> str:
        """The first heading."""
        return self.bodies[-1].split("\n", 1)[0].removeprefix("#").strip()


@dataclass(frozen=True, slots=True)
class Query:
    """One judged question."""

    id: str
    group: str
    text: str
    relevant: frozenset[str]
    forbidden: frozenset[str]
    abstain: bool


@dataclass
class Corpus:
    """A record under construction: ids are minted from a counter, so they are always the same."""

    migrations: list[Migration] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    minted: int = 0

    @property
    def state(self) -> RecordState:
        """What the effective migrations amount to."""
        return replay(self.migrations)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Item id → the corpus's name of it."""
        return {item: name for name, item in self.ids.items()}

    def add(self, source: Source) -> None:
        """Build one item."""
        item = self.ids[source.name] = self._id()
        first = {"internal": "internal", "restricted": "internal"}.get(
            source.sensitivity, source.sensitivity
        )
        creation = [
            {
                "op": "create_item",
                "item": item,
                "kind": source.kind,
                "owner": "maintainers",
                "sensitivity": first,
            },
            _text(item, source.title),
        ]
        made = self._migration(creation, source.bodies[0])
        if source.status in WAITING:
            self.waiting.append(Waiting(made, WAITING[source.status]))
            return
        self.migrations.append(made)
        self._land({"op": "add_alias", "alias": source.name, "item": item})
        for body in source.bodies[1:]:
            self._land(_text(item, source.title), body=body)
        if source.sensitivity == "restricted":
            change = {"op": "change_sensitivity", "item": item, "sensitivity": "restricted"}
            self._land({**change, "reason": "it names an account"})
        if source.status == "deprecated":
            self._land({"op": "deprecate_item", "item": item})

    def supersede(self, newer: str, older: str) -> None:
        """One item takes the place of another."""
        relation = {"op": "add_relation", "type": "supersedes"}
        self._land({**relation, "source": self.ids[newer], "target": self.ids[older]})

    def _land(self, operation: Mapping[str, Any], body: str = "") -> None:
        self.migrations.append(self._migration([operation], body))

    def _migration(self, operations: Sequence[Mapping[str, Any]], body: str) -> Migration:
        state = self.state
        based = [
            checked({"base": list(state.base_of(checked(dict(one), 1))), **one}, 1)
            for one in operations
        ]
        identity = self._id()
        moment = f"{DAY}T00:{self.minted // 60:02}:{self.minted % 60:02}Z"
        return Migration(identity, "maintainers", moment, tuple(based), body)

    def _id(self) -> str:
        self.minted += 1
        return mint(MOMENT + self.minted, lambda size: self.minted.to_bytes(size, "big"))


def _text(item: str, title: str) -> dict[str, Any]:
    return {"op": "upsert_revision", "item": item, "title": title, "ruling": title}


def load(folder: Path, *, full: bool) -> Corpus:
    """The corpus in ``folder``: with what is withheld (``full``) or as if that never was."""
    corpus = Corpus()
    for source in sources(folder, full=False):
        corpus.add(source)
    for older, newer in SUCCESSORS.items():
        if older in corpus.ids:
            corpus.supersede(newer, older)
    for source in sources(folder, full=full)[len(corpus.ids) :]:
        corpus.add(source)
    return corpus


def sources(folder: Path, *, full: bool) -> list[Source]:
    """The items of the corpus, those that are withheld last."""
    manifest = yaml.safe_load((folder / "manifest.yaml").read_text("utf-8"))
    visible = list(_visible(folder, manifest["visibleItems"]))
    return [*visible, *(_withheld(folder, manifest["withheldItems"]) if full else ())]


def _visible(folder: Path, items: Mapping[str, Any]) -> Iterable[Source]:
    for one in items["adrSnapshots"]:
        body = (folder / "adr" / one["adr"]).read_text("utf-8")
        yield Source(one["itemId"], "architecture", "public", "approved", (body,))
    for one in items["originals"]:
        row = {"itemId": one} if isinstance(one, str) else one
        yield _original(folder, row, "internal")


def _withheld(folder: Path, items: Iterable[Mapping[str, Any]]) -> Iterable[Source]:
    for row in items:
        # "restricted (reclassified from …)" is a remark on the first word.
        sensitivity = str(row.get("sensitivity", "internal")).split(" ")[0]
        status = "deprecated" if row["finalStatus"] == "superseded" else row["finalStatus"]
        yield _original(folder, {**row, "finalStatus": status}, sensitivity)


def _original(folder: Path, row: Mapping[str, Any], sensitivity: str) -> Source:
    group, _, name = row["itemId"].partition(".")
    found = sorted((folder / "knowledge" / group).glob(f"{name}.*.md"))
    return Source(
        row["itemId"],
        row.get("kind", group),
        sensitivity,
        row.get("finalStatus", "approved"),
        tuple(one.read_text("utf-8") for one in found),
    )


def queries(folder: Path) -> list[Query]:
    """The enabled questions with their judgements."""
    asked = yaml.safe_load((folder / "queries.yaml").read_text("utf-8"))["queries"]
    judged = yaml.safe_load((folder / "judgements.yaml").read_text("utf-8"))["judgements"]
    by_id = {one["queryId"]: one for one in judged}
    return [
        Query(
            one["id"],
            one["class"],
            one["query"],
            frozenset(by_id[one["id"]].get("relevant", ())),
            frozenset(by_id[one["id"]].get("forbidden", ())),
            bool(by_id[one["id"]].get("expectAbstention")),
        )
        for one in asked
        if one.get("enabled", True)
    ]
