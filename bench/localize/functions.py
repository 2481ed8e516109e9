"""Fits what functions are worth, and measures it: the same loss as for files, over functions.

    python -m bench.localize.functions --mirrors MIRRORS --scratch DIR [--write] SET.jsonl …

- Gold are the innermost functions around the lines that were changed: ``gold_lines`` of a row, or
  what its change did where the number of its pull request leads to it (Loc-Bench).
- Candidates are the functions of the ten best files that anything points at: those that an answer
  shows. Gold elsewhere counts as not found. Two features stand beside the
  opinions: how far ahead the file is (the logarithm of its share, from a fit that never saw its
  repository) and how many functions it has.
- A repository counts as it does for files (``fit.py``).
- What was collected is kept and used again; ``--write`` replaces the weights that are shipped.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.localize.fit import FEATURES, Array, Instance, fit, folds_of, held_out, load, worths_of
from bench.localize.metrics import Placed, figures
from bench.localize.mirrors import Row, mirror_of, rows_of

from citator.git import history, repository
from citator.git.records import Repository
from citator.git.runner import Git
from citator.index.code import kept
from citator.index.code.facts import DefinitionKind
from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import CodeSnapshot
from citator.index.code.words import Words
from citator.locate.functions import NAMES, Functions
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene

L2 = 0.003
FILES = 10
NEAR = 100
WEIGHTS = Path("src/citator/locate/weights.json")
_PULL = re.compile(r"\(#(\d+)\)|Merge pull request #(\d+)|\bPR #?(\d+)|/pull/(\d+)")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.M)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    (said.scratch / "functions").mkdir(parents=True, exist_ok=True)
    collect(rows_of(said.sets), said.mirrors, said.scratch)
    instances = load(said.sets, said.scratch)
    scores = held_out(instances, FEATURES)
    placed = {one.instance: one for one in evaluate(instances, scores, said.scratch)}
    for file in said.sets:
        rows = [
            placed[row["instance_id"]] for row in rows_of([file]) if row["instance_id"] in placed
        ]
        print(file.stem, json.dumps(figures(rows)))
    if said.write:
        model = json.loads(WEIGHTS.read_text("utf-8"))
        model["functions"] = weights_of(instances, scores, said.scratch)
        WEIGHTS.write_text(json.dumps(model, indent=1) + "\n", "utf-8")


def collect(rows: Sequence[Row], mirrors: Path, scratch: Path) -> None:
    """Keep the opinions on the functions of every instance whose scene was kept."""
    words = Words()
    pulls: dict[Path, dict[int, list[str]]] = {}
    for row in rows:
        folder = scratch / "scenes" / row["instance_id"].replace("/", "__")
        path = mirror_of(row, mirrors)
        if path is None or not (folder / "past").exists() or _file(scratch, row).exists():
            continue
        code = kept.load_snapshot(folder / "code" / "0.arrays")
        gold = _by_lines(row, code)
        if not row.get("gold_lines"):
            repo = repository.discover(path)
            if path not in pulls:
                pulls[path] = dict(_pulls(repo))
            gold = _by_change(row, code, repo, pulls[path], words)
        scene = Scene(code, None)
        functions = Functions(read_issue(row["problem_statement"], words), scene, {})
        here, opinions = functions.opinions(0, scene.size)
        shown = (code.def_kinds[here] == DefinitionKind.FUNCTION) & (
            opinions[:, :-5].any(axis=1) | gold[here]
        )
        np.savez_compressed(
            _file(scratch, row),
            files=code.def_files[here[shown]].astype(np.int32),
            opinions=opinions[shown].astype(np.float32),
            gold=gold[here[shown]],
            crowd=np.bincount(code.def_files[here], minlength=scene.size).astype(np.int32),
        )


def _file(scratch: Path, row: Row) -> Path:
    return scratch / "functions" / f"{row['instance_id'].replace('/', '__')}.npz"


def _by_lines(row: Row, code: CodeSnapshot) -> Array:
    """(d,) the innermost functions around the changed lines of a row."""
    every = np.flatnonzero(code.def_kinds == DefinitionKind.FUNCTION)
    gold = np.zeros(len(code.names), bool)
    for path, ranges in (row.get("gold_lines") or {}).items():
        if path in code.paths:
            here = every[code.def_files[every] == code.paths.index(path)]
            for line in {line for first, last in ranges for line in range(first, last + 1)}:
                gold[_innermost(here, code.def_spans[here], line)] = True
    return gold


def _innermost(which: Array, spans: Array, line: int) -> Array:
    return which[(spans[:, 0] <= line) & (spans[:, 1] >= line)][-1:]


def _pulls(repo: Repository) -> Iterator[tuple[int, list[str]]]:
    """The commits that name each pull request in their subject or their body, the former first."""
    head = repository.head(repo).commit
    assert head is not None
    found: dict[int, list[tuple[bool, str]]] = {}
    with history.messages(repo, head) as walk:
        for commit in walk:
            subject, _, body = commit.message.partition("\n")
            for later, text in enumerate((subject, body[:3000])):
                for match in _PULL.finditer(text):
                    number = int(next(group for group in match.groups() if group)[:9])
                    found.setdefault(number, []).append((bool(later), commit.object_id))
    for number, commits in found.items():
        yield number, [commit for _, commit in sorted(commits)]


def _by_change(
    row: Row, code: CodeSnapshot, repo: Repository, pulls: Mapping[int, list[str]], words: Words
) -> Array:
    """(d,) the functions that the pull request of a row changed in its gold files, by name."""
    gold = np.zeros(len(code.names), bool)
    git = Git.of(repo)
    wanted = set(row["gold_files"])
    for commit in pulls.get(int(str(row["instance_id"]).rpartition("-")[2]), ()):
        about = git.attempt("diff-tree", "-r", "--name-only", "-z", f"{commit}^", commit)
        if about.code == 0 and wanted <= set(about.output.decode("utf-8", "replace").split("\0")):
            break
    else:
        return gold
    for path in wanted & set(code.paths):
        old = git.attempt("cat-file", "blob", f"{commit}^:{path}").output
        before = facts_of(old, path, words)
        which = np.flatnonzero(before.kinds == DefinitionKind.FUNCTION)
        change = git.attempt("diff-tree", "-p", "-U0", f"{commit}^", commit, "--", path).output
        names = set()
        for first, count in _HUNK.findall(change.decode("utf-8", "replace")):
            for line in range(int(first), int(first) + max(int(count or 1), 1)):
                for one in _innermost(which, before.spans[which], line).tolist():
                    names.add(_named(before.names, before.parents, one))
        here = np.flatnonzero(code.def_files == code.paths.index(path))
        for one in here[code.def_kinds[here] == DefinitionKind.FUNCTION].tolist():
            gold[one] = code.qualified(one) in names
    return gold


def _named(names: Sequence[str], parents: Array, one: int) -> str:
    parts = [names[one]]
    while (one := int(parents[one])) >= 0:
        parts.append(names[one])
    return ".".join(reversed(parts))


def sets_of(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> dict[str, tuple[Array, Array, int]]:
    """By instance: features (n, 2 + opinions) of each function, the gold ones, how many in all."""
    found = {}
    for one in instances:
        file = _file(scratch, {"instance_id": one.name})
        if not file.exists():
            continue
        with np.load(file, allow_pickle=False) as held:
            if not held["gold"].any():
                continue
            files, opinions, gold = held["files"], held["opinions"].astype(float), held["gold"]
            crowd = np.log(np.maximum(held["crowd"], 1))[files]
        near = np.isin(files, np.argsort(-scores[one.name], kind="stable")[:FILES])
        shares = np.log(1e-6 + 1 / (1 + np.exp(-_logits(scores[one.name]))))
        x = np.concatenate([shares[files][:, None], crowd[:, None], opinions], axis=1)
        found[one.name] = x[near], np.flatnonzero(gold[near]), int(gold.sum())
    return found


def _logits(scores: Array) -> Array:
    """(n,) the logit of each score's share of the softmax, within ±21."""
    powers = np.exp(scores - scores.max())
    shares = np.clip(powers / powers.sum(), 1e-9, 1 - 1e-9)
    logits: Array = np.log(shares / (1 - shares))
    return logits


