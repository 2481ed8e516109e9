"""Markdown prose → one printable line of a bounded length: titles, rulings, reasons.

- Links become their text, images, comments and emphasis marks go; what is left of the words is
  kept in order. Characters that are not printable go.
- A line that is too long ends at a word, with an ellipsis inside the limit.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

ELLIPSIS: Final = "…"
SAYS_SOMETHING: Final = 32

_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE: Final = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,500}\)")
_LINK: Final = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])")
_STRONG: Final = re.compile(r"(\*{1,3}|_{2,3})(?=\S)([^*_\n]{1,1000}?)(?<=\S)\1")
_LEADING: Final = re.compile(r"^(?:[-*+>] +|#{1,6} +|\d{1,3}[.)] +)+")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_END: Final = re.compile(r"[.!?](?=[\s\"')\]»”]|$)[\"')\]»”]*|[。！？]")
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|no|nr|fig|sec|ca|z\.B|d\.h|bzw|St|Dr|Mr|Ms)|\b[A-Z]"
    r"|\b\d{1,3})\.$"
)


def one_line(text: str, maximum: int) -> str:
    """``text`` as one printable line of at most ``maximum`` characters; it may be empty."""
    return cut(_printable(unmarked(text)), maximum)


def unmarked(text: str) -> str:
    """``text`` without the marks of Markdown that are no words."""
    text = _IMAGE.sub("", _COMMENT.sub(" ", text))
    text = _TAG.sub("", _LINK.sub(r"\1", text))
    return _LEADING.sub("", _STRONG.sub(r"\2", _STRONG.sub(r"\2", text)).strip())


def _printable(text: str) -> str:
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    kept = "".join(one for one in text if one.isprintable())
    return " ".join(kept.split())


def cut(line: str, maximum: int) -> str:
    """``line`` with at most ``maximum`` characters, ended at a word where it has to be cut."""
    if len(line) <= maximum:
        return line
    room = line[: maximum - len(ELLIPSIS)]
    at = room.rfind(" ")
    kept = room[:at] if at > maximum // 2 else room
    return kept.rstrip(" ,;:.–—-(") + ELLIPSIS


def first_sentence(text: str) -> str:
    """The first sentence of a paragraph; all of it where none ends.

    One too short to say anything (``We agree.``) goes on to the end of the next.
    """
    line = _printable(unmarked(text))
    for match in _END.finditer(line):
        if match.end() >= SAYS_SOMETHING and not _ABBREVIATED.search(line[: match.start() + 1]):
            return line[: match.end()]
    return line
