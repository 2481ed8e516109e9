"""What the builders of question sets share: options, overlap, the set and its manifest."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data.changes import Answer
from bench.data.explained import Explained
from bench.data.mirror import History, read_pins
from bench.data.overlap import Corpus
from bench.data.questions import Entry, Question, digest, write_manifest, write_set

MANIFESTS = Path(__file__).with_name("manifests")


@dataclass(frozen=True, slots=True)
class Found:
    """A question whose answer was found, and how."""

    id: str
    query: str
    how: str
    answer: Answer


Row = tuple[Question, Entry]


@dataclass(frozen=True, slots=True)
class Options:
    """Where to read and write."""

    inputs: tuple[str, ...]
    mirrors: Path
    out: Path
    manifest: Path
    pins: Path

    def write(self, rows: Sequence[Row], pins: Mapping[str, str], tally: Counter[str]) -> int:
        """Write the set, its manifest and the pins; print what became of everything."""
        write_set(self.out, [question for question, _ in rows])
        write_manifest(self.manifest, [entry for _, entry in rows])
        self.pins.parent.mkdir(parents=True, exist_ok=True)
        self.pins.write_text(json.dumps(dict(pins), indent=1, sort_keys=True) + "\n", "utf-8")
        low = sum(entry.peak < 0.5 for _, entry in rows)
        counts = {
            "questions": len(rows),
            "sharing no rare word": low,
            **dict(sorted(tally.items())),
        }
        print(json.dumps({self.out.stem: counts}))
        return 0


def options_of(
    doc: str | None, name: str, arguments: Sequence[str] | None, *, inputs: str
) -> tuple[Options, dict[str, str]]:
    """The options of a builder of the set ``name`` (``inputs``: how many), and the pins."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n", 1)[0])
    parser.add_argument("inputs", nargs=inputs)
    parser.add_argument("--mirrors", type=Path, required=True, help="directory of the clones")
    parser.add_argument("--out", type=Path, required=True, help="the set: not in this project")
    parser.add_argument("--manifest", type=Path, default=MANIFESTS / f"{name}.jsonl")
    parser.add_argument("--pins", type=Path, default=MANIFESTS / "pins.json")
    given = parser.parse_args(arguments)
    options = Options(tuple(given.inputs), given.mirrors, given.out, given.manifest, given.pins)
    return options, read_pins(options.pins)


def finish(history: History, found: Sequence[Found], tally: Counter[str]) -> list[Row]:
    """Rows of one repository with what each question gives away over all its explained commits."""
    if not found:
        return []
    corpus = Corpus(Explained(history).messages())
    rows = []
    for one in found:
        tally[one.how] += 1
        messages = " ".join(history.commits[oid].message for oid in one.answer.relevant)
        overlap = corpus.overlap(one.query, messages)
        repo, at = history.mirror.name, history.mirror.tip
        relevant, acceptable = one.answer.relevant, one.answer.acceptable
        question = Question(one.id, repo, at, "en", one.query, relevant, acceptable)
        share, peak = round(overlap.share, 3), round(overlap.peak, 3)
        entry = Entry(
            one.id, repo, at, relevant, acceptable, one.how, share, peak, digest(one.query)
        )
        rows.append((question, entry))
    return rows
