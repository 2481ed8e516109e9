"""What a search of the record costs at a thousand decisions and at ten thousand.

    python -m bench.decisions.scale --scratch DIR --out bench/decisions/results [--beside]

- The decisions are generated from a seed: words whose frequencies fall off as in a language, a
  title, a ruling and about a page of text, a scope, labels.
- Processor time of this process, one thread. ``documents`` is the gate and the redaction of every
  text, ``build`` the index from there, ``open`` the first use of what is on disk in a new
  process: open, verify, read one text. ``search`` is a whole search with an analyser that is warm.
- ``--beside`` asks the same of the engine that holds the history, with one document a decision.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.retrieval.lab import one_thread

from citator.index.analysis import Analyser
from citator.index.partition_building import build
from citator.index.partition_store import Partitions
from citator.index.partition_texts import identity
from citator.model.record import Item, ItemKind, RecordStatus, Revision, Sensitivity
from citator.model.visibility import Audience
from citator.record.state import RecordState
from citator.search.decisions import search_decisions
from citator.search.search import search
from citator.sources.decisions import Decision, decisions_for

SIZES = (1_000, 10_000)
QUESTIONS = 200
DAY = "2026-01-01T00:00:00Z"
SYLLABLES = [one + two for one in "bcdfghjklmnprstv" for two in "aeiou"]
OPEN = """
import sys, time
from pathlib import Path
began = time.process_time()
import numpy
from citator.index.partition_store import Partitions
print(time.process_time() - began)
began = time.process_time()
partition = Partitions(Path(sys.argv[1])).open(sys.argv[2])
partition.read(0)
print(time.process_time() - began)
"""


class Language:
    """Words that fall off in frequency as in a language."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        words = {
            "".join(self._random.choices(SYLLABLES, k=self._random.randint(2, 4)))
            for _ in range(20_000)
        }
        self.words = sorted(words)
        self._random.shuffle(self.words)
        weights = [1 / (rank + 10) for rank in range(len(self.words))]
        self._cumulated = list(itertools.accumulate(weights))

    def say(self, count: int) -> str:
        """Some words."""
        return " ".join(self._random.choices(self.words, cum_weights=self._cumulated, k=count))

    def item(self, number: int) -> Item:
        """One decision."""
        body = "\n\n".join(self.say(self._random.randint(30, 90)) for _ in range(5))
        name = f"{number:08}"
        revision = Revision(
            id=f"R{name}",
            digest=hashlib.sha256(name.encode()).hexdigest(),
            title=self.say(7),
            ruling=self.say(14),
            body=body,
            author="",
            created_at=DAY,
            valid_from=DAY,
            labels=(f"label-{number % 20}",),
            paths=(f"src/area{number % 50}/**",),
        )
        return Item(
            f"I{name}",
            list(ItemKind)[number % len(ItemKind)],
            "team",
            Sensitivity.INTERNAL,
            RecordStatus.APPROVED,
            DAY,
            revision.id,
            (revision,),
        )

    def question(self, decision: Decision) -> str:
        """Some words of a title, and two that need not stand anywhere near."""
        title = decision.document.subject.split()
        return f"why {' '.join(self._random.sample(title, 4))} {self.say(2)}?"


def spent(action: Callable[[], Any]) -> tuple[Any, float]:
    """What an action gives, and the processor time it took in seconds."""
    began = time.process_time()
    found = action()
    return found, time.process_time() - began


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """The middle and the 95th of a hundred, in milliseconds."""
    ordered = sorted(times)
    return {
        "p50 ms": round(1000 * ordered[len(ordered) // 2], 2),
        "p95 ms": round(1000 * ordered[int(0.95 * len(ordered))], 2),
    }


def measured(size: int, scratch: Path, *, beside: bool) -> dict[str, Any]:
    """Every figure at one size."""
    language = Language(size)
    items = {one.id: one for one in map(language.item, range(size))}
    state = RecordState(items=items)
    decisions, of_documents = spent(lambda: decisions_for(Audience(), state))
    identified, of_identity = spent(lambda: identity(decisions))
    _, of_build = spent(lambda: build(decisions))
    folder = scratch / f"partitions-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    partitions = Partitions(folder)
    partition = partitions.of(decisions)
    questions = [language.question(one) for one in random.Random(5).choices(decisions, k=QUESTIONS)]
    analyser = Analyser()
    times, first = [], 0
    for question in questions:
        found, time_taken = spent(lambda: search_decisions(partition, question, analyser=analyser))  # noqa: B023
        times.append(time_taken)
        first += bool(found.hits)
    result: dict[str, Any] = {
        "passages": partition.units,
        "documents s": round(of_documents, 3),
        "identity s": round(of_identity, 3),
        "build s": round(of_build, 3),
        "size MB": round(sum(one.stat().st_size for one in folder.rglob("*.arrays")) / 1e6, 1),
        **_opened(folder, identified),
        "search": {**percentiles(times), "answered": first, "of": QUESTIONS},
    }
    if beside:
        result["beside"] = _beside(decisions, questions, scratch / f"history-{size}")
    return result


def _opened(folder: Path, identified: str) -> dict[str, float]:
    """In a new process: what importing costs, and what opening does."""
    ran = [sys.executable, "-c", OPEN, str(folder), identified]
    said = [
        [float(line) for line in subprocess.check_output(ran, text=True).split()] for _ in range(7)
    ]
    return {
        "import ms": round(1000 * sorted(one[0] for one in said)[3], 1),
        "open ms": round(1000 * sorted(one[1] for one in said)[3], 1),
    }


def _beside(
    decisions: Sequence[Decision], questions: Sequence[str], folder: Path
) -> dict[str, Any]:
    """The history's engine over the same texts, as commits."""
    from dataclasses import replace

    from citator.index.history import TantivyHistory
    from citator.index.protocol import Batch, DocumentKey, ViewChange
    from citator.model.reference import DocumentKind
    from citator.search.search import Options

    shutil.rmtree(folder, ignore_errors=True)
    documents = [replace(one.document, kind=DocumentKind.COMMIT) for one in decisions]
    keys = [DocumentKey(one.kind, one.object_id) for one in documents]
    tip = "0" * 40
    index = TantivyHistory(folder)
    _, of_build = spent(
        lambda: index.build(Batch(tip, documents, ViewChange(None, keys), tuple, fresh=True))
    )
    snapshot, of_open = spent(index.open)
    assert snapshot is not None
    view = snapshot.view(tip)
    analyser = Analyser()
    times = []
    for question in questions:
        _, taken = spent(lambda: search(view, question, Options(8), analyser=analyser))  # noqa: B023
        times.append(taken)
    snapshot.close()
    return {
        "build s": round(of_build, 3),
        "open ms": round(1000 * of_open, 1),
        "size MB": round(sum(one.stat().st_size for one in folder.rglob("*.*")) / 1e6, 1),
        "search": percentiles(times),
    }


def main() -> None:
    """Measure each size and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    options = parser.parse_args()
    one_thread()
    found = {}
    for size in options.sizes:
        found[str(size)] = measured(size, options.scratch, beside=options.beside)
        print(size, json.dumps(found[str(size)]), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "scale.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
