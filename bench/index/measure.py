"""What the history index costs, from a thousand passages to a million. Run:

    python -m bench.index.measure 1000 16000 100000 1000000

Writes ``bench/index/results.json``. Times are CPU milliseconds of the process (all its threads)
unless they say wall; the generator's own time is taken out of the build's. Each size runs in a
process of its own, for its peak memory.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.index.corpus import VERSIONS, Corpus, key_of, questions

from citator.index.analysis import Analyser
from citator.index.history import TantivyHistory
from citator.index.protocol import Batch, DocumentKey, View, ViewChange, WeightedTerm
from citator.model.document import Document
from citator.model.reference import DocumentKind
from citator.store.files import usage

RESULTS = Path(__file__).with_name("results.json")
LIMIT = 50
QUERIES = 200


class Metered:
    """Documents whose making is timed, so that it can be taken out; keeps some texts.

    ``ids`` are kept packed, so that what is measured is the index and not this list.
    """

    def __init__(self, documents: Iterator[Document]) -> None:
        self._documents = documents
        self.seconds = 0.0
        self.ids = bytearray()
        self.texts: list[str] = []
        self.passages = 0
        self._chosen = random.Random(11)

    def __iter__(self) -> Iterator[Document]:
        while True:
            start = time.thread_time()
            document = next(self._documents, None)
            self.seconds += time.thread_time() - start
            if document is None:
                return
            self.ids += bytes.fromhex(document.object_id)
            self.passages += len(document.passages)
            for passage in document.passages:
                if len(self.texts) < 5_000:
                    self.texts.append(passage.text)
                else:
                    at = self._chosen.randrange(self.passages)
                    if at < 5_000:
                        self.texts[at] = passage.text
            yield document

    @property
    def count(self) -> int:
        """How many documents there were."""
        return len(self.ids) // 20

    def keys(self, step: int = 1) -> Iterator[DocumentKey]:
        """The keys of the documents (commits all), or of one in ``step``."""
        for at in range(0, len(self.ids), 20 * step):
            yield DocumentKey(DocumentKind.COMMIT, self.ids[at : at + 20].hex())


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and maximum, in the unit given."""
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 3),
        "max": round(ordered[-1], 3),
    }


def timed(work: Callable[[Any], object], items: Sequence[Any]) -> dict[str, dict[str, float]]:
    """CPU and wall milliseconds of ``work`` on each item, after five to warm up."""
    for item in items[:5]:
        work(item)
    cpu, wall = [], []
    for item in items:
        before, began = time.process_time(), time.perf_counter()
        work(item)
        cpu.append(1000 * (time.process_time() - before))
        wall.append(1000 * (time.perf_counter() - began))
    return {"cpu_ms": spread(cpu), "wall_ms": spread(wall)}


def weighted(asked: Sequence[str]) -> list[list[WeightedTerm]]:
    """Questions as the terms of an index."""
    analyser = Analyser()
    return [[WeightedTerm(term) for term in analyser.terms(one)] for one in asked]


def measure(size: int) -> dict[str, Any]:
    """All measurements at one size."""
    with tempfile.TemporaryDirectory() as folder:
        index = TantivyHistory(Path(folder) / "index", VERSIONS)
        corpus = Corpus()
        documents = Metered(corpus.documents(size))
        result: dict[str, Any] = {"passages": size, "build": built(index, documents)}
        result["build"]["peak_memory_mb"] = round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
        )
        result["build"]["bytes_per_passage"] = round(usage(index.directory) / size, 1)
        raw, content = (weighted(one) for one in questions(documents.texts, QUERIES))
        result["open"] = timed(lambda _: opened(index, "tip"), range(20))
        view = opened(index, "tip")
        result["candidates"] = {"raw": asked(view, raw), "content": asked(view, content)}
        result["rows_10"] = timed(
            lambda terms: view.rows([one.ordinal for one in view.candidates(terms, 10)]), content
        )
        result["one_commit"] = increments(index, corpus, 12)
        hidden = list(documents.keys(99))
        result["one_percent_hidden"] = retired(index, corpus, hidden, raw, content)
        return result


