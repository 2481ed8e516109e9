"""Peers for ``rankers.py``: a program's own code as an external ranker, and released answers.

    python -m bench.localize.peers chronorepo --code CHECKOUT/experiments --cache DIR
    python -m bench.localize.peers recorded --out DIR/rankings/NAME.jsonl RELEASED.jsonl

- *chronorepo* (ITMO-NSS-team/chronorepo_icdm26, BSD-3-Clause; standard library alone) answers lines
  with lines. Its steps are those of its ``prepare_final.py``, its method without a language model:
  context from the base commit's ancestors, then its fused order. None of its code is here. The log
  that it would read with line counts is read for it by names alone: mirrors can lack large objects.
- *recorded* turns released answers into ours: ``files``, ``found_files`` (LocAgent) or
  ``hybrid_top`` (ChronoRepo).
"""

from __future__ import annotations

import argparse
import importlib
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("chronorepo")
    one.add_argument("--code", required=True, type=Path)
    one.add_argument("--cache", required=True, type=Path)
    two = parts.add_parser("recorded")
    two.add_argument("released", type=Path)
    two.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    if said.part == "recorded":
        said.out.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(row) for row in recorded(said.released)]
        said.out.write_text("\n".join(lines) + "\n", "utf-8")
        return
    peer = ChronoRepo(said.code, said.cache)
    for line in sys.stdin:
        print(json.dumps(peer.answer(json.loads(line))), flush=True)


def recorded(file: Path) -> Iterator[dict[str, Any]]:
    """The answers in a file that somebody released."""
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        files = row.get("files") or row.get("found_files") or row.get("hybrid_top") or []
        names = [one["file"] if isinstance(one, dict) else str(one) for one in files]
        yield {"instance_id": row["instance_id"], "files": names}


class ChronoRepo:
    """ChronoRepo's own steps over the mirrors of the harness."""

    def __init__(self, code: Path, cache: Path) -> None:
        sys.path.insert(0, str(code))
        self._chrono: Any = importlib.import_module("chrono")
        self._lab: Any = importlib.import_module("night_lab")
        self._cache = cache
        self._repo = ""
        self._blobs: Any = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Its hundred files for one request."""
        where = Path(request["git_dir"])
        if request["repo"] != self._repo:
            self._repo, self._blobs = request["repo"], self._chrono.BlobCache(where)
        log = self._cache / f"{self._repo.replace('/', '__')}_log.pkl"
        if not log.exists():
            self._write_log(where, log)
        history = self._chrono.mine_history(where, log)
        instance = {"base_commit": request["commit"], "problem_statement": request["text"]}
        context = self._lab.build_context(instance, where, history, self._blobs)
        files = self._lab.rrf_final(context, k=40, exclude=("gr",))
        self._blobs.maybe_trim()
        return {"instance_id": request["instance_id"], "files": files}

    @staticmethod
    def _write_log(where: Path, log: Path) -> None:
        """Its cache of a repository's log: id, time and Python files of commits of up to 30."""
        command = ["git", "-C", str(where), "log", "--all", "--no-renames", "--name-only"]
        done = subprocess.run([*command, "--format=%x01%H %ct"], capture_output=True, check=True)
        found = []
        for entry in done.stdout.decode("utf-8", "replace").split("\x01")[1:]:
            head, *names = entry.splitlines()
            files = [name for name in names if name.endswith(".py")]
            if 0 < len(files) <= 30:
                commit, when = head.split(" ")
                found.append((commit, int(when), files))
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
