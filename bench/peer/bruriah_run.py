"""Drive the peer (bruriah 2.2.1) as its own command line drives itself, and measure it.

    PEER/bin/python -m bench.peer.bruriah_run --repo CLONE --set SET.jsonl --work DIR \\
        --model minilm --onnx model.onnx --tokenizer tokenizer.json

Runs in the peer's own environment (``pip install bruriah==2.2.1``); none of its code is here.
One JSON object on standard output. Times are CPU seconds of this process and its children; wall
time stands beside them. A question's budgets are raised to the peer's own maximum, as its own
evaluation does, so that the ranking is measured and not the budget; documents are scored.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import resource
import shutil
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.peer.minilm import DIMENSIONS, Embed, hashed, minilm
from bench.peer.spent import Spent, timed

POLICY = "version: 1\ninclude: ['**']\nexclude: []\n"
DEPTH = 50


class Peer:
    """The peer's public steps over one scratch directory: corpus, index, open, search."""

    def __init__(self, work: Path, embed: Embed, model: str) -> None:
        self._cli = importlib.import_module("bruriah.cli")
        self._corpus = importlib.import_module("bruriah.gitcorpus")
        self._runner = importlib.import_module("bruriah.index_runner")
        self._retrieval = importlib.import_module("bruriah.retrieval")
        self._contracts = importlib.import_module("bruriah.contracts")
        platform = importlib.import_module("bruriah.platform")
        self._embed, self._model = embed, model
        self.notes, self._policy = work / "notes", work / "policy.yaml"
        self._paths = platform.PlatformPaths(
            *(work / name for name in ("config", "data", "cache", "log"))
        )
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self._policy.write_text(POLICY, "utf-8")

    def write_corpus(self, repo: Path, revision: str) -> Any:
        return self._corpus.build(repo, self.notes, revision=revision)

    def index(self) -> Any:
        return self._runner.run_index(
            self._paths,
            self.notes,
            self._policy,
            model_name=self._model,
            embedder_factory=self._factory,
        )

    def open(self) -> Any:
        return self._cli.build_serve_deps(self._paths, embedder_factory=self._factory)

    def search(self, deps: Any, question: str, legs: str = "both") -> list[str]:
        """Commit ids (or file names) in rank order, each once."""
        budgets = self._contracts.Budgets(
            max_candidates=200, max_extracted_chars=200_000, max_elapsed_ms=120_000
        )
        embed = deps.embed_query if legs == "both" else None
        found = self._retrieval.search(deps.snapshot, question, budgets, embed_query=embed)
        names = [match.commit or match.relative_path for match in found.matches]
        return list(dict.fromkeys(names))

    def bytes_on_disk(self) -> int:
        data = self._paths.data_dir
        return sum(path.stat().st_size for path in data.rglob("*.sqlite3"))

    def _factory(self, model: str) -> tuple[Embed, str, int]:
        fingerprint = {
            "artifact": model,
            "artifact_sha256": "0" * 64,
            "pooling": "mean",
            "runtime": "stand-in",
            "snapshot": "stand-in",
            "source": "local",
        }
        form = json.dumps(fingerprint, sort_keys=True, separators=(",", ":"))
        return self._embed, form, DIMENSIONS


def measure(peer: Peer, repo: Path, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Build the corpus of the rows' commit, index it, ask everything, and say what each cost."""
    (at,) = {row["at_commit"] for row in rows}
    written, corpus_spent = timed(lambda: peer.write_corpus(repo, at))
    built, index_spent = timed(peer.index)
    deps, open_spent = timed(peer.open)
    return {
        "documents": written.written,
        "passages": built.passages,
        "corpus": asdict(corpus_spent),
        "index": asdict(index_spent),
        "open": asdict(open_spent),
        "passages_per_cpu_second": round(built.passages / (corpus_spent.cpu + index_spent.cpu), 1),
        "bytes": peer.bytes_on_disk(),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "legs": {leg: ask_all(peer, deps, rows, leg) for leg in ("both", "lexical")},
    }


def ask_all(peer: Peer, deps: Any, rows: Sequence[dict[str, Any]], leg: str) -> dict[str, Any]:
    """The ranked documents of every question, and the median cost of one by language."""
    ranked: dict[str, list[str]] = {}
    spent: dict[str, list[Spent]] = {}
    for row in rows:
        found, cost = timed(lambda row=row: peer.search(deps, row["query"], leg))  # type: ignore[misc]
        ranked[f"{row['id']}/{row['language']}"] = found[:DEPTH]
        spent.setdefault(row["language"], []).append(cost)
    return {
        "ranked": ranked,
        "query_cpu_ms_p50": {of: _median_ms(c.cpu for c in costs) for of, costs in spent.items()},
        "query_wall_ms_p50": {of: _median_ms(c.wall for c in costs) for of, costs in spent.items()},
    }


def _median_ms(seconds: Iterable[float]) -> float:
    return round(statistics.median(list(seconds)) * 1000, 2)


def main() -> int:
    """Measure one set on one repository and print the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--set", type=Path, nargs="+", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", choices=["minilm", "hashed"], default="hashed")
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    options = parser.parse_args()
    # Clones that lack their largest files cannot answer rename detection, which the peer leaves on.
    os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.renames"}
    os.environ["GIT_CONFIG_VALUE_0"] = "false"
    embed = minilm(options.onnx, options.tokenizer) if options.model == "minilm" else hashed()
    texts = [path.read_text("utf-8") for path in options.set]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    found = measure(Peer(options.work, embed, options.model), options.repo, rows)
    peer = f"bruriah {importlib.metadata.version('bruriah')}"
    print(json.dumps({"peer": peer, "model": options.model, **found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
