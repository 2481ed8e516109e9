"""Everything an audience can ask, as one conversation: tools, commands with ``--json``, and errors.

- A call is named by what it asks and of whom it asks it; each world is asked the same calls.
- Nothing is masked. Where worlds may differ in the ids of commits, :func:`renamed` puts a name in
  the place of each such id and of nothing else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from citator.mcp.tools import propose_decision
from citator.model.record import ItemKind
from citator.service.proposing import Moment
from tests.cli.process import Home as User
from tests.support.counted import counted
from tests.support.handler import Handler
from tests.support.twins import Plan, Secrets, World, places_at, secrets_of
from tests.support.ways_out import in_this_process

NOW: Final = 1_773_000_000_000


@dataclass(frozen=True)
class Call:
    """One call: a tool's or a method's arguments, or the words of a command.

    ``at`` names a commit by its number: of the arguments, its id alone is another in each world.
    """

    name: str
    tool: str
    given: dict[str, Any]
    at: int | None = None

    def arguments(self, world: World) -> dict[str, Any]:
        """What is asked of ``world``."""
        return self.given if self.at is None else {**self.given, "at": world.commits[self.at]}


@dataclass(frozen=True)
class Answer:
    """What came back, byte by byte, and the work it was, where that was counted."""

    raw: bytes
    work: Counter[str]


def readings(plan: Plan, secrets: Sequence[Secrets]) -> Iterator[Call]:
    """The calls that change nothing."""
    yield from _questions(plan, secrets)
    yield from _references(secrets)
    yield from _refusals(secrets)


def _ask(name: str, task: str, **more: Any) -> Call:
    return Call(name, "investigate_work", {"task": task, **more})


def _questions(plan: Plan, secrets: Sequence[Secrets]) -> Iterator[Call]:
    script = plan.script
    known = script.words(10, 6)
    decided = script.words(100, 3)
    yield _ask("known", known)
    yield _ask("known, a page of one", known, limit=1)
    yield _ask("known, much", known, limit=20, read=3)
    yield _ask("decided", decided)
    yield _ask("decided, of the kind", decided, kinds=["decision", "api"])
    yield _ask("decided, as of a day", decided, as_of="2026-03-01T23:00:00Z")
    yield _ask("decided, as of a day before", decided, as_of="2020-01-01T00:00:00Z")
    yield _ask("governs", known, paths=["src/a/new.py", "src/b/new.py"])
    yield _ask("told no", script.words(90, 2))
    yield _ask("of every kind", decided, kinds=[kind.value for kind in ItemKind])
    for at in (2, 3, 4):
        yield Call(
            f"decided, at commit {at}",
            "investigate_work",
            {"task": decided},
            at,
        )
    for one in secrets:
        name, words = one.face.name, one.words
        yield _ask(f"withheld words, {name}", words)
        yield _ask(f"withheld path, {name}", known, paths=[one.path])
        yield _ask(f"withheld id, {name}", one.item)
        if one is not secrets[0]:
            continue
        yield _ask(f"withheld among known, {name}", f"{known} {words} {decided}")
        yield _ask(f"withheld words as of a day, {name}", words, as_of="2026-03-02T23:00:00Z")
        yield _ask(f"withheld migration, {name}", f"{known} {one.migration}")
        yield _ask(f"withheld reference, {name}", f"{one.ref} {one.ref[:24]}")
        yield Call(
            f"withheld words at a commit, {name}",
            "investigate_work",
            {"task": words},
            3,
        )
    yield _ask("the decoy's words", script.disguised(secrets[0].words))


def _references(secrets: Sequence[Secrets]) -> Iterator[Call]:
    def read(name: str, *refs: str, **more: Any) -> Call:
        return Call(name, "read_evidence", {"refs": list(refs), **more})

    def about(value: str) -> dict[str, Any]:
        reference = {"type": "ref/resource", "uri": "citator://evidence/{ref}"}
        return {"ref": reference, "argument": {"name": "ref", "value": value}}

    for one in secrets:
        name, digits = one.face.name, one.ref.rpartition(":")[2]
        yield read(f"read, {name}", one.ref)
        yield Call(f"status, {name}", "propose_decision", {"id": one.migration})
        if one is not secrets[0]:
            continue
        yield read(f"read prefixes, {name}", one.ref[:20], digits[:8], f"decision:{digits[:12]}")
        yield read(f"read a line, {name}", one.ref, start=1, max_lines=1)
        yield Call(f"complete, {name}", "completion/complete", about(digits[:8]))
        uri = f"citator://evidence/{one.ref}"
        yield Call(f"resource, {name}", "resources/read", {"uri": uri})
    yield read("read all", *[one.ref for one in secrets][:10])
    yield read(
        "read nothing that is", "commit:v1:000000", "decision:v1:000000", "zz", secrets[0].item
    )


def _refusals(secrets: Sequence[Secrets]) -> Iterator[Call]:
    one = secrets[0]
    for name, tool, arguments in (
        ("bad cursor", "investigate_work", {"task": one.words, "cursor": "A" * 24}),
        ("bad time", "investigate_work", {"task": one.words, "as_of": "soon"}),
        ("bad kind", "investigate_work", {"task": one.words, "kinds": ["none"]}),
        ("bad commit", "investigate_work", {"task": one.words, "at": "HEAD"}),
        ("commit of nobody", "investigate_work", {"task": one.words, "at": "0" * 40}),
        ("bad limit", "investigate_work", {"task": one.words, "limit": 21}),
        ("bad field", "investigate_work", {"task": one.words, "unapproved": True}),
        ("no task", "investigate_work", {}),
        ("too many references", "read_evidence", {"refs": [one.ref] * 11}),
        ("no budget", "read_evidence", {"refs": [one.ref], "max_lines": 0}),
        ("status of nobody", "propose_decision", {"id": "0" * 26}),
        ("status of a prefix", "propose_decision", {"id": one.migration[:20]}),
        ("status of an item", "propose_decision", {"id": one.item}),
        ("status and more", "propose_decision", {"id": one.migration, "title": one.words}),
        ("no such tool", "approve", {"id": one.migration}),
        ("tools", "tools/list", {}),
        ("resources", "resources/list", {}),
        ("templates", "resources/templates/list", {}),
        ("prompts", "prompts/list", {}),
        ("resource of nobody", "resources/read", {"uri": "citator://evidence/decision:v1:000000"}),
        ("no such method", "citator/approve", {"id": one.migration}),
    ):
        yield Call(name, tool, arguments)


def proposals(plan: Plan, secrets: Sequence[Secrets]) -> Iterator[Call]:
    """The calls that write, each on what those before it wrote."""
    script = plan.script

    def propose(name: str, title: str, **more: Any) -> Call:
        said = {"title": title, "ruling": title, "body": title, **more}
        return Call(name, "propose_decision", said)

    yield propose("propose", script.words(200, 3), paths=["src/**"])
    yield propose("propose what was told no", script.words(90, 2))
    yield propose("propose it again", script.words(90, 2), because="so")
    for one in secrets:
        name = one.face.name
        yield propose(f"revise withheld, {name}", script.words(210, 3), revises=one.item)
        if one.face.name in ("told no", "rejected") or one is secrets[0]:
            yield propose(f"propose withheld words, {name}", one.words)
        if one is not secrets[0]:
            continue
        yield propose(
            f"revise withheld migration, {name}", script.words(211, 3), revises=one.migration
        )
        yield propose(f"supersede withheld, {name}", script.words(212, 3), supersedes=one.item)
    visible = sorted(plan.seen().state.items)
    yield propose("supersede", script.words(220, 3), supersedes=visible[1])
    yield propose("revise", script.words(230, 3), revises=visible[2])
    yield propose("revise a prefix", script.words(231, 3), revises=secrets[0].item[:12])


def commands(secrets: Sequence[Secrets]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every command that answers an audience. Those of a person at a terminal, who sees everything
    here, are not among them."""
    one = secrets[0]
    yield "ask", ("ask", one.words)
    yield "read", ("read", one.ref)
    yield "index status", ("index", "status")
    yield "index build", ("index", "build")
    yield "doctor", ("doctor",)
    yield "log", ("log",)
    yield "list", ("decisions", "list")
    yield "list rejections", ("decisions", "list", "--rejections")
    yield "list with words", ("decisions", "list", "--rejections", "--words")
    yield "list of a label", ("decisions", "list", "--label", "none")
    yield "list as of", ("decisions", "list", "--as-of", "2026-03-01")
    yield "list at", ("decisions", "list", "--at", "HEAD~1", "--words")
    yield "list at nowhere", ("decisions", "list", "--at", "nowhere")
    for status in ("draft", "proposed", "approved", "deprecated", "superseded", "rejected"):
        yield f"list {status}", ("decisions", "list", "--status", status)
    for secret in secrets:
        name = secret.face.name
        yield f"show, {name}", ("decisions", "show", secret.item)
        if secret is not one:
            continue
        yield f"list path, {name}", ("decisions", "list", "--path", secret.path)
        yield f"show prefix, {name}", ("decisions", "show", secret.item[:14])
        yield f"show migration, {name}", ("decisions", "show", secret.migration)
        yield f"diff, {name}", ("decisions", "diff", secret.item)
    for form in ("okf", "madr", "html"):
        yield f"export {form}", ("export", form, "{target}")


