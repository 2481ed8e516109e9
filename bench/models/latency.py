"""What the word space and the vector leg cost. Run:

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m bench.models.latency 16000 100000 1000000

Writes ``bench/models/latency.json``. CPU milliseconds of the process unless it says otherwise.
The vectors are clustered random unit vectors of 512 numbers that lean one way; recall is
against exact cosines of the same vectors before they were quantised. A million is above the
size at which the leg turns itself off; it is measured to know where that line should be.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citator.index import vector_store
from citator.index.encoders import E5Encoder, Encoder, UseEncoder
from citator.index.lexicon import Lexicon
from citator.index.quantiser import quantised
from citator.index.sketch import sketched
from citator.index.use_tables import ModelMissing
from citator.index.vector_store import REF_BYTES, Placement
from citator.index.vectors import LIKELY
from citator.index.wordspace import WordSpace

RESULTS = Path(__file__).with_name("latency.json")
DIMENSION = 512
QUERIES = 40
TEXT = (
    "Hold the lock while the pointer is promoted. Readers that opened the former generation "
    "keep it; a writer that dies leaves the old one serving, because the name is changed last. "
)

Array = np.ndarray[Any, np.dtype[Any]]

COLD = """
import sys, time
begin = time.process_time()
from pathlib import Path
from citator.index.wordspace import WordSpace
imported = time.process_time()
import numpy
numpied = time.process_time()
space = WordSpace(Path(sys.argv[1]))
space.cut("a")
opened = time.process_time()
space.vectors(sys.argv[2].split())
done = time.process_time()
print(*(round(1000 * (b - a), 1) for a, b in (
    (begin, imported), (imported, numpied), (numpied, opened), (opened, done), (0, done))))
"""


def cpu(work: Callable[[], object]) -> float:
    """CPU milliseconds of ``work``."""
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def word_space(folder: Path) -> dict[str, Any]:
    """Making the tables, opening them in new processes, embedding words."""
    space = WordSpace(folder / "tables")
    made = cpu(lambda: space.vectors(["a"]))
    question = "por qué el techo de las habilidades es cinco y no seis"
    cold = []
    for _ in range(7):
        command = [sys.executable, "-c", COLD, str(folder / "tables"), question]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        cold.append([float(number) for number in said.split()])
    names = ("imports", "numpy", "open", "embed_11_words", "whole_process")
    letters = "abcdefghijklmnopqrst"
    words = ["".join(word) + "ing" for word in itertools.product(letters, repeat=3)]
    lexicon = Lexicon(folder / "lexicon", space)
    corpus = _Words(words)
    filled = cpu(lambda: lexicon.fill(corpus))
    vectors = space.vectors(question.split())
    near = [cpu(lambda: lexicon.nearest(vectors, 0.55)) for _ in range(20)]
    return {
        "make_tables_once": round(made),
        "cold_process": {
            name: statistics.median(row[at] for row in cold) for at, name in enumerate(names)
        },
        "lexicon_fill_per_word": round(filled / len(words), 3),
        "lexicon_nearest_11_words": spread(near),
        "lexicon_words": len(words),
        "tables_mb": round(sum(p.stat().st_size for p in (folder / "tables").iterdir()) / 1e6, 1),
    }


class _Words:
    generation = 1

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def words(self) -> Iterator[tuple[str, int]]:
        return ((word, 2) for word in self._words)


def encoders(folder: Path) -> dict[str, Any]:
    """CPU of opening, a question and a passage of about 120 tokens, for each model there is."""
    return {
        "use": encoder_costs(lambda: UseEncoder(WordSpace(folder / "tables"))),
        "e5": encoder_costs(E5Encoder),
    }


def encoder_costs(make: Callable[[], Encoder]) -> dict[str, Any] | str:
    """The costs of one model, or that it is not installed."""
    try:
        opened = cpu(lambda: _ready(make()))
    except ModelMissing:
        return "not installed"
    encoder = _ready(make())
    passages = [f"{number} {TEXT * 3}" for number in range(32)]
    asked = [cpu(lambda: encoder.queries(["why is it so?"])) for _ in range(20)]
    return {
        "open": round(opened, 1),
        "question": spread(asked),
        "passage": round(cpu(lambda: encoder.passages(passages)) / len(passages), 2),
    }


def _ready(encoder: Encoder) -> Encoder:
    encoder.queries(["a"])
    return encoder


def clustered(random: np.random.Generator, count: int) -> Array:
    """Unit vectors around a thousand themes, all leaning one way."""
    themes = np.random.default_rng(3).standard_normal((1000, DIMENSION)).astype(np.float32)
    noise = random.standard_normal((count, DIMENSION), dtype=np.float32)
    raw = themes[random.integers(0, len(themes), count)] + 0.9 * noise + 0.5
    made: Array = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    return made


def leg(folder: Path, size: int) -> dict[str, Any]:
    """Filling a store with ``size`` vectors, opening it, asking it."""
    path = folder / f"{size}.sqlite"
    random = np.random.default_rng(5)
    queries = clustered(np.random.default_rng(9), QUERIES)
    exact = np.empty((size, QUERIES), np.float32)
    wrote = 0.0
    with vector_store.open_to_fill(path, "bench") as store:
        ids: list[int] = []
        rows, scales = np.empty((size, DIMENSION), np.int8), np.empty(size, np.float32)
        for start in range(0, size, 8000):
            part = slice(start, min(size, start + 8000))
            vectors = clustered(random, part.stop - start)
            exact[part] = vectors @ queries.T
            rows[part], scales[part] = quantised(vectors)
            contents = [number.to_bytes(16, "big") for number in range(start, part.stop)]
            wrote += cpu(lambda: store.add(contents, rows[part], scales[part]))  # noqa: B023
            known = store.ids_of(contents)
            ids.extend(known[content] for content in contents)
        began = time.process_time()
        refs = np.frombuffer(random.bytes(REF_BYTES * size), f"V{REF_BYTES}")
        numbers = np.arange(size, dtype=np.uint32)
        store.place("v", Placement(numbers, refs, np.array(ids), sketched(rows, scales)))
        placed = 1000 * (time.process_time() - began)
    opened = [cpu(lambda: _placement(path)) for _ in range(7)]
    placement = _placement(path)
    hits = 0
    took = []
    for number, query in enumerate(queries):
        before = time.process_time()
        likely = placement.sketch.likely(query, LIKELY)
        with _opened(path) as store:
            found, sizes = store.vectors(placement.ids[likely].tolist(), DIMENSION)
        scores = (found.astype(np.float32) @ query) * sizes
        best = likely[np.argsort(-scores)[:10]]
        took.append(1000 * (time.process_time() - before))
        hits += len(set(best.tolist()) & set(np.argsort(-exact[:, number])[:10].tolist()))
    return {
        "passages": size,
        "write_s": round(wrote / 1000, 2),
        "place_s": round(placed / 1000, 2),
        "open": spread(opened),
        "question": spread(took),
        "recall_at_10": round(hits / (10 * QUERIES), 3),
        "file_mb": round(path.stat().st_size / 1e6, 1),
    }


def _opened(path: Path) -> vector_store.VectorStore:
    store = vector_store.open_to_read(path)
    if store is None:
        raise FileNotFoundError(path)
    return store


def _placement(path: Path) -> Placement:
    with _opened(path) as store:
        found = store.placement("v")
    if found is None:
        raise FileNotFoundError(path)
    return found


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = {
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "word_space": word_space(folder),
            "encoders": encoders(folder),
            "vector_leg": [leg(folder, size) for size in arguments.sizes],
        }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
