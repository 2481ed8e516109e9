"""What locating costs on one repository of tens of thousands of files, built out of several.

    python -m bench.localize.large --mirrors MIRRORS --scratch DIR --out LARGE.json \\
        --question "TEXT" … OWNER/NAME …

- The trees of the mirrors' newest commits stand beside each other in a bare scratch repository, as
  folders of one commit; their objects are borrowed, nothing is copied. Ten thousand commits that
  touch files here and there, then one more that changes thirty files.
- Processor time (this process and the git it starts), never wall time. Memory is the peak of a
  process of its own, that opens what is kept and answers.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.localize.cost import answered, scenes_of, spent
from bench.localize.mirrors import mirror

from citator.git import repository, trees
from citator.git.records import TreeEntry
from citator.git.revisions import commit_named
from citator.index.code.building import CodeIndex
from citator.index.code.languages import language_of
from citator.index.code.words import Words

COMMITS = 10_000
TOUCHED = 3
CHANGED = 30
_WHO = "large <large@example.org>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="*")
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--question", action="append", required=True)
    said = parser.parse_args()
    if said.out is None:
        print(json.dumps(answering(said.scratch / "large.git", said.scratch, said.question)))
        return
    place = said.scratch / "large.git"
    if not place.exists():
        build(place, [mirror(said.mirrors, one) for one in said.repos])
    measured = measure(place, said.scratch, said.question)
    said.out.write_text(json.dumps({"repos": said.repos, **measured}, indent=1) + "\n", "utf-8")
    print(json.dumps(measured))


def build(place: Path, mirrors: Sequence[Path]) -> None:
    """Make the repository."""
    _git(None, "init", "-q", "--bare", "-b", "main", str(place))
    lines = [str(one.resolve() / "objects") for one in mirrors]
    (place / "objects" / "info" / "alternates").write_text("\n".join(lines) + "\n", "utf-8")
    rows = []
    for one in mirrors:
        tree = _git(one, "rev-parse", "HEAD^{tree}").strip().decode()
        rows.append(f"040000 tree {tree}\t{one.parent.name}\n")
    tree = _git(place, "mktree", feed="".join(sorted(rows)).encode()).strip().decode()
    repo = repository.discover(place)
    first = _git(
        place, "-c", "user.name=large", "-c", "user.email=large@example.org", "commit-tree",
        tree, "-m", "Gather",
    ).strip().decode()  # fmt: skip
    files = [
        one
        for one in trees.entries(repo, first)
        if language_of(one.path) and one.mode == "100644" and one.size is not None
    ]
    _git(place, "fast-import", "--quiet", feed=b"".join(_stream(place, first, files)))
    _git(place, "symbolic-ref", "HEAD", "refs/heads/main")


def _stream(place: Path, first: str, files: Sequence[TreeEntry]) -> Iterator[bytes]:
    """Commits that make files executable and back: they touch names and leave contents alone.
    The last one adds a line to each of its files."""
    modes: dict[str, bool] = {}
    for number in range(COMMITS + 1):
        last = number == COMMITS
        chosen = [
            files[(number * 7919 + turn * 104729) % len(files)]
            for turn in range(CHANGED if last else TOUCHED)
        ]
        names = " ".join(one.path.rpartition("/")[2].partition(".")[0] for one in chosen[:6])
        message = f"Fix {names} ({number})".encode("utf-8", "surrogateescape")
        yield b"commit refs/heads/main\n"
        yield f"committer {_WHO} {1_600_000_000 + number} +0000\ndata {len(message)}\n".encode()
        yield message + (f"\nfrom {first}\n" if not number else "\n").encode()
        for one in chosen:
            path = one.path.encode("utf-8", "surrogateescape")
            modes[one.path] = not modes.get(one.path, False)
            if last:
                text = _git(place, "cat-file", "blob", one.object_id) + b"\n"
                yield b"M 100644 inline " + path + f"\ndata {len(text)}\n".encode() + text
            else:
                mode = "100755" if modes[one.path] else "100644"
                yield f"M {mode} {one.object_id} ".encode() + path + b"\n"


def measure(place: Path, scratch: Path, texts: list[str]) -> dict[str, object]:
    """All figures but the memory of an answer, which another process tells."""
    folder = scratch / "large"
    shutil.rmtree(folder, ignore_errors=True)
    repo = repository.discover(place)
    words = Words()
    began = spent()
    with CodeIndex(repo, folder, words) as index:
        before = scenes_of(index, commit_named(repo, "HEAD~1"))
        from_nothing = spent() - began
        del before
        began = spent()
        scenes = scenes_of(index, commit_named(repo, "HEAD"))
        one_commit = spent() - began
    files = sum(scene.size for scene in scenes)
    kept = sorted(folder.glob("*.arrays"), key=lambda one: one.stat().st_mtime_ns)[-3:]
    told = subprocess.run(
        [sys.executable, "-m", "bench.localize.large", "--scratch", str(scratch)]
        + [part for text in texts for part in ("--question", text)],
        check=True, capture_output=True,
    )  # fmt: skip
    return {
        "files_in_the_tree": sum(1 for _ in trees.entries(repo, commit_named(repo, "HEAD"))),
        "files": files,
        "sources": scenes[0].size,
        "definitions": sum(len(scene.code.names) for scene in scenes),
        "from_nothing_seconds": round(from_nothing, 1),
        "one_commit_ms": round(1000 * one_commit),
        "index_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "store_bytes_per_file": round((folder / "facts.sqlite").stat().st_size / files),
        "snapshot_bytes_per_file": round(sum(one.stat().st_size for one in kept) / files),
        **json.loads(told.stdout),
    }


def answering(place: Path, scratch: Path, texts: list[str]) -> dict[str, object]:
    """What answers cost from what is kept: processor time, and the peak of memory."""
    repo = repository.discover(place)
    words = Words()
    began = spent()
    with CodeIndex(repo, scratch / "large", words) as index:
        scenes = scenes_of(index, commit_named(repo, "HEAD"))
    opened = spent() - began
    first = time.process_time()
    answered(scenes, texts[:1], words)
    first = time.process_time() - first
    return {
        "opened_ms": round(1000 * opened),
        "first_two_answers_ms": round(1000 * first),
        **answered(scenes, texts, words),
        "answer_memory_mb": _peak(),
    }


def _peak() -> int:
    """The peak of this process in MB: the usual count also knows that of the process it is of."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith("VmHWM")) // 1024


def _git(place: Path | None, *args: str, feed: bytes = b"") -> bytes:
    where = [] if place is None else [f"--git-dir={place}"]
    return subprocess.run(
        ["git", *where, *args], input=feed, check=True, capture_output=True
    ).stdout


if __name__ == "__main__":
    main()
