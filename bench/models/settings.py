"""How flat the numbers of lexicon induction and of fusion are around their values. Run:

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m bench.models.settings \\
        --clones CLONES --scratch DIR SET.jsonl …

Writes ``bench/models/settings.json``: recall@3 / recall@10 / MRR@10 over all questions of the
sets together, for each setting alone, the others at their values. Nothing is tuned to a peak:
a value is kept while it lies in a flat region, so that another corpus finds it there too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.data.questions import read_rows
from bench.peer.scores import rank_of, scores
from bench.retrieval.lab import Corpus, Lab, Legs

from citator.search import induction
from citator.search.search import Options, VectorLeg, search

RESULTS = Path(__file__).with_name("settings.json")
DEPTH = 50
SWEPT: Mapping[str, Sequence[float]] = {
    "NEIGHBOURS": (1, 2, 3, 4, 5),
    "MIN_COSINE": (0.45, 0.5, 0.55, 0.6, 0.65),
    "FUNCTION_MARGIN": (0.0, 0.02, 0.05, 0.1, 0.15),
    "WEIGHT": (0.4, 0.5, 0.6, 0.7, 0.8),
    "UNSPACED_WEIGHT": (0.3, 0.5, 0.7),
    "MIN_PASSAGES": (1, 2, 3),
}
LEXICAL_WEIGHTS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)


class Weighed:
    """A vector leg with another weight beside it."""

    def __init__(self, leg: VectorLeg, weight: float) -> None:
        self.nearest = leg.nearest
        self.lexical_weight = weight


@contextmanager
def setting(name: str, value: float) -> Iterator[None]:
    """Induction with one number changed."""
    before = getattr(induction, name)
    setattr(induction, name, value)
    try:
        yield
    finally:
        setattr(induction, name, before)


def asked(
    labs: Sequence[tuple[Lab, Legs, list[dict[str, Any]]]], lexical_weight: float = 1.0
) -> str:
    """The figures of every question of every set."""
    ranks: list[int | None] = []
    for lab, legs, rows in labs:
        vectors = None
        if legs.vectors is not None and lexical_weight < 1.0:
            vectors = Weighed(legs.vectors, lexical_weight)
        for row in rows:
            found = search(
                lab.view,
                row["query"],
                Options(limit=DEPTH, per_document=1),
                expander=legs.expander,
                vector_leg=vectors,
                calibration=lab.calibration,
                analyser=lab.analyser,
            )
            documents = [hit.row.object_id for hit in found.hits]
            ranks.append(rank_of(documents, row["relevant_commits"], row["acceptable_commits"]))
    figures = scores(ranks)
    if figures is None:
        raise SystemExit("no questions")
    return f"{figures.recall_at_3:.3f}/{figures.recall_at_10:.3f}/{figures.mrr_at_10:.3f}"


def main() -> None:
    """Sweep and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--encoder", choices=["use", "e5"], default="use")
    parser.add_argument("sets", type=Path, nargs="+")
    arguments = parser.parse_args()
    labs = []
    opened: dict[tuple[str, str], tuple[Lab, Legs]] = {}
    for path in arguments.sets:
        rows = read_rows(path)
        at = (str(rows[0]["repo"]), str(rows[0]["at_commit"]))
        if at not in opened:
            lab = Lab(Corpus(arguments.clones, arguments.scratch, *at))
            opened[at] = lab, Legs(lab, arguments.encoder)
        labs.append((*opened[at], rows))
    results: dict[str, Any] = {"sets": [path.stem for path in arguments.sets]}
    for name, values in SWEPT.items():
        results[name] = {}
        for value in values:
            with setting(name, value):
                results[name][str(value)] = asked(labs)
            print(name, value, results[name][str(value)], flush=True)
    results["lexical_weight"] = {}
    for weight in LEXICAL_WEIGHTS:
        results["lexical_weight"][str(weight)] = asked(labs, weight)
        print("lexical_weight", weight, results["lexical_weight"][str(weight)], flush=True)
    results["encoder"] = arguments.encoder
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
