"""Writes what was measured: splits, repositories, signals, groups, confidence, functions, misses.

    python -m bench.localize.report --scratch DIR --out OUT SET.jsonl …

Everything fitted is leave-one-repository-out (``fit.py``); OUT gets ``report.md`` and
``report.json``. Ranks, ids and paths alone: no word of an issue.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.localize import functions
from bench.localize.fit import (
    FEATURES,
    Instance,
    evaluate,
    held_out,
    judged,
    load,
    placed,
    splits_of,
)
from bench.localize.metrics import Placed, calibration, figures, wilson
from bench.localize.mirrors import rows_of

from citator.locate.signals import NAMES

GROUPS = {
    "words in fields": ("bm25f", "bm25f_title", "bm25f_code", "f_"),
    "words in functions": ("ch_",),
    "explicit mentions": ("m_",),
    "imports and co-change": ("ppr_", "indeg"),
    "history": ("h_", "ht_", "hp"),
    "priors": ("loglen", "aux", "is_init", "migration", "vendored"),
}
COLUMNS = ("hit@1", "hit@3", "hit@5", "hit@10", "acc@5", "acc@10", "recall@10", "map@10", "mrr")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    instances = load(said.sets, said.scratch)
    split = splits_of(said.sets)
    sizes = {file.stem: len(rows_of([file])) for file in said.sets}
    report, lines = reported(instances, split, sizes, said.scratch)
    said.out.mkdir(parents=True, exist_ok=True)
    (said.out / "report.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    (said.out / "report.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


def reported(
    instances: Sequence[Instance], split: dict[str, str], sizes: dict[str, int], scratch: Path
) -> tuple[dict[str, Any], list[str]]:
    """The report as data and as Markdown."""
    scores = held_out(instances, FEATURES)
    every = judged(instances, scores)
    names = list(dict.fromkeys(split[one.name] for one in instances))
    parts = {name: [one for one in every if split[one.instance] == name] for name in names}
    report: dict[str, Any] = {"splits": {}, "repositories": {}, "signals": {}, "groups": {}}
    lines = ["# An issue to files: what was measured", "", _how(instances, sizes, parts), ""]
    lines += ["## Splits", "", _header()]
    for name, part in parts.items():
        report["splits"][name] = figures(part) | calibration(part) | {"intervals": _intervals(part)}
        lines.append(_row(name, part))
    lines += ["", "Wilson intervals, 95 %:", ""]
    lines += [f"- {name}: {_told(_intervals(part))}" for name, part in parts.items()]
    lines += ["", "## Confidence", "", "| split | calibration error | Hit@1 of the surest 30 % |"]
    lines += ["|---|---|---|"]
    for name, part in parts.items():
        told = calibration(part)
        lines.append(f"| {name} | {told['ece']} | {told['top30_hit@1']} |")
    lines += ["", "## Repositories", "", _header()]
    for name, part in parts.items():
        for repo in sorted({one.repo for one in part}):
            own = [one for one in part if one.repo == repo]
            report["repositories"][f"{name}: {repo}"] = figures(own)
            if len(own) >= 5:
                lines.append(_row(f"{name}: {repo}", own))
    lines += ["", "## Signals alone", "", _header()]
    for column, signal in enumerate(NAMES):
        for name in names:
            own = [
                placed(one, one.table[:, column]) for one in instances if split[one.name] == name
            ]
            report["signals"][f"{name}: {signal}"] = figures(own)
            if name == names[0]:
                lines.append(_row(f"{name}: {signal}", own))
    lines += ["", "## What each group is worth", "", _header()]
    for group, prefixes in GROUPS.items():
        left = tuple(one for one in FEATURES if not one[2:].startswith(prefixes))
        without = evaluate(instances, left)
        for name in names:
            own = [one for one in without if split[one.instance] == name]
            report["groups"][f"{name}: without {group}"] = figures(own)
            lines.append(_row(f"{name}: without {group}", own))
    told = _functions(instances, scores, scratch)
    report["functions"] = told
    lines += ["", "## Functions", ""]
    lines += [
        f"Share of instances whose changed functions are all among the first k functions of the"
        f" tree (n={told['n']}, instances that change a line inside a function): Acc@5"
        f" {told['acc@5']}, Acc@10 {told['acc@10']}; any of them: Hit@1"
        f" {told['hit@1']}, Hit@5 {told['hit@5']}, Hit@10 {told['hit@10']}."
    ]
    spent = np.array([one.spent for one in instances]) * 1000
    report["milliseconds"] = {
        "p50": round(float(np.median(spent)), 1),
        "p95": round(float(np.percentile(spent, 95)), 1),
    }
    lines += ["", "## Cost", ""]
    lines += [
        f"Processor time of all signals, warm: p50 {report['milliseconds']['p50']} ms, p95"
        f" {report['milliseconds']['p95']} ms; by repository:"
    ]
    for repo in sorted({one.repo for one in instances}):
        theirs = [one for one in instances if one.repo == repo]
        if len(theirs) >= 5:
            middle = np.median([one.spent for one in theirs]) * 1000
            lines.append(f"- {repo}: {middle:.0f} ms, {len(theirs[-1].paths)} files")
    misses = _misses(instances, every)
    report["misses"] = misses
    lines += ["", f"## Not among the first ten ({len(misses)})", "", "| instance | first gold at |"]
    lines += ["|---|---|"]
    lines += [f"| {one['instance']} | {one['first'] or 'no candidate'} |" for one in misses]
    return report, lines


def _how(
    instances: Sequence[Instance], sizes: dict[str, int], parts: dict[str, list[Placed]]
) -> str:
    had = ", ".join(f"{name} {len(part)} of {sizes[name]}" for name, part in parts.items())
    repos = len({one.repo for one in instances})
    return (
        f"{had}; {repos} repositories. Candidates: `.py` files at the base commit that are not"
        " tests by their path; history: ancestors of the base commit alone. Leave-one-repository-"
        "out: the weights and the curve that served an instance never saw its repository."
    )


def _header() -> str:
    return "| | n | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 2) + "|"


def _row(name: str, part: Sequence[Placed]) -> str:
    told = figures(part)
    return f"| {name} | {told['n']} | " + " | ".join(str(told[one]) for one in COLUMNS) + " |"


def _intervals(part: Sequence[Placed]) -> dict[str, list[float]]:
    told = figures(part)
    return {
        name: [round(100 * edge, 1) for edge in wilson(told[name] / 100, len(part))]
        for name in ("hit@1", "hit@5", "hit@10", "acc@5", "acc@10")
    }


def _told(intervals: dict[str, list[float]]) -> str:
    return ", ".join(f"{name} {low}–{high}" for name, (low, high) in intervals.items())


def _misses(instances: Sequence[Instance], every: Sequence[Placed]) -> list[dict[str, Any]]:
    by_name = {one.name: one for one in instances}
    return [
        {
            "instance": one.instance,
            "first": one.places[0] if one.places else None,
            "gold": [by_name[one.instance].paths[g] for g in by_name[one.instance].gold],
        }
        for one in every
        if not one.hit(10)
    ]


def _functions(
    instances: Sequence[Instance], scores: dict[str, Any], scratch: Path
) -> dict[str, Any]:
    """Function-level figures."""
    return figures(functions.evaluate(instances, scores, scratch))


if __name__ == "__main__":
    main()
