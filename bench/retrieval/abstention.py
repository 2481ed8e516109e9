"""Measure silence: questions that deserve an answer and get none, and the other way round.

    python -m bench.retrieval.abstention --clones CLONES --scratch DIR --out RESULTS.json \\
        --unanswerable UNANSWERABLE.jsonl … --sets SET.jsonl …

- *False abstention*: a question of a set that its own corpus gets, and that is met with silence.
  ``lost`` counts those whose answer would have stood among the first three (or ten).
- *False answer*: a question that the corpus cannot answer, and that gets evidence. Four kinds:
  ``never_there`` names something that never was; ``known_words`` holds only words of this
  history that never came together; ``foreign`` is about no software at all; ``swapped`` was
  asked of another corpus.
- The lexical answer with the words of other languages: the vector leg takes no part in silence.
- What is written carries ids, counts and reasons; no word of a question.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.data.questions import read_rows
from bench.retrieval.evaluate import rank
from bench.retrieval.lab import Corpus, Lab, Legs, one_thread

from citator.search.search import Found, Options, search

DEPTH = 10

Row = Mapping[str, Any]


class Bench:
    """One corpus that is asked."""

    def __init__(self, corpus: Corpus) -> None:
        self.lab = Lab(corpus)
        self._legs = Legs(self.lab, "none")

    def ask(self, row: Row, *, anyway: bool = False) -> Found:
        """What a caller gets; with ``anyway`` the ranking behind it."""
        return search(
            self.lab.view,
            str(row["query"]),
            Options(limit=DEPTH, anyway=anyway),
            self._legs.expander,
            calibration=self.lab.calibration,
            analyser=self.lab.analyser,
        )

    def abstentions(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Of questions that have an answer here."""
        silent: dict[str, str] = {}
        lost: Counter[int] = Counter()
        for row in rows:
            found = self.ask(row)
            if found.abstained is None:
                continue
            silent[str(row["id"])] = found.abstained.value
            ranked = (hit.row.object_id for hit in self.ask(row, anyway=True).hits)
            place = rank(ranked, {*row["relevant_commits"], *row["acceptable_commits"]})
            lost.update(bound for bound in (3, 10) if place is not None and place <= bound)
        return {
            "asked": len(rows),
            "false_abstentions": len(silent),
            "rate": _rate(len(silent), len(rows)),
            "lost": {"first 3": lost[3], "first 10": lost[10]},
            "reasons": dict(sorted(Counter(silent.values()).items())),
            "ids": silent,
        }

    def answers(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Of questions that have none here."""
        answered = [str(row["id"]) for row in rows if self.ask(row).abstained is None]
        return {
            "asked": len(rows),
            "false_answers": len(answered),
            "rate": _rate(len(answered), len(rows)),
            "ids": answered,
        }


def _rate(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def measured(
    corpora: Mapping[str, Corpus],
    answerable: Mapping[str, Sequence[Row]],
    unanswerable: Sequence[Row],
) -> dict[str, Any]:
    """Every corpus under every kind of question, and the means over corpora."""
    found: dict[str, Any] = {}
    for repository, corpus in sorted(corpora.items()):
        bench = Bench(corpus)
        own = [row for row in unanswerable if row.get("repo") == repository]
        swapped = [
            row
            for other, rows in sorted(answerable.items())
            if other != repository
            for row in rows
            if row["language"] == "en"
        ]
        kinds = {
            "never_there": [row for row in own if not row["known_words"]],
            "known_words": [row for row in own if row["known_words"]],
            "foreign": [row for row in unanswerable if row.get("repo") is None],
            "swapped": swapped,
        }
        answers = {
            language: bench.abstentions([row for row in rows if row["language"] == language])
            for rows in [answerable.get(repository, [])]
            for language in sorted({str(row["language"]) for row in rows})
        }
        calibration = bench.lab.calibration
        found[repository] = {
            "passages": bench.lab.view.statistics.passages,
            "calibration": {"base": calibration.base, "slope": calibration.slope},
            "answerable": answers,
            **{kind: bench.answers(rows) for kind, rows in kinds.items() if rows},
        }
        print(_line(repository, found[repository]), flush=True)
    return {"mean": _means(found.values()), "corpora": found}


def _means(corpora: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    rates: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        for kind, one in corpus.items():
            if kind == "answerable":
                for language, inner in one.items():
                    rates[f"false_abstention.{language}"].append(inner["rate"])
            elif isinstance(one, dict) and "rate" in one:
                rates[f"false_answer.{kind}"].append(one["rate"])
    return {name: round(sum(values) / len(values), 3) for name, values in sorted(rates.items())}


def _line(name: str, corpus: Mapping[str, Any]) -> str:
    silent = [f"{lang} {one['rate']:.3f}" for lang, one in corpus["answerable"].items()]
    wrong = [
        f"{kind} {one['rate']:.3f}"
        for kind, one in corpus.items()
        if isinstance(one, dict) and "false_answers" in one
    ]
    return f"{name}: false abstention {', '.join(silent)}; false answer {', '.join(wrong)}"


def main() -> None:
    """Ask everything and write what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--unanswerable", type=Path, nargs="+", default=[])
    parser.add_argument("--sets", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    one_thread()
    answerable: dict[str, list[Row]] = defaultdict(list)
    commits: dict[str, str] = {}
    for path in options.sets:
        for row in read_rows(path):
            answerable[str(row["repo"])].append(row)
            commits[str(row["repo"])] = str(row["at_commit"])
    unanswerable = [row for path in options.unanswerable for row in read_rows(path)]
    for row in unanswerable:
        if row.get("repo") and row.get("at_commit"):
            commits.setdefault(str(row["repo"]), str(row["at_commit"]))
    corpora = {
        repository: Corpus(options.clones, options.scratch, repository, commit)
        for repository, commit in commits.items()
    }
    result = measured(corpora, answerable, unanswerable)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps(result["mean"], indent=1))


if __name__ == "__main__":
    main()
