"""How long a check takes: in a warm process, and as a whole one.

    python bench/guard/latency.py WORKTREE [--times 40]

``WORKTREE`` is a clone with a change in it; it is checked as it stands. Data is kept beside this
run alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from citator.service.check import check
from citator.service.check_findings import Wanted
from citator.service.intent import Intent, Source
from citator.service.workspace import Places, Workspace

NOW = "2026-01-01T00:00:00Z"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("worktree", type=Path)
    asked.add_argument("--times", type=int, default=40)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = Places(Path(folder, "data"), Path(folder, "config"))
        patch = subprocess.run(
            ["git", "diff", "HEAD"], cwd=given.worktree, capture_output=True, check=True
        ).stdout
        intents = {
            "patch": Intent(Source.PATCH, patch=patch),
            "staged": Intent(Source.STAGED),
            "worktree": Intent(Source.WORKTREE),
            "paths": Intent(Source.PATHS, paths=("README.md",)),
        }

        def run(intent: Intent) -> None:
            workspace = Workspace.open(given.worktree, places)
            check(workspace, intent, NOW, Wanted(quiet=True))

        began = time.perf_counter()
        run(intents["patch"])
        print(f"first: {time.perf_counter() - began:.1f} s")
        for name, intent in intents.items():
            say(f"warm {name}", lambda intent=intent: run(intent), given.times)  # type: ignore[misc]
        command = [sys.executable, "-m", "citator", "check", "--root", str(given.worktree)]
        environment = {
            **os.environ,
            "CITATOR_DATA_DIR": str(places.data),
            "CITATOR_CONFIG_DIR": str(places.config),
        }
        for name, words in (("worktree", ()), ("staged", ("--staged",)), ("patch", ("-",))):

            def process(words: tuple[str, ...] = words) -> None:
                subprocess.run(
                    [*command, *words],
                    env=environment,
                    input=patch,
                    stdout=subprocess.DEVNULL,
                    check=False,
                )

            say(f"process {name}", process, given.times)


def say(name: str, action: Callable[[], None], times: int) -> None:
    """Time on the clock, and of processors, children included, which a busy machine spares."""
    took, busy = [], []
    for _ in range(times):
        began, spent = time.perf_counter(), sum(os.times()[:4])
        action()
        took.append(time.perf_counter() - began)
        busy.append(sum(os.times()[:4]) - spent)
    print(f"{name}: clock {spread(took)}, processor {spread(busy)}")


def spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"p50 {1000 * ordered[len(ordered) // 2]:.0f} ms p95 {1000 * late:.0f} ms"


if __name__ == "__main__":
    main()
