"""What it costs to index a whole history, and then one commit more, as whole processes.

    nice python -m bench.build.measure --mirrors CLONES django/django rails/rails

Each repository is read at a pinned commit (``bench/data/manifests/pins.json``) into an empty data
directory. Processor time is what the system charges the process and every child it waited for
(git among them), user and system: ``os.wait4``, so POSIX only. The peak is of the largest
single process. One commit more is a made-up commit that changes one file and says why; its cost is
given as a whole process and, beside it, what a process costs that only says its version.
Writes ``bench/build/results.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.data.mirror import Mirror, git, open_mirror, pinned, read_pins

HERE = Path(__file__).resolve().parent
PINS = HERE.parent / "data" / "manifests" / "pins.json"
RESULTS = HERE / "results.json"
LIMITS = {"init_cpu_s": {"django/django": 30, "rails/rails": 120}, "one_commit_cpu_ms": 200}
RUNS = 5
IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada Example",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada Example",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
REASON = (
    "Keep the retry limit in one place (number {number})\n\nThe limit was written twice and the "
    "two drifted apart, so that a queue gave up earlier than its log said.\n"
)


@dataclass(frozen=True, slots=True)
class Cost:
    """One process: CPU and wall seconds, and the largest resident size in MiB."""

    cpu_s: float
    wall_s: float
    peak_mib: int


class Citator:
    """The command line, with a data directory of its own."""

    def __init__(self, data: Path) -> None:
        script = Path(sys.executable).with_name("citator")
        self._command = [str(script)] if script.exists() else [sys.executable, "-m", "citator"]
        self._data = data

    def run(self, *arguments: str) -> tuple[dict[str, Any], Cost]:
        """Run to the end; the JSON it printed, and what it cost. A failure raises."""
        environment = os.environ | {
            "CITATOR_DATA_DIR": str(self._data),
            "CITATOR_CONFIG_DIR": str(self._data / "config"),
        }
        begin = time.perf_counter()
        process = subprocess.Popen(
            [*self._command, *arguments], stdout=subprocess.PIPE, env=environment
        )
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"citator {arguments[0]} ended with {process.returncode}")
        cost = Cost(
            round(usage.ru_utime + usage.ru_stime, 3),
            round(time.perf_counter() - begin, 3),
            usage.ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024),
        )
        return (json.loads(printed) if printed.startswith(b"{") else {}), cost


def measure(mirror: Mirror, work: Path) -> dict[str, Any]:
    """Index the history from nothing, then one commit more, five times over."""
    clone = pinned(mirror.git_dir, mirror.tip, work / "clone")
    data = work / "data"
    citator, root = Citator(data), ["--root", str(clone)]
    report, init = citator.run("init", "--json", *root)
    size = sum(path.stat().st_size for path in data.rglob("*") if path.is_file())
    more = [one_more(citator, clone, number, root) for number in range(RUNS)]
    idle = [citator.run("index", "status", "--json", *root)[1] for _ in range(RUNS)]
    return {
        "at_commit": mirror.tip,
        "commits": report["commits"],
        "explained": report["explained"],
        "documents": report["documents"],
        "passages": report["passages"],
        "init": asdict(init),
        "passages_per_cpu_second": round(report["passages"] / init.cpu_s),
        "commits_per_cpu_second": round(report["commits"] / init.cpu_s),
        "bytes": size,
        "bytes_per_passage": round(size / max(1, report["passages"])),
        "one_commit_cpu_ms": _milliseconds(more),
        "status_only_cpu_ms": _milliseconds(idle),
    }


def one_more(citator: Citator, clone: Path, number: int, root: Sequence[str]) -> Cost:
    """Put one explained commit on top and bring the index up to it."""
    add_commit(clone, number)
    built, cost = citator.run("index", "build", "--json", *root)
    assert built["built"], "the commit was not indexed"
    return cost


def add_commit(clone: Path, number: int) -> None:
    """A commit on top of HEAD that adds one small file, made without a work tree."""
    index = clone / f"index-{number}"
    environment = os.environ | IDENTITY | {"GIT_INDEX_FILE": str(index)}

    def run(*arguments: str, feed: str = "") -> str:
        command = ["git", f"--git-dir={clone}", *arguments]
        done = subprocess.run(
            command, input=feed, capture_output=True, check=True, env=environment, text=True
        )
        return done.stdout.strip()

    run("read-tree", "HEAD")
    blob = run("hash-object", "-w", "--stdin", feed=f"limit = {number}\n")
    run("update-index", "--add", "--cacheinfo", f"100644,{blob},retry_limit_{number}.py")
    message = REASON.format(number=number)
    commit = run("commit-tree", run("write-tree"), "-p", "HEAD", "-F", "-", feed=message)
    (clone / "HEAD").write_text(f"{commit}\n", "utf-8")


def _milliseconds(costs: Sequence[Cost]) -> float:
    return round(statistics.median(cost.cpu_s for cost in costs) * 1000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each repository that has a clone, and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    pins, found = read_pins(PINS), {}
    for name in options.repositories:
        mirror = open_mirror(options.mirrors, name, pins)
        if mirror is None:
            raise SystemExit(f"no clone of {name} under {options.mirrors}")
        with tempfile.TemporaryDirectory(prefix="citator-bench-") as work:
            found[name] = measure(mirror, Path(work))
        print(f"{name}: {json.dumps(found[name])}")
    machine = {"python": platform.python_version(), "system": platform.system()}
    machine |= {"cpus": str(os.cpu_count()), "git": git(Path(), "version").strip()}
    text = json.dumps({"machine": machine, "limits": LIMITS, "measured": found}, indent=1)
    options.out.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
