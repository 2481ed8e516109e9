"""Replays commits of a repository through the guard, each held against its own parent.

    python bench/guard/replay.py REPOSITORY STORE --days 365 > firings.jsonl

One JSON object a firing (a removal that a commit brings back), and a summary on standard error.
``STORE`` keeps what was mined. Nothing of a message or a file is printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citator.formats.patch import parse
from citator.git.blobs import BlobReader
from citator.git.intended import lines_holding
from citator.git.patches import patches
from citator.git.records import Repository
from citator.git.repository import discover, head
from citator.guard.change import MAX_FILE, Change, changed, compared
from citator.guard.resurrections import (
    Resurrection,
    Strength,
    brought_by,
    resurrections,
    settled,
)
from citator.index.removals import FILE, Removals


class Reached:
    """The removals that a commit has, as bits."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self._bits >> number & 1 == 1


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("repository", type=Path)
    asked.add_argument("store", type=Path)
    asked.add_argument("--days", type=int, default=365)
    given = asked.parse_args()
    repo = discover(given.repository)
    tip = head(repo).commit
    assert tip is not None
    began, cpu = time.time(), time.process_time()
    with Removals(given.store) as removals:
        removals.bring_up(repo, tip)
        took = f"{time.time() - began:.1f} s, {time.process_time() - cpu:.1f} s CPU"
        size = (given.store / FILE).stat().st_size
        print(f"mined in {took}; {size:,} bytes", file=sys.stderr)
        known = dict(rows(given.store))
        work = list(commits(repo, tip, known, given.days))
        fired = firings = 0
        for commit, found in replayed(repo, removals, work):
            fired += bool(found)
            firings += len(found)
            for one in found:
                print(json.dumps(row(commit, one)))
    rate = 100 * firings / max(1, len(work))
    print(
        f"{len(work)} commits, {fired} fired, {firings} firings, {rate:.2f} per 100 commits",
        file=sys.stderr,
    )


def rows(store: Path) -> list[tuple[str, int]]:
    import sqlite3

    with sqlite3.connect(store / FILE) as db:
        return list(db.execute("select id, n from removals"))


def commits(
    repo: Repository, tip: str, known: dict[str, int], days: int
) -> Iterator[tuple[str, str, Reached]]:
    """The newest non-merges with their parent and what that has."""
    form = ["--topo-order", "--reverse", "--format=%H %ct %P", tip]
    said = subprocess.run(
        ["git", f"--git-dir={repo.git_dir}", "log", *form], capture_output=True, check=True
    ).stdout.decode()
    lines = [line.split() for line in said.splitlines()]
    first = max(int(line[1]) for line in lines) - days * 86_400
    reached: dict[str, int] = {}
    for commit, at, *parents in lines:
        bits = 0
        for one in parents:
            bits |= reached.get(one, 0)
        if len(parents) == 1 and int(at) >= first:
            yield commit, parents[0], Reached(bits)
        if commit in known:
            bits |= 1 << known[commit]
        reached[commit] = bits


def replayed(
    repo: Repository, removals: Removals, work: list[tuple[str, str, Reached]]
) -> Iterator[tuple[str, list[Resurrection]]]:
    read = patches(repo, [commit for commit, _, _ in work])
    with BlobReader(repo) as blobs:
        for (commit, parent, view), (_, patch) in zip(work, read, strict=True):
            if patch is None:
                yield commit, []
                continue
            brought = brought_by(change_of(patch, blobs))
            found = removals.found(list(brought.places), view)  # type: ignore[arg-type]
            made = [
                one for one in resurrections(brought, found) if one.strength is not Strength.WEAK
            ]
            texts = [one.place.text for one in made]
            yield commit, settled(made, lines_holding(repo, parent, texts, lambda _: False))


def change_of(patch: bytes, blobs: BlobReader) -> Change:
    def content(path: str | None, object_id: str) -> bytes | None:
        found = blobs.read(object_id, MAX_FILE) if path and object_id.strip("0") else None
        return found if isinstance(found, bytes) else None

    files = [
        compared(
            one.old_path,
            one.new_path,
            content(one.old_path, one.old_id),
            content(one.new_path, one.new_id),
        )
        for one in parse(patch).files
        if not one.binary
    ]
    return changed(files)


def row(commit: str, one: Resurrection) -> dict[str, Any]:
    return {
        "commit": commit,
        "removal": one.found.commit,
        "kind": one.found.kind.name.lower(),
        "cause": one.found.cause.name.lower(),
        "strength": one.strength.value,
        "share": round(one.share, 2),
        "also": one.also,
    }


if __name__ == "__main__":
    main()
