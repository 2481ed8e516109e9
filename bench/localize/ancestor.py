"""The ancestor's method on the same instances: its own file, its own learner, held out as ours is.

    python -m bench.localize.ancestor collect --code CHECKOUT --mirrors MIRRORS --scratch DIR SET …
    python -m bench.localize.ancestor rank --scratch DIR SET …     # needs lightgbm, scikit-learn

- ``CHECKOUT`` is a copy of PierfrancescoLijoi/mcp-brain (MIT) at 8852a11b; of it
  ``src/brain/localizer.py`` is run, unchanged. None of its code is here.
- Its steps, as its own laboratory takes them: every ``.py`` file of the tree is read from git, the
  first line is the title, history is that of the base commit, 300 candidates at most, tests out.
- Its published model was trained on the same twelve repositories it is tested on. ``rank`` fits its
  learner (LambdaMART with its parameters) without the repository that is ranked, in our folds.
- Writes for ``rankers.py`` DIR/rankings/ancestor-words.jsonl, its full-text channel alone, and
  ancestor-LEARNER.jsonl: ``shipped`` has the parameters of its published model, ``tiny`` those of
  the smallest that its laboratory leaves repositories out with.
- Resumes: features that are kept are left.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from bench.localize.fit import folds_of
from bench.localize.mirrors import KIND, Row, mirror_of, rows_of

from citator.git import blobs, repository, trees

WORDS = "bm25_n"
_LARGEST = 1_000_000
_COMMON = {"objective": "lambdarank", "verbose": -1, "random_state": 0, "subsample": 0.8,
           "subsample_freq": 1, "colsample_bytree": 0.8, "lambdarank_truncation_level": 20,
           "learning_rate": 0.03}  # fmt: skip
LEARNERS = {
    "shipped": _COMMON | {"n_estimators": 400, "num_leaves": 31, "min_child_samples": 20},
    "tiny": _COMMON
    | {"n_estimators": 150, "num_leaves": 7, "min_child_samples": 100, "reg_lambda": 5.0},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("collect", "rank"))
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--code", type=Path)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--learner", choices=sorted(LEARNERS), default="shipped")
    said = parser.parse_args()
    rows = {row["instance_id"]: row for row in rows_of(said.sets)}
    if said.step == "rank":
        rank(list(rows.values()), said.scratch, said.learner)
        return
    sys.path.insert(0, str(said.code))
    by_repo: dict[str, list[Row]] = defaultdict(list)
    for row in rows.values():
        by_repo[row["repo"]].append(row)
    for repo, own in sorted(by_repo.items(), key=lambda item: len(item[1])):
        path = mirror_of(own[0], said.mirrors)
        if path is not None:
            began = time.process_time()
            collect(own, path, said.scratch)
            print(repo, len(own), round(time.process_time() - began), file=sys.stderr, flush=True)


def collect(rows: Sequence[Row], path: Path, scratch: Path) -> None:
    """Keep the ancestor's features of the instances of one repository."""
    localizer: Any = importlib.import_module("src.brain.localizer")
    warnings.simplefilter("ignore", SyntaxWarning)
    repo = repository.discover(path)
    known: dict[str, Any] = {}
    for row in sorted(rows, key=lambda one: str(one["created_at"])):
        if kept(scratch, row).exists() or not repository.has_commit(repo, row["base_commit"]):
            continue
        files = {
            entry.path: entry.object_id
            for entry in trees.entries(repo, row["base_commit"])
            if entry.kind == "blob" and entry.path.endswith(KIND)
        }
        with blobs.BlobReader(repo) as reader:
            fresh = {oid: file for file, oid in files.items() if oid not in known}
            for oid, file in fresh.items():
                content = reader.read(oid, _LARGEST)
                text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
                known[oid] = localizer.analyze_source(file, text)
        known = {oid: known[oid] for oid in files.values()}
        docs = {file: replace(known[oid], path=file) for file, oid in files.items()}
        title, _, body = row["problem_statement"].strip().partition("\n")
        index = localizer.RepoIndex(docs)
        features = localizer.candidate_features(index, localizer.issue_signals(title, body))
        localizer.add_history(features, history(localizer, path, row["base_commit"]))
        keep(scratch, row, {one: features[one] for one in localizer.candidate_pool(features)})


