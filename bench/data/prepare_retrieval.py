"""The published question sets over two public histories, keyed by commit.

    python -m bench.data.prepare_retrieval --mirrors CLONES --out sets/
    python -m bench.data.prepare_retrieval --mirrors CLONES --out sets/ --held-out

Clone these three under one directory first (any of ``owner/name``, ``owner+name/repo``, ``name``):

- leonardoprimero/bruriah: the questions themselves (Apache-2.0) stand in its
  ``evals/project-memory/``, and its own history answers twelve of them in two languages;
- emilk/egui: 83 issue titles, each answered by the commit that closed the issue;
- square/leakcanary (only with ``--held-out``): 153 more, to confirm a figure with, not to fit.

Nothing is fetched here. Everything is read at pinned commits, so the sets are the same anywhere:
bruriah's files name a document by date and subject, which leads to exactly one commit or stops;
the others name the commit. Spanish issue titles are not published and are not made here.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data.mirror import Mirror, find_clone, git
from bench.data.questions import Question, write_set

SOURCE = "leonardoprimero/bruriah"
SOURCE_COMMIT = "12ce6a51164722b589690b994f4b073e99de5238"
FOLDER = "evals/project-memory"
SLUG_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Published:
    """One published file: its questions are about ``repo`` as it was at ``at_commit``."""

    file: str
    repo: str
    at_commit: str
    held_out: bool = False


PUBLISHED: Mapping[str, Published] = {
    "bruriah-en": Published("decisions-en.jsonl", SOURCE, SOURCE_COMMIT),
    "bruriah-es": Published("decisions-es.jsonl", SOURCE, SOURCE_COMMIT),
    "egui-en": Published(
        "egui-issues.jsonl", "emilk/egui", "e6eb00a31c7089d4458c55fcbe5f1253311a7176"
    ),
    "leakcanary-en": Published("leakcanary-issues.jsonl", "square/leakcanary", "63ebfa45f", True),
}


class UnmatchedError(Exception):
    """A published answer that is not exactly one commit here."""


def prepare(mirrors: Path, name: str) -> list[Question]:
    """The questions of one published file, answers as full commit ids. Raises UnmatchedError."""
    published = PUBLISHED[name]
    source, target = (_clone(mirrors, repo) for repo in (SOURCE, published.repo))
    at = git(target, "rev-parse", "--verify", f"{published.at_commit}^{{commit}}").strip()
    answers = _Answers(Mirror(published.repo, target, at))
    text = git(source, "show", f"{SOURCE_COMMIT}:{FOLDER}/{published.file}")
    return [
        _question(json.loads(line), published.repo, at, answers)
        for line in text.splitlines()
        if line
    ]


def _clone(mirrors: Path, repo: str) -> Path:
    found = find_clone(mirrors, repo)
    if found is None:
        raise SystemExit(f"no clone of {repo} under {mirrors}: git clone it there first")
    return found


def _question(row: dict[str, object], repo: str, at: str, answers: _Answers) -> Question:
    truth, provenance = row["ground_truth"], row.get("provenance")
    assert isinstance(truth, dict)
    named = [provenance["commit"]] if isinstance(provenance, dict) else truth["must_include"]
    return Question(
        id=str(row["id"]),
        repo=repo,
        at_commit=at,
        language=str(row["language"]),
        query=str(row["query"]),
        relevant_commits=tuple(answers.commit(str(name)) for name in named),
        acceptable_commits=tuple(answers.commit(str(name)) for name in truth["acceptable"]),
    )


class _Answers:
    """Leads from the ways in which an answer is named to the one commit."""

    def __init__(self, mirror: Mirror) -> None:
        self._named: dict[str, list[str]] = {}
        text = mirror.git("log", "--no-merges", "--format=%H %as %s", mirror.tip)
        for oid, date, subject in (line.split(" ", 2) for line in text.splitlines()):
            self._named.setdefault(document_name(date, subject), []).append(oid)
        self._oids = tuple(mirror.git("rev-list", mirror.tip).split())

    def commit(self, name: str) -> str:
        """The full id of the commit that ``name`` (an id's beginning, or a document) means."""
        found = self._named.get(name) or list(self._starting(name))
        if len(found) != 1:
            raise UnmatchedError(f"{name}: {len(found)} commits")
        return found[0]

    def _starting(self, prefix: str) -> Iterator[str]:
        return (oid for oid in self._oids if oid.startswith(prefix))


def document_name(date: str, subject: str) -> str:
    """``DATE-SLUG.md`` as the published sets name the document of a commit."""
    slug = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")
    return f"{date}-{slug[:SLUG_LENGTH].rstrip('-')}.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write every set whose clones are there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="directory of the clones")
    parser.add_argument("--out", type=Path, required=True, help="directory for the sets")
    parser.add_argument("--held-out", action="store_true", help="the confirmation set as well")
    options = parser.parse_args(arguments)
    for name, published in PUBLISHED.items():
        if published.held_out and not options.held_out:
            continue
        questions = prepare(options.mirrors, name)
        write_set(options.out / f"{name}.jsonl", questions)
        print(f"{name}: {len(questions)} questions over {published.repo}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
