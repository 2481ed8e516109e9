"""Are rulings in force delivered, and reversed ones never as if they were?

    python bench/treatment/in_force.py SCRATCH [REPOSITORY] > in_force.json

- The made corpus holds rulings of known fate, each about a thing of its own: commits that stand,
  were reverted (by id, number or title), reverted and reinstated, reverted in part, superseded by a
  trailer; decision records that stand or were superseded. Each is asked for by its thing.
- Of a real repository (indexed under CITATOR_DATA_DIR) the commits that a later one reverted whole,
  and as many that nothing treats, are asked for by their own title.
- *Delivered*: among the first eight results, within 2,000 tokens (bytes / 4). A reversed ruling is
  delivered where it is shown as in force, or with no word on how it stands. ``git log`` is asked
  for the same thing and cut at the same size; it shows messages, not how they stand.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.support.builder import Builder

from citator.git.history import messages
from citator.model.evidence import Evidence
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.treatment import treatments
from citator.service.workspace import Places, Workspace

TOKENS = 2_000
LIMIT = 8
EACH = 20
REAL = 60
ACTIVE = ("stands", "reinstated", "record_stands", "limited")
KINDS = (*ACTIVE, "reverted_id", "reverted_number", "reverted_title", "superseded", "record_gone")
_SYLLABLES = ("ba", "do", "fi", "ka", "lu", "me", "no", "pi", "ru", "sa", "te", "vo", "zi", "gu")


def word(*parts: object) -> str:
    """A made-up word, the same for the same parts."""
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[:4])


def made(path: Path) -> tuple[Builder, list[tuple[str, str, str]]]:
    """The corpus, and (kind, what to ask for, id or path of the ruling)."""
    built = Builder.init(path, checkout=False)
    rulings = []
    number = 0
    for at in range(EACH):
        for kind in KINDS:
            number += 2
            thing, why = (
                word(kind, at),
                f"the {word('why', kind, at)} lost its {word('x', kind, at)}",
            )
            if kind.startswith("record"):
                rulings.append((kind, thing, record(built, kind, number, thing, why)))
            else:
                rulings.append((kind, thing, commit(built, kind, number, thing, why)))
    return built, rulings


def commit(built: Builder, kind: str, number: int, thing: str, why: str) -> str:
    """A ruling as a commit, and its fate."""
    title = f"Buffer the {thing} in a ring"
    lines = "".join(f"{thing} {n}\n" for n in range(6))
    for part in ("a", "b"):
        built.write(f"src/{thing}_{part}.txt", lines)
    made = built.commit(f"{title} (#{number})\n\nBecause {why} whenever it was full.")
    if kind in ("stands",):
        return made
    if kind == "superseded":
        built.write(f"src/{thing}_a.txt", lines.upper())
        built.commit(f"Write elsewhere\n\nBecause it is simpler.\n\nSupersedes: {made}")
        return made
    if kind == "limited":
        built.remove(f"src/{thing}_a.txt")
        built.commit(f"Take a part out\n\nThis partially reverts commit {made}.")
        return made
    for part in ("a", "b"):
        built.remove(f"src/{thing}_{part}.txt")
    how = {
        "reverted_number": f"Revert #{number} (#{number + 1})",
        "reverted_title": f'Revert "{title}"',
    }.get(kind, f"Go back\n\nThis reverts commit {made}.")
    reverted = built.commit(f"{how}\n\nIt was slow.")
    if kind == "reinstated":
        for part in ("a", "b"):
            built.write(f"src/{thing}_{part}.txt", lines)
        built.commit(f"Try again\n\nThis reverts commit {reverted}.")
    return made


def record(built: Builder, kind: str, number: int, thing: str, why: str) -> str:
    """A ruling as a decision record."""
    path = f"docs/adr/{number:04}-{thing}.md"
    status = "Accepted" if kind == "record_stands" else f"Superseded by ADR-{number + 1:04}"
    text = f"# {number}. Buffer the {thing}\n\n## Status\n\n{status}\n"
    text += f"\n## Decision\n\nBecause {why}.\n"
    built.write(path, text).commit("Record it")
    return path


def ours(workspace: Workspace, thing: str) -> list[Evidence]:
    """What is delivered for a question."""
    found = investigate(workspace, Question(f"why do we buffer the {thing}?", limit=LIMIT)).answer
    return list(within(list(found.evidence)))


def within(found: list[Evidence]) -> Iterator[Evidence]:
    """As many as fit."""
    room = TOKENS * 4
    for one in found:
        room -= len(json.dumps(asdict(one), default=str))
        if room < 0:
            return
        yield one


def by_log(path: Path, thing: str) -> str:
    """What ``git log`` shows for a thing, messages whole."""
    args = ("log", "-i", "-F", f"--grep={thing}", "--format=%H%n%B")
    done = subprocess.run(["git", "-C", str(path), *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")[: TOKENS * 4]


def measured(
    workspace: Workspace, path: Path, asked: list[tuple[str, str, str]]
) -> dict[str, object]:
    """The shares over one corpus."""
    us: Counter[str] = Counter()
    log: Counter[str] = Counter()
    by_kind: Counter[str] = Counter()
    for kind, thing, ruling in asked:
        active = kind in ACTIVE
        name = "active" if active else "reversed"
        us[name] += 1
        item = next(
            (
                one
                for one in ours(workspace, thing)
                if ruling in (one.object_id, one.locator.split(":")[0])
            ),
            None,
        )
        told = None if item is None else item.standing.value
        by_kind[f"{kind}: {told}"] += 1
        if told in ("in_force", "caution") if active else told in ("in_force", "unassessed"):
            us[f"{name}_delivered"] += 1
        if not ruling.endswith(".md") and ruling in by_log(path, thing):
            log[f"{name}_delivered"] += 1
    return {"ours": dict(us), "git_log": dict(log), "by_kind": dict(sorted(by_kind.items()))}


def real(workspace: Workspace, path: Path) -> dict[str, object]:
    """Of a real repository: commits that were reverted whole, and as many that nothing treats."""
    head = workspace.head.commit or ""
    subjects, bodies = {}, set()
    with messages(workspace.repository, head) as walk:
        for raw in walk:
            subjects[raw.object_id] = raw.message.partition("\n")[0]
            if len(raw.message) > 160 and len(raw.parents) == 1:
                bodies.add(raw.object_id)
    with treatments(workspace, patience=None) as treated:
        gone = {edge.of for edge in treated.reverts() if edge.of in bodies}
        gone = {
            one for one in gone if one and treated.verdict(one).standing.value == "not_in_force"
        }
        order = sorted(bodies, key=lambda one: hashlib.sha256(one.encode()).digest())
        plain = [one for one in order if treated.verdict(one).reason.value == "untreated"][:REAL]
    chosen = sorted(gone)[:REAL]
    asked = [("reverted", one) for one in chosen] + [("stands", one) for one in plain]
    us: Counter[str] = Counter()
    for kind, commit_id in asked:
        name = "active" if kind == "stands" else "reversed"
        us[name] += 1
        found = investigate(workspace, Question(subjects[commit_id], limit=LIMIT)).answer.evidence
        item = next((one for one in within(list(found)) if one.object_id == commit_id), None)
        us[f"{name}_found"] += item is not None
        if item is not None:
            told = item.standing.value
            us[f"{name}_delivered"] += told in (
                ("in_force",) if name == "active" else ("in_force", "unassessed")
            )
    return dict(us)


def main() -> None:
    """See the module."""
    scratch = Path(sys.argv[1])
    places = Places(scratch / "data", scratch / "config", lambda size: b"k" * size)
    built, asked = made(scratch / "corpus")
    workspace = Workspace.open(built.path, places)
    update(workspace)
    found = {"made": measured(Workspace.open(built.path, places), built.path, asked)}
    if len(sys.argv) > 2:
        from citator.cli import surroundings

        place = Path(sys.argv[2])
        found["real"] = real(Workspace.open(place, surroundings.places()), place)
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
