"""What it costs to read a whole history: messages, people and touched paths of every commit.

    nice python -m bench.git.measure --mirrors CLONES django/django rails/rails

Without names, a made-up history of 100,000 commits is read alone. Each repository is read in a
process of its own, at a pinned commit. CPU seconds are given for that process and for its git
children apart; the peaks are the largest resident size of the process and of one git child (of
which mapped pack files are a part). ``open`` is what a question pays before it is asked: discover,
head and limits.
Writes ``bench/git/results.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.data.mirror import open_mirror, read_pins

HERE = Path(__file__).resolve().parent
PINS = HERE.parent / "data" / "manifests" / "pins.json"
RESULTS = HERE / "results.json"
COMMITS = 100_000
OPENINGS = 20


def cpu() -> tuple[float, float]:
    """CPU seconds of this process, and of its ended children."""
    now = os.times()
    return now.user + now.system, now.children_user + now.children_system


def peak_kib() -> int:
    """The largest resident size of this process; Linux alone counts it from its own start."""
    try:
        status = Path("/proc/self/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def read_all(start: Path, tip: str, limit: int | None) -> dict[str, object]:
    """Read the history of ``tip`` once, at most ``limit`` commits, and measure it."""
    from citator.git.history import commits, reachable
    from citator.git.repository import discover, head, limits
    from citator.git.version import version

    before = cpu()
    for _ in range(OPENINGS):
        repo = discover(start)
        head(repo)
        limits(repo)
    opened = cpu()
    excluded = []
    if limit is not None:
        excluded = [name for at, name in enumerate(reachable(repo, tip)) if at == limit]
    begun = cpu()
    count = paths = characters = 0
    for commit in commits(repo, tip, excluded):
        count += 1
        paths += len(commit.paths or ())
        characters += len(commit.message)
    ended = cpu()
    opening = (opened[0] - before[0] + opened[1] - before[1]) / OPENINGS
    return {
        "commits": count,
        "paths": paths,
        "message_characters": characters,
        "cpu_s_python": round(ended[0] - begun[0], 2),
        "cpu_s_git": round(ended[1] - begun[1], 2),
        "peak_mib_python": peak_kib() // 1024,
        "peak_mib_git_child": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "open_cpu_ms": round(opening * 1000, 1),
        "git": ".".join(map(str, version())),
        "python": platform.python_version(),
    }


def in_a_process(start: Path, tip: str, limit: int | None = None) -> dict[str, object]:
    """:func:`read_all` in a fresh interpreter."""
    command = [sys.executable, "-m", "bench.git.measure", "--one", str(start), tip]
    if limit is not None:
        command += ["--limit", str(limit)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    row: dict[str, object] = json.loads(done.stdout)
    return row


def made_up(folder: Path) -> tuple[Path, str]:
    """A repository of COMMITS explained commits, and its tip."""
    from tests.support.builder import Builder

    built = Builder.init(folder, bare=True)
    return built.path, built.many(COMMITS)


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="repositories under --mirrors, as owner/name")
    parser.add_argument("--mirrors", type=Path, help="a folder of clones")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help="only the newest so many commits")
    chosen = parser.parse_args()
    if chosen.one is not None:
        print(json.dumps(read_all(Path(chosen.one[0]), chosen.one[1], chosen.limit)))
        return
    rows: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        rows[f"made up, {COMMITS:,} commits"] = in_a_process(*made_up(Path(folder)))
    for name in chosen.names:
        mirror = open_mirror(chosen.mirrors, name, read_pins(PINS))
        if mirror is None:
            raise SystemExit(f"no clone of {name} there")
        rows[name] = in_a_process(mirror.git_dir, mirror.tip)
        rows[f"{name}, newest 30,000"] = in_a_process(mirror.git_dir, mirror.tip, 30_000)
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n")
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
