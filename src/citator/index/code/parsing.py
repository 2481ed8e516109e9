"""The bytes of a file → its facts.

- The text is cut where comments, strings and definitions begin and end; each piece is read once
  and counts for its field and for the innermost definition that holds it.
- A file is broken where a tenth of it or more cannot be parsed: macros leave small holes.
- A file that cannot be parsed, or is of no known language, still has words: all of it is code
  (source) or prose (anything else).
- Minified, generated and huge files keep their definitions and lose their words: they would
  match everything. A binary file has neither.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citator.index.code.facts import DefinitionKind, Field, FileFacts
from citator.index.code.imports import targets
from citator.index.code.kinds import MAX_BYTES, State, is_generated, state_of
from citator.index.code.languages import Language, language_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from citator.index.code.words import Words

VERSION = "p1"
_MAX_DEFINITIONS = 20_000
_MAX_TERMS = 60_000
_NAME_WEIGHT = 2
_BROKEN = 10
_KINDS = (
    ("function", DefinitionKind.FUNCTION),
    ("type", DefinitionKind.TYPE),
    ("value", DefinitionKind.VALUE),
)


@dataclass(slots=True)
class _Definition:
    start: int
    end: int
    first: int
    last: int
    kind: DefinitionKind
    name: str
    parent: int = -1


@dataclass(slots=True)
class _Structure:
    """What the grammar saw: how many bytes it could not parse, byte ranges of prose and strings,
    definitions, imports, calls."""

    errors: int = 0
    spans: list[tuple[int, int, Field]] = field(default_factory=list)
    definitions: list[_Definition] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def facts_of(content: bytes, path: str, words: Words) -> FileFacts:
    """The facts of a file: of its bytes, and of the language its path's ending says."""
    if len(content) > MAX_BYTES:
        return nothing(State.HUGE)
    state = State.GENERATED if is_generated(path) else state_of(content)
    if state is State.BINARY:
        return nothing(state)
    language = language_of(path, content)
    structure = _Structure() if language is None else _structure(content, language)
    if structure.errors * _BROKEN > len(content) and state is State.READ:
        state = State.BROKEN
    wordless = state in (State.MINIFIED, State.GENERATED)
    fields, chunks = _counted(content, structure, language is not None, wordless, words)
    name = "" if language is None else language.name
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    return _assembled(name, state, lines, structure, fields, chunks)


def nothing(state: State) -> FileFacts:
    """The facts of a file of which no word is read."""
    return _assembled("", state, 0, _Structure(), {}, [Counter()])


def _structure(content: bytes, language: Language) -> _Structure:
    try:
        tree = language.parsed(content)
    except ImportError:
        return _Structure()
    if tree is None:
        return _Structure(errors=len(content))
    root = tree.root_node
    found = _Structure()
    from tree_sitter import QueryCursor

    handlers = _handlers(found, language.name)
    for _, captures in QueryCursor(language.query).matches(root):
        for capture, nodes in captures.items():
            handler = handlers.get(capture)
            if handler is not None:
                handler(nodes[0], captures)
    found.definitions = _nested(found.definitions)
    return found


def _handlers(
    found: _Structure, language: str
) -> dict[str, Callable[[Node, dict[str, list[Node]]], None]]:
    def defined(kind: DefinitionKind) -> Callable[[Node, dict[str, list[Node]]], None]:
        def handle(node: Node, captures: dict[str, list[Node]]) -> None:
            name = captures["name"][0]
            found.definitions.append(
                _Definition(
                    *(node.start_byte, node.end_byte),
                    *(node.start_point[0] + 1, node.end_point[0] + 1),
                    *(kind, _text(name)),
                )
            )

        return handle

    def spanned(into: Field) -> Callable[[Node, dict[str, list[Node]]], None]:
        return lambda node, _: found.spans.append((node.start_byte, node.end_byte, into))

    def failed(node: Node, _: dict[str, list[Node]]) -> None:
        found.errors += node.end_byte - node.start_byte

    return {
        **{capture: defined(kind) for capture, kind in _KINDS},
        "error": failed,
        "prose": spanned(Field.PROSE),
        "string": spanned(Field.STRINGS),
        "import": lambda node, _: found.imports.extend(targets(_text(node), language)),
        "call": lambda node, _: found.calls.append(_text(node)),
    }


def _text(node: Node) -> str:
    raw = node.text or b""
    return " ".join(raw[:2000].decode("utf-8", "replace").split())


