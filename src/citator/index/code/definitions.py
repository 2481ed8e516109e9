"""The definitions that a file holds by some names, each with a digest of its tokens.

- Two digests are equal where grammar and tokens are: comments, documentation, blank lines and
  indentation that means nothing take no part; what stands on a definition (decorators,
  attributes) does.
- A *header* is the tokens of a definition before its body: what a caller has to follow.
- What could not be parsed has no digest: it is not compared, and never called the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
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
_MARKS: Final = frozenset(
    {"annotation", "marker_annotation", "attribute_list", "decorator", "visibility_modifier"}
)
_WHO_MAY: Final = frozenset({b"public", b"protected", b"private", b"internal", b"override"})
_PARAMETERS: Final = frozenset(
    {"parameter_list", "formal_parameters", "class_parameters", "primary_constructor"}
)
_QUALIFIED: Final = "qualified_identifier"
_BODIES: Final = ("_body", "block")
_CLOSING: Final = frozenset({b")", b"]", b">", b"}"})
_BODILESS: Final = 20  # more lines than a function that is only declared has: its body is not known


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition: ``within`` are the names of those that hold it, the outer first; ``digest``
    is None where a part of it could not be parsed."""

    name: str
    within: tuple[str, ...]
    digest: str | None


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the body of a definition: its ``tokens``; the name is on line ``first``
    (from 1).
    ``inner``: it stands inside another; ``calls``: it is a function."""

    name: str
    within: tuple[str, ...]
    first: int
    tokens: str
    inner: bool
    calls: bool


def can_read(path: str) -> bool:
    """Whether there is a grammar for files that are called so, and it is installed."""
    language = language_of(path)
    try:
        return language is not None and language.parser is not None
    except ImportError:
        return False


def definitions(content: bytes, path: str, names: frozenset[str]) -> tuple[Definition, ...] | None:
    """The definitions of ``names`` (bare) in a file, in its order. None: it could not be read."""
    read = _read(content, path)
    if read is None:
        return None
    made: dict[tuple[int, int], Definition] = {}
    for one in read.found:
        place = one.node.start_byte, one.node.end_byte
        if one.name in names and place not in made:
            digest = None if one.node.has_error else _digest(one.node, read.prose)
            made[place] = Definition(one.name, one.within, digest)
    return tuple(made.values())


class Headers:
    """The headers of a file: of its functions, and of those types that take parameters. What has no
    body where one would begin is left out. Tokens are read of what is asked for alone."""

    def __init__(self, read: _Read, lines: Sequence[bytes]) -> None:
        self._prose, self._lines = read.prose, lines
        found: dict[tuple[int, int], tuple[_Found, Node | None]] = {}
        for one in read.found:
            body = _body(one.node)
            rows = one.node.end_point[0] - one.row
            if one.kind != "value" and (body or rows <= _BODILESS) and _takes(one):
                found.setdefault((one.node.start_byte, one.node.end_byte), (one, body))
        self._found = tuple(found.values())

    def touching(self, lines: Collection[int]) -> frozenset[str]:
        """The names that have one of these lines (from 1) in a header."""
        named = set()
        for one, body in self._found:
            last = one.node.end_point[0] if body is None else body.start_point[0]
            if any(row + 1 in lines for row in range(one.node.start_point[0], last + 1)):
                named.add(one.name)
        return frozenset(named)

    def of(self, names: Collection[str]) -> list[Header]:
        """The headers of ``names``, in the order of the file; not of what could not be parsed."""
        made = []
        for one, body in self._found:
            tokens = _tokens(one.node, body, self._prose) if one.name in names else None
            if tokens is not None:
                outer = tuple(each for each in one.within if each != one.name)
                inner = bool(outer) or self._lines[one.row][:1].isspace()
                calls = one.kind == "function"
                made.append(Header(one.name, outer, one.row + 1, tokens, inner, calls))
        return made


def headers(content: bytes, path: str) -> Headers | None:
    """The headers of a file. None: it could not be read."""
    read = _read(content, path)
    return None if read is None else Headers(read, content.split(b"\n"))


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition: what captured it, those that hold it, and the row that its name is on."""

    node: Node
    name: str
    kind: str
    within: tuple[str, ...]
    row: int
    qualified: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """A parsed file: its definitions, and where prose stands."""

    found: tuple[_Found, ...]
    prose: frozenset[tuple[int, int]]


def _read(content: bytes, path: str) -> _Read | None:
    if len(content) > MAX_BYTES or state_of(content) is State.BINARY or not can_read(path):
        return None
    language = language_of(path, content)
    tree = None if language is None else language.parsed(content)
    if language is None or tree is None:
        return None
    from tree_sitter import QueryCursor

    prose: set[tuple[int, int]] = set()
    nodes: list[tuple[Node, Node, str]] = []
    for _, captures in QueryCursor(language.query).matches(tree.root_node):
        prose |= {(one.start_byte, one.end_byte) for one in captures.get("prose", ())}
        nodes += [
            (captures[kind][0], captures["name"][0], kind) for kind in _KINDS if kind in captures
        ]
    nodes.sort(key=lambda one: (one[0].start_byte, -one[0].end_byte))
    found = []
    holding: list[tuple[int, str]] = []
    for node, called, kind in nodes:
        name = _name(called)
        while holding and holding[-1][0] <= node.start_byte:
            holding.pop()
        within = tuple(one for _, one in holding)
        qualified = called.parent is not None and called.parent.type == _QUALIFIED
        found.append(_Found(node, name, kind, within, called.start_point[0], qualified))
        if not holding or holding[-1] != (node.end_byte, name):
            holding.append((node.end_byte, name))
    return _Read(tuple(found), frozenset(prose))


def _body(node: Node) -> Node | None:
    """Where the body of a definition begins: its own, or that of what it gives a name to."""
    for one in (node, *node.named_children):
        body = one.child_by_field_name("body")
        if body is not None:
            return body
    return next((one for one in node.named_children if one.type.endswith(_BODIES)), None)


def _takes(one: _Found) -> bool:
    """Whether it is called with something, by a name of its own: C++ defines what is declared
    elsewhere by a qualified one."""
    if one.kind == "function":
        return not one.qualified
    return any(each.type in _PARAMETERS for each in one.node.named_children)


def _tokens(node: Node, body: Node | None, prose: Collection[tuple[int, int]]) -> str | None:
    """The tokens before the body, without comments, who may call it, marks that stand on it, and a
    comma that closes a list; None where a part could not be parsed."""
    end = node.end_byte if body is None else body.start_byte
    found: list[bytes] = []
    below = [node]
    while below:
        one = below.pop()
        if one.start_byte >= end or (one.start_byte, one.end_byte) in prose:
            continue
        if one.is_error or one.is_missing:
            return None
        if "comment" in one.type or one.type in _MARKS:
            continue
        if one.child_count:
            below += reversed(one.children)
            continue
        text = one.text or b""
        if text in _WHO_MAY:
            continue
        if text in _CLOSING and found[-1:] == [b","]:
            found.pop()
        found.append(text)
    return b" ".join(found).decode("utf-8", "replace")


def _name(node: Node) -> str:
    return (node.text or b"")[:200].decode("utf-8", "replace")


def _digest(node: Node, prose: Collection[tuple[int, int]]) -> str:
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
