"""Holds out one file of each late commit: does what changed together before name it.

    python -m bench.localize.cochange --mirrors MIRRORS --scratch DIR --out OUT.json OWNER/NAME …

- The newest 300 commits with one parent that touch 2 to 30 files of their parent's tree. One of
  these is taken away (the n-th of the n-th commit, so that every place has its turn); the rest
  is asked, against the history and the tree of the parent.
- *named*: files that are named, *right*: those that are the one taken away; *precision* their
  share; *found*: commits whose file is named.
- *whole*: the same commits with nothing taken away, and how many of them still get a name: a
  person who changed everything is told that much too often.
- The default threshold, and each part of it loosened alone: what that part is worth.
- The default was chosen on seven repositories (``CHOSEN_ON``); the others had no part in it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bench.localize.mirrors import mirror

from citator.git import history, repository, trees
from citator.git.records import Repository
from citator.index.code.building import CodeIndex
from citator.index.code.cochange import DEFAULT, WIDEST, Changes, changes_of, partners
from citator.index.code.past import Past
from citator.index.code.words import Words

NEWEST = 5_000
HELD_OUT = 300
CHOSEN_ON = (
    "adamchainz/django",
    "BurntSushi/ripgrep",
    "caddyserver/caddy",
    "composer/composer",
    "puma/puma",
    "sphinx-doc/sphinx",
    "square/leakcanary",
)
THRESHOLDS = {
    "default": DEFAULT,
    "3 times": replace(DEFAULT, times=3),
    "share .6": replace(DEFAULT, share=0.6),
    "any months": replace(DEFAULT, months=1),
    "any agreement": replace(DEFAULT, agreement=0.0),
    "all partners": replace(DEFAULT, most=1_000),
}


@dataclass(frozen=True)
class Held:
    """A commit: what its parent knew, the files it touched, and which of them is taken away."""

    changes: Changes
    files: tuple[int, ...]
    out: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    for name in said.repos:
        path = mirror(said.mirrors, name)
        found[name] = measured(path, said.scratch / "cochange" / name.replace("/", "+", 1))
        found[name]["chosen_on"] = name in CHOSEN_ON
        print(name, json.dumps(found[name]), flush=True)
        said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def measured(path: Path, folder: Path) -> dict[str, Any]:
    """The figures of one repository, by threshold."""
    repo = repository.discover(path)
    counts = {name: [0, 0, 0] for name in THRESHOLDS}
    commits = 0
    with CodeIndex(repo, folder, Words(), keep=False) as index:
        for held in _held_out(repo, index):
            commits += 1
            rest = [file for file in held.files if file != held.out]
            for name, threshold in THRESHOLDS.items():
                said = [one.file for one in partners(held.changes, rest, threshold)]
                whole = partners(held.changes, held.files, threshold)
                for place, count in enumerate((len(said), held.out in said, bool(whole))):
                    counts[name][place] += count
    return {
        "commits": commits,
        **{name: _figures(commits, *three) for name, three in counts.items()},
    }


def _figures(commits: int, named: int, right: int, whole: int) -> dict[str, float]:
    return {
        "named": named,
        "right": right,
        "precision": round(right / max(named, 1), 3),
        "found": round(right / max(commits, 1), 3),
        "whole": round(whole / max(commits, 1), 3),
    }


def _held_out(repo: Repository, index: CodeIndex) -> Iterator[Held]:
    head = repository.head(repo).commit
    assert head is not None
    past: Past = index.commits(head)
    base = next(islice(history.reachable(repo, head), NEWEST, None), None)
    with history.commits(repo, head, [] if base is None else [base]) as walk:
        chosen = [
            (commit.parents[0], commit.paths)
            for commit in walk
            if len(commit.parents) == 1 and 2 <= len(commit.paths or ()) <= WIDEST
        ]
    number = 0
    for parent, touched in reversed(chosen):
        paths = [one.path for one in trees.entries(repo, parent) if one.kind == "blob"]
        place = {path: at for at, path in enumerate(paths)}
        files = tuple(sorted(place[path] for path in touched or () if path in place))
        if len(files) > 1:
            changes = changes_of(past, parent, paths)
            yield Held(changes, files, files[number % len(files)])
            number += 1
        if number == HELD_OUT:
            return


if __name__ == "__main__":
    main()
