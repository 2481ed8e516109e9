"""Real commit subjects, asked as questions of their own repositories: none is refused.

    python -m bench.domains.subjects --mirrors CLONES --repositories 20 --each 100 --data SCRATCH \
        [--out bench/domains/subjects.json]

From each repository, commits with a reason, chosen by the digest of their ids. Each subject is
classified in three forms, and asked once from end to end of an index of that history. What is kept
are ids and counts: no word of anybody. A domain refuses nothing, so the figures are how often a
gap is named needlessly, and how often evidence itself was silent.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from citator.git.history import commits
from citator.model.domain import Domain, GapKind
from citator.search.domains import classify, shipped_rules
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.workspace import Places, Workspace
from citator.sources.commits import document_of

FORMS = ("{}", "why: {}", "why did we {}?")
MOMENT = "2027-01-01T00:00:00Z"
UNCOVERED = {*Domain} - {Domain.PROGRAMMING, Domain.PROJECT_MEMORY, Domain.GENERAL}


_NUMBER = re.compile(r"\(?#\d+\)?")  # the number of a change would give the project away


def chosen(workspace: Workspace, count: int) -> list[tuple[str, str]]:
    """(commit, subject) of ``count`` commits that the product keeps for the reason they give."""
    assert workspace.head.commit is not None
    said = [
        (raw.object_id, subject)
        for raw in commits(workspace.repository, workspace.head.commit)
        if document_of(raw) is not None
        and (subject := _NUMBER.sub("", raw.message.partition("\n")[0]).strip())
    ]
    return sorted(said, key=lambda one: hashlib.sha256(one[0].encode()).digest())[:count]


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rules = shipped_rules()
    forms: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    asked: Counter[str] = Counter()
    ids: dict[str, list[str]] = {}
    for clone in by_size(given.mirrors):
        if len(ids) == given.repositories:
            break
        workspace = Workspace.open(clone, Places(given.data, given.data))
        subjects = chosen(workspace, given.each)
        if len(subjects) < given.each:
            continue
        name = clone.parent.name.replace("+", "/")
        ids[name] = [commit for commit, _ in subjects]
        for form in FORMS:
            for _, subject in subjects:
                task = classify(form.format(subject), rules)
                forms[form][task.domain.value] += 1
                forms[form]["a_gap_is_named"] += task.domain in UNCOVERED
        asked.update(end_to_end(workspace, subjects))
        print(name, dict(asked), flush=True)
        if given.out is not None:
            given.out.write_text(json.dumps(told(ids, forms, asked), separators=(",", ":")) + "\n")
    print(json.dumps({**told(ids, forms, asked), "commits": "..."}, indent=1))


def told(
    ids: dict[str, list[str]], forms: dict[str, Counter[str]], asked: Counter[str]
) -> dict[str, Any]:
    """The figures, and whose subjects they are of."""
    return {
        "repositories": len(ids),
        "subjects": sum(map(len, ids.values())),
        "refused": asked["asked"] - asked["with_evidence"],
        "classified": {form: dict(sorted(one.items())) for form, one in forms.items()},
        "asked_from_end_to_end": dict(sorted(asked.items())),
        "commits": ids,
    }


def end_to_end(workspace: Workspace, subjects: list[tuple[str, str]]) -> Counter[str]:
    """What became of each subject: evidence, its own commit among it, or silence and why."""
    update(workspace)
    found: Counter[str] = Counter()
    for commit, subject in subjects:
        answer = investigate(workspace, Question(f"why: {subject}", files=0, now=MOMENT))
        policy = answer.policy
        assert policy is not None
        gap = any(one.kind is GapKind.NO_POLICY for one in policy.gaps)
        silent = answer.answer.abstained
        found["asked"] += 1
        found["with_evidence"] += silent is None
        found["with_the_commit_itself"] += any(
            one.object_id == commit for one in answer.answer.evidence
        )
        found["with_a_gap_named"] += gap
        found["with_a_gap_named_and_evidence"] += gap and silent is None
        if silent is not None:
            found[f"silent_{silent.value}"] += 1
            found["silent_and_a_gap_named"] += gap
    return found


def by_size(mirrors: Path) -> list[Path]:
    """The clones, the smallest first: what is asked is not how large a history is."""
    clones = sorted(mirrors.glob("*/repo"))
    return sorted(clones, key=lambda one: sum(p.stat().st_size for p in one.rglob("*.pack")))


if __name__ == "__main__":
    main()
