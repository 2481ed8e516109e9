"""Cuts a document into passages: line ranges of a bounded size that can be read alone.

- A passage is whole lines of the served text, without blank lines at its ends. No line that says
  something is in two passages, and none is in no passage.
- Cuts fall between paragraphs, before a heading where they can, and inside a paragraph or fenced
  code only where it is longer than ``CAP``. A heading stays with the text under it.
- A single line longer than ``CAP`` becomes several passages of that one line, each a slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citator.formats.markdown import LineKind, Outline
from citator.model.document import Passage
from citator.model.reference import DocumentKind, make_ref
from citator.sources.versions import VERSIONS

TARGET = 900
CAP = 1500
# A passage shorter than this goes on to the next paragraph even if it then passes TARGET.
_SHORT = 200
# A heading begins a new passage where the one before it has at least this much.
_ENOUGH = 300


class Block(NamedTuple):
    """Lines ``start``..``end`` (0-based, inclusive) that belong together; their size."""

    start: int
    end: int
    size: int
    heading: bool


class Piece(NamedTuple):
    """Lines ``start``..``end`` (0-based, inclusive) and the text of a passage."""

    start: int
    end: int
    text: str


def passages(kind: DocumentKind, object_id: str, pieces: Sequence[Piece]) -> tuple[Passage, ...]:
    """The passages of a document, each with its reference."""
    return tuple(
        Passage(
            start + 1,
            end + 1,
            text,
            make_ref(kind, object_id, (start + 1, end + 1), text, VERSIONS),
        )
        for start, end, text in pieces
    )


def split_message(lines: Sequence[str], text: str) -> list[Piece]:
    """The pieces of a commit message: ``text`` is ``lines`` joined, no blank line at its ends."""
    if len(text) <= TARGET:
        return [Piece(0, len(lines) - 1, text)]
    return list(_pieces(lines, _packed(_paragraphs(lines))))


def split_markdown(lines: Sequence[str], outline: Outline) -> list[Piece]:
    """The pieces of a Markdown text with one kind a line in ``outline``."""
    return list(_pieces(lines, _packed(_with_headings(_markdown_blocks(lines, outline)))))


def _paragraphs(lines: Sequence[str]) -> Iterator[Block]:
    """Runs of lines between blank ones; fenced code is one run."""
    start, size, fence = -1, 0, ""
    for index, line in enumerate(lines):
        if line.lstrip(" ")[:3] in ("```", "~~~"):
            mark = line.lstrip(" ")[:3]
            fence = mark if not fence else "" if fence == mark else fence
        if line or fence:
            start = index if start < 0 else start
            size += len(line) + 1
        elif start >= 0:
            yield Block(start, index - 1, size, False)
            start, size = -1, 0
    if start >= 0:
        yield Block(start, len(lines) - 1, size, False)


def _markdown_blocks(lines: Sequence[str], outline: Outline) -> Iterator[Block]:
    """Headings one by one; runs of other lines between blank ones; code in one run."""
    kinds = outline.kinds
    ends = {heading.start: heading.end for heading in outline.headings}
    start, size, index = -1, 0, 0
    while index < len(lines):
        kind = kinds[index]
        blank = not lines[index] and kind != LineKind.CODE
        if start >= 0 and (blank or kind == LineKind.HEADING):
            yield Block(start, index - 1, size, False)
            start, size = -1, 0
        if kind == LineKind.HEADING:
            end = ends.get(index, index)
            yield Block(index, end, _size(lines, index, end), True)
            index = end
        elif not blank:
            start = index if start < 0 else start
            size += len(lines[index]) + 1
        index += 1
    if start >= 0:
        yield Block(start, len(lines) - 1, size, False)


def _with_headings(blocks: Iterator[Block]) -> Iterator[Block]:
    """Each heading (or run of headings) as one block with the text under it."""
    held: Block | None = None
    for block in blocks:
        if held is not None:
            block = Block(held.start, block.end, held.size + block.size + 1, block.heading)
        if block.heading:
            held = block
        else:
            yield block if held is None else block._replace(heading=True)
            held = None
    if held is not None:
        yield held


def _packed(blocks: Iterator[Block]) -> list[Block]:
    """Neighbouring blocks as passages of about ``TARGET`` characters."""
    packed: list[Block] = []
    for block in blocks:
        last = packed[-1] if packed else None
        if last is not None and _joins(last, block):
            packed[-1] = Block(last.start, block.end, last.size + block.size + 1, last.heading)
        else:
            packed.append(block)
    return packed


def _joins(last: Block, block: Block) -> bool:
    together = last.size + block.size + 1
    if block.heading and last.size >= _ENOUGH:
        return False
    if together <= TARGET:
        return True
    return together <= CAP and (last.size < _SHORT or block.size < _SHORT)


def _pieces(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Piece]:
    for block in blocks:
        text = "\n".join(lines[block.start : block.end + 1])
        if len(text) <= CAP:
            yield Piece(block.start, block.end, text)
        else:
            yield from _cut(lines, block.start, block.end)


def _cut(lines: Sequence[str], first: int, last: int) -> Iterator[Piece]:
    """A block that is too long, cut between lines and inside lines that are too long."""
    start, size = first, 0
    for index in range(first, last + 1):
        length = len(lines[index]) + 1
        if size and size + length > TARGET:
            yield from _trimmed(lines, start, index - 1)
            start, size = index, 0
        if length > CAP:
            yield from _slices(lines[index], index)
            start = index + 1
        else:
            size += length
    if size:
        yield from _trimmed(lines, start, last)


def _trimmed(lines: Sequence[str], start: int, end: int) -> Iterator[Piece]:
    while start <= end and not lines[start]:
        start += 1
    while start <= end and not lines[end]:
        end -= 1
    if start <= end:
        yield Piece(start, end, "\n".join(lines[start : end + 1]))


def _slices(line: str, index: int) -> Iterator[Piece]:
    at = 0
    while at < len(line):
        end = at + TARGET
        if end < len(line):
            space = line.rfind(" ", at + TARGET // 2, end)
            end = space + 1 if space >= 0 else end
        piece = line[at:end]
        if piece.strip():
            yield Piece(index, index, piece)
        at = end


def _size(lines: Sequence[str], start: int, end: int) -> int:
    return sum(len(line) + 1 for line in lines[start : end + 1])