def history(localizer: Any, path: Path, commit: str) -> Any:
    """What its history features read, asked as its laboratory asks it."""
    command = ["git", "-C", str(path), "log", commit, f"--max-count={localizer.HISTORY_DEPTH}"]
    shape = ["--no-merges", "--no-renames", "--name-only", "--format=\x01%s"]
    log = subprocess.run([*command, *shape], capture_output=True, check=True).stdout
    return localizer.history_features(log.decode("utf-8", "replace"))


def kept(scratch: Path, row: Row) -> Path:
    """Where the features of an instance are kept."""
    return scratch / "ancestor" / f"{row['instance_id'].replace('/', '__')}.npz"


def keep(scratch: Path, row: Row, features: Mapping[str, Mapping[str, float]]) -> None:
    """Keep the features of an instance: one row a file, one column a name."""
    names = sorted({name for one in features.values() for name in one})
    table = [[one.get(name, 0.0) for name in names] for one in features.values()]
    target = kept(scratch, row)
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        target,
        table=np.array(table, np.float64).reshape(len(features), len(names)),
        names=np.array("\n".join(names)),
        paths=np.array("\n".join(features)),
    )


def rank(rows: Sequence[Row], scratch: Path, learner: str) -> None:
    """Write both rankings of every instance whose features were kept."""
    lightgbm: Any = importlib.import_module("lightgbm")
    usable = [row for row in rows if kept(scratch, row).exists()]
    loaded = {row["instance_id"]: load(scratch, row) for row in usable}
    names = sorted({name for _, own, _ in loaded.values() for name in own})
    tables = {one: spread(table, own, names) for one, (table, own, _) in loaded.items()}
    gold = {
        row["instance_id"]: np.isin(loaded[row["instance_id"]][2], row["gold_files"])
        for row in usable
    }
    folds = folds_of([_Repo(row["repo"]) for row in usable])  # type: ignore[misc]
    column = names.index(WORDS)
    words = {one: ordered(loaded[one][2], table[:, column]) for one, table in tables.items()}
    write(scratch, "ancestor-words", words)
    learned: dict[str, list[str]] = {}
    for fold in sorted(set(folds.values())):
        rest = [row["instance_id"] for row in usable if folds[row["repo"]] != fold]
        rest = [one for one in rest if gold[one].any()]
        model = lightgbm.LGBMRanker(**LEARNERS[learner])
        model.fit(
            np.vstack([tables[one] for one in rest]),
            np.concatenate([gold[one].astype(int) for one in rest]),
            group=[len(gold[one]) for one in rest],
        )
        for row in usable:
            if folds[row["repo"]] == fold:
                name = row["instance_id"]
                learned[name] = ordered(loaded[name][2], model.predict(tables[name]))
        print(fold, file=sys.stderr, flush=True)
    write(scratch, f"ancestor-{learner}", learned)


def write(scratch: Path, name: str, ranking: Mapping[str, Sequence[str]]) -> None:
    """Keep a ranking for ``rankers.py``."""
    target = scratch / "rankings" / f"{name}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"instance_id": one, "files": ranking[one]}) for one in sorted(ranking)]
    target.write_text("\n".join(lines) + "\n", "utf-8")


class _Repo:
    """What :func:`folds_of` asks of an instance."""

    def __init__(self, repo: str) -> None:
        self.repo = repo


def load(scratch: Path, row: Row) -> tuple[Any, list[str], list[str]]:
    """Features, their names, the files."""
    with np.load(kept(scratch, row), allow_pickle=False) as one:
        return one["table"], str(one["names"]).split("\n"), str(one["paths"]).split("\n")


def spread(table: Any, own: Sequence[str], names: Sequence[str]) -> Any:
    """``table`` with a column for each of ``names``, zero where it had none."""
    whole = np.zeros((len(table), len(names)))
    whole[:, [names.index(name) for name in own]] = table
    return whole


def ordered(paths: Sequence[str], scores: Any) -> list[str]:
    """The best hundred."""
    return [paths[one] for one in np.argsort(-scores, kind="stable")[:100]]


if __name__ == "__main__":
    main()
