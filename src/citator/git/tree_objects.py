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
        yield from self._walk(Node(_FOLDER, tree, b""), 0)

    def _walk(self, folder: Node, depth: int) -> Iterator[Node]:
        try:
            children = self._children(folder, depth)
        except UnreadableTreeError:
            yield folder
            return
        for node in children.values():
            if node.mode == _FOLDER:
                yield from self._walk(node, depth + 1)
            else:
                yield node

    def differences(self, old: str | None, new: str | None) -> list[Pair]:
        """What differs between two trees (None: an empty one), folders apart, by path.

        Raises UnreadableTreeError where a tree that takes part cannot be read.
        """
        found: list[Pair] = []
        left = None if old is None else Node(_FOLDER, old, b"")
        right = None if new is None else Node(_FOLDER, new, b"")
        self._compare(left, right, 0, found)
        return sorted(found, key=path_of)

    def _compare(
        self,
        old: Node | None,
        new: Node | None,
        depth: int,
        found: list[Pair],
    ) -> None:
        """Compare two folders."""
        if old is not None and new is not None and old.object_id == new.object_id:
            return
        before = {} if old is None else self._children(old, depth)
        after = {} if new is None else self._children(new, depth)
        for name in before.keys() | after.keys():
            left, right = before.get(name), after.get(name)
            if left == right:
                continue
            left_folder = left if left is not None and left.mode == _FOLDER else None
            right_folder = right if right is not None and right.mode == _FOLDER else None
            if left_folder is not None or right_folder is not None:
                self._compare(left_folder, right_folder, depth + 1, found)
            left = None if left_folder is not None else left
            right = None if right_folder is not None else right
            if left is not None or right is not None:
                found.append((left, right))

    def _children(self, folder: Node, depth: int) -> dict[bytes, Node]:
        stored = self._objects.read(folder.object_id, MAX_TREE_BYTES)
        if depth > MAX_DEPTH or not isinstance(stored, StoredObject) or stored.kind != "tree":
            raise UnreadableTreeError
        start = folder.path + b"/" if folder.path else b""
        return {
            name: Node(mode.decode().zfill(6), raw_id.hex(), start + name)
            for mode, name, raw_id in self._entry.findall(stored.content)
        }


def path_of(pair: Pair) -> bytes:
    """The path that two nodes share."""
    old, new = pair
    node = new if new is not None else old
    assert node is not None
    return node.path
