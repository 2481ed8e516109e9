"""Where the servers of these measurements stand: a real history, indexed, and two transports.

``Site`` is a clone without files at one commit, and one user's directories beside it. A
``Client`` speaks either era, over pipes or a kept connection, so that what is measured differs
by the transport alone.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tests.mcp.over_http import name_of
from tests.mcp.serving import Home
from tests.support.builder import run_git

from citator import __version__

HERE: Final = Path(__file__).resolve().parent
QUESTIONS: Final = (
    "why is the flash stored in the session as plain strings",
    "why does the connection pool reaper start late",
    "why were dynamic finders removed",
    "why is the primary key a bigint by default",
    "why is mass assignment protected",
    "why must a migration name its version",
    "why is the asset pipeline optional",
    "why is the query cache cleared after a write",
    "why are callbacks not halted by false",
    "why was the observer taken out",
    "why does the router escape dots in parameters",
    "why do time zones matter in a where clause",
)


@dataclass(frozen=True)
class Site:
    """A repository, indexed, and the directories of who asks about it."""

    root: Path
    home: Home
    commit: str
    passages: int

    @property
    def name(self) -> str:
        """Its path on an HTTP server."""
        return name_of(self.root, self.home)


def prepared(folder: Path, repository: Path, at: str) -> Site:
    """Clone ``repository`` at commit ``at`` under ``folder`` and index it."""
    root, home = folder / "clone", Home.under(folder)
    options = ["-q", "--shared", "--no-checkout", "--template="]
    run_git(folder, "clone", *options, str(repository), str(root))
    run_git(root, "update-ref", "--no-deref", "HEAD", at)
    citator = [sys.executable, "-P", "-m", "citator"]
    build = [*citator, "init", "--root", str(root)]
    subprocess.run(build, env=home.environment(), check=True, capture_output=True)
    status = [*citator, "index", "status", "--json", "--root", str(root)]
    told = subprocess.run(status, env=home.environment(), check=True, capture_output=True)
    return Site(root, home, at, json.loads(told.stdout)["current"]["passages"])


class Client(Protocol):
    """One client in one era."""

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The whole message that answers one request: it holds ``result`` or ``error``."""


def object_of(answer: dict[str, Any]) -> dict[str, Any]:
    """What a tool call answered with: an answer or a typed error."""
    found = json.loads(answer["result"]["content"][0]["text"])
    assert isinstance(found, dict)
    return found


def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The object that a tool call answers with."""
    return object_of(client.ask("tools/call", {"name": tool, "arguments": arguments}))


def spread(milliseconds: list[float]) -> dict[str, Any]:
    """How many, p50, p95 and the slowest."""
    cuts = statistics.quantiles(milliseconds, n=20, method="inclusive")
    found = {"p50_ms": cuts[9], "p95_ms": cuts[18], "max_ms": max(milliseconds)}
    return {"calls": len(milliseconds), **{key: round(value, 1) for key, value in found.items()}}


def machine() -> dict[str, Any]:
    """What a figure must stand with."""
    return {
        "citator": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} noisy processors",
        "load_before": round(os.getloadavg()[0], 1),
    }


def write(name: str, found: dict[str, Any], into: Path | None = None) -> None:
    """Keep ``found`` as NAME.json, beside the script unless ``into`` is another folder."""
    (into or HERE).joinpath(f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
