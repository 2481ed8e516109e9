"""Two clones of a repository, two people, two agents: played from brief to outcome.

    python -m bench.play.two_clones --repo GIT_DIRECTORY --file PATH [--task TEXT] [--out FILE]

What is real: git, OpenSSH, the command, the server on pipes, and the client of the protocol's own
SDK. What is played: what the two agents decide to call. Each person has a home, keys, data and
configuration of their own; the clones share a bare repository and nothing else. Each step says
what it wants to see; the play ends with an error at the first that is not so.

The transcript holds calls and answers as they were, with paths of the machine taken out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
from tests.cli.process import COMMAND, Finished, Home
from tests.cli.test_terminal import at_terminal
from tests.mcp.serving import command as server_command
from tests.support.builder import environment
from tests.trust.openssh import OpenSsh

from mcp import Client, StdioServerParameters, types

TICKETS: Final = ("201", "202", "203")
TASK: Final = "Uploading a package fails for good when the server answers 503: try it again"
APPROACH: Final = "Upload in a pool of threads"
PATIENCE: Final = 120.0


@dataclass
class Transcript:
    """What was done and what came back."""

    folder: Path
    lines: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Keep and print."""
        shown = text.replace(str(self.folder), "")
        self.lines.append(shown)
        print(shown, flush=True)

    def want(self, holds: bool, what: str) -> None:
        """End the play where something is not so."""
        self.say(f"   {'ok' if holds else 'NOT SO'}: {what}")
        if not holds:
            raise SystemExit(1)


