"""The published claims of bruriah (Apache-2.0), as tasks with the domain that their ids name.

    python -m bench.domains.prepare --mirrors CLONES --out claims.jsonl

Read from a clone of leonardoprimero/bruriah at a pinned commit; nothing is fetched and nothing of
it is stored here. ``--source FILE`` takes the published file itself.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.data.mirror import find_clone, git
from bench.data.prepare_retrieval import SOURCE, SOURCE_COMMIT

FILE = "evals/domain_claims.jsonl"
DOMAINS = ("law", "accounting", "cybersecurity", "programming", "ux")


def domain_of(case_id: str) -> str:
    """The domain that a published id names; general where it names none that is known."""
    return next((one for one in DOMAINS if case_id.startswith(f"{one}-")), "general")


def tasks(text: str) -> list[dict[str, str]]:
    """The rows of a set from the published lines."""
    rows = map(json.loads, filter(None, text.splitlines()))
    return [
        {"language": "en", "domain": domain_of(one["case_id"]), "task": one["claim_text"]}
        for one in rows
    ]


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.source is not None:
        text = given.source.read_text("utf-8")
    else:
        clone = find_clone(given.mirrors, SOURCE)
        if clone is None:
            raise SystemExit(f"no clone of {SOURCE} there")
        text = git(clone, "show", f"{SOURCE_COMMIT}:{FILE}")
    lines = [json.dumps(one, ensure_ascii=False) for one in tasks(text)]
    given.out.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
