"""Slots: what was done to one thing, as a graph of operations each naming what it builds on.

- Operations that nothing else builds on are the slot's *heads*. Heads that say the same agree,
  however each explains itself; heads that do not leave the slot contested.
- In a contested slot stands what all heads build on, and so on down: never one side of an older
  disagreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citator.record.migration import Migration
from citator.record.operations import Operation

_EXPLAINING: Final = frozenset({"reason", "note"})


@dataclass(frozen=True, slots=True)
class Node:
    """One accepted operation. ``link`` is its digest, which later ones name as their base."""

    operation: Operation
    migration: Migration
    link: str

    @property
    def values(self) -> Mapping[str, Any]:
        """The operation's values."""
        return self.operation.values

    @property
    def effect(self) -> tuple[str, Mapping[str, Any], str]:
        """What it says, whatever it builds on and however it explains itself."""
        said = {key: one for key, one in self.values.items() if key not in _EXPLAINING}
        text = self.migration.body if self.operation.name == "upsert_revision" else ""
        return self.operation.name, said, text


@dataclass(slots=True)
class Slot:
    """The accepted operations on one thing, in the order of replay."""

    nodes: dict[str, Node] = field(default_factory=dict)
    heads: list[str] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Take one more in."""
        self.nodes[node.link] = node
        self.heads = [head for head in self.heads if head not in node.operation.base]
        self.heads.append(node.link)

    def drop_last(self, heads: list[str]) -> None:
        """Take the last one out again; ``heads`` are those from before it."""
        self.nodes.popitem()
        self.heads = heads

    @property
    def contested(self) -> bool:
        """Whether the newest operations disagree."""
        return not self._agree(self.heads)

    def effective(self) -> Node | None:
        """What stands: the newest, or the newest of what was agreed where they disagree."""
        return self._standing(self.heads)

    def at(self, base: Iterable[str]) -> Node | None:
        """What stood for who builds on ``base`` (digests of this slot's operations)."""
        return self._standing([node.link for node in self.newest(base)])

    def newest(self, base: Iterable[str]) -> list[Node]:
        """The operations of ``base`` that no other of them builds on."""
        links = list(base)
        if len(links) > 1:
            links = self._last(set().union(*map(self._before, links)))
        return [self.nodes[link] for link in links]

    def chain(self) -> Iterable[Node]:
        """What led to what stands, oldest first, itself included."""
        end = self.effective()
        if end is None:
            return []
        wanted = self._before(end.link)
        return [node for link, node in self.nodes.items() if link in wanted]

    def _standing(self, heads: list[str]) -> Node | None:
        while heads and not self._agree(heads):
            heads = self._last(set.intersection(*map(self._before, heads)))
        return self.nodes[min(heads)] if heads else None

    def _agree(self, heads: list[str]) -> bool:
        if len(heads) < 2:
            return True
        first, *others = (self.nodes[head].effect for head in heads)
        return all(other == first for other in others)

    def _last(self, links: set[str]) -> list[str]:
        """Those of ``links`` that no other of them builds on."""
        older = {base for link in links for base in self.nodes[link].operation.base}
        return [link for link in links if link not in older]

    def _before(self, link: str) -> set[str]:
        """An operation and all it builds on."""
        found, waiting = {link}, [link]
        while waiting:
            for base in self.nodes[waiting.pop()].operation.base:
                if base not in found:
                    found.add(base)
                    waiting.append(base)
        return found
