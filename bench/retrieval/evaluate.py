"""Measure how well questions find the commits that answer them, leg by leg.

    python -m bench.retrieval.evaluate --clones CLONES --scratch DIR --out RESULTS \\
        [--encoder use|e5|none] SET.jsonl …

- Documents are scored, not passages: the rank of a question is the place of the first document
  that answers it among the ``DEPTH`` best.
- ``lexical``, ``induced``, ``vectors`` and ``fused`` are the legs, asked to show the best there
  is; ``answers`` is what a caller gets: all legs, and silence where there is no evidence.
- Intervals are of 2,000 draws of the questions with a fixed seed. Questions that share no rare
  word with their answer are reported apart (``low``; see ``bench/data/overlap.py``).
- What is written carries ids, numbers and ranks; no word of a question or a history.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.data.overlap import Corpus as Words
from bench.data.questions import read_rows
from bench.retrieval.lab import Corpus, Lab, Legs, one_thread

from citator.search.search import Options, search

DEPTH = 50
DRAWS = 2_000
ANSWER = 10


@dataclass(slots=True)
class Asked:
    """One question: what it gives away, and the rank of its answer by leg (None: not found)."""

    id: str
    low: bool
    peak: float
    answerable: bool
    abstained: str | None = None
    ranks: dict[str, int | None] = field(default_factory=dict)


def measure(lab: Lab, legs: Legs, rows: Sequence[Mapping[str, Any]]) -> list[Asked]:
    """Every question of one corpus over every leg."""
    texts = _texts(lab)
    words = Words(texts.values())
    asked = []
    for row in rows:
        relevant = {*row["relevant_commits"], *row["acceptable_commits"]}
        answers = [texts[one] for one in sorted(relevant) if one in texts]
        overlaps = [words.overlap(row["query"], answer) for answer in answers]
        question = Asked(
            id=str(row["id"]),
            low=not any(not one.low for one in overlaps),
            peak=round(max((one.peak for one in overlaps), default=0.0), 3),
            answerable=bool(answers),
        )
        _ask(lab, legs, str(row["query"]), relevant, question)
        asked.append(question)
    return asked


def report(asked: Sequence[Asked]) -> dict[str, Any]:
    """What the questions of a set amount to, whatever corpora they were asked of."""
    return {
        "questions": len(asked),
        "answer_not_in_corpus": sum(not one.answerable for one in asked),
        "low": sum(one.low for one in asked),
        "abstained": sum(one.abstained is not None for one in asked),
        "legs": {name: _figures(asked, name) for name in (asked[0].ranks if asked else ())},
        "asked": [
            {"id": one.id, "peak": one.peak, "abstained": one.abstained, **one.ranks}
            for one in asked
        ],
    }


def _texts(lab: Lab) -> dict[str, str]:
    parts: dict[str, list[str]] = defaultdict(list)
    for row in lab.view.scan():
        parts[row.object_id].append(row.text)
        if len(parts[row.object_id]) == 1:
            parts[row.object_id].append(row.subject)
    return {one: "\n".join(texts) for one, texts in parts.items()}


def _ask(lab: Lab, legs: Legs, text: str, relevant: set[str], into: Asked) -> None:
    expander, vectors = legs.expander, legs.vectors

    def ranked(**parts: Any) -> list[str]:
        options = Options(limit=DEPTH, anyway=True)
        found = search(lab.view, text, options, analyser=lab.analyser, **parts)
        return [hit.row.object_id for hit in found.hits]

    into.ranks["lexical"] = rank(ranked(), relevant)
    into.ranks["induced"] = rank(ranked(expander=expander), relevant)
    if vectors is not None:
        near = [ordinal for ordinal, _ in vectors.nearest(text, lab.view, 4 * DEPTH)]
        into.ranks["vectors"] = rank((row.object_id for row in lab.view.rows(near)), relevant)
        into.ranks["fused"] = rank(ranked(expander=expander, vector_leg=vectors), relevant)
    found = search(
        lab.view,
        text,
        Options(limit=DEPTH),
        expander,
        vectors,
        calibration=lab.calibration,
        analyser=lab.analyser,
    )
    into.abstained = None if found.abstained is None else found.abstained.value
    into.ranks["answers"] = rank((hit.row.object_id for hit in found.hits), relevant)


def rank(documents: Iterable[str], relevant: set[str]) -> int | None:
    """The place of the first relevant document, from one; each document counts once."""
    distinct = dict.fromkeys(documents)
    return next((place for place, one in enumerate(distinct, 1) if one in relevant), None)


def _figures(asked: Sequence[Asked], leg: str) -> dict[str, Any]:
    strata = {
        "all": list(asked),
        "low": [one for one in asked if one.low],
        "high": [one for one in asked if not one.low],
    }
    return {
        name: _with_intervals([one.ranks[leg] for one in members])
        for name, members in strata.items()
        if members
    }


def _with_intervals(ranks: Sequence[int | None]) -> dict[str, list[float]]:
    """recall@3, recall@10 and MRR@10, each with the bounds of its 95% interval."""
    generator = random.Random(11)
    draws = [figures(generator.choices(ranks, k=len(ranks))) for _ in range(DRAWS)]
    found = {}
    for place, name in enumerate(("recall@3", "recall@10", "mrr@10")):
        drawn = sorted(draw[place] for draw in draws)
        bounds = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1]
        found[name] = [round(one, 3) for one in (figures(ranks)[place], *bounds)]
    return found


def figures(ranks: Sequence[int | None]) -> tuple[float, float, float]:
    """recall@3, recall@10 and MRR@10 of some ranks."""
    count = len(ranks)
    near = [one for one in ranks if one is not None and one <= ANSWER]
    return (
        sum(one <= 3 for one in near) / count,
        len(near) / count,
        sum(1 / one for one in near) / count,
    )


def main() -> None:
    """Measure each set and write one result a set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", choices=["use", "e5", "none"], default="use")
    parser.add_argument("--at", help="measure at this commit instead of the set's own")
    parser.add_argument("sets", type=Path, nargs="+")
    options = parser.parse_args()
    one_thread()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in options.sets:
        result = _measured(path, options)
        at = f".at-{options.at[:7]}" if options.at else ""
        where = options.out / f"{path.stem}{at}.{options.encoder}.json"
        where.write_text(_written(result), "utf-8")
        print(_line(path.stem, result), flush=True)


