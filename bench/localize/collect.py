"""Every signal's opinion on every candidate of every instance, kept to be fitted and reported.

    python -m bench.localize.collect --mirrors MIRRORS --scratch DIR \\
        [--repo OWNER/NAME …] SET.jsonl …

- Resumes: an instance that has its file is left; parsed blobs and read histories are kept in
  DIR by repository. ``--again`` takes the signals anew (blobs and histories are not read again).
- Candidates: ``.py`` files at the base commit that are not tests by their path. History:
  ancestors of the base commit alone. Instances whose base commit cannot be had are listed.
- What is kept carries opinions, paths and the processor time; no word of an issue.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from bench.localize.mirrors import Mirror, Row, mirror_of, rows_of

from citator.index.code import kept
from citator.index.code.past import view_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.signals import NAMES, VERSION, table_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--repo", action="append", default=[])
    parser.add_argument("--again", action="store_true")
    said = parser.parse_args()
    by_repo: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(said.sets):
        if not said.repo or row["repo"] in said.repo:
            by_repo[row["repo"]].append(row)
    words = Words()
    absent: list[str] = []
    for repo, rows in sorted(by_repo.items(), key=lambda item: (len(item[1]), item[0])):
        path = mirror_of(rows[0], said.mirrors)
        if path is None:
            absent += [row["instance_id"] for row in rows]
            continue
        absent += collected(repo, rows, path, said.scratch, words, said.again)
    (said.scratch / "absent.json").write_text(json.dumps(sorted(set(absent))))


def collected(
    repo: str, rows: list[Row], path: Path, scratch: Path, words: Words, again: bool
) -> list[str]:
    """Collect the instances of one repository; the ids of those that cannot be had."""
    features = scratch / "features"
    features.mkdir(parents=True, exist_ok=True)
    todo = [row for row in rows if again or not feature_file(scratch, row["instance_id"]).exists()]
    if not todo:
        return []
    absent: list[str] = []
    began = time.process_time()
    with Mirror(path, scratch / "facts" / f"{repo.replace('/', '+')}.sqlite", words) as mirror:
        tips = [row["base_commit"] for row in rows]
        for row in sorted(todo, key=lambda one: str(one["created_at"])):
            if not mirror.has(row["base_commit"]):
                absent.append(row["instance_id"])
                continue
            collect_one(row, mirror, tips, words, scratch)
    print(
        f"{repo}: {len(todo)} in {time.process_time() - began:.0f} s", file=sys.stderr, flush=True
    )
    return absent


def collect_one(row: Row, mirror: Mirror, tips: list[str], words: Words, scratch: Path) -> None:
    """Keep the opinions on one instance."""
    scene = scene_of(row, mirror, tips, words, scratch)
    code = scene.code
    issue = read_issue(row["problem_statement"], words)
    table_of(issue, scene)
    began = time.process_time()
    table = table_of(read_issue(row["problem_statement"], words), scene)
    spent = time.process_time() - began
    gold = [code.paths.index(path) for path in row["gold_files"] if path in code.paths]
    np.savez_compressed(
        feature_file(scratch, row["instance_id"]),
        table=table.astype(np.float32),
        gold=np.array(gold, np.int32),
        missing=np.array(len(row["gold_files"]) - len(gold)),
        paths=np.array("\n".join(code.paths)),
        names=np.array("\n".join(NAMES)),
        spent=np.array(spent),
        version=np.array(VERSION),
        length=np.array(len(row["problem_statement"])),
    )


def scene_of(row: Row, mirror: Mirror, tips: list[str], words: Words, scratch: Path) -> Scene:
    """The files and the past of one instance, kept so that signals can be taken again."""
    folder = scratch / "scenes" / row["instance_id"].replace("/", "__")
    if (folder / "past" / "0.arrays").exists():
        return Scene(
            kept.load_snapshot(folder / "code" / "0.arrays"),
            kept.load_view(folder / "past" / "0.arrays"),
        )
    code = snapshot_of(mirror.candidates(row["base_commit"]), words)
    view = view_of(mirror.past(tips), [row["base_commit"]], code.paths)
    kept.save_snapshot(folder / "code" / "0.arrays", code)
    kept.save_view(folder / "past" / "0.arrays", view)
    return Scene(code, view)


def feature_file(scratch: Path, instance: str) -> Path:
    """Where the opinions of one instance are kept."""
    return scratch / "features" / f"{instance.replace('/', '__')}.npz"


if __name__ == "__main__":
    main()
