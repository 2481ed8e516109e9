"""Does a curve that is fitted on finished tickets say better how sure to be: case by case, in time.

    python -m bench.feedback.calibration --data DIR --out bench/feedback/calibration.json

- ``DIR`` is a data directory in which ``citator eval locate`` ran: each case is a past change with
  its message as the ticket. A stand-in for tickets that were started with a text of their own.
- The cases are taken in the order of their commits. From the thirtieth on, each is judged by what
  the cases before it alone would give: the *shipped* curve, one's *own* (always), and the one that
  the *rule* of :mod:`citator.service.reading_plan` uses (own where it gained on held-out halves).
- Brier score of the first file's confidence; the difference to *shipped* with two standard errors.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

from citator.git.repository import discover
from citator.git.runner import Git
from citator.service.reading_plan import ENOUGH, Curve, curve_of, plan_of
from citator.service.replayed_cases import Case, case_of, engine

EVERY = 5


def main() -> None:
    """Judge every repository, and all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--data", "--out"):
        parser.add_argument(name, required=True, type=Path)
    said = parser.parse_args()
    found, everything = {}, []
    for place in sorted(said.data.glob("*/local/calibration/cases.jsonl")):
        described = json.loads((place.parents[2] / "repository.json").read_text("utf-8"))
        where = Path(described["common_dir"])
        cases = in_time(where, read(place))
        judged = walked(cases)
        everything += judged
        found[where.parent.name] = {"cases": len(cases), **told(judged)}
        print(where.parent.name, found[where.parent.name])
    found["all"] = told(everything)
    print(found["all"])
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def read(path: Path) -> list[Case]:
    """The cases of this engine that had a file to find."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        said = json.loads(line) if line else {}
        case = case_of(said) if said.get("engine") == engine() else None
        if case is not None and case.gold and case.sure:
            found[case.commit] = case
    return list(found.values())


def in_time(repository: Path, cases: Sequence[Case]) -> list[Case]:
    """The cases, oldest first."""
    ids = [one.commit for one in cases]
    shown = Git.of(discover(repository)).run("show", "-s", "--format=%H %ct", *ids)
    times = dict(line.split() for line in shown.decode().splitlines())
    return sorted(cases, key=lambda one: (int(times[one.commit]), one.commit))


def walked(cases: Sequence[Case]) -> list[tuple[float, float, float]]:
    """For each case what it lost (squared error) by the shipped curve, one's own, and the rule's;
    both are fitted anew every five cases."""
    lost: list[tuple[float, float, float]] = []
    own = used = Curve()
    for number in range(ENOUGH, len(cases)):
        if (number - ENOUGH) % EVERY == 0:
            before = cases[:number]
            own, plan = curve_of(before), plan_of((), tickets=before)
            used = Curve() if plan is None else Curve(plan.slope, plan.offset)
        sure, right = cases[number].sure[0], 1 in cases[number].places
        lost.append(((sure - right) ** 2, (own(sure) - right) ** 2, (used(sure) - right) ** 2))
    return lost


def told(lost: Sequence[tuple[float, float, float]]) -> dict[str, object]:
    """Brier scores, and differences to that of the shipped curve with two standard errors."""
    count = len(lost)
    made: dict[str, object] = {"judged": count}
    for place, name in enumerate(("shipped", "own", "rule")):
        made[name] = round(sum(one[place] for one in lost) / count, 4)
    for place, name in ((1, "own"), (2, "rule")):
        gaps = [one[place] - one[0] for one in lost]
        mean = sum(gaps) / count
        error = math.sqrt(sum((one - mean) ** 2 for one in gaps) / (count - 1) / count)
        made[f"{name} to shipped"] = [round(mean, 4), round(2 * error, 4)]
    return made


if __name__ == "__main__":
    main()
