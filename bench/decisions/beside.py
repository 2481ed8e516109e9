"""The ancestor (theurian 0.5.3) and us on the same decisions, in one run.

    python -m bench.decisions.beside DECISIONS --peer VENV --scratch DIR --out RESULTS [--size 1000]

- ``VENV`` is an environment of its own with ``pip install 'theurian[daemon]==0.5.3'``; none of its
  code is here. Its project is made with its own commands (init, register, apply, index build) and
  asked through its own search tool, in one process, as its own evaluation does.
- The judged decisions give the quality of both; generated ones give the processor time.
- Ours is asked as in ``evaluate`` and ``scale``. What is written holds ids and numbers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from bench.decisions import evaluate
from bench.decisions.corpus import Corpus, Source, load, queries, sources
from bench.decisions.scale import Language, percentiles, spent
from bench.retrieval.lab import one_thread

from citator.index.analysis import Analyser
from citator.index.partition_store import Partitions
from citator.model.visibility import Audience
from citator.record.state import RecordState
from citator.record.ulid import mint
from citator.search.decisions import search_decisions
from citator.sources.decisions import decisions_for

DRIVER = """
import asyncio, json, sys, time
from theurian.cli.context import registry
from theurian.daemon.runner import build_server

server = build_server(registry())
asked = json.load(sys.stdin)

async def ask(question):
    arguments = {"projectId": "bench", "query": question, "limit": 10, "maxTokens": 32000}
    return await server.call_tool("knowledge.search", arguments)

async def main():
    rows = []
    for question in asked:
        began = time.process_time()
        answer = await ask(question)
        taken = time.process_time() - began
        content = getattr(answer, "structured_content", None)
        if content is None:
            content = json.loads(answer.content[0].text)
        rows.append([[one["itemId"] for one in content["results"]], taken])
    json.dump(rows, sys.stdout)

asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Text:
    """One decision as the peer's migrations state it."""

    name: str
    kind: str
    sensitivity: str
    status: str
    title: str
    body: str