def _near(x: Array, gold: Array) -> tuple[Array, Array]:
    """The gold functions and the nearest :data:`NEAR` others: enough to fit to."""
    best = x[:, 2 + NAMES.index("best")]
    near = np.argsort(-(x[:, 0] / 3 + 0.7 * best), kind="stable")[:NEAR]
    return x[np.concatenate([gold, near[~np.isin(near, gold)]])], np.arange(len(gold))


def _fit(
    near: Mapping[str, tuple[Array, Array]],
    worths: Mapping[str, float],
    start: Array | None = None,
) -> Array:
    return fit(list(near.values()), L2, start, [worths[name] for name in near])


def evaluate(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> list[Placed]:
    """Where the gold functions stand, held out by repository."""
    sets = sets_of(instances, scores, scratch)
    near = {name: _near(x, gold) for name, (x, gold, _) in sets.items() if len(gold)}
    folds = folds_of(instances)
    repos = {one.name: one.repo for one in instances}
    worths = dict(zip(repos, worths_of(instances), strict=True))
    found: list[Placed] = []
    start = _fit(near, worths) if near else None
    for fold in sorted({folds[repos[name]] for name in sets}):
        rest = {name: one for name, one in near.items() if folds[repos[name]] != fold}
        weights = _fit(rest, worths, start)
        for name, (x, gold, golds) in sets.items():
            if folds[repos[name]] == fold:
                every = x @ weights
                places = tuple(sorted(int((every > every[g]).sum()) + 1 for g in gold))
                found.append(Placed(name, repos[name], places, golds, 0.0))
    return found


def weights_of(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> dict[str, Any]:
    """The weights to ship: of the opinions alone, as the file is settled before."""
    sets = sets_of(instances, scores, scratch)
    near = {name: _near(x, gold) for name, (x, gold, _) in sets.items() if len(gold)}
    names = [one.name for one in instances]
    weights = _fit(near, dict(zip(names, worths_of(instances), strict=True)))
    return {name: round(float(w), 4) for name, w in zip(NAMES, weights[2:], strict=True)}


if __name__ == "__main__":
    main()
