"""Is a calibration of one's own worth having: judged on the rest of one's past, and on issues.

    python -m bench.localize.calibration --data DIR --scratch DIR --out OUT.json SET.jsonl …

- ``DIR`` is a data directory in which ``citator eval locate`` ran for repositories, ``--scratch``
  that of ``collect`` (opinions on the issues of a set).
- *past*: the curve of every second case judged on the others, both ways. *issues*: the curve of all
  cases judged on the issues of the same repository. Always the confidence of the first file: Brier
  score, calibration error, and both of the curve that is shipped.
- ``ruled``: what the rule of :mod:`citator.service.reading_plan` does (it uses the curve, or not).
- The shipped weights saw the issues: figures stand beside each other, not beside held-out ones.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from citator.locate.fusion import shipped
from citator.locate.signals import NAMES
from citator.service.reading_plan import HeldOut, curve_of, plan_of, scores
from citator.service.replayed_cases import Case, case_of, engine

Judged = Sequence[tuple[float, bool]]


def main() -> None:
    """Read what was replayed, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    for name in ("--data", "--scratch", "--out"):
        parser.add_argument(name, required=True, type=Path)
    said = parser.parse_args()
    rows = [json.loads(line) for path in said.sets for line in path.read_text("utf-8").splitlines()]
    found = {}
    for mirror, cases in sorted(replayed(said.data)):
        plan = plan_of(cases)
        if plan is None:
            continue
        past = HeldOut.of(cases)
        name = mirror.partition("+")[2]
        asked = list(
            issues([one for one in rows if one["repo"].endswith(f"/{name}")], said.scratch)
        )
        told: dict[str, object] = {
            "cases": len(cases),
            "ruled": plan.slope != 1 or plan.offset != 0,
        }
        told["past"] = {"shipped": figures(past.shipped), "own": figures(past.own)}
        if len(asked) >= 10:
            own = curve_of(cases)
            corrected = [(own(sure), right) for sure, right in asked]
            told["issues"] = {"shipped": figures(asked), "own": figures(corrected)}
        found[mirror.replace("+", "/")] = told
        print(mirror, json.dumps(told), flush=True)
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def replayed(data: Path) -> Iterator[tuple[str, list[Case]]]:
    """The mirrors that were replayed, and the cases of each, newest first."""
    for path in data.glob("*/local/calibration/cases.jsonl"):
        home = json.loads((path.parents[2] / "repository.json").read_text("utf-8"))
        lines = (json.loads(line) for line in path.read_bytes().split(b"\n") if line)
        known = [case_of(one) for one in lines if one.get("engine") == engine()]
        yield Path(home["common_dir"]).parent.name, [one for one in known if one and one.gold]


def issues(rows: Sequence[dict[str, object]], scratch: Path) -> Iterator[tuple[float, bool]]:
    """How sure the first file of each issue is, and whether it was changed."""
    model = shipped()
    for row in rows:
        kept = scratch / "features" / f"{str(row['instance_id']).replace('/', '__')}.npz"
        if not kept.exists():
            continue
        with np.load(kept) as file:
            if str(file["names"]).split("\n") != list(NAMES):
                continue
            scores = model.scores(file["table"].astype(np.float64))
            first = int(scores.argmax())
            yield float(model.confidences(scores)[first]), first in file["gold"]


def figures(pairs: Judged) -> dict[str, float]:
    """How many, the Brier score and the calibration error."""
    brier, error = scores(pairs)
    return {"n": len(pairs), "brier": round(brier, 4), "ece": round(error, 4)}


if __name__ == "__main__":
    main()
