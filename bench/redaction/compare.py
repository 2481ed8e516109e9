"""Recall, false alarms and cost of redaction, beside detect-secrets, on the same texts.

    python -m bench.redaction.compare REPO… [--sample N] [--out results.json]

REPO is a bare or ordinary repository; every commit message reachable from its HEAD is read by
ours, a fixed sample of them by both. Results hold counts and commit ids, no text.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.redaction.samples import ROUNDS, SEED, Sample, negatives, positives

from citator.sources.redaction import redact
from citator.sources.versions import REDACTOR

Finder = Callable[[str, str | None], bool]


def ours(message: str, secret: str | None) -> bool:
    """Whether the secret is wholly gone; without one, whether anything was marked."""
    found, count = redact(message)
    if secret is None:
        return count > 0
    return all(line not in found for line in secret.split("\n"))


def theirs(message: str, secret: str | None) -> bool:
    """Whether detect-secrets, scanning a file, reports the secret or a part of it; without one,
    whether it reports anything."""
    from detect_secrets.core.scan import scan_file

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "message.txt"
        file.write_text(message)
        values = [hit.secret_value or "" for hit in scan_file(str(file))]
    if secret is None:
        return bool(values)
    return any(value and (value in secret or secret in value) for value in values)


def judged(samples: list[Sample], finder: Finder) -> dict[str, Any]:
    """How many samples a finder marks, by group, and the CPU time it took."""
    start = time.process_time()
    marked = [sample.group for sample in samples if finder(sample.message, sample.secret)]
    seconds = time.process_time() - start
    groups, totals = Counter(marked), Counter(sample.group for sample in samples)
    return {
        "marked": len(marked),
        "of": len(samples),
        "seconds_cpu": round(seconds, 2),
        "by_group": {group: f"{groups[group]}/{totals[group]}" for group in sorted(totals)},
    }


def messages(repo: Path) -> Iterator[tuple[str, str]]:
    """(id, message) of every commit reachable from HEAD."""
    command = ["git", "--git-dir", str(repo), "log", "--format=%H%x00%B%x01", "HEAD"]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    for record in output.decode("utf-8", "replace").split("\x01"):
        object_id, _, message = record.lstrip("\n").partition("\0")
        if object_id:
            yield object_id, message


def real(repo: Path, sample: int) -> dict[str, Any]:
    """What both mark among real messages."""
    every = list(messages(repo))
    start = time.process_time()
    marked = [object_id for object_id, message in every if ours(message, None)]
    seconds = time.process_time() - start
    characters = sum(len(message) for _, message in every)
    bodies = [one for one in every if "\n\n" in one[1].strip()]
    chosen = random.Random(SEED).sample(bodies, min(sample, len(bodies)))
    start = time.process_time()
    flagged = [object_id for object_id, message in chosen if theirs(message, None)]
    their_seconds = time.process_time() - start
    lines = sum(message.count("\n") + 1 for _, message in chosen)
    return {
        "head": every[0][0],
        "messages": len(every),
        "ours_marked": marked,
        "ours_microseconds_per_400_characters": round(seconds * 1e6 * 400 / characters, 1),
        "sample": len(chosen),
        "ours_marked_in_sample": sum(ours(message, None) for _, message in chosen),
        "theirs_marked_in_sample": flagged,
        "theirs_microseconds_per_line": round(their_seconds * 1e6 / lines, 1),
    }


def main() -> None:
    """Run both and write the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repo", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    options = parser.parse_args()
    from detect_secrets.settings import default_settings

    hidden, innocent = list(positives()), list(negatives())
    with default_settings():
        theirs("warm up", None)
        results = {
            "redactor": REDACTOR,
            "detect_secrets": version("detect-secrets"),
            "python": platform.python_version(),
            "seed": SEED,
            "rounds": ROUNDS,
            "secrets": {"ours": judged(hidden, ours), "theirs": judged(hidden, theirs)},
            "innocent": {"ours": judged(innocent, ours), "theirs": judged(innocent, theirs)},
            "real": {
                repo.resolve().parent.name: real(repo, options.sample) for repo in options.repo
            },
        }
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps({"secrets": results["secrets"], "innocent": results["innocent"]}, indent=1))


if __name__ == "__main__":
    main()
