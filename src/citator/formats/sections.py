"""A Markdown text as sections: a title, what stands before the first, and each with its lines.

Headings inside a section keep their order of rank when the section is moved to another level.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import Heading, outline


@dataclass(frozen=True, slots=True)
class Part:
    """One section: its heading's text and level, and the lines below it."""

    title: str
    level: int
    lines: tuple[str, ...]
    headings: tuple[Heading, ...] = ()

    @property
    def name(self) -> str:
        """The heading in lower case without numbers and marks."""
        return re.sub(r"^[\d.)\s]+", "", self.title).strip(" *_`:").lower()

    def at(self, level: int) -> list[str]:
        """The lines with the headings among them moved as if this one stood at ``level``."""
        lines = list(self.lines)
        for one in reversed(self.headings):
            depth = min(6, max(level + 1, one.level + level - self.level))
            lines[one.start : one.end + 1] = [f"{'#' * depth} {one.title}"]
        return trimmed(lines)


@dataclass(frozen=True, slots=True)
class Sections:
    """A text in parts. ``title`` is the heading over all of it, empty where there is none."""

    title: str
    preamble: tuple[str, ...]
    parts: tuple[Part, ...]


def sections(text: str) -> Sections:
    """The parts of ``text``, its front matter left out."""
    every = text.split("\n")
    lines = every[read_front_matter(every).lines :]
    headings = outline(lines).headings
    title, rest = _title(headings)
    top = min((one.level for one in rest), default=0)
    starts = [one for one in rest if one.level == top]
    begin = 0 if title is None else title.end + 1
    first = starts[0].start if starts else len(lines)
    ends = [*(one.start for one in starts[1:]), len(lines)]
    places = [one.start for one in rest]
    parts = tuple(
        _part(lines, one, end, rest[bisect_left(places, one.end + 1) : bisect_left(places, end)])
        for one, end in zip(starts, ends, strict=bool(starts))
    )
    before = lines[:0] if title is None else lines[: title.start]
    preamble = tuple(trimmed([*before, *lines[begin:first]]))
    return Sections("" if title is None else title.title, preamble, parts)


def _title(headings: Sequence[Heading]) -> tuple[Heading | None, Sequence[Heading]]:
    """The heading of the first level that stands over all others, and the others."""
    if not headings:
        return None, headings
    first, *rest = headings
    if first.level == 1 and all(one.level > 1 for one in rest):
        return first, rest
    return None, headings


def _part(lines: Sequence[str], own: Heading, end: int, below: Iterable[Heading]) -> Part:
    start = own.end + 1
    inner = tuple(
        Heading(one.start - start, one.end - start, one.level, one.title) for one in below
    )
    return Part(own.title, own.level, tuple(lines[start:end]), inner)


def trimmed(lines: Iterable[str]) -> list[str]:
    """The lines without blank ones at the ends."""
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
