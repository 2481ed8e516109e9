"""What a decision record decides, in its own words: its decision section, its first sentence.

- The section is found by its heading: ``Decision``, ``Decision Outcome`` and the like, at any
  level, numbered or not. A record without one says nothing here.
- What is derived is a proposal for a ruling, never more: somebody signs it or rewrites it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from citator.formats.markdown import Heading, LineKind, Outline
from citator.formats.one_line import SAYS_SOMETHING, first_sentence, one_line, unmarked

_DECISION: Final = re.compile(
    r"(?:\d{1,3}[.)] *)?(?:the )?(?:decisions?|decision outcome|decision made|chosen option|"
    r"resolution|what we decided|outcome)\b[: ]*$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(r"(?::|,|\bbecause|\band)[*_ ]*$")
_NUMBER: Final = re.compile(
    r"^(?:adr|architecture decision record)?[-_ #:]*\d{1,5}(?:[.:)–—-]|\s+[-–—:])\s*"
    r"|^adr[-_ #]*\d{1,5}\s+",
    re.IGNORECASE,
)


def derived_ruling(lines: Sequence[str], structure: Outline, maximum: int) -> str:
    """One line of at most ``maximum`` characters from the decision section; it may be empty."""
    return one_line(decision_sentence(lines, structure), maximum)


def decision_sentence(lines: Sequence[str], structure: Outline) -> str:
    """The first sentence under the decision heading, a list it opens included."""
    for index, heading in enumerate(structure.headings):
        if _DECISION.fullmatch(heading.title.strip(" *_`")):
            blocks = _blocks(lines, structure, _span(lines, structure.headings, index))
            if blocks:
                opened = _OPEN.search(blocks[0]) is not None
                if not opened:
                    return first_sentence(blocks[0])
                items = [unmarked(one).rstrip(" .") for one in blocks[1:5]]
                return f"{blocks[0]} {'; '.join(items)}"
    return ""


def opening_sentence(lines: Sequence[str], structure: Outline) -> str:
    """The first sentence of the first paragraph, wherever it stands; a short line is no paragraph.

    Empty where there is none.
    """
    for block in _blocks(lines, structure, (0, len(lines)), through=True):
        found = first_sentence(block)
        if len(found) >= SAYS_SOMETHING and not re.match(r"[\s>*_-]*\w[\w ]{0,30}:", block):
            return found
    return ""


def plain_title(title: str) -> str:
    """A record's title without its number."""
    line = one_line(title, 200)
    return _NUMBER.sub("", line, count=1).strip() or line


def _span(lines: Sequence[str], headings: Sequence[Heading], index: int) -> tuple[int, int]:
    """The lines below a heading: to the next one of its level, or to one that holds no text."""
    start = headings[index].end + 1
    for other in headings[index + 1 :]:
        if other.level <= headings[index].level:
            return start, other.start
    return start, len(lines)


def _blocks(
    lines: Sequence[str], structure: Outline, span: tuple[int, int], *, through: bool = False
) -> list[str]:
    """Paragraphs and list items in a range, wrapped lines joined; unless ``through``, up to a
    heading below them."""
    found: list[str] = []
    parts: list[str] = []
    for at in range(*span):
        table = lines[at].lstrip().startswith("|")
        readable = not table and structure.kinds[at] in (LineKind.TEXT, LineKind.LIST)
        item = readable and re.match(r" {0,3}(?:[-*+]|\d{1,3}[.)]) ", lines[at]) is not None
        if parts and (not readable or item):
            found.append(" ".join(parts))
            parts = []
        if found and not through and structure.kinds[at] == LineKind.HEADING:
            break
        if readable:
            parts.append(lines[at].strip())
    if parts:
        found.append(" ".join(parts))
    return [one for one in found if one_line(one, 200)]
