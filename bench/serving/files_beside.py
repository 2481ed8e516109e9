"""What the files beside an answer cost, and an answer of locate in a large work tree.

    python -m bench.serving.files_beside --clone DIR --data DIR [--out OUT.json]

Thirty questions, warm, in one process; its processor time (without that of git) in milliseconds.
``--clone`` is a clone whose history was indexed in ``--data`` (``citator init``, then ``citator
index build``, with CITATOR_DATA_DIR). Asked in turns with files and without, so that a busy machine
is as busy for both; the first ten of each turn do not count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from citator.service import predicted
from citator.service.investigate import Question, investigate
from citator.service.locate import Wanted, locate
from citator.service.workspace import Places, Workspace

QUESTIONS = (
    "QuerySet.only crashes with defer on reverse relation",
    "why does the admin changelist quote search terms",
    "migrations autodetector renames",
    "why was the grpc gateway removed",
    "drop python 2",
    "why is the session cookie signed",
    "why does ModelForm call full_clean",
    "memcached key validation",
    "why was the legacy oracle backend changed",
    "template loader cache",
)
TURNS = 3
UNCOUNTED = 10


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--clone", "--data"):
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--out", type=Path)
    said = parser.parse_args()
    places = Places(said.data, said.data.parent / "config")
    predicted.prepare(Workspace.open(said.clone, places))

    def asked(files: int) -> Callable[[str], object]:
        return lambda text: investigate(
            Workspace.open(said.clone, places), Question(text, files=files)
        )

    def located(text: str) -> object:
        return locate(Workspace.open(said.clone, places), Wanted(text))

    ways = {"ask": asked(0), "ask, with files": asked(5), "locate": located}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            times[name] += [_spent(way, text) for text in QUESTIONS * 2][UNCOUNTED:]
    found: dict[str, object] = {
        name: {
            "p50_ms": round(float(np.median(each)), 1),
            "p95_ms": round(float(np.percentile(each, 95)), 1),
        }
        for name, each in times.items()
    }
    found["considered"] = locate(Workspace.open(said.clone, places), Wanted("x")).considered
    print(json.dumps(found))
    if said.out is not None:
        said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def _spent(way: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    way(text)
    return 1000 * (time.process_time() - began)


if __name__ == "__main__":
    main()
