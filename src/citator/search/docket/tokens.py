"""The tokens of some lines, without what a formatter may change.

- Two spellings of one thing give the same tokens: whitespace and line breaks, quotes, trailing
  commas, parentheses that only hold a line break, semicolons that a language adds itself.
- Where a grammar of the language is here it says what is a string, a comment, a parenthesis that
  matters; elsewhere words and signs are cut by a plain rule.
- A token of several lines (a documentation string) is cut into its words: each is on its line.
- Words of a comment are marked: they are no behaviour of code beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from citator.index.code.kinds import MAX_BYTES
from citator.index.code.languages import language_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

VERSION: Final = "t2"
_PLAIN: Final = re.compile(rb"\w+|[^\w\s]")
_WORDS: Final = re.compile(rb"\S+|[ \t]+")
_STRING: Final = re.compile(rb"([A-Za-z]{0,3})(\"\"\"|'''|\"|'|`)(.*?)(\2)", re.DOTALL)
_QUOTE_ESCAPE: Final = re.compile(rb"\\(['\"])")
_NAME: Final = re.compile(rb"[A-Za-z_$][\w$]*")
_COMMENT_SIGN: Final = re.compile(rb"[*/#;!-]+")
_CLOSING: Final = frozenset({b")", b"]", b"}", b">"})
_SINGLE: Final = frozenset(
    {"tuple", "tuple_pattern", "pattern_list", "expression_list", "tuple_expression"}
)
# What stands around parentheses that bind: all others only hold a line break.
_BINDING: Final = re.compile(
    "binary|boolean|comparison|unary|not_operator|attribute|member|subscript|call|await|ternary"
    "|conditional_exp|power|cast|as_|update|new_|field|method|index|range|reference|try|template"
    "|named_expression|operator|selector|spread|splat|starred"
)
_OPEN_TUPLE: Final = frozenset(
    {
        *("return_statement", "assignment", "for_statement", "expression_statement", "yield"),
        *("subscript", "delete_statement", "for_in_clause", "augmented_assignment"),
    }
)
_BARE_KEYS: Final = frozenset({"javascript", "typescript", "tsx"})
_OWN_SEMICOLONS: Final = frozenset({"javascript", "typescript", "tsx", "python", "kotlin"})


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` as it is compared, the line it stands on (from 1), and whether it is comment."""

    text: bytes
    line: int
    comment: bool = False


