"""Trailers of a commit message, read more tolerantly than git reads them.

- A line of the trailing block, as git itself draws that block, is a *strong* trailer.
- A line of the same shape anywhere else in the body is *weak*, and only under a known key:
  squash merges leave trailers in mid-body and blank lines inside what was a block.
- Weak trailers are not read from fenced code, from quotations or from indented text.
- The first paragraph is the title and holds no trailers. An address (``https://…``) is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citator.model.document import Strength, Trailer

CHERRY_PICK_KEY = "Cherry-picked-from"

FINDING_KEY = "Review-Finding"

# Trailers whose value is itself a reason: a decision's premise, limit or rejected alternative, or
# what a review found.
REASON_KEYS = frozenset(
    {
        "Accepted",
        "Alternative-Rejected",
        "Constraint",
        "Declined",
        "Expires",
        "Limit",
        "Premise",
        "Premise-Invalidated",
        "Rejection-Reason",
        FINDING_KEY,
        "Ruled-out",
        "Warn",
    }
)

_OTHER_KEYS = (
    "Acked-by",
    "Amends",
    "Based-on-patch-by",
    "Bug",
    "Cc",
    "Change-Id",
    "Closes",
    "Co-authored-by",
    "Deprecates",
    "Fixes",
    "Helped-by",
    "Implements",
    "Improved-by",
    "Issue",
    "Link",
    "Mentored-by",
    "Noticed-by",
    "Original-patch-by",
    "References",
    "Refs",
    "Reinstates",
    "Reported-by",
    "Requested-by",
    "Resolves",
    "Reverts",
    "Reviewed-by",
    "See-also",
    "Signed-off-by",
    "Suggested-by",
    "Supersedes",
    "Tested-by",
    "Thanks-to",
)
_CANONICAL = {key.lower(): key for key in (*REASON_KEYS, *_OTHER_KEYS)}
# The lower-case keys under which a line of the body is a trailer too.
KNOWN_KEYS = frozenset(_CANONICAL)
# The longest key with its indentation, bullet and colon.
_LONGEST_START = max(map(len, _CANONICAL)) + 9

_SHAPE = re.compile(r"([A-Za-z0-9-]+)[ \t]*:(.*)", re.DOTALL)
_BULLET = re.compile(r" {0,3}(?:[-*+] {1,3})?(?=\S)")
_CHERRY_PICK = re.compile(r"\(cherry picked from commit ([0-9a-fA-F]{7,64})\)?")
_CHERRY_PREFIX = "(cherry picked from commit "
_GENERATED = ("Signed-off-by: ", _CHERRY_PREFIX)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class FoundTrailers:
    """Trailers in message order, and the indices (0-based) of the lines that they stand on."""

    trailers: tuple[Trailer, ...]
    lines: frozenset[int]


NOTHING = FoundTrailers((), frozenset())


def find_trailers(lines: Sequence[str]) -> FoundTrailers:
    """The trailers of a whole message, given as its lines without line ends.

    The first line must be the first line of the title.
    """
    title_end = _title_end(lines)
    block_start, block_end = _block(lines, title_end)
    found: list[tuple[int, Trailer]] = []
    taken: list[int] = []
    _read_weak(lines, title_end, block_start, found, taken)
    _read_strong(lines, block_start, block_end, found, taken)
    if not taken:
        return NOTHING
    return FoundTrailers(tuple(trailer for _, trailer in found), frozenset(taken))


def _title_end(lines: Sequence[str]) -> int:
    for index, line in enumerate(lines):
        if not line.startswith("#") and not line.strip():
            return index
    return len(lines)


def _block(lines: Sequence[str], title_end: int) -> tuple[int, int]:
    """The half-open line range of the trailing block; empty where git sees none."""
    end = _content_end(lines)
    trailers = others = pending = 0
    generated = blank_only = False
    blank_only = True
    for index in range(end - 1, title_end - 1, -1):
        line = lines[index]
        if line.startswith("#"):
            others += pending
            pending = 0
        elif not line.strip():
            if blank_only:
                continue
            others += pending
            mixed = generated and trailers * 3 >= others
            return (index + 1, end) if mixed or (trailers and not others) else (end, end)
        elif line.startswith(_GENERATED):
            trailers, pending, generated = trailers + 1, 0, True
        elif line[0].isspace():
            pending += 1
        elif _SHAPE.match(line):
            trailers, pending = trailers + 1, 0
        else:
            others += 1 + pending
            pending = 0
        blank_only = False
    return end, end


def _content_end(lines: Sequence[str]) -> int:
    """The end of the message before trailing blanks, comments and a list of conflicts."""
    if "Conflicts:" not in lines:
        end = len(lines)
        while end and (lines[end - 1].startswith("#") or not lines[end - 1].strip()):
            end -= 1
        return end
    end = 0
    conflicts = False
    for index, line in enumerate(lines):
        if line.startswith("#") or not line.strip():
            continue
        if line == "Conflicts:":
            conflicts = True
        elif not (conflicts and line.startswith("\t")):
            conflicts = False
            end = index + 1
    return end


def _read_strong(
    lines: Sequence[str],
    start: int,
    end: int,
    found: list[tuple[int, Trailer]],
    taken: list[int],
) -> None:
    index = start
    while index < end:
        line = lines[index]
        trailer = _trailer(line, Strength.STRONG)
        if trailer is None:
            index += 1
            continue
        taken.append(index)
        after, trailer = _with_continuation(lines, index + 1, end, trailer, taken)
        found.append((index, trailer))
        index = after


def _read_weak(
    lines: Sequence[str],
    start: int,
    end: int,
    found: list[tuple[int, Trailer]],
    taken: list[int],
) -> None:
    fence: str | None = None
    index = start
    while index < end:
        line = lines[index]
        index += 1
        start_of_line = line[:_LONGEST_START]
        if ":" not in start_of_line and "```" not in line and "~~~" not in line and line[:1] != "(":
            continue
        mark = _FENCE.match(line)
        if mark is not None:
            if fence is None:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = None
            continue
        if fence is not None:
            continue
        trailer = _weak_trailer(line)
        if trailer is None:
            continue
        taken.append(index - 1)
        at = index - 1
        index, trailer = _with_continuation(lines, index, end, trailer, taken)
        found.append((at, trailer))


def _weak_trailer(line: str) -> Trailer | None:
    colon = line.find(":")
    if colon < 1 or colon >= _LONGEST_START:
        if not line.startswith(_CHERRY_PREFIX):
            return None
    elif line[:colon].strip(" \t-*+").lower() not in _CANONICAL:
        return None
    bullet = _BULLET.match(line)
    return _trailer(line[bullet.end() :], Strength.WEAK) if bullet else None


def _trailer(line: str, strength: Strength) -> Trailer | None:
    picked = _CHERRY_PICK.match(line)
    if picked is not None:
        return Trailer(CHERRY_PICK_KEY, picked[1].lower(), strength)
    shape = _SHAPE.match(line)
    if shape is None or shape[2].startswith("//"):
        return None
    key = _CANONICAL.get(shape[1].lower())
    value = shape[2].strip()
    if strength is Strength.WEAK and (key is None or not value):
        return None
    return Trailer(key or shape[1], value, strength)


def _with_continuation(
    lines: Sequence[str], index: int, end: int, trailer: Trailer, taken: list[int]
) -> tuple[int, Trailer]:
    """The line after a trailer's folded lines, and the trailer with them joined by a space."""
    more: list[str] = []
    while index < end and lines[index][:1] in (" ", "\t") and lines[index].strip():
        if trailer.strength is Strength.WEAK and _weak_trailer(lines[index]) is not None:
            break
        more.append(lines[index].strip())
        taken.append(index)
        index += 1
    if not more:
        return index, trailer
    value = " ".join([trailer.value, *more]).strip()
    return index, Trailer(trailer.key, value, trailer.strength)
