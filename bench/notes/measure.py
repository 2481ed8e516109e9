"""What notes cost: ten thousand of them in a list, a search and a brief; eight writers at once.

    python bench/notes/measure.py [--notes 10000] [--seconds 60] > bench/notes/results.json

CPU milliseconds of a process that holds nothing yet, so that other work of the machine takes no
part, beside wall milliseconds; the writers wait for each other. The notes are made of words drawn
with a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from citator.service import notes
from citator.service.brief import MOST_NOTES, brief
from citator.service.notes import Draft
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.team.local_ledger import LocalLedger
from citator.team.notes import Channel, Content, NoteKind, Notes

START = 1_772_000_000
TIME = "2026-02-25T06:13:20Z"
WRITERS = 8
WORDS = [f"{a}{b}" for a in "bdfgklmnprstvz" for b in ("ilo", "ara", "unt", "eck", "oss", "ime")]


def contents(count: int) -> list[Content]:
    """Notes of 6 to 20 words about up to five paths."""
    drawn = random.Random(7)
    kinds, channels = list(NoteKind), list(Channel)
    return [
        Content(
            drawn.choice(kinds),
            " ".join(drawn.choices(WORDS, k=drawn.randint(6, 20))) + f" {number}",
            tuple(
                f"src/{one}.py" for one in sorted(set(drawn.choices(WORDS, k=drawn.randint(0, 5))))
            ),
            "A Person",
            drawn.choice(channels),
        )
        for number in range(count)
    ]


def moment() -> Moment:
    return Moment(time.time_ns() // 1_000_000, os.urandom)


def cost(action: Callable[[], object], times: int) -> dict[str, float]:
    """CPU and wall milliseconds, median and worst."""
    cpu, wall = [], []
    for _ in range(times):
        began, clock = time.process_time(), time.perf_counter()
        action()
        cpu.append(1000 * (time.process_time() - began))
        wall.append(1000 * (time.perf_counter() - clock))
    return {
        "cpu_ms": round(statistics.median(cpu), 1),
        "cpu_ms_worst": round(max(cpu), 1),
        "wall_ms": round(statistics.median(wall), 1),
    }


def large(workspace: Workspace, count: int, times: int) -> dict[str, object]:
    began = time.process_time()
    Notes(workspace.place.local).add_all(contents(count), TIME, os.urandom)
    made = time.process_time() - began
    every = notes.listing(workspace, moment(), everything=True).notes
    word = every[0].text.split()[0]
    number = iter(range(times + 1))

    def add() -> None:
        notes.add(workspace, Draft(f"entirely new {next(number)}"), Channel.TYPED, moment())

    return {
        "notes": len(every),
        "made_cpu_s": round(made, 1),
        "list": cost(lambda: notes.listing(workspace, moment()), times),
        "list_all": cost(lambda: notes.listing(workspace, moment(), everything=True), times),
        "search": cost(lambda: notes.listing(workspace, moment(), words_of=word), times),
        "earned": cost(lambda: notes.earned(workspace, moment(), MOST_NOTES), times),
        "brief": cost(lambda: brief(workspace, moment()), times),
        "show": cost(lambda: notes.show(workspace, every[0].id, moment()), times),
        "add": cost(add, times),
    }


def write(folder: str, number: int, seconds: float, told: multiprocessing.Queue[list[str]]) -> None:
    ledger, until = LocalLedger(Path(folder)), time.monotonic() + seconds
    digests: list[str] = []
    while time.monotonic() < until:
        with ledger.writing() as writer:
            content = f"{number} {len(digests)}".encode()
            digests += writer.commit("note_added", TIME, ("x", "typed"), content).digests
    told.put(digests)


def crowd(folder: Path, seconds: float) -> dict[str, object]:
    """Eight processes that write as fast as they can: what is lost is what counts."""
    context = multiprocessing.get_context("spawn")
    told: multiprocessing.Queue[list[str]] = context.Queue()
    writers = [
        context.Process(target=write, args=(str(folder), one, seconds, told))
        for one in range(WRITERS)
    ]
    for one in writers:
        one.start()
    written = [digest for _ in writers for digest in told.get()]
    for one in writers:
        one.join()
    ledger = LocalLedger(folder)
    committed = [entry.digests[0] for entry in ledger.entries()]
    for digest in committed:
        ledger.content(digest)
    return {
        "writers": WRITERS,
        "seconds": seconds,
        "writes": len(written),
        "lost": len(set(written) - set(committed)),
        "not_written_but_there": len(set(committed) - set(written)),
        "failed": sum(one.exitcode != 0 for one in writers),
    }


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--notes", type=int, default=10_000)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--times", type=int, default=7)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "repository")
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(root)]
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
        workspace = Workspace.open(root, Places(Path(name, "data"), Path(name, "config")))
        found = {
            "large": large(workspace, given.notes, given.times),
            "crowd": crowd(Path(name, "crowd"), given.seconds) if given.seconds else None,
        }
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
