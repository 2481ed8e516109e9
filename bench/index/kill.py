"""Kills builds after random delays, for as many rounds as asked. Run (POSIX):

    python -m bench.index.kill 60

Each round starts a build in a process of its own, kills it after up to twice the time a whole
build takes, and checks every byte of what then serves. Prints what it saw; fails loudly.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.index.corpus import VERSIONS, Corpus, key_of

from citator.index.history import TantivyHistory
from citator.index.protocol import Batch, ViewChange

PASSAGES = 1_500


def build(directory: Path, number: int) -> None:
    """Build number ``number`` on top of whatever serves."""
    index = TantivyHistory(directory, VERSIONS)
    with_base = index.open()
    base = None if with_base is None else with_base.tip
    new = list(Corpus(number).documents(PASSAGES, start=number * 1_000_000))
    index.build(Batch(f"tip{number}", new, ViewChange(base, map(key_of, new)), tuple))


def check(directory: Path) -> str | None:
    """The tip that serves, after every byte and every passage of it was read."""
    index = TantivyHistory(directory, VERSIONS)
    index.verify()
    snapshot = index.open()
    if snapshot is None or snapshot.tip is None:
        return None
    with snapshot:
        view = snapshot.view(snapshot.tip)
        assert view is not None
        read = sum(1 for _ in view.scan())
        assert read == view.statistics.passages
        assert read % PASSAGES == 0
        return snapshot.tip


def main(rounds: int) -> None:
    """Kill ``rounds`` builds."""
    chosen = random.Random(5)
    context = multiprocessing.get_context("spawn")
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "index"
        began = time.monotonic()
        build(directory, 0)
        whole = 2 * (time.monotonic() - began) + 1
        served = check(directory)
        for number in range(1, rounds + 1):
            process = context.Process(target=build, args=(directory, number))
            process.start()
            process.join(chosen.uniform(0, whole))
            process.kill()
            process.join()
            before, served = served, check(directory)
            assert served in (before, f"tip{number}"), (before, served)
            seen["old one serves" if served == before else "new one serves"] += 1
    print(dict(seen))


if __name__ == "__main__":
    main(int(sys.argv[1]))
