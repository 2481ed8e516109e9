"""Whether the answer holds the right commit, by the shape of what is asked, routed and not.

    python -m bench.docket.measure_questions --mirrors M --data DATA --questions Q.json --out R.json

- *routed* is ``citator why``: the commit is among the first five of the docket, or among the first
  eight documents where it came to prose. *search* is the same words to the search alone.
- ``DATA`` is a data directory in which every repository is indexed. Nothing is fitted.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.docket.draw_questions import asked
from bench.localize.mirrors import mirror

from citator.model.errors import CitatorError
from citator.service.investigate import Question, investigate
from citator.service.why import Asked, why
from citator.service.workspace import Places, Workspace

FIRST = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    places = Places(said.data, said.data / "config")
    counted: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    missed = []
    for at, row in enumerate(json.loads(said.questions.read_text("utf-8"))):
        workspace = Workspace.open(mirror(said.mirrors, row["repo"]), places)
        text = asked(mirror(said.mirrors, row["repo"]), row)
        one = counted[row["kind"]]
        one["n"] += 1
        held = {"routed": _routed(workspace, text), "search": _searched(workspace, text)}
        for way, commits in held.items():
            one[way] += row["commit"] in commits
        if row["commit"] not in held["routed"]:
            missed.append({"question": at, "repo": row["repo"], "kind": row["kind"]})
        print(
            at, row["kind"], {way: row["commit"] in some for way, some in held.items()}, flush=True
        )
    found = {"figures": counted, "missed": missed}
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(counted, indent=1))


def _routed(workspace: Workspace, text: str) -> list[str]:
    try:
        docket = why(workspace, Asked(text), time.monotonic)
    except CitatorError:
        return []
    return [one.commit for one in docket.commits[:FIRST]] + [
        one.object_id for one in docket.evidence
    ]


def _searched(workspace: Workspace, text: str) -> list[str]:
    found: Any = investigate(workspace, Question(text))
    return [one.object_id for one in found.answer.evidence]


if __name__ == "__main__":
    main()
