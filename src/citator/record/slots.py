"""Slots: what was done to one thing, as a graph of operations each naming what it builds on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citator.record.migration import Migration
from citator.record.operations import Operation


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
        """What it says, whatever it builds on."""
        text = self.migration.body if self.operation.name == "upsert_revision" else ""
        return self.operation.name, self.operation.values, text


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
        if len(self.heads) < 2:
            return False
        first, *others = (self.nodes[head].effect for head in self.heads)
        return any(other != first for other in others)

    def effective(self) -> Node | None:
        """What stands: the newest, or the newest of what was agreed where they disagree."""
        if not self.heads:
            return None
        if len(self.heads) == 1 or not self.contested:
            return self.nodes[min(self.heads)]
        agreed = set.intersection(*(self._before(head) for head in self.heads))
        standing = [node for link, node in self.nodes.items() if link in agreed]
        return standing[-1] if standing else None

    def chain(self) -> Iterable[Node]:
        """What led to what stands, oldest first, itself included."""
        end = self.effective()
        if end is None:
            return []
        wanted = self._before(end.link)
        return [node for link, node in self.nodes.items() if link in wanted]

    def _before(self, link: str) -> set[str]:
        """An operation and all it builds on."""
        found, waiting = {link}, [link]
        while waiting:
            for base in self.nodes[waiting.pop()].operation.base:
                if base not in found:
                    found.add(base)
                    waiting.append(base)
        return found