def _nested(definitions: list[_Definition]) -> list[_Definition]:
    """In order of place, outer first, each knowing its parent; one a place."""
    definitions.sort(key=lambda one: (one.start, -one.end, one.kind))
    kept: list[_Definition] = []
    open_ones: list[int] = []
    for one in definitions[:_MAX_DEFINITIONS]:
        if kept and (one.start, one.end) == (kept[-1].start, kept[-1].end):
            continue
        while open_ones and kept[open_ones[-1]].end <= one.start:
            open_ones.pop()
        one.parent = open_ones[-1] if open_ones else -1
        if one.kind is not DefinitionKind.VALUE:
            open_ones.append(len(kept))
        kept.append(one)
    return kept


def _counted(
    content: bytes, structure: _Structure, source: bool, wordless: bool, words: Words
) -> tuple[dict[Field, Counter[int]], list[Counter[int]]]:
    """The terms by field, and by chunk."""
    fields: dict[Field, Counter[int]] = {one: Counter() for one in Field}
    chunks: list[Counter[int]] = [Counter() for _ in range(len(structure.definitions) + 1)]
    for index, one in enumerate(structure.definitions):
        numbers = words.numbers(one.name)
        fields[Field.NAMES].update(numbers)
        if one.kind is not DefinitionKind.VALUE:
            for number in numbers:
                chunks[index + 1][number] += _NAME_WEIGHT
    if wordless:
        return fields, chunks
    for start, end, into, owner in _pieces(content, structure, source):
        numbers = words.numbers(content[start:end].decode("utf-8", "replace"))
        fields[into].update(numbers)
        chunks[owner].update(numbers)
    return fields, chunks


def _pieces(
    content: bytes, structure: _Structure, source: bool
) -> Iterable[tuple[int, int, Field, int]]:
    """``content`` in pieces: first byte, end, field, chunk."""
    spans = _apart(structure.spans)
    starts = [start for start, _, _ in spans]
    owners = [
        (one.start, one.end, index + 1)
        for index, one in enumerate(structure.definitions)
        if one.kind is not DefinitionKind.VALUE
    ]
    cuts = sorted(
        {0, len(content)}
        | {edge for start, end, _ in spans for edge in (start, end)}
        | {edge for start, end, _ in owners for edge in (start, end)}
    )
    plain = Field.CODE if source else Field.PROSE
    stack: list[tuple[int, int]] = []
    upcoming = 0
    for start, end in itertools.pairwise(cuts):
        while stack and stack[-1][0] <= start:
            stack.pop()
        while upcoming < len(owners) and owners[upcoming][0] <= start:
            if owners[upcoming][1] > start:
                stack.append((owners[upcoming][1], owners[upcoming][2]))
            upcoming += 1
        at = bisect_right(starts, start) - 1
        inside = at >= 0 and spans[at][1] > start
        yield start, end, spans[at][2] if inside else plain, stack[-1][1] if stack else 0


def _apart(spans: list[tuple[int, int, Field]]) -> list[tuple[int, int, Field]]:
    """Spans that do not overlap: the outer one, and prose before a string at the same place."""
    kept: list[tuple[int, int, Field]] = []
    for start, end, into in sorted(spans, key=lambda one: (one[0], -one[1], one[2])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, into))
    return kept


def _assembled(
    language: str,
    state: State,
    lines: int,
    structure: _Structure,
    fields: dict[Field, Counter[int]],
    chunks: Sequence[Counter[int]],
) -> FileFacts:
    import numpy as np

    every: set[int] = set().union(*fields.values(), *chunks)
    terms = np.array(sorted(every)[:_MAX_TERMS], np.uint32)
    place = {number: index for index, number in enumerate(terms.tolist())}
    counts = np.zeros((len(terms), len(Field)), np.uint8)
    for column, counter in fields.items():
        for number, count in counter.items():
            if number in place:
                counts[place[number], column] = min(count, 255)
    flat: list[tuple[int, int]] = []
    ends: list[int] = []
    for chunk in chunks:
        flat += sorted(
            (place[number], min(n, 255)) for number, n in chunk.items() if number in place
        )
        ends.append(len(flat))
    pairs = np.array(flat, np.uint16).reshape(-1, 2)
    definitions = structure.definitions
    return FileFacts(
        language=language,
        state=state,
        lines=lines,
        terms=terms,
        counts=counts,
        spans=np.array([(one.first, one.last) for one in definitions], np.int32).reshape(-1, 2),
        parents=np.array([one.parent for one in definitions], np.int32),
        kinds=np.array([one.kind for one in definitions], np.uint8),
        names=tuple(one.name for one in definitions),
        imports=tuple(dict.fromkeys(structure.imports)),
        calls=tuple(dict.fromkeys(structure.calls)),
        chunk_ends=np.array(ends, np.int32),
        chunk_terms=pairs[:, 0],
        chunk_counts=pairs[:, 1].astype(np.uint8),
    )
