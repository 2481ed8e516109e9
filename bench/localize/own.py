"""Replays the past fixes of repositories: does what a fix says lead to the files it changed.

    python -m bench.localize.own --mirrors MIRRORS --scratch DIR --out OWN.json OWNER/NAME …

- What a fix is: :mod:`citator.service.past_fixes`. Its message is the issue; trees and history are
  its parent's. Forty a repository, evenly spaced over the newest 3,000 commits.
- Messages are written by who knows the answer: read these figures beside each other (a language
  beside a language, a version beside a version), not beside those of issues.
- The shipped weights; nothing is fitted but how far files of no known language stand behind: for
  each value, MAP@10 where everything that the fix changed and no test is gold. No word of a message
  is kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from bench.localize.cost import scenes_of
from bench.localize.metrics import Placed, figures
from bench.localize.mirrors import mirror

from citator.git import history, repository
from citator.git.records import RawCommit, Repository
from citator.index.code.building import CodeIndex
from citator.index.code.words import Words
from citator.locate.fusion import Model, shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank
from citator.service.past_fixes import fix_of, says_fix

NEWEST = 3_000
EACH = 40
LATER = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0)
_MAPS = "map@10 by others_later"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    words = Words()
    found: dict[str, Any] = json.loads(said.out.read_text("utf-8")) if said.out.exists() else {}
    for name in said.repos:
        path = mirror(said.mirrors, name)
        folder = said.scratch / "own" / name.replace("/", "+", 1)
        pairs = list(replayed(name, path, folder, words))
        found[name] = figures([placed for placed, _ in pairs]) | {
            _MAPS: {
                str(value): round(100 * sum(each[value] for _, each in pairs) / len(pairs), 1)
                for value in LATER
            }
        }
        print(name, json.dumps(found[name]), flush=True)
        said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(chosen(found)))


def chosen(found: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The value of ``others_later`` that is best over all repositories; MAP@10 with it, and with
    the one that is best on the other repositories (held out)."""
    maps = {name: one[_MAPS] for name, one in found.items() if _MAPS in one}

    def best(names: Iterable[str]) -> str:
        rows = [maps[name] for name in names]
        return max(map(str, LATER), key=lambda value: sum(row[value] for row in rows))

    value = best(maps)
    apart = [maps[name][best(other for other in maps if other != name)] for name in maps]
    return {
        "best": float(value),
        "map@10": round(sum(one[value] for one in maps.values()) / len(maps), 2),
        "held out": round(sum(apart) / len(maps), 2),
    }


def replayed(
    name: str, path: Path, folder: Path, words: Words
) -> Iterator[tuple[Placed, dict[float, float]]]:
    """Where the files of each fix stand, and MAP@10 of all that it changed by value."""
    repo = repository.discover(path)
    model = shipped()
    with CodeIndex(repo, folder, words) as index:
        for commit, gold in fixes(repo):
            parent = commit.parents[0]
            scenes = scenes_of(index, parent)
            known = {path for path in gold if path in scenes[0].code.paths}
            if known:
                ranked = rank(read_issue(commit.message, words), scenes, model, 100)
                names = [scenes[one.scene].code.paths[one.file] for one in ranked]
                places = tuple(n for n, path in enumerate(names, 1) if path in known)
                sure = ranked[0].confidence if ranked else 0.0
                placed = Placed(commit.object_id[:10], name, places, len(known), sure)
                yield placed, dict(by_value(commit, scenes, words, model))


def by_value(
    commit: RawCommit, scenes: tuple[Scene, ...], words: Words, model: Model
) -> Iterator[tuple[float, float]]:
    """MAP@10 of everything that the fix changed and no test, for each of :data:`LATER`."""
    every = {path for scene in scenes for path in scene.code.paths}
    gold = every.intersection(commit.paths or ())
    issue = read_issue(commit.message, words)
    for value in LATER:
        ranked = rank(issue, scenes, model, 10, value)
        names = [scenes[one.scene].code.paths[one.file] for one in ranked]
        places = tuple(n for n, path in enumerate(names, 1) if path in gold)
        yield value, Placed("", "", places, len(gold), 0.0).precision(10)


def fixes(repo: Repository) -> list[tuple[RawCommit, tuple[str, ...]]]:
    """The fixes that are replayed, oldest first, each with the source files it changed."""
    head = repository.head(repo).commit
    assert head is not None
    base = next(islice(history.reachable(repo, head), NEWEST, None), None)
    with history.commits(repo, head, [] if base is None else [base]) as walk:
        found = [
            (commit, fix.changed)
            for commit in walk
            for fix in fix_of(commit, lambda one: says_fix(one.message), tests=False)
        ]
    return found[:: max(1, len(found) // EACH)][:EACH]


if __name__ == "__main__":
    main()
