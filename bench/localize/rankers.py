"""Rankers side by side, on the same instances over the same candidates, through one interface.

    python -m bench.localize.rankers --mirrors MIRRORS --scratch DIR --out OUT
        [--external NAME='COMMAND …' …] [--recorded NAME …] [--fit SET.jsonl …] SET.jsonl …

- A ranker is anything with ``rank(instance, tree) -> list[path]``: ours (held out by repository,
  as in ``fit.py``; fitted on those of ``--fit`` too), three plain ones, external programs, and
  rankings that somebody published.
- *External*: COMMAND is started once. It reads one JSON object a line, ``{"instance_id", "repo",
  "git_dir", "commit", "text", "candidates", "limit"}``, and answers each with one line,
  ``{"instance_id", "files"}``, best first. It may read the repository by itself; one that takes
  longer than :data:`PATIENCE` seconds, dies or answers nonsense has not found anything there.
- *Recorded*: DIR/rankings/NAME.jsonl holds such answers already (``ancestor.py``, ``peers.py``).
- Resumes: an instance that is answered in DIR/rankings is left. Words are kept by blob.
- Candidates are those of ``collect.py``; what a ranker names beside them is passed over.
- OUT gets ``rankers.json`` and ``rankers.md``: figures with Wilson intervals, and differences to
  ours on the instances that both ranked, with the interval of paired shares.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from bench.localize import fit
from bench.localize.metrics import Placed, figures, wilson
from bench.localize.mirrors import KIND, Row, mirror_of, rows_of
from bench.localize.plain import PLAIN, Tree, WordStore

from citator.git import repository, trees
from citator.git.records import Repository
from citator.index.code.kinds import is_test

OURS = "ours"
LIMIT = 100
PATIENCE = 120.0
SHOWN = ("hit@1", "hit@3", "hit@5", "hit@10", "acc@5", "acc@10", "map@10")
PAIRED = (1, 5, 10)


class Ranker(Protocol):
    """Orders the files of a tree by how likely an instance is about them."""

    @property
    def name(self) -> str:
        """What it is called in the report."""

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """The best files, best first. What it cannot rank is an empty list."""


class Ours:
    """The shipped signals, joined by weights that never saw the instance's repository."""

    name = OURS

    def __init__(self, sets: Sequence[Path], scratch: Path) -> None:
        self._sets, self._scratch = sets, scratch

    @cached_property
    def _held_out(self) -> dict[str, list[str]]:
        instances = fit.load(self._sets, self._scratch)
        scores = fit.held_out(instances, fit.FEATURES)
        best = {one.name: np.argsort(-scores[one.name], kind="stable") for one in instances}
        return {one.name: [one.paths[i] for i in best[one.name][:LIMIT]] for one in instances}

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """See :class:`Ranker`."""
        return self._held_out.get(instance["instance_id"], [])


