"""The official conformance suite against the product's server, for both protocol revisions.

    make test-clients                                   # once: installs the suite
    python -m bench.conformance.run [--url URL]

Without ``--url`` the product's own MCP server (its factory, tools, validation and errors) is
served over the SDK's Streamable HTTP (``live/http_app.py``), because the suite has no stdio mode.
``expected-REVISION.yml`` names what the suite asks for and Citator does not offer, with reasons;
anything else that fails, and any entry that no longer does, makes the run fail. Writes
``results.json`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.support.builder import Builder

from citator.service.index_history import update
from citator.service.workspace import Places, Workspace

HERE: Final = Path(__file__).resolve().parent
CHECKOUT: Final = HERE.parents[1]
TOOLS: Final = CHECKOUT / "build" / "clients" / "node_modules"
SUITE: Final = TOOLS / "@modelcontextprotocol" / "conformance"
REVISIONS: Final = ("2025-11-25", "2026-07-28")
STAMP: Final = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
WHY: Final = "Key the cache by blob id\n\nA branch switch parsed the whole tree again.\n"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the product's server over a small repository below ``folder``."""
    root, data = folder / "repository", folder / "data"
    Builder.init(root).write("cache.py", "1").commit(WHY)
    update(Workspace.open(root, Places(data, data / "config")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "live.http_app", str(root), str(data), str(port)]
    with subprocess.Popen(command, cwd=CHECKOUT, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.terminate()


def wait_for(port: int) -> None:
    """Return when something listens at ``port``; raises OSError if nothing does in a minute."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise OSError("the server did not start")


def examined(url: str, revision: str, folder: Path) -> dict[str, Any]:
    """What the suite finds at ``url``: checks by outcome, by scenario, and its own verdict."""
    arguments = ["server", "--url", url, "--requirements", revision, "-o", str(folder)]
    arguments += ["--expected-failures", str(HERE / f"expected-{revision}.yml")]
    command = [str(TOOLS / ".bin" / "node"), str(TOOLS / ".bin" / "conformance"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    scenarios = {}
    for checks in sorted(folder.glob("*/checks.json")):
        name = STAMP.sub("", checks.parent.name).removeprefix("server-")
        outcomes = Counter(check["status"].lower() for check in json.loads(checks.read_text()))
        scenarios[name] = dict(sorted(outcomes.items()))
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
    clean = [name for name, found in scenarios.items() if not {"failure", "warning"} & set(found)]
    totals = sum((Counter(found) for found in scenarios.values()), Counter[str]())
    return {
        "all_failures_expected": done.returncode == 0,
        "checks": dict(sorted(totals.items())),
        "scenarios_without_failure_or_warning": clean,
        "scenarios": scenarios,
    }


def main() -> int:
    """Run both revisions; 0 if every failure was expected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="a server that is running already")
    given = parser.parse_args().url
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with served(folder) as own:
            found = {name: examined(given or own, name, folder / name) for name in REVISIONS}
    version = json.loads((SUITE / "package.json").read_text("utf-8"))["version"]
    report = {
        "command": "python -m bench.conformance.run" + (" --url URL" if given else ""),
        "suite": version,
        "revisions": found,
    }
    (HERE / "results.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0 if all(one["all_failures_expected"] for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
