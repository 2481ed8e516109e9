"""How often each way names the commit that a person judged to have made a line.

    python -m bench.docket.measure_lines --mirrors MIRRORS --lines LINES.json --out RESULTS.json

- ``judged`` is the newest commit that changed what the tokens of the line say. Spacing, line
  breaks, quotes, trailing commas, parentheses that only hold a line break, order of imports,
  comments beside code, re-wrapped prose, and moves (what left one place and stands in another
  since) change nothing; a copy is new, and so is a rewrite to something equivalent.
- Judged by reading the history of each line, hop by hop, from diffs alone.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.docket.methods import METHODS, answers
from bench.localize.mirrors import mirror


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--lines", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    rows = json.loads(said.lines.read_text("utf-8"))
    found = [answered(said.mirrors, row) for row in rows]
    figures = {
        "all": _right(rows, found),
        "drawn": {kind: _right(*_chosen(rows, found, "drawn", kind)) for kind in ("any", "bulk")},
        "disputed": _right(*_disputed(rows, found)),
        "repositories": {
            name: _right(*_chosen(rows, found, "repo", name))
            for name in dict.fromkeys(row["repo"] for row in rows)
        },
        "wrong": [
            {"line": at, "method": method, "named": one[method][:12]}
            for at, (row, one) in enumerate(zip(rows, found, strict=True))
            for method in METHODS
            if one[method] != row["judged"]
        ],
    }
    said.out.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    print(json.dumps({name: figures[name] for name in ("all", "drawn", "disputed")}, indent=1))


def answered(mirrors: Path, row: dict[str, Any]) -> dict[str, str]:
    """What each method says of one line."""
    return answers(mirror(mirrors, row["repo"]), row["head"], row["path"], row["line"])


def _chosen(
    rows: list[dict[str, Any]], found: list[dict[str, str]], key: str, value: str
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    pairs = [(row, one) for row, one in zip(rows, found, strict=True) if row[key] == value]
    return [row for row, _ in pairs], [one for _, one in pairs]


def _disputed(
    rows: list[dict[str, Any]], found: list[dict[str, str]]
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The lines on which the methods differ."""
    pairs = [
        (row, one)
        for row, one in zip(rows, found, strict=True)
        if len({one[method] for method in METHODS}) > 1
    ]
    return [row for row, _ in pairs], [one for _, one in pairs]


def _right(rows: list[dict[str, Any]], found: list[dict[str, str]]) -> dict[str, int]:
    counted: dict[str, int] = defaultdict(int, n=len(rows))
    for method in METHODS:
        counted[method] = sum(
            one[method] == row["judged"] for row, one in zip(rows, found, strict=True)
        )
    return dict(counted)


if __name__ == "__main__":
    main()
