"""The peer, git's own grep and Citator: one machine, one corpus, the same questions, one run.

    nice python -m bench.peer.compare --peer PEER/bin/python --mirrors CLONES --sets SETS \
        --onnx model.onnx --tokenizer tokenizer.json --scratch DIR

``PEER`` is a virtual environment of its own with ``bruriah==2.2.1``; the sentence model is a
stand-in (see ``minilm.py``). ``SETS`` holds what ``bench/data/prepare_retrieval.py`` writes; sets
that are not there are left out and said. Writes ``bench/peer/results.json``: scores, ranks by
question id, costs, the machine. Citator is measured with its default settings.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.data.mirror import find_clone, git
from bench.data.questions import read_rows
from bench.peer import git_grep, history
from bench.peer.scores import score_set

HERE = Path(__file__).resolve().parent
OWN = HERE.parent / "data"
SIZES = (500, 2_000, 8_000)
CORPORA = {
    "leonardoprimero/bruriah": [
        f"bruriah-{language}" for language in ("en", "es", "de", "fr", "pt", "zh")
    ],
    "emilk/egui": ["egui-en", "egui-es"],
}
# What the peer publishes for its own default model, which cannot be downloaded here.
PUBLISHED = {
    "source": "the peer's README at 2.2.1 and its rank files; its own corpus sizes and machine",
    "bruriah-en": {"model": "jina-v2-base-es", "recall_at_3": 0.75, "recall_at_10": 0.917},
    "bruriah-es": {"model": "jina-v2-base-es", "recall_at_3": 0.75, "recall_at_10": 0.917},
    "egui-en": {"model": "jina-v2-base-es", "recall_at_3": 0.518, "recall_at_10": 0.723},
}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where things are."""

    peer: Path
    mirrors: Path
    sets: Path
    onnx: Path
    tokenizer: Path
    scratch: Path

    def run_peer(self, repo: Path, sets: Sequence[Path], name: str, model: str) -> dict[str, Any]:
        """The peer in its own environment."""
        command = [str(self.peer), "-m", "bench.peer.bruriah_run", "--model", model]
        if model == "minilm":
            command += ["--onnx", str(self.onnx), "--tokenizer", str(self.tokenizer)]
        return self._run(command, repo, sets, f"peer-{name}")

    def run_ours(self, repo: Path, sets: Sequence[Path], name: str, *more: str) -> dict[str, Any]:
        """Citator in this environment, in a process of its own."""
        command = [sys.executable, "-m", "bench.peer.citator_run", *more]
        return self._run(command, repo, sets, f"ours-{name}")

    def _run(
        self, command: Sequence[str], repo: Path, sets: Sequence[Path], name: str
    ) -> dict[str, Any]:
        work = self.scratch / name
        given = ["--repo", str(repo), "--work", str(work), "--set", *map(str, sets)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [*command, *given],
            capture_output=True,
            check=True,
            env=environment,
            cwd=HERE.parents[1],
        )
        shutil.rmtree(work, ignore_errors=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def retrieval(bench: Bench, repo: str, names: Sequence[str]) -> dict[str, Any]:
    """One corpus: every set that is there, every system."""
    clone = find_clone(bench.mirrors, repo)
    paths = {name: found for name in names if (found := set_path(bench.sets, name)) is not None}
    if clone is None or not paths:
        return {"left_out": "no clone" if clone is None else "no sets"}
    peer = bench.run_peer(clone, list(paths.values()), repo.replace("/", "+"), "minilm")
    ours = bench.run_ours(clone, list(paths.values()), repo.replace("/", "+"), "--served")
    answers = {
        "peer, MiniLM": peer["legs"]["both"]["ranked"],
        "peer, lexical": peer["legs"]["lexical"]["ranked"],
        "citator, command line": ours["legs"]["both"]["ranked"],
        "citator, command line, with silence": ours["legs"]["whole"]["ranked"],
        "citator, served": ours["legs"]["served both"]["ranked"],
        "citator, served, with silence": ours["legs"]["served whole"]["ranked"],
        **grep(clone, list(paths.values())),
    }
    scored = {
        name: {system: _scored(path, ranked) for system, ranked in answers.items()}
        for name, path in paths.items()
    }
    left_out = [name for name in names if name not in paths]
    return {
        "sets": scored,
        "left_out": left_out,
        "cost": {"peer": costs(peer), "citator": costs(ours)},
    }


def set_path(sets: Path, name: str) -> Path | None:
    """Our own words stand in this project, other sets where the caller built them."""
    places = (OWN / f"{name}.jsonl", sets / f"{name}.jsonl")
    return next((path for path in places if path.is_file()), None)


def _scored(path: Path, ranked: Mapping[str, Sequence[str]]) -> dict[str, object]:
    rows = read_rows(path)
    return score_set(
        rows, {str(row["id"]): ranked[f"{row['id']}/{row['language']}"] for row in rows}
    )


def grep(clone: Path, paths: Sequence[Path]) -> dict[str, dict[str, list[str]]]:
    """``git log --grep`` over the explained commits the peer is given: those with a body."""
    rows = [row for path in paths for row in read_rows(path)]
    (at,) = {str(row["at_commit"]) for row in rows}
    text = git(clone, "log", "-z", "--no-merges", "--format=tformat:%H%x01%b%x01%B", at)
    records = [record.split("\x01", 2) for record in text.split("\0") if record]
    messages = {oid: whole.casefold() for oid, body, whole in records if body.strip()}
    return {
        f"git log --grep, {rule}": {
            f"{row['id']}/{row['language']}": git_grep.ranked(str(row["query"]), messages, rule)[
                :50
            ]
            for row in rows
        }
        for rule in ("all", "most")
    }


def scale(bench: Bench, commits: int) -> dict[str, Any]:
    """A made-up history of this many commits: what each system costs on it."""
    repo = bench.scratch / f"history-{commits}"
    shutil.rmtree(repo, ignore_errors=True)
    tip = history.make(repo, commits)
    asked = bench.scratch / f"history-{commits}.jsonl"
    history.write_questions(asked, history.questions(commits, tip))
    peer = bench.run_peer(repo, [asked], f"scale-{commits}", "hashed")
    ours = bench.run_ours(repo, [asked], f"scale-{commits}")
    return {"commits": commits, "peer, no model": costs(peer), "citator": costs(ours)}


def costs(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a run cost, without what it answered."""
    kept = {key: value for key, value in found.items() if key != "legs"}
    legs = {
        leg: {key: value for key, value in measured.items() if key != "ranked"}
        for leg, measured in found["legs"].items()
    }
    return {**kept, "legs": legs}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything once and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    for name in ("peer", "mirrors", "sets", "onnx", "tokenizer", "scratch"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    given = parser.parse_args(arguments)
    bench = Bench(
        given.peer, given.mirrors, given.sets, given.onnx, given.tokenizer, given.scratch.resolve()
    )
    bench.scratch.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "cpus": os.cpu_count(),
            "load_at_start": os.getloadavg()[0],
        },
        "retrieval": {},
        "scale": [],
        "published": PUBLISHED,
    }
    for repo, names in CORPORA.items():
        result["retrieval"][repo] = retrieval(bench, repo, names)
        _write(given.out, result)
    for commits in given.sizes:
        result["scale"].append(scale(bench, commits))
        _write(given.out, result)
    return 0


def _write(path: Path, result: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
