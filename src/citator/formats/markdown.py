"""The block structure of Markdown: what each line is, and where the headings are.

- CommonMark's block rules, read line by line: containers (quotations, list items), fences,
  indented code, HTML blocks, ATX and setext headings. A heading inside a container, in code, in
  HTML or in a comment is not a heading of the document.
- Work is linear in the text, whatever the text is: each line meets at most ``MAX_DEPTH``
  containers and patterns that cannot backtrack.
- Link definitions over several lines and tables are text: they move no heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

MAX_DEPTH = 32

_ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*)|$)", re.DOTALL)
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ ]|$)")
_DEFINITION = re.compile(r"\[[^\[\]]{1,999}\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*")
_HTML_LITERAL = re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_HTML_LITERAL_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_HTML_BLOCK = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|"
    r"head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|"
    r"option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?=[\s>]|/>|$)",
    re.IGNORECASE,
)
_ATTRIBUTE = (
    r"[ \t]+[A-Za-z_:][\w.:-]*+(?:[ \t]*+=[ \t]*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+"
)
_NAME = r"[A-Za-z][A-Za-z0-9-]*+"
_HTML_TAG = re.compile(
    rf"<(?:{_NAME}(?:{_ATTRIBUTE})*+[ \t]*+/?>|/{_NAME}[ \t]*+>)[ \t]*+$",
)


class LineKind(IntEnum):
    """What a line is part of."""

    BLANK = 0
    TEXT = 1
    HEADING = 2
    CODE = 3
    HTML = 4
    LIST = 5
    QUOTE = 6


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document on lines ``start``..``end`` (0-based, inclusive)."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Outline:
    """One :class:`LineKind` a line, and the headings in order."""

    kinds: bytes
    headings: tuple[Heading, ...]


def outline(lines: Sequence[str]) -> Outline:
    """The structure of a document given as its lines without line ends."""
    scanner = _Scanner(lines)
    for index, line in enumerate(lines):
        scanner.read(index, line)
    return Outline(bytes(scanner.kinds), tuple(scanner.headings))


class _Leaf(IntEnum):
    NONE = 0
    PARAGRAPH = 1
    FENCE = 2
    CODE = 3
    HTML = 4


@dataclass(slots=True)
class _Container:
    """A quotation (``width`` 0) or a list item whose text stands ``width`` columns in."""

    width: int
    empty: bool = False


class _Scanner:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.kinds = bytearray(len(lines))
        self.headings: list[Heading] = []
        self._stack: list[_Container] = []
        self._leaf = _Leaf.NONE
        self._paragraph = 0
        self._fence = ("", 0)
        self._html_end: re.Pattern[str] | str | None = None

    def read(self, index: int, line: str) -> None:
        """Take in one line; lines come in order."""
        if not self._stack and self._leaf <= _Leaf.PARAGRAPH and line[:1].isalpha():
            self._text(index)
            return
        rest = line.expandtabs(4).rstrip() if "\t" in line else line.rstrip()
        depth, rest = self._matched(rest)
        whole = depth == len(self._stack)
        if whole and self._leaf >= _Leaf.FENCE and self._continued(index, rest):
            return
        if not rest:
            self._blank(index, depth)
            return
        self._open(index, rest, depth)

    def _matched(self, rest: str) -> tuple[int, str]:
        """How many open containers the line continues, and what is left of it."""
        for depth, container in enumerate(self._stack):
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            if container.width:
                if indent >= container.width:
                    rest = rest[container.width :]
                elif stripped or container.empty:
                    return depth, rest
                else:
                    rest = ""
            elif indent <= 3 and stripped.startswith(">"):
                rest = stripped[2:] if stripped[1:2] == " " else stripped[1:]
            else:
                return depth, rest
        return len(self._stack), rest

    def _continued(self, index: int, rest: str) -> bool:
        """Whether a fence, indented code or HTML goes on with this line."""
        if self._leaf is _Leaf.FENCE:
            self.kinds[index] = LineKind.CODE
            mark, length = self._fence
            stripped = rest.strip(" ")
            closing = len(stripped) >= length and not stripped.strip(mark)
            if closing and len(rest) - len(rest.lstrip(" ")) <= 3:
                self._leaf = _Leaf.NONE
            return True
        if self._leaf is _Leaf.CODE:
            if rest.startswith("    "):
                self.kinds[index] = LineKind.CODE
                return True
            if rest:
                self._leaf = _Leaf.NONE
            return False
        if self._html_end is None and not rest:
            self._leaf = _Leaf.NONE
            return False
        self.kinds[index] = LineKind.HTML
        self._end_html(rest)
        return True

    def _end_html(self, rest: str) -> None:
        end = self._html_end
        if end is None:
            return
        if end in rest if isinstance(end, str) else end.search(rest) is not None:
            self._leaf = _Leaf.NONE

    def _blank(self, index: int, depth: int) -> None:
        self.kinds[index] = LineKind.BLANK
        if depth < len(self._stack):
            del self._stack[depth:]
            self._leaf = _Leaf.NONE
        elif self._leaf is _Leaf.PARAGRAPH:
            self._leaf = _Leaf.NONE

    def _open(self, index: int, rest: str, depth: int) -> None:
        """Open what the line begins, or take it as text."""
        fresh = False
        while True:
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            continues = depth == len(self._stack) and self._leaf is _Leaf.PARAGRAPH and not fresh
            lazy = depth < len(self._stack) and self._leaf is _Leaf.PARAGRAPH and not fresh
            if indent >= 4:
                if continues or lazy:
                    self._text(index)
                else:
                    self._close(depth)
                    self._set(index, _Leaf.CODE, LineKind.CODE)
                return
            if not stripped:
                self._leaf = _Leaf.NONE
                self.kinds[index] = self._kind(LineKind.TEXT)
                return
            first = stripped[0]
            if first == ">" and len(self._stack) < MAX_DEPTH:
                self._close(depth)
                self._push(_Container(0))
                rest = stripped[2:] if stripped[1:2] == " " else stripped[1:]
            elif self._leaf_block(index, stripped, first, depth, continues, lazy):
                return
            else:
                item = None
                if first in "-+*0123456789" and len(self._stack) < MAX_DEPTH:
                    item = _ITEM.match(stripped)
                if item is None or (continues and not _may_interrupt(item, stripped)):
                    self._finish_text(index, depth, lazy, fresh)
                    return
                self._close(depth)
                rest = self._push_item(indent, stripped, item.end())
            depth = len(self._stack)
            fresh = True

    def _leaf_block(
        self, index: int, stripped: str, first: str, depth: int, continues: bool, lazy: bool
    ) -> bool:
        """Whether the line is a heading, a break, a fence or HTML; if so it was taken in."""
        if first == "#":
            atx = _ATX.match(stripped)
            if atx is not None:
                self._close(depth)
                self._heading(index, index, len(atx[1]), _atx_title(atx[2] or ""))
                return True
        elif first in "`~":
            fence = _FENCE.match(stripped)
            if fence is not None:
                self._close(depth)
                self._fence = (first, len(fence[1]))
                self._set(index, _Leaf.FENCE, LineKind.CODE)
                return True
        elif first == "<":
            return self._html(index, stripped, depth, continues or lazy)
        elif first in "=-" and continues and _SETEXT.fullmatch(stripped):
            title = " ".join(line.strip() for line in self._lines[self._paragraph : index])
            self._heading(self._paragraph, index, 1 if first == "=" else 2, title)
            return True
        elif first == "[" and not continues and not lazy and _DEFINITION.fullmatch(stripped):
            self._close(depth)
            self._set(index, _Leaf.NONE, LineKind.TEXT)
            return True
        if first in "*-_" and _is_break(stripped, first):
            self._close(depth)
            self._set(index, _Leaf.NONE, LineKind.TEXT)
            return True
        return False

    def _html(self, index: int, stripped: str, depth: int, in_paragraph: bool) -> bool:
        end: re.Pattern[str] | str | None = None
        if stripped.startswith("<!--"):
            end = "-->"
        elif stripped.startswith("<?"):
            end = "?>"
        elif stripped.startswith("<![CDATA["):
            end = "]]>"
        elif stripped.startswith("<!") and stripped[2:3].isalpha():
            end = ">"
        elif _HTML_LITERAL.match(stripped):
            end = _HTML_LITERAL_END
        elif not _HTML_BLOCK.match(stripped) and (in_paragraph or not _HTML_TAG.match(stripped)):
            return False
        self._close(depth)
        self._set(index, _Leaf.HTML, LineKind.HTML)
        self._html_end = end
        self._end_html(stripped[4:] if end == "-->" else stripped)
        return True

    def _finish_text(self, index: int, depth: int, lazy: bool, fresh: bool) -> None:
        if not lazy:
            closes = depth < len(self._stack)
            self._close(depth)
            if closes or fresh:
                self._leaf = _Leaf.NONE
        self._text(index)

    def _text(self, index: int) -> None:
        if self._leaf is not _Leaf.PARAGRAPH:
            self._leaf = _Leaf.PARAGRAPH
            self._paragraph = index
        for container in self._stack:
            container.empty = False
        self.kinds[index] = self._kind(LineKind.TEXT)

    def _heading(self, start: int, end: int, level: int, title: str) -> None:
        top = not self._stack
        self._set(end, _Leaf.NONE, LineKind.HEADING if top else LineKind.TEXT)
        if top:
            self.kinds[start : end + 1] = bytes([LineKind.HEADING]) * (end + 1 - start)
            self.headings.append(Heading(start, end, level, title))

    def _set(self, index: int, leaf: _Leaf, kind: LineKind) -> None:
        for container in self._stack:
            container.empty = False
        self._leaf = leaf
        self.kinds[index] = self._kind(kind)

    def _kind(self, kind: LineKind) -> LineKind:
        if kind is not LineKind.TEXT or not self._stack:
            return kind
        quoted = any(not container.width for container in self._stack)
        return LineKind.QUOTE if quoted else LineKind.LIST

    def _close(self, depth: int) -> None:
        if depth < len(self._stack):
            del self._stack[depth:]

    def _push(self, container: _Container) -> None:
        for outer in self._stack:
            outer.empty = False
        self._stack.append(container)
        self._leaf = _Leaf.NONE

    def _push_item(self, indent: int, stripped: str, marker: int) -> str:
        """Open a list item; what is left of its first line."""
        after = stripped[marker:]
        text = after.lstrip(" ")
        spaces = len(after) - len(text)
        if not text:
            self._push(_Container(indent + marker + 1, empty=True))
            return ""
        width = spaces if spaces <= 4 else 1
        self._push(_Container(indent + marker + width))
        return after[width:]


def _atx_title(text: str) -> str:
    """A title without the run of ``#`` that may close it."""
    text = text.strip()
    opened = text.rstrip("#")
    return text if opened and opened[-1] not in " \t" else opened.rstrip()


def _is_break(stripped: str, mark: str) -> bool:
    """Whether a line is three or more of one mark and nothing else."""
    if stripped[-1] != mark or stripped.count(mark) < 3:
        return False
    return not stripped.replace(mark, "").strip(" ")


def _may_interrupt(item: re.Match[str], stripped: str) -> bool:
    """Whether a list item may follow a paragraph without a blank line."""
    return len(stripped) > item.end() and (item[1] is None or int(item[1]) == 1)
