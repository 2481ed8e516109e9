"""The words of a page of HTML, without its markup: for reading, never for rendering.

- Scripts, styles and what is not shown by their nature are left out; a block begins a line. Nothing
  is interpreted further, and what hides by other means stays: the text is untrusted either way.
- One pass that only goes forward, whatever the page is (the parser of the standard library takes a
  time that grows with the square of a page of ``<!--``).
"""

from __future__ import annotations

import html
import re
from string import ascii_lowercase, ascii_uppercase
from typing import Final

_LEFT_OUT: Final = frozenset({"script", "style", "template", "noscript", "svg"})
_BLOCKS: Final = re.compile(
    "address|article|aside|blockquote|br|d[dlt]|div|figure|footer|form|h[1-6r]|header|li|main|nav|"
    "ol|p|pre|section|table|title|tr|ul"
)
_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})|<[!?]")


def words_of(page: str) -> str:
    """The text of ``page``, a line for a block, without empty lines."""
    text = html.unescape("".join(_parts(page)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _parts(page: str) -> list[str]:
    folded = page.translate(_LOWER)
    parts: list[str] = []
    at = 0
    while (begin := page.find("<", at)) >= 0:
        parts.append(page[at:begin])
        tag = _TAG.match(page, begin)
        if tag is None:
            parts.append("<")
            at = begin + 1
            continue
        comment = page.startswith("<!--", begin)
        end = page.find("-->" if comment else ">", begin + 4 if comment else tag.end())
        if end < 0:
            return parts
        at = end + (3 if comment else 1)
        name = (tag[2] or "").lower()
        if name in _LEFT_OUT and not tag[1] and page[end - 1] != "/":
            at = folded.find(f"</{name}", at)
            if at < 0:
                return parts
        elif _BLOCKS.fullmatch(name):
            parts.append("\n")
    return [*parts, page[at:]]
