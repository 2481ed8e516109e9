"""The official conformance suite against the product's server, for both protocol revisions.

    make test-clients                                   # once: installs the suite
    python -m bench.conformance.run [--url URL]

Without ``--url`` the suite meets ``citator serve --http`` itself, behind a relay that adds the
bearer token, which the suite cannot send (``bearer.py``).
``expected-REVISION.yml`` names what the suite asks for and Citator does not offer, with reasons;
anything else that fails, and any entry that no longer does, makes the run fail. Writes
``results.json`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from bench.conformance.bearer import relay
from tests.support.builder import Builder

from citator.service.index_history import update
from citator.service.workspace import Places, Workspace

HERE: Final = Path(__file__).resolve().parent
CHECKOUT: Final = HERE.parents[1]
TOOLS: Final = CHECKOUT / "build" / "clients" / "node_modules"
SUITE: Final = TOOLS / "@modelcontextprotocol" / "conformance"
REVISIONS: Final = ("2025-11-25", "2026-07-28")
ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:(\d+)(/\S+/mcp) serves")
STAMP: Final = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
WHY: Final = "Key the cache by blob id\n\nA branch switch parsed the whole tree again.\n"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of ``citator serve --http`` over a small repository below ``folder``."""
    root, data = folder / "repository", folder / "data"
    Builder.init(root).write("cache.py", "1").commit(WHY)
    update(Workspace.open(root, Places(data, data / "config")))
    places = {"CITATOR_DATA_DIR": str(data), "CITATOR_CONFIG_DIR": str(data / "config")}
    command = [sys.executable, "-m", "citator", "serve", "--http", "--port", "0"]
    with subprocess.Popen(
        [*command, "--root", str(root)],
        env={**os.environ, **places},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            port, path = where(server.stderr)
            token = (data / "http-token").read_text("utf-8").strip()
            with relay(port, token) as own:
                yield f"http://127.0.0.1:{own}{path}"
        finally:
            server.terminate()


def where(said: IO[str]) -> tuple[int, str]:
    """The port and the path that the server announces."""
    for line in said:
        found = ADDRESS.search(line)
        if found:
            return int(found[1]), found[2]
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
