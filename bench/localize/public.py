"""Tries ``citator locate`` on public issues from repositories that no weight was fitted on.

    python -m bench.localize.public --mirrors MIRRORS --texts TEXTS --scratch DIR --out OUT.json

- The issues are those of ``public.json``: repository, number, the fixing commit, its parent, the
  source files that it changed. How they were chosen is told in ``docs/explanation/locate.md``.
- ``TEXTS/<owner>+<name>.txt`` holds title and text of an issue. No text is kept here.
- Each is asked in a clone whose history ends at the parent. Places are those among a hundred files;
  tokens are a quarter of the bytes of the default answer; milliseconds are processor time of the
  whole process with everything kept (the best of three), and of the first one, which reads it all.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("public.json")
MOST = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--texts", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    found = []
    for case in json.loads(CASES.read_text("utf-8")):
        name = case["repo"].replace("/", "+", 1)
        clone = cloned(said.mirrors / name / "repo", case["parent"], said.scratch / "clones" / name)
        found.append(case | tried(case, said.texts / f"{name}.txt", clone, said.scratch / name))
        print(json.dumps(found[-1]), flush=True)
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def cloned(mirror: Path, parent: str, target: Path) -> Path:
    """A clone at ``parent`` with no other branch; what the mirror lacks is not missed."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    git(target.parent, "init", "--quiet", str(target))
    alternates = target / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{(mirror / 'objects').resolve()}\n", "utf-8")
    git(target, "update-ref", "HEAD", git(target, "rev-parse", f"{parent}^{{commit}}").strip())
    git(target, "read-tree", "HEAD")
    subprocess.run(["git", "checkout-index", "--all", "--quiet"], cwd=target, capture_output=True)
    lost = git(target, "ls-files", "--deleted", "-z")
    git(target, "update-index", "--skip-worktree", "-z", "--stdin", told=lost)
    return target


def git(where: Path, *args: str, told: str = "") -> str:
    """What git says in ``where``."""
    done = subprocess.run(
        ["git", *args], cwd=where, input=told.encode(), capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def tried(case: dict[str, Any], text: Path, clone: Path, data: Path) -> dict[str, Any]:
    """What came out for one issue."""
    shutil.rmtree(data, ignore_errors=True)
    ask = ["locate", str(text.resolve()), "--root", str(clone)]
    _, first = spent(ask, data)
    again = [spent(ask, data) for _ in range(3)]
    listed, _ = spent([*ask, "--json", "--limit", str(MOST)], data)
    files = json.loads(listed)["files"]
    paths = [one["path"] for one in files]
    return {
        "places": [paths.index(one) + 1 if one in paths else None for one in case["gold"]],
        "first": paths[0],
        "confidence": files[0]["confidence"],
        "tokens": round(len(again[0][0]) / 4),
        "process_ms": min(took for _, took in again),
        "first_process_ms": first,
        "commits": int(git(clone, "rev-list", "--count", "HEAD")),
        "files": len(git(clone, "ls-files", "-z").split("\0")) - 1,
    }


def spent(ask: list[str], data: Path) -> tuple[bytes, int]:
    """The answer of a process, and its processor time with that of its children."""
    environment = {
        **os.environ,
        "CITATOR_DATA_DIR": str(data.resolve() / "data"),
        "CITATOR_CONFIG_DIR": str(data.resolve() / "config"),
    }
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "citator", *ask], env=environment, capture_output=True, check=True
    )
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    return done.stdout, round(1000 * took)


if __name__ == "__main__":
    main()