def _measured(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    by_corpus: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(path):
        by_corpus[str(row["repo"]), options.at or str(row["at_commit"])].append(row)
    asked: list[Asked] = []
    corpora = []
    encoder = None
    for (repository, commit), rows in sorted(by_corpus.items()):
        lab = Lab(Corpus(options.clones, options.scratch, repository, commit))
        foreign = any(row["language"] != "en" for row in rows)
        legs = Legs(lab, options.encoder, foreign=foreign)
        encoder = {"id": legs.encoder_id, "lexical_weight": legs.lexical_weight}
        asked.extend(measure(lab, legs, rows))
        statistics = lab.view.statistics
        corpora.append(
            {
                "repo": repository,
                "at_commit": commit,
                "documents": statistics.documents,
                "passages": statistics.passages,
                "questions": len(rows),
            }
        )
        lab.close()
    return {"set": path.stem, "encoder": encoder, "corpora": corpora, **report(asked)}


def _written(result: Mapping[str, Any]) -> str:
    """JSON with one question a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in result["asked"])
    head = json.dumps({**result, "asked": []}, indent=1)
    return head.removesuffix("[]\n}") + f"[\n{rows}\n ]\n}}\n"


def _line(name: str, result: Mapping[str, Any]) -> str:
    shown = []
    for leg, strata in result["legs"].items():
        figured = [f"{values[0]:.3f}" for values in strata["all"].values()]
        low = [f"{values[0]:.3f}" for values in strata.get("low", {}).values()]
        shown.append(f"  {leg:8} {'/'.join(figured)}   low {'/'.join(low)}")
    documents = sum(corpus["documents"] for corpus in result["corpora"])
    head = f"{name}: {result['questions']} questions, {documents} documents, "
    return "\n".join([f"{head}{result['abstained']} abstained", *shown])


if __name__ == "__main__":
    main()
