"""Walks and compares trees object by object: the slow way, for what git itself gives up on.

- git ends at the first tree that is missing or damaged; here that tree alone is lost.
- The answers and their order are git's own: entries in tree order, differences by path bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from citator.git.objects import ObjectReader, StoredObject
from citator.git.records import Repository

MAX_DEPTH: Final = 2048
MAX_TREE_BYTES: Final = 256 << 20
_FOLDER: Final = "040000"
_WIDTH: Final = {"sha1": 20, "sha256": 32}


class UnreadableTreeError(LookupError):
    """A tree is missing, damaged, or nested beyond measure."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a tree: ``path`` is bytes from the root."""

    mode: str
    object_id: str
    path: bytes

    @property
    def kind(self) -> Literal["blob", "commit", "tree"]:
        """What git calls it."""
        return kind_of(self.mode)


Pair = tuple[Node | None, Node | None]


def kind_of(mode: str) -> Literal["blob", "commit", "tree"]:
    """The kind of object that stands behind a mode such as ``100644``."""
    if mode == _FOLDER:
        return "tree"
    return "commit" if mode == "160000" else "blob"


class Trees:
    """The trees of a repository, read through ``objects``."""

    def __init__(self, repo: Repository, objects: ObjectReader) -> None:
        self._objects = objects
        width = _WIDTH[repo.object_format]
        self._entry = re.compile(rb"([0-7]{1,6}) ([^\0]+)\0(.{%d})" % width, re.DOTALL)

    def root_of(self, commit: str) -> str:
        """The tree of a commit. Raises UnreadableTreeError where the commit is not here."""
        found = self._objects.read(commit, MAX_TREE_BYTES)
        if isinstance(found, StoredObject) and found.kind == "commit":
            stated = re.match(rb"tree ([0-9a-f]+)\n", found.content)
            if stated is not None:
                return stated[1].decode()
        raise UnreadableTreeError

    def walk(self, tree: str) -> Iterator[Node]:
        """Everything below ``tree`` but folders; a folder that cannot be read stands itself."""
        pending = [(Node(_FOLDER, tree, b""), 0)]
        while pending:
            node, depth = pending.pop()
            if node.mode != _FOLDER:
                yield node
                continue
            try:
                children = self._children(node, depth)
            except UnreadableTreeError:
                yield node
            else:
                pending.extend((child, depth + 1) for child in reversed(children.values()))

    def differences(self, old: str | None, new: str | None) -> list[Pair]:
        """What differs between two trees (None: an empty one), folders apart, by path.

        Raises UnreadableTreeError where a tree that takes part cannot be read.
        """
        found: list[Pair] = []
        pending = [(_root(old), _root(new), 0)]
        while pending:
            before, after, depth = pending.pop()
            for left, right in self._compared(before, after, depth):
                folders = _folder(left), _folder(right)
                if folders != (None, None):
                    pending.append((*folders, depth + 1))
                others = _other(left), _other(right)
                if others != (None, None):
                    found.append(others)
        return sorted(found, key=path_of)

    def _compared(self, old: Node | None, new: Node | None, depth: int) -> Iterator[Pair]:
        """The children that differ between two folders."""
        if old is not None and new is not None and old.object_id == new.object_id:
            return
        before = {} if old is None else self._children(old, depth)
        after = {} if new is None else self._children(new, depth)
        for name in before.keys() | after.keys():
            left, right = before.get(name), after.get(name)
            if left != right:
                yield left, right

    def _children(self, folder: Node, depth: int) -> dict[bytes, Node]:
        stored = self._objects.read(folder.object_id, MAX_TREE_BYTES)
        if depth > MAX_DEPTH or not isinstance(stored, StoredObject) or stored.kind != "tree":
            raise UnreadableTreeError
        start = folder.path + b"/" if folder.path else b""
        return {
            name: Node(mode.decode().zfill(6), raw_id.hex(), start + name)
            for mode, name, raw_id in self._entries(stored.content)
        }

    def _entries(self, content: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
        """One entry behind the other; what is no tree is not searched for more of them."""
        at = 0
        while at < len(content):
            found = self._entry.match(content, at)
            if found is None:
                raise UnreadableTreeError
            yield found[1], found[2], found[3]
            at = found.end()


def path_of(pair: Pair) -> bytes:
    """The path that two nodes share."""
    old, new = pair
    node = new if new is not None else old
    assert node is not None
    return node.path


def _root(tree: str | None) -> Node | None:
    return None if tree is None else Node(_FOLDER, tree, b"")


def _folder(node: Node | None) -> Node | None:
    return node if node is not None and node.mode == _FOLDER else None


def _other(node: Node | None) -> Node | None:
    return node if node is not None and node.mode != _FOLDER else None
