"""How often a task's domain is right, and what each kind of error is.

    python -m bench.domains.measure [--claims claims.jsonl] [--out bench/domains/results.json]

Half of our own cases, by the digest of their words, was never looked at while the rules were
written; both halves are told.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from citator.model.domain import Domain
from citator.search.domains import classify, shipped_rules

HERE = Path(__file__).parent
OWN = {Domain.PROGRAMMING, Domain.PROJECT_MEMORY, Domain.GENERAL}


def is_held_out(task: str) -> bool:
    """Whether a case is of the half that no rule was written from."""
    return hashlib.sha256(task.encode()).digest()[0] % 2 == 1


def measured(rows: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Precision and recall of each domain, and errors by their kind."""
    rules = shipped_rules()
    pairs = [(Domain(one["domain"]), classify(one["task"], rules).domain) for one in rows]
    table: dict[str, Any] = {}
    for domain in Domain:
        right = sum(wanted is domain is found for wanted, found in pairs)
        found = sum(got is domain for _, got in pairs)
        wanted = sum(want is domain for want, _ in pairs)
        table[domain.value] = {
            "cases": wanted,
            "precision": round(right / found, 3) if found else None,
            "recall": round(right / wanted, 3) if wanted else None,
        }
    errors = Counter(kind_of(wanted, found) for wanted, found in pairs)
    errors.pop("right", None)
    return {"cases": len(pairs), "domains": table, "errors": dict(sorted(errors.items()))}


def kind_of(wanted: Domain, found: Domain) -> str:
    """What an error costs whoever asks: see README.md."""
    if wanted is found:
        return "right"
    if wanted in OWN:
        return "among_covered" if found in OWN else "gap_named_needlessly"
    return "gap_not_named" if found in OWN else "gap_named_for_another"


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--wrong", action="store_true", help="show the errors of the open half")
    given = parser.parse_args()
    cases = read(HERE / "cases.jsonl")
    held = [one for one in cases if is_held_out(one["task"])]
    seen = [one for one in cases if not is_held_out(one["task"])]
    began = time.process_time()
    found: dict[str, Any] = {"held_out": measured(held), "open": measured(seen)}
    spent = time.process_time() - began
    by_language = {
        language: measured(one for one in held if one["language"] == language)["errors"]
        for language in sorted({one["language"] for one in cases})
    }
    found["held_out"]["errors_by_language"] = by_language
    found["milliseconds_a_task"] = round(1000.0 * spent / len(cases), 3)
    if given.claims is not None:
        found["published_claims"] = measured(read(given.claims))
    if given.wrong:
        for one in seen:
            task = classify(one["task"])
            if task.domain != one["domain"]:
                print(one["domain"], "->", task.rule, task.matched, "|", one["task"])
    print(json.dumps(found, indent=1))
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a set."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
