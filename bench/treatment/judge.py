"""Holds what is found against what was judged by reading.

    python bench/treatment/judge.py DATA NAME=REPOSITORY … < judged.json > results.json

A judgement names the commits that a message takes back or makes stand again, by the first twelve
digits and by how (``reverts``, ``limits``, ``reinstates``); none where it takes back nothing, or
nothing that it names. Rates are weighted by how many messages of that form the net has, so that
they speak of all of them. Beside ours stands what ``git log`` shows by itself: the sentence that
git writes, with an id that is in the history.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from citator.git import repository
from citator.index.treatment_mining import mask_at, opened
from citator.index.treatment_view import CommitTreatments

SENTENCE = re.compile(r"This reverts commit ([0-9a-f]{40})", re.I)
KINDS = ("reverts", "limits", "reinstates")
DERIVED = ("revert_merge", "revert_of_revert")
DIGITS = 12


def main() -> None:
    """See the module."""
    data, *rest = sys.argv[1:]
    rows = json.load(sys.stdin)
    ours: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    weighted: Counter[str] = Counter()
    wrong = []
    drawn = Counter((row["repository"], row["form"]) for row in rows)
    for name, path in (one.split("=", 1) for one in rest):
        repo = repository.discover(Path(path))
        with opened(repo, Path(data) / f"{name}.sqlite") as store:
            mask = mask_at(repo, store, repository.head(repo).commit or "")
            treated = CommitTreatments(store, mask or b"")
            for row in (one for one in rows if one["repository"] == name):
                true = {(one["how"], one["of"]) for one in row["treats"]}
                found: set[tuple[str, str]] = {
                    (edge.treatment.value, edge.of[:DIGITS])
                    for edge in treated.by(row["commit"])
                    if edge.of and edge.treatment.value in KINDS
                    if edge.rule.value not in DERIVED and edge.strength.decides
                }
                share = row["of"] / drawn[name, row["form"]]
                for key, count in compared(true, found).items():
                    ours[key] += count
                    weighted[key] += count * share
                plain.update(compared(true, by_sentence(path, row["commit"])))
                if found != true:
                    wrong.append({"commit": row["commit"], "repository": name})
    json.dump(
        {
            "judged": len(rows),
            "ours": rates(ours),
            "ours_weighted": rates(weighted),
            "git_log": rates(plain),
            "differ": wrong,
        },
        sys.stdout,
        indent=1,
    )


def compared(true: set[tuple[str, str]], found: set[tuple[str, str]]) -> Counter[str]:
    """Right, wrong and missed targets, and right targets with another kind."""
    targets, named = {of for _, of in true}, {of for _, of in found}
    return Counter(
        right=len(targets & named),
        wrong=len(named - targets),
        missed=len(targets - named),
        other_kind=len({of for _, of in true ^ found} & targets & named),
    )


def by_sentence(path: str, commit: str) -> set[tuple[str, str]]:
    """What git's own sentence names."""

    def git(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "-C", path, *args],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    message = git("log", "-1", "--format=%B", commit).stdout
    ids: Iterable[str] = SENTENCE.findall(message)
    return {
        ("reverts", one[:DIGITS])
        for one in ids
        if git("merge-base", "--is-ancestor", one, commit).returncode == 0
    }


def rates(counts: Counter[str]) -> dict[str, float]:
    """Counts with precision and recall."""
    found, true = counts["right"] + counts["wrong"], counts["right"] + counts["missed"]
    return {
        **{key: round(value, 1) for key, value in counts.items()},
        "precision": round(counts["right"] / found, 4) if found else 1.0,
        "recall": round(counts["right"] / true, 4) if true else 1.0,
    }


if __name__ == "__main__":
    main()
