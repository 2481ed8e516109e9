"""What a docket costs: lines of large files, names and texts; cold, warm, as a whole process.

    python -m bench.docket.latency --mirrors MIRRORS --data DATA --out RESULTS.json

Processor seconds of this process and of the gits that it starts, and wall seconds, of twelve lines
of each file, drawn with a fixed seed. *cold*: nothing of dockets is kept; *warm*: the same again.
*process*: ``citator why`` as a person starts it, warm. ``DATA`` holds an index of each repository.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.docket.methods import git
from bench.localize.mirrors import mirror
from bench.peer.spent import timed

from citator.service.why import Asked, why
from citator.service.workspace import Places, Workspace

FILES: Final = (
    ("adamchainz/django", "django/db/models/query.py"),
    ("adamchainz/django", "django/db/models/sql/query.py"),
    ("sympy/sympy", "sympy/core/expr.py"),
    ("sympy/sympy", "sympy/core/numbers.py"),
    ("pytest-dev/pytest", "src/_pytest/python.py"),
)
OTHERS: Final = (
    ("adamchainz/django", "bulk_create"),
    ("adamchainz/django", '"Cannot use QuerySet for"'),
    ("sympy/sympy", "as_coeff_Mul"),
    ("pytest-dev/pytest", "_matchnodes"),
)
EACH: Final = 12
PROCESSES: Final = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    found: dict[str, Any] = {}
    for name, path in FILES:
        repo = mirror(said.mirrors, name)
        found[f"{name} {path}"] = {
            "lines": git(repo, "show", f"HEAD:{path}").count("\n"),
            **measured(said.data, repo, targets(repo, path)),
        }
        print(path, json.dumps(found[f"{name} {path}"]), flush=True)
    for name, target in OTHERS:
        found[f"{name} {target}"] = measured(said.data, mirror(said.mirrors, name), [target])
        print(target, json.dumps(found[f"{name} {target}"]), flush=True)
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def targets(repo: Path, path: str) -> list[str]:
    """Lines of a file that are not blank."""
    lines = git(repo, "show", f"HEAD:{path}").split("\n")
    worded = [number for number, line in enumerate(lines, 1) if line.strip()]
    chance = random.Random(f"docket {path}")
    return [f"{path}:{number}" for number in sorted(chance.sample(worded, EACH))]


def measured(data: Path, repo: Path, asked: list[str]) -> dict[str, Any]:
    """Cold, warm, and as whole processes."""
    places = Places(data, data / "config")
    shutil.rmtree(Workspace.open(repo, places).place.derived / "docket", ignore_errors=True)

    def one(target: str) -> None:
        why(Workspace.open(repo, places), Asked(target), time.monotonic)

    def process(target: str) -> None:
        command = [sys.executable, "-m", "citator", "why", target, "--root", str(repo), "--json"]
        environment = {**os.environ, "CITATOR_DATA_DIR": str(data)}
        subprocess.run(command, env=environment, capture_output=True, check=True)

    one(asked[0])  # imports and grammars are not what is measured
    shutil.rmtree(Workspace.open(repo, places).place.derived / "docket", ignore_errors=True)
    return {
        "cold": figures(one, asked),
        "warm": figures(one, asked),
        "process": figures(process, asked[:PROCESSES]),
    }


def figures(one: Callable[[str], None], asked: list[str]) -> dict[str, float]:
    """The median and the 95th percentile, processor and wall seconds."""
    spent = [timed(partial(one, target))[1] for target in asked]
    cpu, wall = [each.cpu for each in spent], [each.wall for each in spent]
    return {
        "cpu_p50": _at(cpu, 0.5),
        "cpu_p95": _at(cpu, 0.95),
        "wall_p50": _at(wall, 0.5),
        "wall_p95": _at(wall, 0.95),
    }


def _at(values: list[float], share: float) -> float:
    return round(sorted(values)[min(len(values) - 1, int(share * len(values)))], 3)


if __name__ == "__main__":
    main()