def built(index: TantivyHistory, documents: Metered) -> dict[str, Any]:
    """One fresh build."""
    before, began = time.process_time(), time.perf_counter()
    index.build(Batch("tip", documents, ViewChange(None, documents.keys()), tuple))
    cpu = time.process_time() - before - documents.seconds
    wall = time.perf_counter() - began - documents.seconds
    return {
        "documents": documents.count,
        "cpu_s": round(cpu, 2),
        "wall_s": round(wall, 2),
        "passages_per_cpu_s": round(documents.passages / cpu),
    }


def opened(index: TantivyHistory, tip: str) -> View:
    """The view of a tip, from nothing open."""
    snapshot = index.open()
    assert snapshot is not None
    view = snapshot.view(tip)
    assert view is not None
    return view


def asked(view: View, terms: list[list[WeightedTerm]]) -> dict[str, Any]:
    """The whole of ``candidates``."""
    return timed(lambda one: view.candidates(one, LIMIT), terms)


def increments(index: TantivyHistory, corpus: Corpus, count: int) -> dict[str, Any]:
    """One more commit, several times in a row."""
    base = "tip"
    cpu, wall = [], []
    for n in range(count):
        new = list(corpus.documents(1, start=10_000_000 + n))
        before, began = time.process_time(), time.perf_counter()
        index.build(Batch(f"tip{n}", new, ViewChange(base, map(key_of, new)), tuple))
        cpu.append(1000 * (time.process_time() - before))
        wall.append(1000 * (time.perf_counter() - began))
        base = f"tip{n}"
    return {"cpu_ms": spread(cpu), "wall_ms": spread(wall)}


def retired(
    index: TantivyHistory,
    corpus: Corpus,
    hidden: list[DocumentKey],
    raw: list[list[WeightedTerm]],
    content: list[list[WeightedTerm]],
) -> dict[str, Any]:
    """The same where about one document in a hundred is no longer seen."""
    snapshot = index.open()
    assert snapshot is not None
    tip = snapshot.tip
    assert tip is not None
    before = time.process_time()
    made = snapshot.view("branch", lambda: ViewChange(tip, [], hidden))
    cost = 1000 * (time.process_time() - before)
    assert made is not None
    new = list(corpus.documents(1, start=20_000_000))
    index.build(Batch("mixed", new, ViewChange(tip, map(key_of, new), hidden), tuple))
    view = opened(index, "mixed")
    return {
        "documents": len(hidden),
        "make_view_cpu_ms": round(cost, 1),
        "open": timed(lambda _: opened(index, "mixed"), range(20)),
        "candidates": {"raw": asked(view, raw), "content": asked(view, content)},
        "one_commit": increments_from(index, corpus, "mixed"),
    }


def increments_from(index: TantivyHistory, corpus: Corpus, base: str) -> dict[str, Any]:
    """One more commit on top of a view that hides something."""
    cpu = []
    for n in range(3):
        new = list(corpus.documents(1, start=30_000_000 + n))
        before = time.process_time()
        index.build(Batch(f"{base}{n}", new, ViewChange(base, map(key_of, new)), tuple))
        cpu.append(1000 * (time.process_time() - before))
        base = f"{base}{n}"
    return {"cpu_ms": spread(cpu)}


def main() -> None:
    """Measure the sizes asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    results = []
    context = multiprocessing.get_context("spawn")
    for size in arguments.sizes:
        with context.Pool(1) as pool:
            results.append(pool.apply(measure, (size,)))
        print(json.dumps(results[-1], indent=1))
    said = {
        "command": f"python -m bench.index.measure {' '.join(map(str, arguments.sizes))}",
        "python": platform.python_version(),
        "platform": sys.platform,
        "limit": LIMIT,
        "queries": QUERIES,
        "sizes": results,
    }
    arguments.output.write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
