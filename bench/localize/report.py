"""Writes what was measured: splits, repositories, signals, groups, confidence, functions, misses.

    python -m bench.localize.report --scratch DIR --out OUT [--groups] SET.jsonl …

Everything fitted is leave-one-repository-out (``fit.py``); OUT gets ``report.md`` and
``report.json``. Ranks, ids and paths alone: no word of an issue. Groups (six more fits) are
kept as they were unless they are asked for.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
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
    "words in functions": ("ch_", "fn"),
    "explicit mentions": ("m_",),
    "imports, co-change and folders": ("ppr_", "indeg", "n_"),
    "history": ("h_", "ht_", "hp"),
    "priors": ("loglen", "aux", "is_init", "migration", "vendored"),
}
COLUMNS = ("hit@1", "hit@3", "hit@5", "hit@10", "acc@5", "acc@10", "recall@10", "map@10", "mrr")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--groups", action="store_true", help="measure the groups anew")
    said = parser.parse_args()
    instances = load(said.sets, said.scratch)
    split = splits_of(said.sets)
    sizes = {file.stem: len(rows_of([file])) for file in said.sets}
    kept = said.out / "report.json"
    before = json.loads(kept.read_text("utf-8"))["groups"] if kept.exists() else {}
    report, lines = reported(instances, split, sizes, said.scratch, said.groups, before)
    said.out.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    (said.out / "report.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


def reported(
    instances: Sequence[Instance],
    split: dict[str, str],
    sizes: dict[str, int],
    scratch: Path,
    groups: bool,
    before: dict[str, Any],
) -> tuple[dict[str, Any], list[str]]:
    """The report as data and as Markdown; ``before`` are groups that were measured, to keep."""
    scores = held_out(instances, FEATURES)
    every = judged(instances, scores)
    names = [name for name in sizes if name in {split[one.name] for one in instances}]
    parts = {name: [one for one in every if split[one.instance] == name] for name in names}
    report: dict[str, Any] = {"splits": {}, "repositories": {}, "signals": {}, "groups": {}}
    report["confidence"] = {}
    lines = ["# An issue to files: what was measured", "", _how(instances, sizes, parts), ""]
    lines += ["## Splits", "", _header()]
    for name, part in parts.items():
        report["splits"][name] = figures(part) | calibration(part) | {"intervals": _intervals(part)}
        lines.append(_row(name, part))
    report["all"] = figures(every) | calibration(every) | {"intervals": _intervals(every)}
    lines.append(_row("all", every))
    lines += ["", "Wilson intervals, 95 %:", ""]
    lines += [f"- {name}: {_told(_intervals(part))}" for name, part in parts.items()]
    lines += ["", "## Confidence", "", "| split | calibration error | Hit@1 of the surest 30 % |"]
    lines += ["|---|---|---|"]
    for name, part in {**parts, "all": every}.items():
        told = calibration(part)
        report["confidence"][name] = told
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
    for group, prefixes in GROUPS.items() if groups else ():
        left = tuple(one for one in FEATURES if not _of_group(one, prefixes))
        without = evaluate(instances, left)
        for name in names:
            own = [one for one in without if split[one.instance] == name]
            report["groups"][f"{name}: without {group}"] = figures(own)
    report["groups"] = report["groups"] or before
    for name, told in report["groups"].items():
        lines.append(_figures(name, told))
    lines += ["", "## Functions", "", "All (Acc) or any (Hit) of those that were changed.", ""]
    lines += ["| | n | Acc@5 | Acc@10 | Hit@1 | Hit@5 | Hit@10 |", "|---|---|---|---|---|---|---|"]
    for name, told in _functions(instances, scores, split, scratch).items():
        report.setdefault("functions", {})[name] = told
        shown = (told[one] for one in ("acc@5", "acc@10", "hit@1", "hit@5", "hit@10"))
        lines.append(f"| {name} | {told['n']} | " + " | ".join(map(str, shown)) + " |")
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


def _of_group(feature: str, prefixes: tuple[str, ...]) -> bool:
    """Whether any signal of a feature, or its occasion, is of a group."""
    return any(one.startswith(prefixes) for one in feature[2:].replace("|", "*").split("*"))


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
    return _figures(name, figures(part))


def _figures(name: str, told: Mapping[str, float]) -> str:
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
    instances: Sequence[Instance],
    scores: dict[str, Any],
    split: Mapping[str, str],
    scratch: Path,
) -> dict[str, dict[str, float]]:
    """Function-level figures of each split that changes functions."""
    every = functions.evaluate(instances, scores, scratch)
    names = dict.fromkeys(split[one.instance] for one in every)
    return {name: figures([one for one in every if split[one.instance] == name]) for name in names}


if __name__ == "__main__":
    main()
