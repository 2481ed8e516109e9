"""What it costs to read the treatments of a history: all of it, then one commit more, then to ask.

    python bench/treatment/cost.py SCRATCH NAME=REPOSITORY … > cost.json

Seconds are of processor time, ours and git's apart; the machine was shared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from citator.git import repository
from citator.index.treatment_mining import mask_at, opened
from citator.index.treatment_view import CommitTreatments
from citator.model.treatment import Facts, Treatment, counting, standing_of


def spent() -> tuple[float, float]:
    """Processor seconds so far: ours, and those of processes that ended."""
    times = os.times()
    return times.user + times.system, times.children_user + times.children_system


def main() -> None:
    """See the module."""
    scratch = Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    found = []
    for name, path in (one.split("=", 1) for one in sys.argv[2:]):
        repo = repository.discover(Path(path))
        tip = repository.head(repo).commit or ""
        parent = subprocess.run(
            ["git", "-C", path, "rev-parse", f"{tip}^"], capture_output=True, check=True, text=True
        ).stdout.strip()
        store_path = scratch / f"{name}.sqlite"
        row: dict[str, object] = {"repository": name}
        for step, commit in (("all", parent), ("one_more", tip)):
            ours, theirs = spent()
            with opened(repo, store_path) as store:
                mask_at(repo, store, commit)
                row["commits"] = store.last_row()
            after = spent()
            row[step] = {"ours": round(after[0] - ours, 3), "git": round(after[1] - theirs, 3)}
        row["bytes"] = store_path.stat().st_size
        with opened(repo, store_path) as store:
            view = CommitTreatments(store, mask_at(repo, store, tip) or b"")
            edges = view.all(list(Treatment))
            row["treatments"] = len(edges)
            asked = [one.of for one in edges if one.of][:800:100]
            start = time.process_time()
            for one in asked:
                standing_of(Facts(), counting(one, view.of))
            row["eight_standings_ms"] = round(1_000 * (time.process_time() - start), 2)
        found.append(row)
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
