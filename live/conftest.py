"""A user with a home of their own, the real clients, and a tap on what they say to the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from tests.mcp.conftest import WHY_CACHE, WHY_COLLECTOR
from tests.support.builder import Builder, environment

CHECKOUT: Final = Path(__file__).resolve().parents[1]
TOOLS: Final = CHECKOUT / "build" / "clients"
PROGRAMS: Final = TOOLS / "node_modules" / ".bin"
PATIENCE: Final = 120.0


@dataclass(frozen=True)
class User:
    """Somebody with a repository, a home and ``citator`` on the path."""

    home: Path
    root: Path
    tap: Path
    cache: str
    extra: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """What the programs of this user see: nothing of the machine's own user."""
        path = os.pathsep.join([str(PROGRAMS), os.environ["PATH"]])
        quiet = {"NO_COLOR": "1", "CI": "1", "DISABLE_AUTOUPDATER": "1", "TERM": "dumb"}
        return environment(HOME=str(self.home), PATH=path, **quiet, **self.extra)

    def run(self, *command: str) -> str:
        """What ``command`` says in the repository, with what it complains about."""
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{command!r}: {done.stdout}"
        return done.stdout

    def citator(self, *arguments: str) -> str:
        """What ``citator ARGUMENTS`` says."""
        return self.run(str(self.tap), *arguments)

    def heard(self, direction: str) -> list[dict[str, Any]]:
        """The messages ``to`` or ``from`` the server so far."""
        notes = self.tap.with_name("heard.jsonl")
        lines = notes.read_text("utf-8").splitlines() if notes.exists() else []
        pairs = [json.loads(line) for line in lines]
        return [json.loads(line) for where, line in pairs if where == direction]

    def asked(self) -> list[str]:
        """The methods that the client asked for, in their order."""
        return [message["method"] for message in self.heard("to") if "method" in message]

    def listed(self) -> list[list[str]]:
        """The names of the tools, once for each time the server listed them."""
        results = [message.get("result", {}) for message in self.heard("from")]
        return [[tool["name"] for tool in found["tools"]] for found in results if "tools" in found]


@pytest.fixture
def user(tmp_path: Path) -> User:
    """A user whose repository is indexed where Citator keeps it unless told otherwise."""
    if not PROGRAMS.is_dir():
        pytest.fail("the clients are not installed: make test-clients")
    home, root, tap = tmp_path / "home", tmp_path / "repository", tmp_path / "bin" / "citator"
    home.mkdir()
    builder = Builder.init(root)
    cache = builder.write("cache.py", "1").commit(WHY_CACHE)
    builder.write("telemetry.py", "0").commit(WHY_COLLECTOR)
    tap.parent.mkdir()
    tap.write_text(f"#!{sys.executable}\n{(CHECKOUT / 'live' / 'tap.py').read_text('utf-8')}")
    tap.chmod(0o755)
    person = User(home, root, tap, cache)
    person.citator("index", "build")
    return person


def node(script: str, *arguments: str) -> Sequence[str]:
    """How to run ``live/SCRIPT``, from where it finds the installed packages."""
    copied = TOOLS / script
    shutil.copyfile(CHECKOUT / "live" / script, copied)
    return [str(PROGRAMS / "node"), str(copied), *arguments]
