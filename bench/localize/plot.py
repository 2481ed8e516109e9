"""Draws Hit@k of each repository from ``report.json``: one SVG a set, nothing but text.

    python -m bench.localize.plot --report bench/localize/results/report.json --out OUT

- A row is a repository with :data:`FEWEST` instances or more, the largest first; the last row is
  the whole set. Marks fit into each other, so that equal figures stay visible; the line through
  Hit@1 is its Wilson interval, 95 %.
- OUT gets ``hit-<set>.svg``. The same report gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from bench.localize.metrics import wilson

FEWEST = 5
MARKS = (("hit@1", "#0072b2"), ("hit@5", "#d55e00"), ("hit@10", "#009e73"))
NAMED, WIDE, RIGHT = 250, 480, 40
TOP, ROW, BOTTOM = 74, 22, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    report = json.loads(said.report.read_text("utf-8"))
    said.out.mkdir(parents=True, exist_ok=True)
    for name in report["splits"]:
        (said.out / f"hit-{name}.svg").write_text(drawn(name, report), "utf-8")


def rows_of(name: str, report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, float]]]:
    """The repositories of a set that are drawn, then the whole set."""
    own = {
        repo.partition(": ")[2]: told
        for repo, told in report["repositories"].items()
        if repo.startswith(f"{name}: ") and told["n"] >= FEWEST
    }
    ordered = sorted(own.items(), key=lambda item: (-item[1]["n"], item[0]))
    return [*ordered, ("all", report["splits"][name])]


def drawn(name: str, report: Mapping[str, Any]) -> str:
    """The drawing of one set."""
    rows = rows_of(name, report)
    width, height = NAMED + WIDE + RIGHT, TOP + ROW * len(rows) + BOTTOM
    told = f"Hit@1, Hit@5 and Hit@10 of {name} by repository, in percent"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(told)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(12, 24, f"{name}: share of issues with a changed file among the first k", size=14),
        *_legend(),
        *_grid(len(rows)),
    ]
    for number, (repo, figures) in enumerate(rows):
        lines += _row(TOP + ROW * number + ROW / 2, repo, figures, last=number == len(rows) - 1)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _legend() -> Iterator[str]:
    at = float(NAMED)
    for name, _ in MARKS:
        yield _mark(name, at, 48)
        yield _text(at + 14, 52, name.capitalize())
        at += 84
    yield f'<line x1="{at}" y1="48" x2="{at + 24}" y2="48" stroke="{MARKS[0][1]}"/>'
    yield _text(at + 30, 52, "interval of Hit@1, 95 %")


def _grid(rows: int) -> Iterator[str]:
    end = TOP + ROW * rows
    for percent in range(0, 101, 20):
        x = _x(percent)
        yield f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{end}" stroke="#dddddd"/>'
        yield _text(x, end + 18, f"{percent} %", anchor="middle")
    rule = end - ROW
    yield f'<line x1="12" y1="{rule}" x2="{_x(100)}" y2="{rule}" stroke="#888888"/>'


def _row(y: float, repo: str, figures: Mapping[str, float], last: bool) -> Iterator[str]:
    n = int(figures["n"])
    weight = "bold" if last else "normal"
    yield _text(NAMED - 14, y + 4, f"{repo} ({n})", anchor="end", weight=weight)
    low, high = wilson(figures["hit@1"] / 100, n)
    ends = f'x1="{_x(100 * low)}" x2="{_x(100 * high)}"'
    yield f'<line {ends} y1="{y}" y2="{y}" stroke="{MARKS[0][1]}"/>'
    for name, _ in reversed(MARKS):
        yield _mark(name, _x(figures[name]), y)


def _x(percent: float) -> float:
    return round(NAMED + WIDE * percent / 100, 1)


def _mark(name: str, x: float, y: float) -> str:
    colour = dict(MARKS)[name]
    if name == "hit@1":
        return f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>'
    shape = f'fill="none" stroke="{colour}" stroke-width="2"'
    if name == "hit@5":
        return f'<rect x="{round(x - 4.5, 1)}" y="{y - 4.5}" width="9" height="9" {shape}/>'
    points = f"{x},{y - 9} {x + 9:.1f},{y} {x},{y + 9} {x - 9:.1f},{y}"
    return f'<polygon points="{points}" {shape}/>'


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal", size: int = 12
) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}"'
        f' font-size="{size}" fill="#222222">{escape(text)}</text>'
    )


if __name__ == "__main__":
    main()
