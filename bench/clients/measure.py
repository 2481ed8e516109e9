"""From nothing to a cited answer inside four agents, and what a call costs over stdio.

    make test-clients                                            # once: installs the agents
    python -m bench.clients.measure from-nothing
    python -m bench.clients.measure calls REPOSITORY --at COMMIT

``from-nothing`` takes the seconds of each command a person types: install Citator into an empty
environment, index, wire the agent, ask inside it. The agent is installed already and its model is
a scripted stand-in that answers at once (``live/scripted_model.py``), so what is left is the
agent's own start, the server's and the call. ``calls`` sends one question after another to a warm
server over pipes, at COMMIT of a real history. Wall time on a shared machine measures the
neighbours as well: the load stands beside it, and the day. Each writes its part of
``results.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.serving.grounds import QUESTIONS
from live.agents import AGENTS, trust
from live.conftest import CHECKOUT, PROGRAMS
from live.scripted_model import REFERENCE, scripted_model
from tests.mcp.conftest import CACHE_QUESTION, WHY_CACHE, WHY_COLLECTOR
from tests.mcp.serving import ERAS, Era, Home, Server
from tests.support.builder import Builder, environment, run_git

RESULTS: Final = Path(__file__).resolve().with_name("results.json")
ROUNDS: Final = 10


class Person:
    """Somebody at an empty machine: a home, a repository, and an agent."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.venv = folder / "home", folder / "repository", folder / "venv"
        self.home.mkdir()
        builder = Builder.init(self.root)
        builder.write("cache.py", "1").commit(WHY_CACHE)
        builder.write("telemetry.py", "0").commit(WHY_COLLECTOR)
        self.said = ""

    def types(self, command: Sequence[str], **extra: str) -> dict[str, Any]:
        """Run one command in the repository; what was typed and how long it took."""
        path = os.pathsep.join([str(self.venv / "bin"), str(PROGRAMS), os.environ["PATH"]])
        quiet = {"NO_COLOR": "1", "TERM": "dumb", "DISABLE_AUTOUPDATER": "1"}
        begin = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment(HOME=str(self.home), PATH=path, **quiet, **extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        taken = round(time.perf_counter() - begin, 1)
        assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
        self.said = done.stdout
        return {"typed": " ".join(Path(word).name for word in command[:3]), "seconds": taken}


def from_nothing() -> dict[str, Any]:
    """Each agent's commands and seconds."""
    found: dict[str, Any] = {"load": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as temporary:
        person = Person(Path(temporary))
        subprocess.run([sys.executable, "-m", "venv", str(person.venv)], check=True)
        install = {
            **person.types(["pip", "install", str(CHECKOUT)]),
            "typed": "pip install citator",
        }
        index = person.types(["citator", "init"])
        for agent, asking in AGENTS.items():
            wire = person.types(["citator", "clients", "write", agent])
            if agent == "gemini-cli":
                trust(person.home, person.root)
            with scripted_model(CACHE_QUESTION) as model:
                command, extra = asking(CACHE_QUESTION, model)
                ask = person.types(command, **extra)
            reference = REFERENCE.search(person.said)
            assert reference, person.said
            steps = [install, index, wire, {**ask, "typed": f"{command[0]} QUESTION"}]
            seconds = round(sum(step["seconds"] for step in steps), 1)
            found[agent] = {"commands": len(steps), "seconds": seconds, "steps": steps}
    return found


def calls(repository: Path, at: str) -> dict[str, Any]:
    """Round trips of a warm server over stdio, in milliseconds, in both eras."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        root, home = folder / "clone", Home.under(folder)
        options = ["-q", "--shared", "--no-checkout", "--template="]
        run_git(folder, "clone", *options, str(repository), str(root))
        run_git(root, "update-ref", "--no-deref", "HEAD", at)
        citator = [sys.executable, "-m", "citator"]
        build = [*citator, "index", "build", "--root", str(root)]
        subprocess.run(build, env=home.environment(), check=True, capture_output=True)
        status = [*citator, "index", "status", "--json", "--root", str(root)]
        told = subprocess.run(status, env=home.environment(), check=True, capture_output=True)
        current = json.loads(told.stdout)["current"]
        found: dict[str, Any] = {
            "commit": at,
            "passages": current["passages"],
            "load": round(os.getloadavg()[0], 1),
        }
        for era in ERAS:
            with Server(root, home) as server:
                found[era] = round_trips(server, era)
    return found


def round_trips(server: Server, era: Era) -> dict[str, Any]:
    """Ask every question ``ROUNDS`` times, after one round that is not counted."""
    speaker = server.open(era)
    taken = []
    for number in range(ROUNDS + 1):
        for question in QUESTIONS:
            begin = time.perf_counter()
            speaker.answer("investigate_work", task=question)
            if number:
                taken.append((time.perf_counter() - begin) * 1000)
    cuts = statistics.quantiles(taken, n=20)
    found = {"calls": len(taken), "p50_ms": cuts[9], "p95_ms": cuts[18], "max_ms": max(taken)}
    return {name: round(value, 1) for name, value in found.items()}


def main() -> None:
    """Measure one part and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    parts.add_parser("from-nothing")
    calling = parts.add_parser("calls")
    calling.add_argument("repository", type=Path)
    calling.add_argument("--at", required=True)
    given = parser.parse_args()
    measured = from_nothing() if given.part == "from-nothing" else calls(given.repository, given.at)
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    known["python"] = platform.python_version()
    known["machine"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    known[given.part] = {"on": time.strftime("%Y-%m-%d"), **measured}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
