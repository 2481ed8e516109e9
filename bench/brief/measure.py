"""What a brief costs and holds, on real repositories, beside what else tells the same facts.

    python bench/brief/measure.py CLONES [--tokenizer PACKAGE] > bench/brief/results.json

CLONES is a folder of clones with a work tree and a branch that has an upstream. Each is cloned
again into a temporary folder, where work is put on it: one commit ahead, three behind, the files of
its newest commit changed, one new file, two notes, a session, a claim of another work tree.

Tokens are bytes / 4, and with ``--tokenizer`` (an unpacked ``gpt-tokenizer`` package; needs node)
those of o200k_base too. CPU is of the process and of the git processes it starts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citator.service import claims, notes, sessions
from citator.service.brief import brief
from citator.service.claims import Wish
from citator.service.notes import Draft
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.sources.stack import FILES
from citator.team.notes import Channel

COUNT = (
    "const {encode}=require(process.argv[1]+'/cjs/encoding/o200k_base.js');"
    "const t=JSON.parse(require('fs').readFileSync(0));"
    "console.log(JSON.stringify(t.map(x=>encode(x).length)))"
)
WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def moment() -> Moment:
    return Moment(time.time_ns() // 1_000_000, os.urandom)


def set_up(source: Path, root: Path, places: Places) -> None:
    """A clone in which somebody works."""
    git(source.parent, "clone", "-q", str(source), str(root))
    branch = git(root, "symbolic-ref", "--short", "HEAD").strip()
    git(root, "reset", "-q", "--hard", "HEAD~3")
    touched = git(root, "show", "--name-only", "--format=", "--first-parent", "-m", "HEAD")
    files = [one for one in touched.split("\n") if one and (root / one).is_file()][:3]
    (root / "work_begun.txt").write_text("begun\n")
    git(root, "add", "work_begun.txt")
    git(root, *WHO, "commit", "-q", "-m", "Begin the work")
    for one in files:
        with (root / one).open("a") as file:
            file.write("\n")
    (root / "scratch_notes.txt").write_text("new\n")
    linked = root.parent / f"{root.name}-linked"
    git(root, "worktree", "add", "-q", "-b", f"{branch}-other", str(linked))
    workspace, other = Workspace.open(root, places), Workspace.open(linked, places)
    said = Draft("The release script must not run on a shallow clone", "avoid", tuple(files))
    notes.add(workspace, said, Channel.TYPED, moment())
    said = Draft("Integration tests need the local server on port 8125", "fact")
    notes.add(workspace, said, Channel.TYPED, moment())
    wip = "Half of the callers use the new signature"
    sessions.save(
        workspace, sessions.Draft("Change the other callers, then run the tests", wip),
        Channel.REMEMBERED, moment(),
    )  # fmt: skip
    claims.start(other, Wish("1234", tuple(files or ("work_begun.txt",))), moment())


def otherwise(root: Path) -> dict[str, str]:
    """Commands whose output holds what a brief reads from git and from files."""
    manifests = sorted(one for one in FILES if (root / one).is_file())
    texts = [(root / one).read_text("utf-8", "replace") for one in manifests]
    return {
        "terse": git(root, "status", "--short", "--branch")
        + git(root, "log", "-3", "--no-merges", "--name-only", "--format=%h %cs")
        + "\n".join(sorted(os.listdir(root))),
        "usual": git(root, "status")
        + git(root, "log", "-3", "--no-merges", "--stat")
        + "\n".join(sorted(os.listdir(root))),
        "usual_and_manifests": git(root, "status")
        + git(root, "log", "-3", "--no-merges", "--stat")
        + "\n".join(sorted(os.listdir(root)))
        + "".join(text[:20_000] for text in texts),
    }


def cpu() -> float:
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def cost(action: Callable[[], object], times: int) -> dict[str, float]:
    """CPU milliseconds, the git processes included."""
    found = []
    for _ in range(times):
        began = cpu()
        action()
        found.append(1000 * (cpu() - began))
    found.sort()
    late = found[round(0.95 * (times - 1))]
    return {"p50": round(statistics.median(found), 1), "p95": round(late, 1)}


def counted(texts: list[str], tokenizer: str | None) -> list[int | None]:
    if tokenizer is None:
        return [None] * len(texts)
    done = subprocess.run(
        ["node", "-e", COUNT, tokenizer],
        input=json.dumps(texts).encode(), capture_output=True, check=True,
    )  # fmt: skip
    found: list[int | None] = json.loads(done.stdout)
    return found


def sizes(text: str, tokens: int | None) -> dict[str, int]:
    size = {"bytes": len(text.encode()), "bytes_by_4": -(-len(text.encode()) // 4)}
    return size if tokens is None else {**size, "o200k": tokens}


def one(source: Path, scratch: Path, tokenizer: str | None, times: int) -> dict[str, Any]:
    root, data = scratch / source.name, scratch / f"{source.name}-data"
    places = Places(data, data)
    set_up(source, root, places)
    made = brief(Workspace.open(root, places), moment())
    bare = brief(Workspace.open(source, Places(scratch / "empty", scratch / "empty")), moment())
    other = otherwise(root)
    texts = [bare.text, made.text, *other.values()]
    names = ["at_rest", "at_work", *other]
    counts = counted(texts, tokenizer)
    said = {n: sizes(text, count) for n, text, count in zip(names, texts, counts, strict=True)}
    here = {**os.environ, "CITATOR_DATA_DIR": str(data), "CITATOR_CONFIG_DIR": str(data)}
    command = [sys.executable, "-m", "citator", "brief", "--root", str(root)]

    def whole() -> None:
        subprocess.run(command, env=here, stdout=subprocess.DEVNULL, check=True)

    return {
        "repository": source.name.replace("+", "/"),
        "commits": int(git(source, "rev-list", "--count", "HEAD")),
        "files": git(source, "ls-files").count("\n"),
        "brief": made.text,
        "lines": sorted(line.split(":")[0] for line in made.text.splitlines()),
        "size": said,
        "cpu_ms": {
            "in_process": cost(lambda: brief(Workspace.open(root, places), moment()), times),
            "whole_process": cost(whole, max(5, times // 2)),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", type=Path)
    parser.add_argument("--tokenizer")
    parser.add_argument("--times", type=int, default=20)
    asked = parser.parse_args()
    found = []
    for source in sorted(asked.clones.iterdir()):
        scratch = Path(tempfile.mkdtemp(dir=asked.clones.parent))
        try:
            found.append(one(source.resolve(), scratch, asked.tokenizer, asked.times))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        sys.stderr.write(f"{source.name}\n")
    python = ".".join(map(str, sys.version_info[:3]))
    machine = {"python": python, "git": git(Path(), "version").strip()}
    json.dump({**machine, "repositories": found}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
