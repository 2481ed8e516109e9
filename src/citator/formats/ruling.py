"""A ruling cut from a Markdown text: a proposal for one line, which somebody signs or rewrites."""

from __future__ import annotations

from citator.formats.adr_text import derived_ruling, opening_sentence
from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import outline
from citator.formats.one_line import one_line


def ruling_of(text: str, maximum: int) -> str:
    """One line from the decision section, else from the first paragraph; it may be empty."""
    lines = text.split("\n")
    below = lines[read_front_matter(lines).lines :]
    structure = outline(below)
    found = derived_ruling(below, structure, maximum)
    return found or one_line(opening_sentence(below, structure), maximum)
