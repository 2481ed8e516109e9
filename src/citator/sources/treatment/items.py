"""A message cut into what its author says: paragraphs and items of lists, in order.

- What is quoted, fenced, indented as code or marked up is somebody else's and is left out.
- A squash repeats the messages of what it squashed as items at the margin: what follows the first
  of them is said of those, not of the squash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_CHARACTERS: Final = 65_536
MAX_ITEMS: Final = 1_000

_BULLET: Final = re.compile(r"( {0,3})([-*+]|[0-9]{1,2}[.)]) +(?=\S)")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")


@dataclass(frozen=True, slots=True)
class Item:
    """One paragraph or item, on one line. ``squashed`` says that it is, or follows, an item at the
    margin."""

    text: str
    bulleted: bool
    squashed: bool


def items_of(body: str) -> Iterator[Item]:
    """The items of ``body`` (what follows the title)."""
    lines: list[str] = []
    bulleted = squashed = fenced = False
    count = 0
    for line in (*body[:MAX_CHARACTERS].split("\n"), ""):
        if _FENCE.match(line):
            fenced = not fenced
            line = ""
        bullet = _BULLET.match(line)
        if bullet is not None or not line.strip():
            if lines:
                yield Item(" ".join(lines), bulleted, squashed)
                count += 1
                if count >= MAX_ITEMS:
                    return
            lines = []
            bulleted = False
            if bullet is not None and not fenced:
                bulleted = True
                squashed = squashed or (not bullet[1] and bullet[2] in "*-+")
                lines = [line[bullet.end() :].strip()]
            continue
        if fenced or line[:1] in ("\t", "<", ">") or line[:4] == "    ":
            continue
        lines.append(line.strip())
