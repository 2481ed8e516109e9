"""Makes migrations as a person's tool would: ids minted from a counter, bases from a state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from citator.record.migration import Migration
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.state import RecordState
from citator.record.ulid import mint

START = 1_772_000_000_000


@dataclass
class Ledger:
    """A growing set of migrations. Each new one builds on all before it, unless told otherwise."""

    migrations: list[Migration] = field(default_factory=list)
    minted: int = 0

    def id(self) -> str:
        """A new ULID, the same in every run."""
        self.minted += 1
        return mint(START + self.minted * 1_000, lambda size: self.minted.to_bytes(size, "big"))

    @property
    def state(self) -> RecordState:
        """What the migrations amount to."""
        return replay(self.migrations)

    def add(self, *operations: dict[str, Any], **settings: Any) -> Migration:
        """A migration of these operations on the present state, added to the set."""
        made = self.make(*operations, **settings)
        self.migrations.append(made)
        return made

    def make(
        self,
        *operations: dict[str, Any],
        body: str = "",
        author: str = "Ada",
        loosens: Iterable[str] = (),
        on: RecordState | None = None,
        draft: bool = False,
    ) -> Migration:
        """The same, not added. ``on`` is the state it builds on."""
        state = on or self.state
        made = [checked(one, index) for index, one in enumerate(operations, 1)]
        based = [
            checked({"base": list(state.base_of(one)), **raw}, 1)
            for one, raw in zip(made, operations, strict=True)
        ]
        moment = f"2026-03-01T09:{self.minted // 60 % 60:02}:{self.minted % 60:02}Z"
        return Migration(
            self.id(), author, moment, tuple(based), body, tuple(sorted(loosens)), draft
        )

    def decide(self, title: str, **settings: Any) -> str:
        """Create an item with a first text. Returns the item's id."""
        item = self.id()
        self.add(*creation(item, title, settings), **_rest(settings))
        return item


_CREATION = ("kind", "owner", "sensitivity", "tenant", "groups")
_TEXT = ("ruling", "labels", "paths", "anchors", "refuse", "valid_from", "valid_to", "trust")


def creation(item: str, title: str, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The two operations that make an item with a first text."""
    given = {"kind": "decision", "owner": "team", **settings}
    return [
        {"op": "create_item", "item": item, **{k: given[k] for k in _CREATION if k in given}},
        text(item, title, **{k: given[k] for k in _TEXT if k in given}),
    ]


def text(item: str, title: str, **settings: Any) -> dict[str, Any]:
    """The operation that gives an item a text."""
    return {"op": "upsert_revision", "item": item, "title": title, "ruling": title, **settings}


def _rest(settings: dict[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in settings.items() if k not in (*_CREATION, *_TEXT)}
    return {"body": "The reasons, in full.\n", **kept}
