"""What a record costs: files read into migrations, a set replayed, one more added, its digest.

The ledger is made, not real: of each hundred migrations seventy create a decision with a text of a
few hundred words, twenty revise one, five supersede, and the others add evidence, aliases, a
deprecation, a rejection and a settled fork. ``parse`` reads every file from its bytes; ``replay``
makes the state of the migrations; ``one more`` is what a change costs who keeps the parsed ones:
its file parsed, and the whole set replayed. ``digest`` is the canonical text and its SHA-256;
``governing`` the first question about a path, which files the patterns, and then the same again.

Processor time of this process (user and system), the best of ``--runs``; memory is what Python
allocated for the parsed migrations and the state together, measured in a run of its own.

    python -m bench.record.replay [--sizes 1000 10000] [--runs 3]

Writes ``results.json`` beside this file.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citator.model.record import Item
from citator.record.migration import Migration, parse
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.ulid import mint

HERE = Path(__file__).resolve().parent
START = 1_772_000_000_000
SENTENCE = "The store keeps one file for every session, and nothing else writes to it. "
LIMITS = {"parse and replay 1000": 1.0, "one more at 1000": 0.05}


class Maker:
    """Makes migrations one after another, each on the heads of the slots before it."""

    def __init__(self) -> None:
        self.made: list[Migration] = []
        self.items: list[str] = []
        self.heads: dict[str, tuple[str, ...]] = {}
        self.retired: set[str] = set()

    def grow(self, size: int) -> list[Migration]:
        """The first ``size`` migrations."""
        while len(self.made) < size:
            self._step(len(self.made))
        return self.made[:size]

    def _step(self, number: int) -> None:
        kind = number % 100
        live = [one for one in self.items[-200:] if one not in self.retired]
        if kind < 70 or len(live) < 4:
            item = self._id(number, "item")
            self.items.append(item)
            self._add(
                number,
                {"op": "create_item", "item": item, "kind": "decision", "owner": "team"},
                self._text(item, number),
            )
        elif kind < 90:
            self._add(number, self._text(live[number % len(live)], number))
        elif kind < 95:
            old, new = live[0], live[-1]
            self.retired.add(old)
            link = {"source": new, "type": "supersedes", "target": old}
            self._add(number, {"op": "add_relation", **link})
        elif kind == 95:
            self._add(number, {"op": "add_alias", "alias": f"adr-{number}", "item": live[1]})
        elif kind == 96:
            evidence = {"source": f"commit:v1:{number:040x}", "description": "measured"}
            self._add(number, {"op": "add_evidence", "item": live[1], **evidence})
        elif kind == 97:
            self.retired.add(live[0])
            self._add(number, {"op": "deprecate_item", "item": live[0], "reason": "moved"})
        elif kind == 98:
            value = {"value": f"Use store {number}", "reason": "one more server"}
            self._add(number, {"op": "reject_value", **value, "scope": [f"src/p{number}/**"]})
        else:
            owner = {"op": "change_owner", "item": live[2]}
            fork = self.heads.get(f"item/{live[2]}/owner", ())
            self._add(number, {**owner, "owner": "core"})
            self.heads[f"item/{live[2]}/owner"] = fork
            self._add(number, {**owner, "owner": "edge"})

    def _text(self, item: str, number: int) -> dict[str, Any]:
        return {
            "op": "upsert_revision",
            "item": item,
            "title": f"Keep the sessions of service {number} in one file",
            "ruling": f"Service {number} keeps its sessions in one SQLite file on its own host.",
            "paths": [f"src/service{number % 97}/sessions/**", f"docs/decisions/{number}.md"],
            "labels": ["sessions", "storage"],
            "anchors": [{"path": f"src/service{number % 97}/store.py", "lines": [1, 80]}],
        }

    def _add(self, number: int, *operations: dict[str, Any]) -> None:
        based = []
        for raw in operations:
            slot = checked(raw, 1).slot
            based.append(checked({**raw, "base": list(self.heads.get(slot, ()))}, 1))
        moment = f"2026-{number // 2_000 % 12 + 1:02}-{number // 70 % 28 + 1:02}T09:00:00Z"
        body = "## Context\n\n" + SENTENCE * 25 + "\n\n## Decision\n\n" + SENTENCE * 10 + "\n"
        identity = self._id(len(self.made), "migration")
        made = Migration(identity, "Ada <ada@example.org>", moment, tuple(based), body)
        for operation, link in zip(made.operations, made.links, strict=True):
            self.heads[operation.slot] = (link,)
        self.made.append(made)

    @staticmethod
    def _id(number: int, what: str) -> str:
        tail = 1 if what == "item" else 2
        return mint(START + number * 1_000, lambda size: (number * 4 + tail).to_bytes(size, "big"))


def cpu(work: Callable[[], object], runs: int) -> float:
    """Seconds of processor time, the best of ``runs``."""
    found = []
    for _ in range(runs):
        gc.collect()
        before = time.process_time()
        work()
        found.append(time.process_time() - before)
    return min(found)


def measure(files: list[bytes], more: bytes, runs: int) -> dict[str, Any]:
    """What one size costs."""
    parsed = [parse(one) for one in files]
    for one in parsed:
        assert one.digest  # as who keeps them would have it
    state = replay(parsed)
    assert not state.refused, state.refused[:3]

    def governing() -> list[Item]:
        return state.governing("src/service5/sessions/a.py")

    found: dict[str, Any] = {
        "migrations": len(files),
        "items": len(state.items),
        "contested": len(state.contested),
        "file_bytes": sum(map(len, files)),
        "parse_s": cpu(lambda: [parse(one) for one in files], runs),
        "replay_s": cpu(lambda: replay(parsed), runs),
        "parse_and_replay_s": cpu(lambda: replay([parse(one) for one in files]), runs),
        "one_more_s": cpu(lambda: replay([*parsed, parse(more)]), runs),
        "digest_s": cpu(lambda: replay(parsed).digest, runs) - cpu(lambda: replay(parsed), runs),
    }
    before = time.process_time()
    assert governing()
    found["first_governing_s"] = time.process_time() - before
    found["governing_s"] = cpu(governing, 5)
    tracemalloc.start()
    kept = [parse(one) for one in files]
    held = replay(kept)
    found["memory_mb"] = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    assert held.accepted
    return {key: round(one, 5) if isinstance(one, float) else one for key, one in found.items()}


def main() -> int:
    """Measure every size and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    maker = Maker()
    sizes = []
    for size in options.sizes:
        files = [one.render() for one in maker.grow(size + 1)]
        sizes.append(measure(files[:size], files[size], options.runs))
        print(json.dumps(sizes[-1]))
    first = next((one for one in sizes if one["migrations"] == 1_000), None)
    within = first is not None and {
        name: first[key] <= LIMITS[name]
        for name, key in zip(LIMITS, ("parse_and_replay_s", "one_more_s"), strict=True)
    }
    results = {
        "command": "python -m bench.record.replay",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "limits_s": LIMITS,
        "within": within,
        "sizes": sizes,
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
