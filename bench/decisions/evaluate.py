"""Measure how well questions find the decisions that answer them, beside the ancestor's figures.

    python -m bench.decisions.evaluate DECISIONS --out bench/decisions/results

- Over two corpora, ``full`` (with what is withheld) and ``clean`` (as if that never was), asked
  as anybody is asked: ceiling internal, nothing unapproved, the best ten.
- Recall@k is the share of a question's relevant items among the first k, averaged; with several
  relevant items recall@1 cannot be 1 (``most`` says what could be reached).
- ``superseded errors`` counts questions that were answered with an item they forbid.
- ``equal`` counts questions with the very same answer over both corpora: items, references,
  matched words, what was left out. ``control`` asks both again for an audience that may see what
  is unapproved: there they have to differ.
- ``without the answer`` takes the relevant items out and asks again: silence would be best.
- The report holds ids and numbers; no time, no commit, no word of a question: two runs are the
  same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.decisions.corpus import Corpus, Query, load, queries

from citator.index.analysis import Analyser
from citator.index.partition import Partition
from citator.index.partition_store import partition_of
from citator.model.record import RecordStatus
from citator.model.visibility import Audience
from citator.search.decisions import FoundDecisions, search_decisions
from citator.sources.decisions import decisions_for

LIMIT = 10
KS = (1, 5, 10)
# The ancestor's own committed report of 2026-09-24 (theurian, `tools/eval/baseline/report.json`),
# default flags; its query set, judgements and census are those asked here.
PUBLISHED: Mapping[str, float] = {
    "recall@1": 0.628788,
    "recall@5": 0.875,
    "recall@10": 0.954545,
    "mrr": 0.823864,
    "abstention": 0.75,
    "superseded errors": 0.0,
    "equal": 8.0,
}


@dataclass(frozen=True)
class Asked:
    """A corpus as one audience sees it."""

    corpus: Corpus
    partition: Partition
    analyser: Analyser

    def answer(self, query: Query) -> FoundDecisions:
        """What is found for a question."""
        return search_decisions(self.partition, query.text, LIMIT, analyser=self.analyser)

    def items(self, query: Query) -> list[str]:
        """The names of the items found, best first."""
        return [self.corpus.names[hit.item] for hit in self.answer(query).hits]


def asked(corpus: Corpus, audience: Audience, analyser: Analyser) -> Asked:
    """The corpus as ``audience`` sees it."""
    decisions = decisions_for(audience, corpus.state, corpus.waiting)
    return Asked(corpus, partition_of(decisions, analyser), analyser)


def measured(seen: Asked, rows: Sequence[Query]) -> list[dict[str, Any]]:
    """One result a question."""
    results = []
    for query in rows:
        found = seen.answer(query)
        items = [seen.corpus.names[hit.item] for hit in found.hits]
        result: dict[str, Any] = {
            "id": query.id,
            "class": query.group,
            "abstained": None if found.abstained is None else found.abstained.value,
            "found": len(items),
        }
        if not query.abstain:
            ranks = [items.index(one) + 1 for one in sorted(query.relevant) if one in items]
            result["relevant"] = len(query.relevant)
            result["ranks"] = sorted(ranks)
        result["forbidden found"] = len(query.forbidden.intersection(items))
        results.append(result)
    return results


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of some results."""
    answerable = [one for one in results if "ranks" in one]
    unanswerable = [one for one in results if "ranks" not in one]
    found: dict[str, Any] = {"questions": len(results)}
    for k in KS if answerable else ():
        found[f"recall@{k}"] = _mean(
            sum(rank <= k for rank in one["ranks"]) / one["relevant"] for one in answerable
        )
    if answerable:
        found["most recall@1"] = _mean(1 / one["relevant"] for one in answerable)
        found["mrr"] = _mean(1 / min(one["ranks"], default=1 << 30) for one in answerable)
        found["silent on the answerable"] = sum(one["abstained"] is not None for one in answerable)
        found["items shown"] = _mean(one["found"] for one in answerable)
    if unanswerable:
        found["abstention"] = _mean(one["abstained"] is not None for one in unanswerable)
    found["superseded errors"] = sum(one["forbidden found"] > 0 for one in results)
    return found


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), 6)


def equal(one: Asked, other: Asked, rows: Sequence[Query]) -> int:
    """How many questions have the very same answer over both."""
    return sum(one.answer(query) == other.answer(query) for query in rows)


