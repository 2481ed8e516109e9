"""The history index over real histories: what it costs to build, to open and to ask. Run:

    python -m bench.index.real rails=PATH/rails/.git django=PATH/django/.git

Writes ``bench/index/real.json``: numbers alone, nothing of the repositories' text. Commits only:
what the Markdown of a tree adds is measured with the whole build in ``bench/build``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.index.corpus import questions
from bench.index.measure import (
    LIMIT,
    QUERIES,
    Metered,
    asked,
    built,
    opened,
    timed,
    weighted,
)

from citator.git import history, repository
from citator.index.history import TantivyHistory
from citator.model.document import Document
from citator.sources.commits import document_of
from citator.store.files import usage

RESULTS = Path(__file__).with_name("real.json")


def documents_of(path: Path) -> Iterator[Document]:
    """The commits of HEAD that explain themselves."""
    repo = repository.discover(path)
    head = repository.head(repo).commit
    assert head is not None
    with history.commits(repo, head) as walk:
        for raw in walk:
            document = document_of(raw)
            if document is not None:
                yield document


def measure(name: str, path: Path) -> dict[str, Any]:
    """All measurements over one repository."""
    with tempfile.TemporaryDirectory() as folder:
        index = TantivyHistory(Path(folder) / "index")
        documents = Metered(documents_of(path))
        result: dict[str, Any] = {"repository": name, "build": built(index, documents)}
        result["passages"] = documents.passages
        result["build"]["reading_cpu_s"] = round(documents.seconds, 2)
        result["build"]["peak_memory_mb"] = round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
        )
        result["build"]["bytes_per_passage"] = round(
            usage(index.directory) / max(documents.passages, 1), 1
        )
        words = sum(len(text.split()) for text in documents.texts)
        result["words_per_passage"] = round(words / max(len(documents.texts), 1), 1)
        raw, content = (weighted(one) for one in questions(documents.texts, QUERIES))
        result["open"] = timed(lambda _: opened(index, "tip"), range(20))
        view = opened(index, "tip")
        result["candidates"] = {"raw": asked(view, raw), "content": asked(view, content)}
        return result


def main() -> None:
    """Measure the repositories named and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", metavar="NAME=PATH")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    named = [one.partition("=") for one in arguments.repositories]
    results = []
    context = multiprocessing.get_context("spawn")
    for name, _, path in named:
        with context.Pool(1) as pool:
            results.append(pool.apply(measure, (name, Path(path))))
        print(json.dumps(results[-1], indent=1))
    said = {
        "command": "python -m bench.index.real " + " ".join(f"{name}=…" for name, _, _ in named),
        "limit": LIMIT,
        "queries": QUERIES,
        "repositories": results,
    }
    arguments.output.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
