"""What claims cost and whether any is lost: three clones of a bare remote, pushed to at once.

    python bench/claims/measure.py [--writers 2] [--each 10] > bench/claims/results.json

Each clone has its writers, processes of their own: a writer claims, releases every third of its
claims, and syncs after each. Afterwards every clone syncs once and is held against what was done:
`lost` counts claims that some clone does not hold, or holds in another state. CPU milliseconds are
of one process with its git children. The remote is a directory: what a network adds is not in it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.builder import Builder, run_git

from citator.service import claims
from citator.service.claims_sync import REF, sync
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace

NOW = 1_780_000_000
CLONES = ("ann", "bob", "cy")


def moment() -> Moment:
    """One time for all, and real chance."""
    return Moment(NOW * 1000, os.urandom)


def opened(folder: Path, name: str) -> Workspace:
    """One of the clones."""
    places = Places(folder / f"{name}-data", folder / f"{name}-config")
    return Workspace.open(folder / name, places)


def spent(action: Callable[[], object]) -> float:
    """CPU milliseconds of ``action``, git included."""

    def now() -> float:
        who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, who))

    before = now()
    action()
    return 1000 * (now() - before)


def write(folder: Path, name: str, first: int, each: int, into: Path) -> None:
    """One writer: what it did, how often it was met by another, and what a sync cost."""
    done, tries, cost = {}, [], []
    for number in range(first, first + each):
        workspace, ticket = opened(folder, name), str(number)
        claims.start(workspace, claims.wished(ticket, [f"src/{number}.py"]), moment())
        done[ticket] = number % 3 == 0
        if done[ticket]:
            claims.release(workspace, ticket, moment())
        cost.append(spent(lambda: tries.append(sync(workspace, moment()).tries)))  # noqa: B023
    into.write_text(json.dumps({"done": done, "tries": tries, "cost": cost}))


def measure(folder: Path, writers: int, each: int) -> dict[str, object]:
    """All of it."""
    seed = Builder.init(folder / "seed")
    seed.write("src/a.py", "x = 1\n").commit()
    shared = seed.clone(folder / "shared.git", bare=True)
    for name in CLONES:
        clone = shared.clone(folder / name)
        clone.git("config", "user.name", name)
        clone.git("config", "user.email", f"{name}@example.org")
    context = multiprocessing.get_context("spawn")
    jobs = []
    for place, name in enumerate(CLONES):
        for writer in range(writers):
            number = place * writers + writer
            into = folder / f"done-{number}.json"
            words = (folder, name, 1000 * number, each, into)
            jobs.append((context.Process(target=write, args=words), into))
    for job, _ in jobs:
        job.start()
    for job, _ in jobs:
        job.join()
    assert all(job.exitcode == 0 for job, _ in jobs)
    said = [json.loads(into.read_text()) for _, into in jobs]
    expected = {ticket: released for one in said for ticket, released in one["done"].items()}
    for name in (*CLONES, *CLONES):
        sync(opened(folder, name), moment())
    lost = 0
    for name in CLONES:
        held = claims.of(opened(folder, name)).all()[0].values()
        known = {one.ticket: one.released for one in held}
        lost += sum(known.get(ticket) != released for ticket, released in expected.items())
    tries = [one for each_said in said for one in each_said["tries"]]
    cost = [one for each_said in said for one in each_said["cost"]]
    alone = opened(folder, "ann")
    quiet = [spent(lambda: sync(alone, moment())) for _ in range(5)]
    live = [spent(lambda: claims.live(alone, moment())) for _ in range(20)]
    near = [
        spent(lambda: claims.conflicts(alone, ["src/1.py", "src/a.py"], [], moment()))
        for _ in range(10)
    ]
    pushes = run_git(shared.path, "rev-list", "--count", REF).decode().strip()
    packed = sum(one.stat().st_size for one in shared.path.rglob("*") if one.is_file())
    return {
        "clones": len(CLONES), "writers": len(jobs), "claims": len(expected),
        "syncs": len(tries), "lost": lost,
        "pushes_made_again": sum(one - 1 for one in tries), "most_tries": max(tries),
        "commits_of_the_ref": int(pushes), "bytes_of_the_remote": packed,
        "cpu_ms": {
            "sync_amid_others": round(statistics.median(cost)),
            "sync_alone_nothing_new": round(statistics.median(quiet)),
            "live": round(statistics.median(live), 1),
            "conflicts": round(statistics.median(near), 1),
        },
    }  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--each", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = measure(Path(name), given.writers, given.each)
    json.dump({"python": sys.version.split()[0], **found}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
