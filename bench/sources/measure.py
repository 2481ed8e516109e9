"""Cost of turning raw commits and Markdown into documents, and how many commits explain themselves.

    python -m bench.sources.measure REPO… [--out results.json]

Raw commits are read from git first and not counted; figures are CPU time of one process.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

from citator.formats.config import Config
from citator.git.history import commits
from citator.git.records import Repository
from citator.git.repository import discover, head
from citator.git.trees import entries
from citator.sources.commits import CommitTally
from citator.sources.markdown import MarkdownSource
from citator.sources.versions import VERSIONS


def of_commits(repo: Repository, tip: str) -> dict[str, Any]:
    """Commits to documents."""
    raws = list(commits(repo, tip))
    tally = CommitTally()
    start = time.process_time()
    documents = [tally.read(raw) for raw in raws]
    seconds = time.process_time() - start
    passages = sum(len(one.passages) for one in documents if one is not None)
    bodies = sum(len(raw.parents) < 2 and "\n\n" in raw.message.strip() for raw in raws)
    return {
        **tally.details(),
        "commits_with_body_no_merges": bodies,
        "share_explained": round(tally.share or 0.0, 3),
        "redactions": tally.redactions,
        "passages": passages,
        "passages_per_second": round(passages / seconds),
        "microseconds_per_commit": round(seconds * 1e6 / len(raws), 1),
    }


def of_markdown(repo: Repository, tip: str) -> dict[str, Any]:
    """Markdown files to documents, reading blobs included."""
    found = list(entries(repo, tip))
    source = MarkdownSource(repo, Config())
    start = time.process_time()
    documents = list(source.documents(found))
    seconds = time.process_time() - start
    passages = sum(len(one.passages) for one in documents)
    return {
        "documents": len(documents),
        "records": sum(one.adr_status is not None for one in documents),
        "passages": passages,
        "passages_per_second": round(passages / seconds) if passages else 0,
        "facts": {fact.limit.value: fact.count for fact in source.facts},
    }


def main() -> None:
    """Measure each repository and write the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repo", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    options = parser.parse_args()
    results: dict[str, Any] = {"versions": VERSIONS, "python": platform.python_version()}
    for path in options.repo:
        repo = discover(path)
        tip = head(repo).commit
        if tip is not None:
            results[path.resolve().parent.name] = {
                "head": tip,
                "commits": of_commits(repo, tip),
                "markdown": of_markdown(repo, tip),
            }
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