@dataclass
class Person:
    """Somebody at a clone."""

    name: str
    clone: Path
    home: Home
    ssh: OpenSsh
    told: Transcript

    def environment(self) -> dict[str, str]:
        """What their processes stand in."""
        own = environment(HOME=str(self.ssh.directory), TERM="xterm", COLUMNS="100", NO_COLOR="1")
        ours = self.home.environment()
        return own | {name: ours[name] for name in ours if name.startswith("CITATOR")}

    def git(self, *words: str) -> str:
        """Run git in the clone."""
        done = subprocess.run(
            ["git", "-C", str(self.clone), *words],
            env=self.environment(),
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def run(self, *words: str | Path, code: int = 0) -> Finished:
        """The command at a pipe."""
        self.told.say(f"\n{self.name} $ citator {' '.join(map(str, words))}")
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=self.clone,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        found = Finished(done.returncode, done.stdout.decode(), done.stderr.decode())
        self.told.say((found.out + found.err).rstrip())
        self.told.want(found.code == code, f"code {code}")
        return found

    def type(self, *words: str | Path, typed: str) -> Finished:
        """The command at a terminal, typing."""
        self.told.say(f"\n{self.name} (at a terminal) $ citator {' '.join(map(str, words))}")
        told = at_terminal(
            [*COMMAND, *map(str, words), "--root", str(self.clone)],
            self.environment(),
            f"{typed}\n".encode(),
        )
        self.told.say(told.out.rstrip())
        self.told.want(told.code == 0, "code 0")
        return told

    async def agent(self, play: Callable[[Agent], Awaitable[None]]) -> None:
        """Their agent connects to the server of their clone, plays, and leaves."""
        program, *arguments = server_command(self.clone)
        server = StdioServerParameters(
            command=program, args=arguments, env=self.environment(), cwd=self.clone
        )
        async with Client(server, mode="auto", read_timeout_seconds=PATIENCE) as client:
            await play(Agent(self, client))


@dataclass
class Agent:
    """An agent's client of the protocol."""

    person: Person
    client: Client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """One call and its answer."""
        told = self.person.told
        asked = json.dumps(arguments, ensure_ascii=False)
        told.say(f"\n{self.person.name}'s agent → {tool} {asked}")
        result = await self.client.call_tool(tool, arguments)
        (block,) = result.content
        assert isinstance(block, types.TextContent)
        found: dict[str, Any] = json.loads(block.text)
        told.say(f"   ({-(-len(block.text.encode()) // 4)} tokens)")
        shown = found["brief"] if set(found) == {"brief"} else json.dumps(found, indent=1)
        told.say("\n".join(f"   {line}" for line in shown.splitlines()))
        told.want(not result.is_error, "answered")
        return found


def seat(folder: Path, name: str, bare: Path, told: Transcript) -> Person:
    """A person with a clone and a key."""
    own = folder / name.lower()
    (own / "home" / ".ssh").mkdir(parents=True)
    ssh = OpenSsh.at(own / "home")
    ssh.key(".ssh/id_ed25519", "-t", "ed25519")
    clone = own / "clone"
    subprocess.run(["git", "clone", "-q", str(bare), str(clone)], env=environment(), check=True)
    person = Person(name, clone, Home(own), ssh, told)
    person.git("config", "user.name", name)
    person.git("config", "user.email", f"{name.lower()}@team.example")
    return person


def change(person: Person, path: str, line: str, subject: str) -> str:
    """Append a line to a file, commit, push. Returns the commit."""
    file = person.clone / path
    file.write_text(file.read_text(encoding="utf-8") + line, encoding="utf-8")
    person.git("commit", "-q", "-am", subject)
    person.git("push", "-q")
    commit = person.git("rev-parse", "HEAD")
    person.told.say(f"\n{person.name} commits {commit[:12]} and pushes")
    return commit


def reject(ana: Person, path: str, told: Transcript) -> None:
    """Ana decides something about the folder of the file, and what is not to be tried."""
    scope = f"{path.rsplit('/', 1)[0]}/**"
    body = ana.clone.parent / "body.md"
    body.write_text(
        "## Context\n\nThe index forbids more than one upload at a time.\n\n"
        f"## Rejected alternatives\n\n- {APPROACH}\n"
        "  reason: the index counts parallel uploads as abuse and locks the account\n",
        encoding="utf-8",
    )
    ana.type("trust", "pin", typed="pin")
    words = ["--title", "Upload one file at a time", "--ruling", "Uploads are sequential."]
    made = ana.run("decide", *words, "--scope", scope, "--body-file", body, "--json").object
    ana.type("approve", made["id"], typed=made["digest"][:8])
    ana.run("apply", "--commit")
    ana.git("push", "-q")
    told.say("\nAna pushes")


async def play(ana: Person, ben: Person, path: str, task: str) -> None:
    """The whole of it."""
    told = ana.told
    told.say("== 1. What was rejected is signed")
    reject(ana, path, told)
    ben.git("pull", "-q")
    root = ana.clone.parent / "root.json"
    root.write_text(ana.run("trust", "show", "--export").out, encoding="utf-8")
    ben.type("trust", "pin", "--root-file", root, typed="pin")
    for person in (ana, ben):
        person.run("index", "build")

    told.say("\n== 2. Ana's agent begins a ticket")

    async def begins(agent: Agent) -> None:
        await agent.call("get_brief")
        found = await agent.call("start_work", ticket="101", task=task)
        while any(one["limit"] == "leg_off" for one in found["horizon"].get("facts", ())):
            told.say("   the files are being read for the first time: asked again")
            await anyio.sleep(5)
            found = await agent.call("start_work", ticket="101", task=task)
        files = [one["path"] for one in found["files"]]
        told.want(path in files[:3], "the file is among the first three that were predicted")
        found = await agent.call("start_work", ticket="101", files=[path], intent="Retry once")
        told.want(found["status"] == "claimed", "claimed")

    await ana.agent(begins)
    ana.run("claims", "sync")

    told.say("\n== 3. Ben's agent meets her, and what was rejected")
    ben.run("claims", "sync")

    async def meets(agent: Agent) -> None:
        found = await agent.call("start_work", ticket="102", files=[path], intent="Show progress")
        (met,) = found["claims"]
        told.want(met["grade"] == "file" and met["ticket"] == "101", "the claim for 101 is told")
        told.want(bool(found["rejections"]), "the rejection is told")
        told.want("abuse" in json.dumps(found["rejections"]), "with its signed reason")
        told.want("Retry once" not in json.dumps(found), "without a word of the claim's intent")
        found = await agent.call("check_change", approach=APPROACH)
        told.want("abuse" in json.dumps(found), "the approach is known to be rejected")
        found = await agent.call(
            "propose_decision",
            title=APPROACH,
            kind="decision",
            ruling=f"{APPROACH}.",
            body="Faster.",
        )
        told.want(found["status"] == "told_no", "it cannot be proposed again unseen")
        await agent.call("finish_work", ticket="102", outcome="abandoned")

    await ben.agent(meets)

    told.say("\n== 4. Ana's agent finishes")
    commit = change(ana, path, "\n# tried twice\n", "Try an upload twice (#101)")

    async def finishes(agent: Agent) -> None:
        found = await agent.call("finish_work", ticket="101", outcome="completed", commit=commit)
        told.want(found["prediction"]["recall"] == 1.0, "the prediction held the file")
        told.want(found["released"] == 1, "her claim is over")

    await ana.agent(finishes)
    ana.run("claims", "sync")
    ben.run("claims", "sync")
    told.want(ben.run("claims", "list", "--json").object["claims"] == [], "for Ben, too")

    told.say("\n== 5. A note that leads three tickets into reverts")
    await learns(ana, path)


async def learns(ana: Person, path: str) -> None:
    """A note is shown in the work of three tickets; each is reverted; the note is in no brief."""
    told, commits = ana.told, list[str]()
    note = "Retry in the innermost loop"
    ana.type("note", "add", note, "--kind", "pattern", "--path", path, typed="")
    (one,) = ana.run("note", "list", "--json").object["notes"]
    told.want(one["channel"] == "typed", "a terminal was seen")
    for ticket in TICKETS:

        async def works(agent: Agent, ticket: str = ticket) -> None:
            found = await agent.call("get_brief")
            told.want("innermost loop" in found["brief"], "the brief carries the note, unreviewed")
            await agent.call("start_work", ticket=ticket, files=[path])
            commit = change(ana, path, f"# loop {ticket}\n", f"Retry in the loop (#{ticket})")
            commits.append(commit)
            await agent.call("finish_work", ticket=ticket, outcome="completed", commit=commit)

        await ana.agent(works)
    for commit in reversed(commits):
        ana.git("revert", "--no-edit", commit)
        told.say(f"\nAna reverts {commit[:12]}")
    ana.run("index", "build")
    outcomes = ana.run("claims", "outcomes", "--json").object["outcomes"]
    reverted = {one["ticket"] for one in outcomes if one["outcome"] == "reverted"}
    told.want(reverted == set(TICKETS), "git corrected what was said to be completed")
    ana.run("note", "show", one["id"])

    async def looks(agent: Agent) -> None:
        found = await agent.call("get_brief")
        told.want("innermost loop" not in found["brief"], "the brief carries it no more")
        found = await agent.call("get_brief", detail=True)
        noisy = [each["id"] for each in found["statistics"]["noisy"]]
        told.want(noisy == [one["id"]], "and the statistics name it")

    await ana.agent(looks)
    ana.run("stats")


def main() -> None:
    """Play, and keep the transcript."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--file", required=True)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        told = Transcript(folder)
        bare = folder / "shared.git"
        clone = ["git", "clone", "-q", "--bare", "--no-local", str(given.repo), str(bare)]
        subprocess.run(clone, env=environment(), check=True)
        try:
            ana, ben = (seat(folder, one, bare, told) for one in ("Ana", "Ben"))
            anyio.run(play, ana, ben, given.file, given.task)
        finally:
            if given.out is not None:
                given.out.write_text("\n".join(told.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
