"""The treatment of one ruling as a picture: SVG of its own, no script, no address, no other file.

- The subject stands on top, below it what treats it, the latest first; a step to the right is what
  treats that. What no longer counts is drawn hollow, and says so.
- Everything in it is a plain token of ours: ids, dates and closed words, escaped all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

_ROW: Final = 34
_STEP: Final = 28
_TOP: Final = 30
_WIDTH: Final = 760
_COLOURS: Final = {
    "in_force": "#1a7f37",
    "caution": "#9a6700",
    "not_in_force": "#b42318",
    "unassessed": "#57606a",
}
_KINDS: Final = {
    "reverts": "#b42318",
    "supersedes": "#b42318",
    "rejects": "#b42318",
    "limits": "#9a6700",
    "questions": "#9a6700",
    "orphaned": "#9a6700",
    "reinstates": "#1a7f37",
    "follows": "#1a7f37",
    "implements": "#1a7f37",
}
_STYLE: Final = (
    "text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}"
    ".id{font-family:ui-monospace,monospace}.quiet{fill:#57606a}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}"
    "rect{fill:#0d1117}}"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One treatment: what it does, by what, when, why that is said, and whether it counts."""

    treatment: str
    by: str
    date: str
    rule: str
    counts: bool
    depth: int = 0


def picture(
    subject: str, standing: str, reason: str, marks: Sequence[Mark], *, alone: bool = True
) -> str:
    """The picture as text. ``standing`` is one of the closed words; not ``alone``, it stands in a
    page and takes its letters and colours from there."""
    height = _TOP + _ROW * (len(marks) + 1)
    why = f" ({reason.replace('_', ' ')})" if reason else ""
    title = f"{subject}: {standing.replace('_', ' ')}{why}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
    ]
    if alone:
        parts.append(f"<style>{_STYLE}</style>")
        parts.append(f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>')
    else:
        parts.append('<g fill="currentColor" font-size="13">')
    parts += _lines(marks)
    parts.append(_dot(0, 0, _COLOURS.get(standing, _COLOURS["unassessed"]), filled=True, radius=9))
    parts.append(_text(0, 0, f'<tspan class="id">{escape(_short(subject))}</tspan> ', title))
    for row, mark in enumerate(marks, 1):
        colour = _KINDS.get(mark.treatment, "#57606a")
        parts.append(_dot(row, mark.depth + 1, colour, filled=mark.counts, radius=6))
        told = f"{mark.treatment} · {mark.date} · {mark.rule.replace('_', ' ')}"
        told += "" if mark.counts else " · no longer counts"
        head = f'<tspan class="id">{escape(_short(mark.by))}</tspan> '
        parts.append(_text(row, mark.depth + 1, head, told))
    if not alone:
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _lines(marks: Sequence[Mark]) -> list[str]:
    """From each mark to what it treats: the last row above it that stands one step to the left."""
    found = []
    at = {0: 0}
    for row, mark in enumerate(marks, 1):
        depth = mark.depth + 1
        x, y, above = _x(depth - 1), _y(row), _y(at.get(depth - 1, 0))
        found.append(
            f'<path d="M{x} {above}V{y}H{_x(depth)}" fill="none" stroke="#8c959f" '
            'stroke-width="1.5"/>'
        )
        at[depth] = row
    return found


def _dot(row: int, depth: int, colour: str, *, filled: bool, radius: int) -> str:
    fill = colour if filled else "none"
    return (
        f'<circle cx="{_x(depth)}" cy="{_y(row)}" r="{radius}" fill="{fill}" stroke="{colour}" '
        'stroke-width="2"/>'
    )


def _text(row: int, depth: int, head: str, told: str) -> str:
    return (
        f'<text x="{_x(depth) + 18}" y="{_y(row) + 4}">{head}'
        f'<tspan class="quiet">{escape(told.split(": ", 1)[-1])}</tspan></text>'
    )


def _short(name: str) -> str:
    return name[:12] if len(name) in (40, 64) else name[:40]


def _x(depth: int) -> int:
    return 20 + _STEP * depth


def _y(row: int) -> int:
    return _TOP + _ROW * row
