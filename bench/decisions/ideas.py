"""What each idea of the ranking is worth, on the judged decisions and on commits it never saw.

    python -m bench.decisions.ideas DECISIONS --out bench/decisions/results \\
        [--clones CLONES --scratch DIR --sets SET.jsonl …] [--records CLONE:FOLDER …]

- Each row is the ranking with one idea taken out, or one number moved; silence is left out of
  it, so that the order alone is measured.
- The sets of ``bench/data`` ask for commits: every commit of the corpus is taken as a decision
  whose title is its subject. They say whether an idea is one of these questions only; the
  history's own ranking over the same commits stands first.
- ``--records CLONE:FOLDER …`` takes the design records in a folder of public clones as decisions
  without their titles, and asks each title: what is found is told by the text alone. All of them
  are one corpus.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.data.mirror import find_clone, git
from bench.data.questions import read_rows
from bench.decisions.corpus import load, queries
from bench.retrieval.lab import Corpus as Commits
from bench.retrieval.lab import Lab, one_thread

from citator.index import partition, partition_scoring, partition_terms
from citator.index.analysis import Analyser
from citator.index.partition_store import partition_of
from citator.model.document import Document
from citator.model.record import ItemKind, RecordStatus, Revision, Sensitivity
from citator.model.visibility import Audience
from citator.search import decisions_words
from citator.search.induction import Induction
from citator.search.question import Word, parse
from citator.search.search import Options, search
from citator.search.senses import Sense
from citator.sources.decisions import Decision, decisions_for, document_of

DEPTH = 50
NUMBERED = re.compile(r"/\d{2,}[^/]*\.md$|/ADR-?\d+[^/]*\.md$", re.IGNORECASE)
HEADING = re.compile(r"^# (?:ADR)?[-\d:. ]*(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Task:
    """Texts to rank, and questions with the names of what answers each."""

    name: str
    decisions: list[Decision]
    names: Mapping[str, str]
    asked: list[tuple[str, frozenset[str]]]
    lab: Lab | None = None


def every_part(sense: Sense, word: Word) -> partition_scoring.Wanted:
    """An identifier counted for its whole and for each of its parts."""
    weights = {one.term: one.weight for one in sense.terms}
    form = tuple((term, weights.get(term, 1.0)) for term in weights or word.terms)
    return partition_scoring.Wanted((form,), float(len(form)))


Change = tuple[Any, str, Any]
VARIANTS: Mapping[str, Sequence[Change]] = {
    "as it is": [],
    "no neighbours": [(partition_scoring, "NEIGHBOURS", 0.0)],
    "no second passage": [(partition_scoring, "SECOND", 0.0)],
    "an identifier counts for each part": [(decisions_words, "_wanted", every_part)],
    "none of the three": [
        (partition_scoring, "NEIGHBOURS", 0.0),
        (partition_scoring, "SECOND", 0.0),
        (decisions_words, "_wanted", every_part),
    ],
    "joining words left out": [(partition_scoring, "JOINING", 0.0)],
    "neighbours .15": [(partition_scoring, "NEIGHBOURS", 0.15)],
    "neighbours .6": [(partition_scoring, "NEIGHBOURS", 0.6)],
    "second passage .2": [(partition_scoring, "SECOND", 0.2)],
    "second passage .8": [(partition_scoring, "SECOND", 0.8)],
    "title once": [(partition_terms, "TITLE", 1)],
    "title twice": [(partition_terms, "TITLE", 2)],
    "title five times": [(partition_terms, "TITLE", 5)],
    "k1 1.2": [(partition, "K1", 1.2)],
    "k1 2": [(partition, "K1", 2.0)],
    "b .5": [(partition, "B", 0.5)],
    "b .9": [(partition, "B", 0.9)],
}


@contextmanager
def changed(changes: Sequence[Change]) -> Iterator[None]:
    """The ranking with some of its numbers moved."""
    with ExitStack() as stack:
        for where, name, value in changes:
            stack.enter_context(patch.object(where, name, value))
        yield


def ranked(task: Task, analyser: Analyser) -> Callable[[str], list[str]]:
    """Names in order, for a question; never silent."""
    built = partition_of(task.decisions, analyser)
    scope = built.scope()
    items = [text.item for text in built.all()]

    def names(question: str) -> list[str]:
        asked = parse(question, analyser)
        inquiry = decisions_words.understood(asked, scope, analyser, Induction())
        total = partition_scoring.score(scope, inquiry.wanted, inquiry.joining, inquiry.pairs).total
        order = sorted(total.nonzero()[0], key=lambda one: (-total[one], int(one)))
        return [task.names.get(items[int(one)], items[int(one)]) for one in order[:DEPTH]]

    return names


def figures(task: Task, names: Callable[[str], list[str]]) -> dict[str, float]:
    """recall@1, recall@10 and MRR: of all that is relevant where items are judged, of the first
    that answers where commits are."""
    sums = dict.fromkeys(("recall@1", "recall@10", "mrr"), 0.0)
    for question, relevant in task.asked:
        found = names(question)
        several = len(relevant) if task.lab is None else 1
        for k in (1, 10):
            hits = len(relevant.intersection(found[:k]))
            sums[f"recall@{k}"] += hits / several if task.lab is None else float(hits > 0)
        places = [place for place, one in enumerate(found, 1) if one in relevant]
        sums["mrr"] += 1 / places[0] if places else 0.0
    return {name: round(value / len(task.asked), 3) for name, value in sums.items()}


def judged(folder: Path) -> Task:
    """The judged decisions."""
    corpus = load(folder, full=False)
    rows = [(one.text, one.relevant) for one in queries(folder) if not one.abstain]
    return Task("decisions", decisions_for(Audience(), corpus.state), corpus.names, rows)


def commits(path: Path, clones: Path, scratch: Path) -> Task:
    """One set of questions over commits."""
    rows = list(read_rows(path))
    lab = Lab(Commits(clones, scratch, str(rows[0]["repo"]), str(rows[0]["at_commit"])))
    asked = [(str(row["query"]), frozenset(map(str, _answers(row)))) for row in rows]
    return Task(
        path.stem,
        [_decision(one, one.object_id, one.paths) for one in lab._documents([])],
        {},
        asked,
        lab,
    )


def records(places: Sequence[str], clones: Path) -> Task:
    """Design records of other people, asked by their titles."""
    decisions, asked = [], []
    for place in places:
        repository, _, folder = place.partition(":")
        clone = find_clone(clones, repository)
        if clone is None:
            raise SystemExit(f"no clone of {repository} under {clones}")
        listed = git(clone, "ls-tree", "--name-only", "HEAD", f"{folder}/").split("\n")
        for path in (one for one in listed if NUMBERED.search(one)):
            body = git(clone, "show", f"HEAD:{path}")
            heading = HEADING.search(body)
            if heading is None:
                continue
            name = f"{repository}:{path}"
            day = "2026-01-01T00:00:00Z"
            text = body[: heading.start()] + body[heading.end() :]
            digest = hashlib.sha256(name.encode()).hexdigest()
            revision = Revision(name, digest, "Decision", "Decision", text, "", day, day)
            decisions.append(_decision(document_of(revision), name))
            asked.append((heading[1], frozenset({name})))
    return Task("records", decisions, {}, asked)


def _answers(row: Mapping[str, Any]) -> list[Any]:
    return [*row["relevant_commits"], *row["acceptable_commits"]]


def _decision(document: Document, name: str, paths: tuple[str, ...] = ()) -> Decision:
    """A document as if it were a decision."""
    day = "2026-01-01T00:00:00Z"
    return Decision(
        document,
        name,
        name,
        ItemKind.DECISION,
        RecordStatus.APPROVED,
        Sensitivity.INTERNAL,
        "",
        document.subject,
        day,
        day,
        paths=paths,
    )


def measured(task: Task) -> dict[str, dict[str, float]]:
    """Each variant's figures."""
    analyser = Analyser()
    found = {}
    if task.lab is not None:
        lab = task.lab

        def history(question: str) -> list[str]:
            hits = search(
                lab.view, question, Options(DEPTH, per_document=1, anyway=True), analyser=analyser
            ).hits
            return list(dict.fromkeys(hit.row.object_id for hit in hits))

        found["the history's ranking"] = figures(task, history)
    for name, changes in VARIANTS.items():
        with changed(changes):
            found[name] = figures(task, ranked(task, analyser))
    return found


def main() -> None:
    """Measure each task and write one result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--sets", type=Path, nargs="*", default=[])
    parser.add_argument("--records", nargs="*", default=[])
    options = parser.parse_args()
    one_thread()
    found = {"decisions": measured(judged(options.decisions))}
    for path in options.sets:
        found[path.stem] = measured(commits(path, options.clones, options.scratch))
    if options.records:
        found["records"] = measured(records(options.records, options.clones))
    (options.out / "ideas.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    for name, rows in found.items():
        print(name)
        for variant, values in rows.items():
            shown = "  ".join(f"{key} {value:.3f}" for key, value in values.items())
            print(f"  {variant:36} {shown}")


if __name__ == "__main__":
    main()