class Tokens:
    """The tokens of one file, asked for by lines; it is parsed once, when first asked."""

    def __init__(self, content: bytes, path: str) -> None:
        self.content = content
        self.lines = content.split(b"\n")
        self._language = language_of(path) if len(content) <= MAX_BYTES else None
        self._tree: Tree | None = None

    @property
    def language(self) -> str:
        """The name of the language, empty where none is known."""
        return "" if self._language is None else self._language.name

    @property
    def root(self) -> Node | None:
        """The root of the syntax tree, None where there is no grammar."""
        if self._language is not None and self._tree is None:
            try:
                self._tree = self._language.parsed(self.content)
            except ImportError:
                self._tree = None
            if self._tree is None:
                self._language = None
        return None if self._tree is None else self._tree.root_node

    def line(self, number: int) -> bytes:
        """Line ``number`` (from 1), empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else b""

    def between(self, first: int, last: int) -> list[Token]:
        """The tokens of lines ``first`` to ``last`` (from 1, inclusive), in order."""
        first, last = max(first, 1), min(last, len(self.lines))
        if first > last:
            return []
        root = self.root
        return self._plain(first, last) if root is None else list(self._leaves(root, first, last))

    def _plain(self, first: int, last: int) -> list[Token]:
        found: list[Token] = []
        for number in range(first, last + 1):
            for word in _PLAIN.findall(self.lines[number - 1]):
                if word in _CLOSING and found and found[-1].text == b",":
                    found.pop()
                found.append(Token(b'"' if word == b"'" else word, number))
        return found

    def _leaves(self, root: Node, first: int, last: int) -> Iterator[Token]:
        """The leaves that stand on these lines. Explicit, because trees can be deep."""
        pending = [root]
        while pending:
            node = pending.pop()
            if node.end_point[0] + 1 < first or node.start_point[0] + 1 > last:
                continue
            if "comment" in node.type:
                yield from _worded(node, first, last, comment=True)
            elif node.child_count == 0:
                yield from self._leaf(node, first, last)
            elif _is_whole_string(node):
                yield from _string(node, self.language, first, last)
            else:
                pending.extend(reversed(node.children))

    def _leaf(self, node: Node, first: int, last: int) -> Iterator[Token]:
        if node.start_point[0] != node.end_point[0]:
            yield from _worded(node, first, last, comment=False)
            return
        text = node.text or b""
        if "content" in node.type or "fragment" in node.type:  # of a string that holds code too
            words = _WORDS.findall(text)
            yield from (Token(b'"' + word, node.start_point[0] + 1) for word in words)
            return
        if not text.strip() or node.type == "string_end" or self._is_dropped(node, text):
            return
        if text[:1].isdigit():
            text = text.lower()
        elif text == b"'" or node.type == "string_start":
            text = text.rstrip(b"\"'").lower().replace(b"u", b"") + b'"'
        yield Token(text, node.start_point[0] + 1)

    def _is_dropped(self, node: Node, text: bytes) -> bool:
        """Whether a leaf is one that a formatter adds or removes."""
        parent = node.parent
        if parent is None:
            return False
        if text == b";":
            return self.language in _OWN_SEMICOLONS and parent.type != "for_statement"
        if text == b",":
            return _is_trailing(node) and not _is_only(parent)
        if text in (b"(", b")"):
            return _is_loose(parent)
        return node.type == "line_continuation"


def _is_trailing(comma: Node) -> bool:
    after = comma.next_sibling
    while after is not None and "comment" in after.type:
        after = after.next_sibling
    return after is not None and after.text in _CLOSING


def _is_only(parent: Node) -> bool:
    """Whether a comma makes a tuple of one."""
    return parent.type in _SINGLE and parent.named_child_count == 1


def _is_loose(parent: Node) -> bool:
    """Whether parentheses only hold a line break, so that a formatter adds and removes them."""
    around = parent.parent
    if around is None:
        return False
    if parent.type == "parenthesized_expression":
        return _BINDING.search(around.type) is None
    if parent.type == "import_from_statement":
        return True
    if parent.type == "tuple":
        return around.type in _OPEN_TUPLE
    if parent.type in ("argument_list", "formal_parameters"):
        bare = parent.named_child_count == 0 and around.type == "class_definition"
        return bare or (around.type == "arrow_function" and _is_one_name(parent))
    return False


def _is_one_name(parameters: Node) -> bool:
    child = parameters.named_children[0] if parameters.named_child_count == 1 else None
    return child is not None and child.type == "identifier"


def _is_whole_string(node: Node) -> bool:
    """Whether a node is a string between quotes into which nothing is put."""
    if "string" not in node.type or node.type.startswith(("concatenated", "template")):
        return False
    return all(
        "interpol" not in child.type and "subst" not in child.type for child in node.children
    )


def _string(node: Node, language: str, first: int, last: int) -> Iterator[Token]:
    """The words of a string, spaces between them kept where it is of one line."""
    whole = _STRING.fullmatch(node.text or b"")
    if whole is None:
        yield from _worded(node, first, last, comment=False)
        return
    prefix, quote, inside, _ = whole.groups()
    prefix = prefix.lower()
    if language == "python":
        prefix = prefix.replace(b"u", b"")
    same = language in ("python", "javascript", "typescript", "tsx") or b"\\" not in inside
    if same and quote != b"`":
        inside, quote = _QUOTE_ESCAPE.sub(rb"\1", inside), b'"'
    line = node.start_point[0] + 1
    if language in _BARE_KEYS and _NAME.fullmatch(inside) and _is_key(node):
        yield from (Token(inside, line) for _ in range(first <= line <= last))
        return
    if first <= line <= last and not _continues(node):
        yield Token(prefix + quote[:1], line)
    parts = inside.split(b"\n")
    for number, part in enumerate(parts, line):
        if first <= number <= last:
            words = _WORDS.findall(part) if len(parts) == 1 else part.split()
            yield from (Token(b'"' + word, number) for word in words)


def _is_key(node: Node) -> bool:
    """Whether a string is the key of a pair that could stand without quotes."""
    parent = node.parent
    return parent is not None and parent.type == "pair" and parent.child(0) == node


def _continues(node: Node) -> bool:
    """Whether a string only goes on with the one before it."""
    before, parent = node.prev_sibling, node.parent
    return parent is not None and parent.type == "concatenated_string" and before is not None


def _worded(node: Node, first: int, last: int, *, comment: bool) -> Iterator[Token]:
    """The words of what has several lines."""
    line = node.start_point[0] + 1
    for number, part in enumerate((node.text or b"").split(b"\n"), line):
        if first <= number <= last:
            words = part.split()
            kept = (word for word in words if not comment or _COMMENT_SIGN.fullmatch(word) is None)
            yield from (Token(word, number, comment) for word in kept)