def unapproved_shown(seen: Asked, rows: Sequence[Query]) -> int:
    """How many results over all questions are drafts and proposals."""
    hits = [hit for query in rows for hit in seen.answer(query).hits]
    return sum(hit.status is not RecordStatus.APPROVED for hit in hits)


def without_the_answer(folder: Path, rows: Sequence[Query], analyser: Analyser) -> dict[str, int]:
    """How many questions are met with silence once what answers them is taken out."""
    corpus = load(folder, full=False)
    decisions = decisions_for(Audience(), corpus.state)
    silent = answerable = 0
    for query in rows:
        if query.abstain:
            continue
        answerable += 1
        left = [one for one in decisions if corpus.names[one.item] not in query.relevant]
        seen = Asked(corpus, partition_of(left, analyser), analyser)
        silent += seen.answer(query).abstained is not None
    return {"questions": answerable, "silent": silent}


def report(folder: Path) -> dict[str, Any]:
    """Everything measured."""
    analyser = Analyser()
    rows = queries(folder)
    full, clean = (load(folder, full=one) for one in (True, False))
    anybody, reviewer = Audience(), Audience(unapproved=True)
    seen_full, seen_clean = (asked(one, anybody, analyser) for one in (full, clean))
    results = measured(seen_full, rows)
    groups = sorted({query.group for query in rows})
    wide, narrow = (asked(one, reviewer, analyser) for one in (full, clean))
    return {
        "corpus": {
            name: {
                "items": len(one.corpus.ids),
                "visible texts": one.partition.texts,
                "passages": one.partition.units,
                "partition": one.partition.id,
            }
            for name, one in (("full", seen_full), ("clean", seen_clean))
        },
        "overall": {**summary(results), "equal": equal(seen_full, seen_clean, rows)},
        "clean": summary(measured(seen_clean, rows)),
        "published": dict(PUBLISHED),
        "classes": {
            group: summary([one for one in results if one["class"] == group]) for group in groups
        },
        "control": {
            "texts": [wide.partition.texts, narrow.partition.texts],
            "equal": equal(wide, narrow, rows),
            "unapproved shown over full": unapproved_shown(wide, rows),
            "full": summary(measured(wide, rows)),
        },
        "without the answer": without_the_answer(folder, rows, analyser),
        "asked": results,
    }


def written(found: Mapping[str, Any]) -> str:
    """JSON with one question a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in found["asked"])
    head = json.dumps({**found, "asked": []}, indent=1)
    return head.removesuffix("[]\n}") + f"[\n{rows}\n ]\n}}\n"


def as_markdown(found: Mapping[str, Any]) -> str:
    """The same for people."""
    ours, theirs = found["overall"], found["published"]
    taken_out = found["without the answer"]
    lines = [
        "# Questions and the decisions that answer them",
        "",
        "Made by `python -m bench.decisions.evaluate`; see the README beside this folder.",
        "",
        "| | ours | theurian, published |",
        "|---|---|---|",
    ]
    for name in theirs:
        shown = ours[name] if isinstance(ours[name], int) else f"{ours[name]:.3f}"
        whole = name in ("superseded errors", "equal")
        lines.append(f"| {name} | {shown} | {theirs[name]:.{0 if whole else 3}f} |")
    lines += [
        "",
        f"Recall@1 is {ours['most recall@1']:.3f} at most: some questions have several answers.",
        f"Silent on the answerable: {ours['silent on the answerable']}. "
        f"Items shown for an answerable question: {ours['items shown']:.1f}.",
        f"Without the answer, {taken_out['silent']} of {taken_out['questions']} are not answered.",
        "",
        "| class | questions | recall@1 | recall@5 | recall@10 | mrr | abstention |",
        "|---|---|---|---|---|---|---|",
    ]
    columns = ("recall@1", "recall@5", "recall@10", "mrr", "abstention")
    for group, one in found["classes"].items():
        cells = [f"{one[name]:.3f}" if name in one else "–" for name in columns]
        lines.append(f"| {group} | {one['questions']} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = report(options.decisions)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.json").write_text(written(found), "utf-8")
    (options.out / "report.md").write_text(as_markdown(found), "utf-8")
    print(as_markdown(found))


if __name__ == "__main__":
    main()
