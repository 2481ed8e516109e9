"""The definitions that a file holds by some names, each with a digest of its tokens.

- Two digests are equal where grammar and tokens are: comments, documentation, blank lines and
  indentation that means nothing take no part; what stands on a definition (decorators,
  attributes) does.
- What could not be parsed has no digest: it is not compared, and never called the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from citator.index.code.kinds import MAX_BYTES, State, state_of
from citator.index.code.languages import language_of
from citator.index.code.parsing import VERSION as _PARSING

if TYPE_CHECKING:
    from tree_sitter import Node

VERSION: Final = f"d1.{_PARSING}"
_AROUND: Final = frozenset({"decorated_definition", "export_statement", "template_declaration"})
_BEFORE: Final = frozenset({"attribute_item"})
_KINDS: Final = ("function", "type", "value")


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition: ``within`` are the names of those that hold it, the outer first; ``digest``
    is None where a part of it could not be parsed."""

    name: str
    within: tuple[str, ...]
    digest: str | None


def can_read(path: str) -> bool:
    """Whether there is a grammar for files that are called so, and it is installed."""
    language = language_of(path)
    try:
        return language is not None and language.parser is not None
    except ImportError:
        return False


def definitions(content: bytes, path: str, names: frozenset[str]) -> tuple[Definition, ...] | None:
    """The definitions of ``names`` (bare) in a file, in its order. None: it could not be read."""
    if len(content) > MAX_BYTES or state_of(content) is State.BINARY or not can_read(path):
        return None
    language = language_of(path, content)
    if language is None:
        return None
    from tree_sitter import QueryCursor

    tree = language.parsed(content)
    if tree is None:
        return None
    root = tree.root_node
    prose: set[tuple[int, int]] = set()
    found: list[tuple[Node, str]] = []
    for _, captures in QueryCursor(language.query).matches(root):
        prose |= {(one.start_byte, one.end_byte) for one in captures.get("prose", ())}
        found += [
            (captures[kind][0], _name(captures["name"][0])) for kind in _KINDS if kind in captures
        ]
    found.sort(key=lambda one: (one[0].start_byte, -one[0].end_byte))
    made: dict[tuple[int, int], Definition] = {}
    holding: list[tuple[int, str]] = []
    for node, name in found:
        while holding and holding[-1][0] <= node.start_byte:
            holding.pop()
        place = node.start_byte, node.end_byte
        if name in names and place not in made:
            digest = None if node.has_error else _digest(node, prose)
            made[place] = Definition(name, tuple(one for _, one in holding), digest)
        if not holding or holding[-1] != (node.end_byte, name):
            holding.append((node.end_byte, name))
    return tuple(made.values())


def _name(node: Node) -> str:
    return (node.text or b"")[:200].decode("utf-8", "replace")


def _digest(node: Node, prose: set[tuple[int, int]]) -> str:
    """Of the tokens, and of how they are nested: a block by indentation has no token of its own."""
    told = hashlib.sha256()
    top = node
    while top.parent is not None and top.parent.type in _AROUND:
        top = top.parent
    before = top.prev_sibling
    while before is not None and before.type in _BEFORE:
        told.update(before.text or b"")
        before = before.prev_sibling
    cursor = top.walk()
    depth = 0
    while True:
        one = cursor.node
        skipped = one is None or (one.start_byte, one.end_byte) in prose or "comment" in one.type
        if one is not None and not skipped:
            if one.child_count:
                told.update(b"\1" + one.type.encode())
            else:
                told.update(b"\0" + (one.text or b""))
        if not skipped and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if depth == 0 or not cursor.goto_parent():
                return told.hexdigest()[:32]
            depth -= 1
            told.update(b"\2")
        if depth == 0:
            return told.hexdigest()[:32]
