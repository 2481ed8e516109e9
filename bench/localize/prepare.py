"""Brings the public data of this benchmark: instances, and bare clones of what they stand on.

    python -m bench.localize.prepare sets --out DATA [--set lite] [--set loc] [--set verified]
    python -m bench.localize.prepare mirrors --mirrors MIRRORS [--repo OWNER/NAME …] SET.jsonl …

- *sets* asks the dataset server of Hugging Face for :data:`SETS` a hundred rows at a time and
  writes one JSON object a line: ``instance_id``, ``repo``, ``base_commit``, ``problem_statement``,
  ``created_at``, ``category`` where there is one, ``gold_files`` and, from a patch, ``gold_lines``.
- Gold of SWE-bench Lite: files of the accepted patch that were there before; lines are those it
  takes away, and of an insertion the line it stands after, in the base version. Gold of Loc-Bench:
  the files of its ``edit_functions``.
- SWE-bench Verified is written without what is in Lite, which it needs for that; its gold are the
  ``.py`` files of the patch.
- A set is written only when it has as many rows as expected and its ids and base commits have the
  expected digest; a file with that digest is left as it is.
- *mirrors* clones each repository bare into MIRRORS/<owner>+<name>/repo, fetches base commits that
  no branch reaches by their id, and names those that cannot be had. What is there is left.
- Lite and Loc-Bench are MIT; the issues in them are their authors'. 165 repositories take some
  25 GB: ``--repo`` brings some. ``--source`` and ``--clone-from`` name other places for the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.localize.mirrors import KIND, mirror, rows_of

SERVER = "https://datasets-server.huggingface.co/rows"
CLONES = "https://github.com/"
PAGE = 100
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")


class PrepareError(Exception):
    """What could not be brought, and what to do."""


@dataclass(frozen=True)
class Set:
    """A public set: its name there, the file it becomes, how to know it again; the set whose
    instances are left out, and how gold files end."""

    dataset: str
    file: str
    rows: int
    digest: str
    without: str = ""
    ending: str = ""


SETS = {
    "lite": Set(
        "princeton-nlp/SWE-bench_Lite", "swebench-lite.jsonl", 300,
        "55b887025991b88542082772bbff61d7e011881c407ba0547de565b8c14f4c58",
    ),
    "loc": Set(
        "czlll/Loc-Bench_V1", "loc-bench.jsonl", 560,
        "835fc21ff1bf579d8706a4d99ee75954741845694264682219635a6b4a750730",
    ),
    "verified": Set(
        "princeton-nlp/SWE-bench_Verified", "swebench-verified.jsonl", 407,
        "62bf67de8b9ba665bcc1791b32622d7476216c0652cf86b7efc49912ec535b29", "lite", KIND,
    ),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("sets")
    one.add_argument("--out", required=True, type=Path)
    one.add_argument("--set", action="append", choices=sorted(SETS), dest="names")
    one.add_argument("--source", default=SERVER)
    two = parts.add_parser("mirrors")
    two.add_argument("sets", nargs="+", type=Path)
    two.add_argument("--mirrors", required=True, type=Path)
    two.add_argument("--repo", action="append", default=[])
    two.add_argument("--clone-from", default=CLONES)
    said = parser.parse_args()
    try:
        if said.part == "sets":
            for name in said.names or sorted(SETS):
                print(prepare_set(SETS[name], said.out, said.source))
            return 0
        absent = prepare_mirrors(said.sets, said.mirrors, said.repo, said.clone_from)
    except PrepareError as error:
        print(f"prepare: {error}", file=sys.stderr)
        return 1
    for repo, commits in sorted(absent.items()):
        print(f"{repo}: {len(commits)} base commits cannot be had")
    return 2 if absent else 0


def prepare_set(wanted: Set, out: Path, source: str) -> str:
    """Write one set, or leave it where it is already right; what was done."""
    target = out / wanted.file
    if target.exists() and digest(rows_of([target])) == wanted.digest:
        return f"{target}: {wanted.rows} rows, already there"
    gone: set[str] = set()
    if wanted.without:
        prepare_set(SETS[wanted.without], out, source)
        gone = {row["instance_id"] for row in rows_of([out / SETS[wanted.without].file])}
    every = (instance_of(row, wanted.ending) for row in fetched(wanted.dataset, source))
    rows = [row for row in every if row["instance_id"] not in gone]
    if len(rows) != wanted.rows or digest(rows) != wanted.digest:
        raise PrepareError(
            f"{wanted.dataset} has changed: {len(rows)} rows of {wanted.rows}, digest"
            f" {digest(rows)[:12]} for {wanted.digest[:12]}; nothing was written"
        )
    out.mkdir(parents=True, exist_ok=True)
    half = target.with_name(target.name + ".part")
    half.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    os.replace(half, target)
    return f"{target}: {len(rows)} rows"


def digest(rows: Sequence[Mapping[str, Any]]) -> str:
    """The SHA-256 of all ids with their base commits, in order of ids."""
    lines = sorted(f"{row['instance_id']} {row['base_commit']}" for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def fetched(dataset: str, source: str) -> Iterator[Mapping[str, Any]]:
    """All rows of a dataset's test split. Raises PrepareError."""
    at, total = 0, 1
    while at < total:
        asked = {"dataset": dataset, "config": "default", "split": "test"}
        query = urllib.parse.urlencode(asked | {"offset": str(at), "length": str(PAGE)})
        try:
            with urllib.request.urlopen(f"{source}?{query}", timeout=120) as answer:
                page = json.load(answer)
            rows, total = page["rows"], page["num_rows_total"]
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise PrepareError(
                f"{source} does not answer ({error}); look at the network, or give --source"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise PrepareError(f"{source} answers with something else than rows") from error
        if not rows or any(one.get("truncated_cells") for one in rows):
            raise PrepareError(f"{source} cuts rows off at {at}; download the set and serve it")
        yield from (one["row"] for one in rows)
        at += len(rows)


def instance_of(row: Mapping[str, Any], ending: str = "") -> dict[str, Any]:
    """A row as the harness reads it, its gold files those of that ``ending``. Raises PrepareError
    where a field is missing or odd."""
    try:
        kept = {
            name: str(row[name])
            for name in ("instance_id", "repo", "base_commit", "problem_statement")
        }
        if not _NAME.fullmatch(kept["repo"]) or not _COMMIT.fullmatch(kept["base_commit"]):
            raise PrepareError(f"{kept['instance_id']} names no repository and commit")
        functions = row.get("edit_functions")
        changed = gold_lines(row["patch"])
        lines = {path: told for path, told in changed.items() if path.endswith(ending)}
        files = sorted({one.split(":")[0] for one in functions}) if functions else sorted(lines)
    except (KeyError, TypeError, AttributeError) as error:
        raise PrepareError(f"a row without {error}: the dataset has changed") from error
    told: dict[str, Any] = {**kept, "created_at": row.get("created_at"), "gold_files": files}
    if "category" in row:
        told["category"] = row["category"]
    if not functions:
        told["gold_lines"] = lines
    return told


def gold_lines(patch: str) -> dict[str, list[list[int]]]:
    """By file that was there before: ranges of lines of the base version that a patch changes."""
    found: dict[str, set[int]] = {}
    marked: set[int] = set()
    outside = -1
    line, taken = outside, False
    for text in patch.split("\n"):
        if text.startswith("diff --git "):
            line = outside
        elif line == outside and text.startswith("--- "):
            name = text[4:].split("\t")[0]
            marked = set()
            if name != "/dev/null":
                found[name.removeprefix("a/")] = marked
        elif hunk := _HUNK.match(text):
            line, taken = int(hunk[1]), False
        elif line == outside or text.startswith("\\"):
            continue
        elif text.startswith("-"):
            marked.add(line)
            line, taken = line + 1, True
        elif text.startswith("+"):
            if not taken:
                marked.add(max(line - 1, 1))
        else:
            line, taken = line + 1, False
    return {path: ranges(lines) for path, lines in found.items()}


def ranges(lines: set[int]) -> list[list[int]]:
    """The runs of consecutive numbers."""
    runs: list[list[int]] = []
    for one in sorted(lines):
        if runs and runs[-1][1] == one - 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return runs


def prepare_mirrors(
    sets: Sequence[Path], mirrors: Path, only: Sequence[str], clone_from: str
) -> dict[str, list[str]]:
    """Clone what is missing; by repository, the base commits that cannot be had."""
    by_repo: dict[str, set[str]] = defaultdict(set)
    for row in rows_of(sets):
        if not only or row["repo"] in only:
            by_repo[row["repo"]].add(row["base_commit"])
    if unknown := sorted(set(only) - by_repo.keys()):
        raise PrepareError(f"no instance is of {', '.join(unknown)}")
    absent: dict[str, list[str]] = {}
    for repo, commits in sorted(by_repo.items()):
        path = mirror(mirrors, repo)
        if not path.exists():
            _clone(f"{clone_from}{repo}", path)
            print(f"{path}: cloned", flush=True)
        lost = [one for one in sorted(commits) if not _has(path, one) and not _fetch(path, one)]
        if lost:
            absent[repo] = lost
    return absent


def _clone(url: str, path: Path) -> None:
    half = path.with_name("repo.part")
    half.parent.mkdir(parents=True, exist_ok=True)
    done = _git("clone", "--quiet", "--bare", "--", url, str(half))
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise PrepareError(f"{url} cannot be cloned: {' '.join(reason)}; run it again to go on")
    os.replace(half, path)


def _has(path: Path, commit: str) -> bool:
    return _git("-C", str(path), "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def _fetch(path: Path, commit: str) -> bool:
    _git("-C", str(path), "fetch", "--quiet", "origin", commit)
    return _has(path, commit)


def _git(*args: str) -> subprocess.CompletedProcess[bytes]:
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(["git", *args], env=quiet, capture_output=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
