"""Measure a whole search in process, from a thousand passages to a million.

    python -m bench.retrieval.latency --scratch DIR --out RESULTS.json 1000 16000 100000 1000000

- The corpus is made (``bench/index/corpus.py``): Zipf words of a fixed seed, nobody's text. An
  index that is under ``--scratch`` already is opened, not built again.
- ``why``: a question word and four to six content words of a passage, among function words;
  ``raw``: 8 to 12 words of a passage in a row; ``title``: its content words alone; ``unknown``:
  as ``why``, with one word that no passage holds; ``commit``: a commit's id.
- CPU is that of the process, all threads; wall stands beside it and means little on a busy
  machine. ``candidates`` is what of it the index takes for the same words.
- The lexical search alone; vectors and other languages have their own bench.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.index.corpus import FUNCTION_WORDS, VERSIONS, Corpus, key_of, questions

from citator.index.analysis import Analyser
from citator.index.history import TantivyHistory
from citator.index.protocol import Batch, DocumentKey, Snapshot, View, ViewChange, WeightedTerm
from citator.search.abstention import Calibration, calibrate
from citator.search.search import DEPTH, search

TIP = "0" * 40
COUNT = 200


def opened(folder: Path, passages: int) -> Snapshot:
    """The made history of that size, built where it is not there yet."""
    index = TantivyHistory(folder, VERSIONS)
    found = index.open()
    if found is not None:
        return found
    keys: list[DocumentKey] = []

    def documents() -> Any:
        for document in Corpus().documents(passages):
            keys.append(key_of(document))
            yield document

    index.build(Batch(TIP, documents(), ViewChange(None, keys), tuple, fresh=True))
    built = index.open()
    assert built is not None
    return built


def asked(view: View, passages: int) -> dict[str, list[str]]:
    """The questions, kind by kind."""
    chosen = random.Random(5)
    ordinals = sorted(chosen.sample(range(passages), min(passages, 1_000)))
    rows = view.rows(ordinals)
    raw, titles = questions([row.text for row in rows], COUNT)
    why = []
    for title in titles:
        words = title.split()[: chosen.randint(4, 6)]
        joined = f" {chosen.choice(FUNCTION_WORDS)} ".join(words)
        why.append(f"{chosen.choice(['why did', 'why does', 'what made'])} the {joined}?")
    return {
        "why": why,
        "raw": raw,
        "title": titles,
        "unknown": [f"{text[:-1]} quibbleworthy?" for text in why],
        "commit": [f"why {row.object_id[:10]}" for row in rows[:COUNT]],
    }


def measured(view: View, texts: Sequence[str], calibration: Calibration) -> dict[str, Any]:
    """What the questions cost: p50 and p95 in milliseconds."""
    analyser = Analyser()
    for text in texts[:5]:
        search(view, text, calibration=calibration, analyser=analyser)
    whole = [
        _spent(lambda text=text: search(view, text, calibration=calibration, analyser=analyser))  # type: ignore[misc]
        for text in texts
    ]
    terms = [[WeightedTerm(term) for term in dict.fromkeys(analyser.terms(text))] for text in texts]
    index = [_spent(lambda one=one: view.candidates(one, DEPTH)) for one in terms]  # type: ignore[misc]
    return {
        "cpu": _quantiles([cpu for cpu, _ in whole]),
        "wall": _quantiles([wall for _, wall in whole]),
        "candidates_cpu": _quantiles([cpu for cpu, _ in index]),
    }


def _spent(step: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    step()
    return (time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    cut = statistics.quantiles(values, n=20)
    return {"p50": round(statistics.median(values), 2), "p95": round(cut[18], 2)}


def main() -> None:
    """Measure every size and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("passages", type=int, nargs="+")
    options = parser.parse_args()
    sizes: dict[str, Any] = {}
    for passages in options.passages:
        with closing(opened(options.scratch / f"made-{passages}", passages)) as snapshot:
            view = snapshot.view(TIP)
            assert view is not None
            start = time.process_time()
            calibration = calibrate(view, Analyser())
            calibrated = (time.process_time() - start) * 1000
            kinds = asked(view, passages)
            sizes[str(passages)] = {
                "calibrate_cpu": round(calibrated, 1),
                **{kind: measured(view, texts, calibration) for kind, texts in kinds.items()},
            }
        print(passages, json.dumps(sizes[str(passages)]), flush=True)
    result = {
        "unit": "milliseconds",
        "machine": {"python": platform.python_version(), "processor": platform.machine()},
        "passages": sizes,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