def told(
    world: World, place: Path, calls: Iterable[Call], *, first: Iterable[Call] = ()
) -> dict[str, Answer]:
    """What the tools of the world at ``place`` answer to each call, by name. ``first`` are asked
    before, so that what is made once is there when the work is counted."""
    found: dict[str, Answer] = {}
    ticks = iter(range(NOW, NOW + 10_000_000, 1_000))

    def moment() -> Moment:
        now = next(ticks)
        return Moment(now, lambda size: (now // 1_000).to_bytes(size, "big"))

    with (
        patch.object(propose_decision, "moment", moment),
        Handler(place / "repo", places_at(place)) as server,
    ):
        speaker = server.open("modern")
        for call in (*first, *calls):
            arguments = call.arguments(world)
            if "/" not in call.tool:
                asked: tuple[str, dict[str, Any]] = (
                    "tools/call",
                    {"name": call.tool, "arguments": arguments},
                )
            else:
                asked = (call.tool, arguments)
            with counted() as work:
                before = len(server.heard)
                speaker.ask(*asked)
            found[call.name] = Answer(server.heard[before:], work)
            following = cursor_in(found[call.name].raw)
            if following:
                before = len(server.heard)
                more = {"name": call.tool, "arguments": {**arguments, "cursor": following}}
                speaker.ask("tools/call", more)
                found[f"{call.name}, the next"] = Answer(server.heard[before:], Counter())
    return found


def cursor_in(raw: bytes) -> str:
    """The cursor of an answer, empty where it has none."""
    result = json.loads(raw).get("result", {})
    return str(result.get("structuredContent", {}).get("cursor", ""))


def views(plan: Plan) -> list[Call]:
    """One call for each view that :func:`readings` look at."""
    names = ("decided", "decided, at commit 2", "decided, at commit 3", "decided, at commit 4")
    return [one for one in _questions(plan, secrets_of(plan)) if one.name in names]


def conversation(world: World, place: Path) -> dict[str, Answer]:
    """Everything, of every tool and command. Where commits of the worlds differ, what follows from
    them has its name in all worlds."""
    secrets = secrets_of(world.plan)
    names = world.names(place) if world.in_repository else []
    found = told(world, place, readings(world.plan, secrets), first=views(world.plan))
    if world.in_repository:  # a cursor is sealed with HEAD
        cursors = [one for each in found.values() if (one := cursor_in(each.raw))]
        names = [*names, *((one, f"<cursor {at}>") for at, one in enumerate(cursors))]
    found |= printed(place, commands(secrets))
    found |= told(world, place, proposals(world.plan, secrets))
    return {name: Answer(renamed(one.raw, names), one.work) for name, one in found.items()}


def printed(place: Path, said: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, Answer]:
    """What each command prints, what it complains of, how it ends and what it wrote."""
    user = User(place)
    found = {}
    for name, words in said:
        target = place / "exported"
        line = [one.format(target=target) if one == "{target}" else one for one in words]
        with patch("shutil.disk_usage", lambda _: (1 << 40, 1 << 39, 1 << 39)):
            done = in_this_process([*line, "--root", str(place / "repo"), "--json"], user)
        written = b""
        if target.is_dir():
            for path in sorted(one for one in target.rglob("*") if one.is_file()):
                written += str(path.relative_to(target)).encode() + b"\n" + path.read_bytes()
                path.unlink()
            for path in sorted(target.rglob("*"), reverse=True):
                path.rmdir()
            target.rmdir()
        elif target.exists():
            written = target.read_bytes()
            target.unlink()
        raw = f"{done.code}\n{done.out}\n{done.err}\n".encode() + written
        found[name] = Answer(raw, Counter())
    return found


def renamed(raw: bytes, names: Iterable[tuple[str, str]]) -> bytes:
    """``raw`` with each id of a commit, and what follows from one, by the name it has in all
    worlds."""
    for real, name in names:
        raw = raw.replace(real.encode(), name.encode())
    return raw
