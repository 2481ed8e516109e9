"""Draws lines to be judged: half of them rewritten by a commit that touched many files.

    python -m bench.docket.sample --mirrors MIRRORS --out LINES.json OWNER/NAME …

- Of each repository ten lines of source at the pinned head, drawn with a fixed seed: five for which
  plain ``git blame`` names a commit that touched thirty files or more and replaced lines there
  (a formatter run, a mass change, a renamed folder), five whatever it names.
- A line counts that is no test, holds eight letters or digits, and is no comment by its first sign.
- What is kept is a repository, a head, a path and a number: no word of any repository.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from bench.docket.methods import git
from bench.localize.mirrors import mirror

from citator.git.blame import hunks_in
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of

EACH = 5
BULK = 30
SEED = "docket-1"
_COMMENT = re.compile(r"\s*(?:#|//|\*|/\*|--|\"\"\"|''')")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", default=SEED)
    said = parser.parse_args()
    found = [one for name in said.repos for one in drawn(said.mirrors, name, said.seed)]
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def drawn(mirrors: Path, name: str, seed: str) -> list[dict[str, object]]:
    """Ten lines of one repository."""
    repo = mirror(mirrors, name)
    head = git(repo, "rev-parse", "HEAD").strip()
    bulk: list[dict[str, object]] = []
    other: list[dict[str, object]] = []
    for path, line in _lines(repo, head, random.Random(f"{seed} {name}")):
        row = {"repo": name, "head": head, "path": path, "line": line}
        if len(other) < EACH:
            other.append(row | {"drawn": "any"})
        elif len(bulk) < EACH:
            if _is_mass_change(repo, head, path, line):
                bulk.append(row | {"drawn": "bulk"})
        else:
            return other + bulk
    return other + bulk


def _lines(repo: Path, head: str, chance: random.Random) -> Iterator[tuple[str, int]]:
    listed = git(repo, "ls-tree", "-r", "-z", "--name-only", head).split("\0")
    paths = [one for one in listed if one and language_of(one) and not is_test(one)]
    for _ in range(400):
        path = chance.choice(paths)
        lines = git(repo, "show", f"{head}:{path}").split("\n")
        number = chance.randrange(1, len(lines) + 1)
        text = lines[number - 1]
        if sum(one.isalnum() for one in text) >= 8 and not _COMMENT.match(text):
            yield path, number


def _is_mass_change(repo: Path, head: str, path: str, line: int) -> bool:
    """Whether the line was last touched by a commit of many files that replaced lines there."""
    said = git(repo, "blame", "--porcelain", "-L", f"{line},{line}", head, "--", path)
    commit, there = said.split(maxsplit=2)[:2]
    name = next(one[9:] for one in said.split("\n") if one.startswith("filename "))
    shown = git(repo, "diff-tree", "-r", "--root", "--no-commit-id", "--name-only", commit)
    if shown.count("\n") < BULK:
        return False
    patch = git(repo, "show", "--format=", "-U0", "-M", commit, "--", name)
    for hunk in hunks_in(patch.encode("utf-8", "replace")):
        if hunk.new <= int(there) < hunk.new + hunk.new_count:
            return hunk.old_count > 0
    return False


if __name__ == "__main__":
    main()