class External:
    """A program that answers lines with lines."""

    def __init__(self, name: str, command: Sequence[str], patience: float = PATIENCE) -> None:
        self.name = name
        self._command, self._patience = command, patience
        self._process: subprocess.Popen[str] | None = None

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """See :class:`Ranker`."""
        request = {
            "instance_id": instance["instance_id"],
            "repo": instance["repo"],
            "git_dir": str(tree.git_dir),
            "commit": instance["base_commit"],
            "text": instance["problem_statement"],
            "candidates": sorted(tree.files),
            "limit": LIMIT,
        }
        line = self._asked(json.dumps(request))
        try:
            answer = json.loads(line)
            files = answer["files"] if answer["instance_id"] == instance["instance_id"] else []
            return [str(one) for one in files]
        except (ValueError, KeyError, TypeError):
            print(f"{self.name}: no answer for {instance['instance_id']}", file=sys.stderr)
            self.close()
            return []

    def _asked(self, line: str) -> str:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._patience, process.kill)
        timer.start()
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return process.stdout.readline()
        except (OSError, ValueError):
            return ""
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--features", type=Path, help="where collect.py kept opinions")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--fit", action="append", default=[], type=Path, metavar="SET")
    parser.add_argument("--external", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--recorded", action="append", default=[], metavar="NAME")
    said = parser.parse_args()
    externals = [
        External(name, shlex.split(command))
        for name, _, command in (one.partition("=") for one in said.external)
    ]
    ours = Ours([*said.sets, *said.fit], said.features or said.scratch)
    rankings = said.scratch / "rankings"
    ours_file = rankings / f"{OURS}.jsonl"
    ours_file.unlink(missing_ok=True)
    rankers: list[Ranker] = [ours, *PLAIN, *externals]
    answer_all(rankers, rows_of(said.sets), said.mirrors, said.scratch)
    for one in externals:
        one.close()
    names = [one.name for one in rankers] + said.recorded
    answers = {name: answers_of(rankings / f"{name}.jsonl") for name in names}
    report, lines = reported(said.sets, answers)
    said.out.mkdir(parents=True, exist_ok=True)
    (said.out / "rankers.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    (said.out / "rankers.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


def answers_of(file: Path) -> dict[str, list[str]]:
    """The answers that are kept, by instance; a line cut off half-way is as if it were not."""
    found: dict[str, list[str]] = {}
    if file.exists():
        for line in file.read_text("utf-8").splitlines():
            try:
                row = json.loads(line)
                found[row["instance_id"]] = [str(one) for one in row["files"]]
            except (ValueError, KeyError, TypeError):
                continue
    return found


def answer_all(rankers: Sequence[Ranker], rows: Sequence[Row], mirrors: Path, at: Path) -> None:
    """Ask every ranker about every instance that can be had and that it has not answered."""
    kept = {one.name: set(answers_of(_file(at, one))) for one in rankers}
    by_repo: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_repo[row["repo"]][row["instance_id"]] = row
    for repo, own in sorted(by_repo.items(), key=lambda item: (len(item[1]), item[0])):
        path = mirror_of(next(iter(own.values())), mirrors)
        if path is None:
            continue
        began = time.process_time()
        here = repository.discover(path)
        with WordStore(here, at / "plain" / f"{repo.replace('/', '+')}.sqlite") as words:
            for row in sorted(own.values(), key=lambda one: str(one["created_at"])):
                todo = [one for one in rankers if row["instance_id"] not in kept[one.name]]
                if todo and repository.has_commit(here, row["base_commit"]):
                    tree = Tree(path, candidates(here, row["base_commit"]), words)
                    for one in todo:
                        _keep(_file(at, one), row["instance_id"], one.rank(row, tree))
        print(repo, len(own), round(time.process_time() - began), file=sys.stderr, flush=True)


def candidates(here: Repository, commit: str) -> dict[str, str]:
    """The files that may be named, with their blobs: as ``collect.py`` takes them."""
    return {
        entry.path: entry.object_id
        for entry in trees.entries(here, commit)
        if entry.kind == "blob" and entry.mode != "120000"
        if entry.path.endswith(KIND) and not is_test(entry.path)
    }


def _file(at: Path, ranker: Ranker) -> Path:
    return at / "rankings" / f"{ranker.name}.jsonl"


def _keep(file: Path, instance: str, files: Sequence[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"instance_id": instance, "files": list(files[:LIMIT])}) + "\n"
    cut_off = file.exists() and not file.read_bytes().endswith(b"\n") and file.stat().st_size
    with file.open("a", encoding="utf-8") as out:
        out.write(f"\n{line}" if cut_off else line)


def placed(row: Row, files: Sequence[str]) -> Placed:
    """Where the gold of an instance stands among the candidates that were named."""
    named = [one for one in files if one.endswith(KIND) and not is_test(one)]
    gold = set(row["gold_files"])
    places = tuple(n for n, path in enumerate(dict.fromkeys(named), 1) if path in gold)
    return Placed(row["instance_id"], row["repo"], places, len(row["gold_files"]), 0.0)


def paired(ours: Sequence[Placed], other: Sequence[Placed], k: int) -> dict[str, float]:
    """Hit@k of ours less that of another on the same instances, in points, with its interval."""
    mine = {one.instance: one.hit(k) for one in ours}
    pairs = [(mine[one.instance], one.hit(k)) for one in other if one.instance in mine]
    n = len(pairs)
    won, lost = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    middle = (won - lost) / max(n, 1)
    half = 1.96 * math.sqrt(max(won + lost - (won - lost) ** 2 / max(n, 1), 0.0)) / max(n, 1)
    ends = (100 * (middle - half), 100 * (middle + half))
    return {
        "n": n, "won": won, "lost": lost, "points": round(100 * middle, 1),
        "low": round(ends[0], 1), "high": round(ends[1], 1),
    }  # fmt: skip


def reported(
    sets: Sequence[Path], answers: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[dict[str, Any], list[str]]:
    """The report as data and as Markdown. The instances are those that ours answered."""
    report: dict[str, Any] = {}
    lines = ["# Rankers side by side", ""]
    for file in sets:
        rows = [row for row in rows_of([file]) if row["instance_id"] in answers[OURS]]
        everyone = {
            name: [
                placed(row, own[row["instance_id"]]) for row in rows if row["instance_id"] in own
            ]
            for name, own in answers.items()
        }
        told = {name: _told(everyone[OURS], own) for name, own in everyone.items() if own}
        report[file.stem] = told
        lines += [f"## {file.stem}", "", "| | n | " + " | ".join(SHOWN) + " |"]
        lines += ["|---" * (len(SHOWN) + 2) + "|"]
        lines += [
            f"| {name} | {one['n']} | " + " | ".join(str(one[shown]) for shown in SHOWN) + " |"
            for name, one in told.items()
        ]
        lines += ["", "Wilson intervals, 95 %, and ours less the other in points (won, lost):", ""]
        lines += [f"- {name}: {_sentence(one)}" for name, one in told.items()]
        lines.append("")
    return report, lines


def _told(ours: Sequence[Placed], own: Sequence[Placed]) -> dict[str, Any]:
    told: dict[str, Any] = dict(figures(own))
    told["intervals"] = {
        f"hit@{k}": [round(100 * edge, 1) for edge in wilson(told[f"hit@{k}"] / 100, len(own))]
        for k in PAIRED
    }
    if own is not ours:
        told["ours_less"] = {f"hit@{k}": paired(ours, own, k) for k in PAIRED}
    return told


def _sentence(one: Mapping[str, Any]) -> str:
    parts = [f"{name} {low}–{high}" for name, (low, high) in one["intervals"].items()]
    for name, less in one.get("ours_less", {}).items():
        parts.append(
            f"{name} {less['points']:+} ({less['low']:+} to {less['high']:+};"
            f" {less['won']}, {less['lost']})"
        )
    return "; ".join(parts)


if __name__ == "__main__":
    main()
