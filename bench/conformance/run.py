"""The official conformance suite against the product's server, for both protocol revisions.

    make test-clients                                   # once: installs the suite
    python -m bench.conformance.run [--url URL]

Without ``--url`` the suite meets ``citator serve --http`` twice, behind a relay that adds the
bearer token, which the suite cannot send (``bearer.py``): as it is, and with the suite's own
tools, resources and prompts in it (``fixtures.py``). ``expected-REVISION.yml`` and
``expected-with-fixtures-REVISION.yml`` name what fails then, each with its reason; anything else
that fails, and any entry that no longer does, makes the run fail. Writes ``results.json`` beside
this file.
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
from contextlib import contextmanager, nullcontext
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
SERVERS: Final = {
    "as it is": ("citator", "expected"),
    "with fixtures": ("bench.conformance.fixtures", "expected-with-fixtures"),
}
ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:(\d+)(/\S+/mcp) serves")
STAMP: Final = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
WHY: Final = "Key the cache by blob id\n\nA branch switch parsed the whole tree again.\n"


@contextmanager
def served(folder: Path, module: str) -> Iterator[str]:
    """The address of ``MODULE serve --http`` over a small repository below ``folder``."""
    root, data = folder / "repository", folder / "data"
    Builder.init(root).write("cache.py", "1").commit(WHY)
    update(Workspace.open(root, Places(data, data / "config")))
    places = {"CITATOR_DATA_DIR": str(data), "CITATOR_CONFIG_DIR": str(data / "config")}
    command = [sys.executable, "-m", module, "serve", "--http", "--port", "0"]
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


def examined(url: str, revision: str, folder: Path, expected: str) -> dict[str, Any]:
    """What the suite finds at ``url``: checks by outcome, by scenario, and its own verdict.

    ``expected`` begins the name of the file that says what fails there.
    """
    arguments = ["server", "--url", url, "--requirements", revision, "-o", str(folder)]
    arguments += ["--expected-failures", str(HERE / f"{expected}-{revision}.yml")]
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
    """Run both revisions against both servers; 0 if every failure was expected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="a server that is running already")
    given = parser.parse_args().url
    found = {}
    for name, (module, expected) in SERVERS.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            with nullcontext(given) if given else served(folder, module) as url:
                found[name] = {one: examined(url, one, folder / one, expected) for one in REVISIONS}
        if given:
            break
    version = json.loads((SUITE / "package.json").read_text("utf-8"))["version"]
    report = {
        "command": "python -m bench.conformance.run" + (" --url URL" if given else ""),
        "suite": version,
        "servers": found,
    }
    (HERE / "results.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    verdicts = [one["all_failures_expected"] for both in found.values() for one in both.values()]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
