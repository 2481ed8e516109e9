"""Issue texts → the commits that fixed them: a question set whose answers nobody chose.

    python -m bench.data.issue_to_fix --mirrors CLONES --out sets/issue-fixes.jsonl \
        swe-bench-lite.jsonl swe-bench-verified.jsonl loc-bench.jsonl

The inputs are the published files of SWE-bench Lite, SWE-bench Verified and Loc-Bench, one JSON
object a line: ``instance_id, repo, base_commit, problem_statement`` and ``patch`` or
``gold_files``. The question is the first line of the issue; the answer is found by structure:

- the change with the instance's own number, as a squash or a merge (see ``changes.py``);
- where no number is written, the one commit of the year after the base commit whose change to
  the files of the accepted patch is that patch, line for line.

Each must come after the base commit and touch every file of the accepted change that still
counts. Two matches are none. Similarity takes no part. An answer that the product does not
keep as a document (its message gives no reason) drops the question.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data.building import Found, finish, options_of
from bench.data.changes import Change, Numbers, answer_of
from bench.data.explained import Explained
from bench.data.mirror import History, lines_of_patch, open_mirror
from bench.data.questions import first_words, read_rows

YEAR = 366 * 86400


@dataclass(frozen=True, slots=True)
class Instance:
    """One published instance. ``files`` are those of the accepted change, ``lines`` its patch."""

    id: str
    repo: str
    base: str
    statement: str
    files: frozenset[str]
    lines: Mapping[str, Sequence[str]]

    @property
    def number(self) -> int:
        """The number of the accepted change, which the instance's id ends in."""
        return int(self.id.rsplit("-", 1)[1])


def instances(paths: Sequence[Path]) -> dict[str, Instance]:
    """Instances by id; one that stands in two files is taken once, from the first."""
    found: dict[str, Instance] = {}
    for path in paths:
        for row in read_rows(path):
            instance = _instance(row)
            found.setdefault(instance.id, instance)
    return found


def _instance(row: Mapping[str, object]) -> Instance:
    lines = lines_of_patch(str(row.get("patch") or ""))
    named = row.get("gold_files")
    files = frozenset(map(str, named)) if isinstance(named, list) else frozenset(lines)
    return Instance(
        str(row["instance_id"]),
        str(row["repo"]),
        str(row["base_commit"]),
        str(row["problem_statement"]),
        files,
        lines,
    )


def find_fix(history: History, numbers: Numbers, instance: Instance) -> Change | None:
    """The accepted change in this history, or None where it is not there exactly once."""
    if instance.base not in history.commits:
        return None
    change = numbers.change(instance.number) or same_patch(history, instance)
    if change is None or not history.is_ancestor(instance.base, change.last):
        return None
    touched = {path for oid in change.commits for path in history.paths_of(oid)}
    return change if instance.files <= touched else None


def same_patch(history: History, instance: Instance) -> Change | None:
    """The one commit of the year after the base that changes the same lines in the same files."""
    since = history.commits[instance.base].committed_at or 0
    wanted = {path: sorted(lines) for path, lines in instance.lines.items()}
    same = [
        oid
        for oid in _within(history, since, since + YEAR, frozenset(wanted))
        if _changed(history, oid, wanted) == wanted
    ]
    return Change("patch", tuple(same)) if len(same) == 1 else None


def _within(history: History, since: int, until: int, paths: frozenset[str]) -> Iterator[str]:
    if not paths:
        return
    for oid, touched in history.paths.items():
        if since <= (history.commits[oid].committed_at or 0) <= until and paths <= set(touched):
            yield oid


def _changed(history: History, oid: str, wanted: Mapping[str, object]) -> dict[str, list[str]]:
    changed = history.changed_lines(oid, sorted(wanted))
    return {path: sorted(lines) for path, lines in changed.items()}


def questions_of(
    history: History, here: Sequence[Instance], tally: Counter[str]
) -> Iterator[Found]:
    """The questions of one repository; ``tally`` counts what became of the others."""
    numbers, kept = Numbers(history), Explained(history)
    for instance in here:
        query = first_words(instance.statement)
        change = find_fix(history, numbers, instance)
        if query is None or change is None:
            tally["no words" if query is None else "no match"] += 1
            continue
        core = [oid for oid in change.commits if instance.files & set(history.paths_of(oid))]
        answer = answer_of(change, core, kept)
        if answer is None:
            tally["no reason given"] += 1
            continue
        yield Found(instance.id, query, change.how, answer)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the set from every instance whose repository has a clone."""
    options, pins = options_of(__doc__, "issue-fixes", arguments, inputs="+")
    wanted, tally = instances([Path(name) for name in options.inputs]), Counter[str]()
    rows = []
    for repo in sorted({instance.repo for instance in wanted.values()}):
        here = [instance for instance in wanted.values() if instance.repo == repo]
        mirror = open_mirror(options.mirrors, repo, pins)
        if mirror is None:
            tally["no clone"] += len(here)
            continue
        history = History(mirror)
        rows += finish(history, list(questions_of(history, here, tally)), tally)
        pins[repo] = mirror.tip
    return options.write(rows, pins, tally)


if __name__ == "__main__":
    sys.exit(main())
