"""From nothing installed to the first approved decision that a client is served: commands, seconds.

Each step is a whole process, as a person types it: a new environment, the package from a checkout
and its locked dependencies, a key without a passphrase (typing one is a person's time), and a
repository with two commits. The last step is a real MCP call over stdio.

    python bench/record/first_decision.py [--checkout DIR] [--out FILE]

Needs git, ssh-keygen and the package registry. Writes ``first_decision.json`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RULING = "Sessions live in one SQLite file"
CALL = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "investigate_work", "arguments": {"task": "where do sessions live?"}},
    },
)


class Person:
    """Types one command after another, and looks at the clock."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.repository = place / "repository"
        self.steps: list[dict[str, Any]] = []
        self.environment = {
            **os.environ,
            "HOME": str(place / "home"),
            "CITATOR_DATA_DIR": str(place / "data"),
            "CITATOR_CONFIG_DIR": str(place / "config"),
            "PATH": f"{place / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }

    def types(self, name: str, *words: str, said: str = "") -> str:
        """Run one step to its end; what it printed."""
        begin = time.perf_counter()
        done = subprocess.run(
            words,
            cwd=self.repository,
            env=self.environment,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.returncode}\n{done.stdout}{done.stderr}")
        seconds = round(time.perf_counter() - begin, 2)
        self.steps.append({"step": name, "seconds": seconds})
        return done.stdout


def main() -> None:
    """Walk the way once and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, default=HERE.parent.parent)
    parser.add_argument("--out", type=Path, default=HERE / "first_decision.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        person = Person(Path(folder))
        _prepare(person)
        _walk(person, arguments.checkout.resolve())
    steps = person.steps
    result = {
        "commands": len(steps),
        "seconds": round(sum(one["seconds"] for one in steps), 1),
        "without_installation": round(sum(one["seconds"] for one in steps[3:]), 1),
        "load": round(os.getloadavg()[0], 1),
        "steps": steps,
    }
    text = json.dumps(result, indent=1) + "\n"
    arguments.out.write_text(text)
    sys.stdout.write(text)


def _prepare(person: Person) -> None:
    """What is there before: a repository, a person known to git, a key."""
    home = person.place / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    person.repository.mkdir()
    key = home / ".ssh" / "id_ed25519"
    before = (
        ("git", "init", "-q", "-b", "main"),
        ("git", "config", "--global", "user.name", "Ada"),
        ("git", "config", "--global", "user.email", "ada@example.org"),
        ("git", "commit", "-q", "--allow-empty", "-m", "Start, because something has to"),
        ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada@example.org", "-f", str(key)),
    )
    for words in before:
        person.types("before", *words)
    person.steps.clear()


def _walk(person: Person, checkout: Path) -> None:
    venv = person.place / "venv"
    locked = checkout / "requirements" / "run.txt"
    key = person.place / "home" / ".ssh" / "id_ed25519.pub"
    person.types("environment", sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "pip"), "install", "-q", "--disable-pip-version-check")
    person.types("install what it needs", *pip, "-r", str(locked))
    person.types("install", *pip, "--no-deps", str(checkout))
    person.types("init", "citator", "init")
    prints = subprocess.run(
        ("ssh-keygen", "-l", "-f", str(key)), capture_output=True, text=True, check=True
    ).stdout.split()[1]
    person.types("pin", "citator", "trust", "pin", "--yes-i-read-them", prints)
    made = json.loads(
        person.types(
            "decide",
            *("citator", "decide", "--title", "Keep sessions in SQLite", "--ruling", RULING),
            *("--body-file", "-", "--json"),
            said="One process, few users.\n",
        )
    )
    (proposal,) = re.findall(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", json.dumps(made["id"]))
    shown = subprocess.run(
        ("citator", "approve", proposal, "--show", "--json"),
        cwd=person.repository,
        env=person.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    person.types("approve", "citator", "approve", proposal, "--digest", json.loads(shown)["digest"])
    person.types("apply", "citator", "apply", "--commit")
    if RULING not in _served(person):
        raise SystemExit("the decision was not served")


def _served(person: Person) -> str:
    """What a client is answered, its input staying open as a client's does."""
    begin = time.perf_counter()
    with subprocess.Popen(
        ("citator", "serve"),
        cwd=person.repository,
        env=person.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(one)}\n" for one in CALL))
        server.stdin.flush()
        answer = next((line for line in server.stdout if '"id":2' in line), "")
        seconds = round(time.perf_counter() - begin, 2)
        server.stdin.close()
    person.steps.append({"step": "serve", "seconds": seconds})
    return answer


if __name__ == "__main__":
    main()
