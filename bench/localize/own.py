"""Replays the past fixes of repositories: does what a fix says lead to the files it changed.

    python -m bench.localize.own --mirrors MIRRORS --scratch DIR --out OWN.json OWNER/NAME …

- A fix is a commit with one parent whose subject says so and which changed one to five source
  files that are no tests and were there before. Its message is the issue; trees and history are
  its parent's. Forty a repository, evenly spaced over the newest 3,000 commits.
- Messages are written by who knows the answer: read these figures beside each other (a language
  beside a language, a version beside a version), not beside those of issues.
- The shipped weights; nothing is fitted. No word of a message is kept.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench.localize.metrics import Placed, figures

from citator.git import history, repository
from citator.git.records import RawCommit, Repository
from citator.index.code.building import CodeIndex
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of
from citator.index.code.words import Words
from citator.locate.fusion import shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank

NEWEST = 3_000
EACH = 40
_FIX = re.compile(r"^(?:\w+(?:\([^)]*\))?: )?(?:fix|bug)|\bfix(?:es|ed)?\b", re.I)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    words = Words()
    found: dict[str, object] = {}
    for name in said.repos:
        path = said.mirrors / name.replace("/", "+", 1) / "repo"
        folder = said.scratch / "own" / name.replace("/", "+", 1)
        placed = list(replayed(name, path, folder, words))
        found[name] = figures(placed)
        print(name, json.dumps(found[name]), flush=True)
        said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def replayed(name: str, path: Path, folder: Path, words: Words) -> Iterator[Placed]:
    """Where the files of each fix stand."""
    repo = repository.discover(path)
    model = shipped()
    with CodeIndex(repo, folder, words) as index:
        for commit, gold in fixes(repo):
            parent = commit.parents[0]
            parts = index.parts(parent)
            groups = [[one for one in g if not one.test] for g in (parts.source, parts.other)]
            pasts = index.past(groups, parent)
            scenes = tuple(
                Scene(index.snapshot(group), past)
                for group, past in zip(groups, pasts, strict=True)
            )
            known = {path for path in gold if path in scenes[0].code.paths}
            if known:
                ranked = rank(read_issue(commit.message, words), scenes, model, 100)
                names = [scenes[one.scene].code.paths[one.file] for one in ranked]
                places = tuple(n for n, path in enumerate(names, 1) if path in known)
                sure = ranked[0].confidence
                yield Placed(commit.object_id[:10], name, places, len(known), sure)


def fixes(repo: Repository) -> list[tuple[RawCommit, list[str]]]:
    """The fixes that are replayed, oldest first, each with the source files it changed."""
    head = repository.head(repo).commit
    assert head is not None
    base = next(islice(history.reachable(repo, head), NEWEST, None), None)
    found = []
    with history.commits(repo, head, [] if base is None else [base]) as walk:
        for commit in walk:
            if len(commit.parents) != 1 or not _FIX.search(commit.message.partition("\n")[0]):
                continue
            changed = [one for one in commit.paths or () if language_of(one) and not is_test(one)]
            if 1 <= len(changed) <= 5:
                found.append((commit, changed))
    return found[:: max(1, len(found) // EACH)][:EACH]


if __name__ == "__main__":
    main()