class Peer:
    """The peer's own commands over one project of its own."""

    def __init__(self, environment: Path, work: Path) -> None:
        shutil.rmtree(work, ignore_errors=True)
        self._bin = environment / "bin"
        self.data, self.project = work / "data", work / "project"
        self.project.mkdir(parents=True)
        self._environment = {**os.environ, "HOME": str(work), "THEURIAN_DATA_DIR": str(self.data)}
        self._git("init", "-q", "-b", "main")
        self._run("init")
        self._run("project", "register", "--project-id", "bench")

    def _git(self, *arguments: str) -> None:
        names = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
        subprocess.run(["git", *names, *arguments], cwd=self.project, check=True)

    def _run(self, *arguments: str) -> float:
        """One command; the processor time of it and its children, in seconds."""
        before = os.times()
        subprocess.run(
            [self._bin / "theurian", *arguments],
            cwd=self.project,
            env=self._environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        after = os.times()
        return (
            after.children_user
            + after.children_system
            - (before.children_user + before.children_system)
        )

    def build(self, texts: Iterable[Text]) -> dict[str, float]:
        """Write the migrations, commit, apply, index."""
        for number, text in enumerate(texts):
            self._write(number, text)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "decisions")
        return {
            "apply s": round(self._run("migrate", "apply"), 2),
            "build s": round(self._run("index", "build"), 2),
        }

    def _write(self, number: int, text: Text) -> None:
        place = self.project / ".theurian"
        revision = _ulid(2 * number + 1)
        body = place / "knowledge" / text.kind / f"{text.name}.{revision}.md"
        body.parent.mkdir(parents=True, exist_ok=True)
        body.write_text(text.body, "utf-8")
        shared = {"kind": text.kind, "namespace": text.kind, "owner": "bench"}
        migration = {
            "apiVersion": "theurian.dev/v1",
            "id": _ulid(2 * number),
            "createdAt": "2026-09-20T00:00:00+00:00",
            "author": "bench",
            "operations": [
                {
                    "op": "createItem",
                    "itemId": text.name,
                    "sensitivity": text.sensitivity,
                    **shared,
                },
                {
                    "op": "upsertRevision",
                    "itemId": text.name,
                    "revisionId": revision,
                    "contentFile": f"../knowledge/{text.kind}/{body.name}",
                    "contentSha256": hashlib.sha256(text.body.encode()).hexdigest(),
                    "metadata": {
                        "title": text.title,
                        "contentType": "text/markdown",
                        "status": text.status,
                        "sensitivity": text.sensitivity,
                        "labels": ["authored-in-theurian"],
                        **shared,
                    },
                },
            ],
        }
        folder = place / "migrations"
        folder.mkdir(exist_ok=True)
        written = yaml.safe_dump(migration, sort_keys=False, allow_unicode=True)
        (folder / f"{_ulid(2 * number)}-bench.yaml").write_text(written, "utf-8")

    def ask(self, questions: Sequence[str]) -> list[tuple[list[str], float]]:
        """The items found for each question, and the processor time in seconds."""
        done = subprocess.run(
            [self._bin / "python", "-c", DRIVER],
            cwd=self.project,
            env=self._environment,
            input=json.dumps(questions),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        return [(items, taken) for items, taken in json.loads(done.stdout)]


def _ulid(number: int) -> str:
    return mint(1_790_000_000_000 + number, lambda size: number.to_bytes(size, "big"))


def judged(folder: Path, peer: Peer) -> dict[str, Any]:
    """Both on the judged decisions, all that is withheld among them."""
    rows = queries(folder)
    costs = peer.build(_as_text(one) for one in sources(folder, full=True))
    names = [items for items, _ in peer.ask([one.text for one in rows])]
    results: list[dict[str, Any]] = []
    for query, items in zip(rows, names, strict=True):
        result: dict[str, Any] = {
            "abstained": None if items else "nothing",
            "found": len(items),
            "forbidden found": len(query.forbidden.intersection(items)),
        }
        if not query.abstain:
            found = [items.index(one) + 1 for one in query.relevant if one in items]
            result |= {"relevant": len(query.relevant), "ranks": sorted(found)}
        results.append(result)
    corpus: Corpus = load(folder, full=True)
    ours = evaluate.asked(corpus, Audience(), Analyser())
    return {
        "theurian": {**evaluate.summary(results), **costs},
        "citator": evaluate.summary(evaluate.measured(ours, rows)),
    }


def _as_text(one: Source) -> Text:
    return Text(one.name, one.kind, one.sensitivity, one.status, one.title, one.bodies[-1])


def generated(size: int, scratch: Path, peer: Peer) -> dict[str, Any]:
    """Both on generated decisions."""
    language = Language(size)
    items = [language.item(number) for number in range(size)]
    texts = []
    for item in items:
        revision = item.revisions[0]
        body = f"# {revision.title}\n\n{revision.ruling}\n\n{revision.body}\n"
        name = f"bench.{item.id.lower()}"
        texts.append(Text(name, item.kind.value, "internal", "approved", revision.title, body))
    costs = peer.build(texts)
    decisions, of_documents = spent(
        lambda: decisions_for(Audience(), RecordState(items={one.id: one for one in items}))
    )
    questions = [language.question(one) for one in random.Random(5).choices(decisions, k=100)]
    theirs = [taken for _, taken in peer.ask(questions)][1:]  # the first pays for what is loaded
    folder = scratch / f"beside-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    partition, of_build = spent(lambda: Partitions(folder).of(decisions))
    analyser, ours = Analyser(), []
    for question in questions:
        began = time.process_time()
        search_decisions(partition, question, 10, analyser=analyser)
        ours.append(time.process_time() - began)
    ours = ours[1:]
    return {
        "theurian": {**costs, **percentiles(theirs)},
        "citator": {"build s": round(of_documents + of_build, 2), **percentiles(ours)},
    }


def main() -> None:
    """Measure both and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--peer", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=1000)
    options = parser.parse_args()
    one_thread()
    peer = options.peer.absolute()
    work = options.scratch.absolute()
    found = {"judged": judged(options.decisions, Peer(peer, work / "judged"))}
    print(json.dumps(found, indent=1), flush=True)
    size = options.size
    found[f"{size} generated"] = generated(size, work, Peer(peer, work / "generated"))
    print(json.dumps(found[f"{size} generated"], indent=1))
    (options.out / "beside.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
