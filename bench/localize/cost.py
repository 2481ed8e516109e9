"""What locating costs on one repository: from nothing, one commit later, warm, and as a process.

    python -m bench.localize.cost --clone DIR --scratch DIR --out COST.json SET.jsonl

- Processor time (this process and the git it starts), never wall time. ``DIR`` is a clone or a
  mirror; questions are the issues of SET that belong to ``--repo``.
- *One commit*: the index of the parent is there, that of the commit is asked for.
- *Warm*: scenes are in memory, as a server holds them; everything after the text came in.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from bench.localize.mirrors import rows_of

from citator.git import repository
from citator.git.revisions import commit_named
from citator.index.code.building import CodeIndex
from citator.index.code.words import Words
from citator.locate.functions import Functions
from citator.locate.fusion import shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank
from citator.locate.reasons import Reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--clone", required=True, type=Path)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    texts = [r["problem_statement"] for r in rows_of(said.sets) if r["repo"] == said.repo]
    measured = {"repo": said.repo, **measure(said.clone, said.scratch / "cost", texts[:100])}
    said.out.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    print(json.dumps(measured))


def spent() -> float:
    """Processor seconds of this process and of the children it waited for."""
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measure(clone: Path, scratch: Path, texts: list[str]) -> dict[str, object]:
    """All figures of one repository."""
    shutil.rmtree(scratch, ignore_errors=True)
    repo = repository.discover(clone)
    head = repository.head(repo).commit
    assert head is not None
    parent = commit_named(repo, "HEAD~1")
    words = Words()
    began = spent()
    with CodeIndex(repo, scratch / "code", words) as index:
        scenes_of(index, parent)
        from_nothing = spent() - began
        began = spent()
        scenes = scenes_of(index, head)
        one_commit = spent() - began
    store = scratch / "code" / "facts.sqlite"
    files = sum(scene.size for scene in scenes)
    return {
        "files": files,
        "sources": scenes[0].size,
        "from_nothing_seconds": round(from_nothing, 1),
        "one_commit_ms": round(1000 * one_commit),
        **answered(scenes, texts, words),
        "store_bytes_per_file": round(store.stat().st_size / files),
        "snapshot_bytes_per_file": round(
            sum(one.stat().st_size for one in (scratch / "code").glob("*.arrays")) / 2 / files
        ),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "process_ms": _process(clone, scratch, texts[0]),
    }


def answered(scenes: tuple[Scene, ...], texts: list[str], words: Words) -> dict[str, float]:
    """The processor time of answers when scenes are in memory; the first three do not count."""
    model = shipped()
    times: list[float] = []
    for text in [*texts[:3], *texts]:
        began = time.process_time()
        issue = read_issue(text, words)
        ranked = rank(issue, scenes, model, 10)
        reasons = [Reasons(issue, scene) for scene in scenes]
        functions = [Functions(issue, scene, model.functions) for scene in scenes]
        for one in ranked:
            reasons[one.scene].of(one.file, one.heard)
            functions[one.scene].best(one.file, 3)
        times.append(time.process_time() - began)
    warm = np.array(times[len(texts[:3]) :]) * 1000
    return {
        "warm_p50_ms": round(float(np.median(warm)), 1),
        "warm_p95_ms": round(float(np.percentile(warm, 95)), 1),
    }


def scenes_of(index: CodeIndex, commit: str) -> tuple[Scene, ...]:
    """What a server holds for one commit."""
    groups = index.parts(commit).groups()
    pasts = index.past(groups, commit)
    return tuple(
        Scene(index.snapshot(group), past) for group, past in zip(groups, pasts, strict=True)
    )


def _process(clone: Path, scratch: Path, text: str) -> int:
    """The processor time of ``citator locate`` as a process, when everything is kept."""
    environment = {
        **os.environ,
        "CITATOR_DATA_DIR": str(scratch / "data"),
        "CITATOR_CONFIG_DIR": str(scratch / "config"),
    }
    command = [sys.executable, "-m", "citator", "locate", "-", "--root", str(clone)]
    best = 0.0
    for turn in range(4):
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, input=text.encode(), env=environment, check=True, capture_output=True
        )
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
        if turn:
            best = took if turn == 1 else min(best, took)
    return round(1000 * best)


if __name__ == "__main__":
    main()
