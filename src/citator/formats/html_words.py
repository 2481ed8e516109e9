"""The words of a page of HTML, without its markup: for reading, never for rendering.

Scripts, styles and what is not shown by their nature are left out; a block begins a line. Nothing
is interpreted further, and what hides by other means stays: the text is untrusted either way.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_LEFT_OUT: Final = frozenset({"script", "style", "template", "noscript", "svg"})
_BLOCKS: Final = re.compile(
    "address|article|aside|blockquote|br|d[dlt]|div|figure|footer|form|h[1-6r]|header|li|main|nav|ol|"
    "p|pre|section|table|title|tr|ul"
)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.left_out = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.left_out += tag in _LEFT_OUT
        if _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.left_out = max(0, self.left_out - (tag in _LEFT_OUT))
        if _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.left_out:
            self.parts.append(data)


def words_of(page: str) -> str:
    """The text of ``page``, a line for a block, without empty lines."""
    parser = _Words()
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
