"""Blocks of private keys: every line of one is replaced, so that line numbers hold.

- A block runs from its BEGIN line to its END line, or as far as lines look like key material:
  a key that was cut off is a secret too, and prose after it is not.
- A key on one line (with ``\\n`` written out) is replaced from BEGIN to END or to the next space.
"""

from __future__ import annotations

import re

KIND = "private_key"

_BEGIN = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: [0-9]{1,4}"
)
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: \w+")
_PREFIX = re.compile(r"[ \t>+|*#\"'-]*+")
_HEADER = re.compile(r"[A-Z][A-Za-z-]{2,24}: \S")
_FULL = re.compile(r"[A-Za-z0-9+/=]{20,}[\"'\\,+n]{0,4}")
_SHORT = re.compile(r"=?[A-Za-z0-9+/=]{1,76}[\"'\\,+n]{0,4}")


def may_hold(lowered: str) -> bool:
    """Whether a lower-cased text can hold a block."""
    return "private key" in lowered or "private-lines:" in lowered


def redact_blocks(text: str, marker: str) -> tuple[str, int]:
    """``text`` with each line of each key block replaced by ``marker``, and how many blocks."""
    lines = text.split("\n")
    count = 0
    index = 0
    while index < len(lines):
        begin = _BEGIN.search(lines[index])
        if begin is None:
            index += 1
            continue
        count += 1
        rest = lines[index][begin.end() :]
        end = _END.search(rest)
        if end is not None:
            # The rest of the line may hold another key.
            lines[index] = lines[index][: begin.start()] + marker + rest[end.end() :]
            continue
        glued = re.match(r"\S*", rest)
        lines[index] = lines[index][: begin.start()] + marker + rest[glued.end() if glued else 0 :]
        index = _redact_material(lines, index + 1, marker)
    return "\n".join(lines), count


def _redact_material(lines: list[str], index: int, marker: str) -> int:
    """Replace key material from ``index`` on; the index after it."""
    previous = "header"
    while index < len(lines):
        line = lines[index]
        prefix = _PREFIX.match(line)
        start = prefix.end() if prefix else 0
        end = _END.search(line)
        if end is not None:
            lines[index] = line[: min(start, end.start())] + marker + line[end.end() :]
            return index + 1
        kind = _material(line[start:].rstrip(), previous)
        if kind is None:
            return index
        if kind != "blank":
            lines[index] = line[:start] + marker
        previous = kind
        index += 1
    return index


def _material(text: str, previous: str) -> str | None:
    """What kind of key material a line is, None where it is none."""
    if not text:
        return "blank" if previous in ("header", "full") else None
    if previous == "header" and _HEADER.match(text):
        return "header"
    if _FULL.fullmatch(text):
        return "full"
    if previous == "full" and _SHORT.fullmatch(text):
        return "short"
    return None
