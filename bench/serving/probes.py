"""Start-up with every processor busy, against the time-outs of clients that probe.

    python -m bench.serving.probes REPOSITORY --at COMMIT [--runs 20] [--into FOLDER]

A client that does not know the era of a server sends ``server/discover`` and falls back where no
answer comes in time. The time is taken from the start of the process to the answer, first with
the machine as it is, then beside busy processes, one a processor and two. ``handshake`` is
``initialize`` to a fresh process, for clients of the older eras; ``handshake by the SDK`` the same
behind an empty line, which the prelude leaves to the SDK with all that follows; ``tools`` the list
of the tools in such a connection; ``first answer`` a cited answer to a question on an index that
is there; ``interpreter`` a Python that does nothing. Start-ups of each kind take turns. The bounds
are those that clients were seen to have; POSIX only.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.serving.grounds import QUESTIONS, Site, call, machine, prepared, spread, write
from tests.mcp.serving import Server

# Seconds after which a client gives up its probe, or the whole start.
PROBES: Final = {"copilot-cli": 0.6, "claude-code": 2.0, "csharp-sdk": 5.0, "rust-sdk": 10.0}
STARTS: Final = {"claude-code connect": 5.0, "claude-code": 30.0, "codex": 60.0}
BUSY_A_PROCESSOR: Final = (0, 1, 2)


def discovery(site: Site) -> float:
    """Seconds to the answer of the probe."""
    begin = time.perf_counter()
    with Server(site.root, site.home) as server:
        server.open("modern")
        return time.perf_counter() - begin


def handshake(site: Site) -> float:
    """Seconds to the answer of ``initialize``."""
    begin = time.perf_counter()
    with Server(site.root, site.home) as server:
        server.open("legacy")
        return time.perf_counter() - begin


def handshake_by_the_sdk(site: Site) -> float:
    """Seconds to the answer of ``initialize`` where the prelude does not give it."""
    begin = time.perf_counter()
    with Server(site.root, site.home) as server:
        server.write(b"\n")
        server.open("legacy")
        return time.perf_counter() - begin


def tools(site: Site) -> float:
    """Seconds to the list of the tools in a handshake connection."""
    begin = time.perf_counter()
    with Server(site.root, site.home) as server:
        server.open("legacy").ask("tools/list")
        return time.perf_counter() - begin


def first_answer(site: Site) -> float:
    """Seconds to a cited answer."""
    begin = time.perf_counter()
    with Server(site.root, site.home) as server:
        found = call(server.open("modern"), "investigate_work", task=QUESTIONS[0])
        assert found["evidence"]
        return time.perf_counter() - begin


def interpreter(_: Site) -> float:
    """Seconds that a Python takes which does nothing: what the machine takes before we begin."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", ""], check=True)
    return time.perf_counter() - begin


KINDS: Final[dict[str, Callable[[Site], float]]] = {
    "interpreter": interpreter,
    "discovery": discovery,
    "handshake": handshake,
    "handshake by the SDK": handshake_by_the_sdk,
    "tools": tools,
    "first answer": first_answer,
}


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep as many processes spinning."""
    # Each ends by itself when its parent does, however that ends.
    code = "import os\nwhile os.getppid() == int(os.sys.argv[1]): sum(range(100000))"
    spin = [sys.executable, "-S", "-E", "-c", code, str(os.getpid())]
    started = [subprocess.Popen(spin) for _ in range(processes)]
    try:
        time.sleep(1.0 if started else 0.0)
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def measured(site: Site, runs: int, keep: Callable[[dict[str, Any]], None]) -> None:
    """Seconds by load and kind, and how many starts each client would have waited for.

    ``keep`` is given what is known after each load.
    """
    found: dict[str, Any] = {}
    processors = os.cpu_count() or 1
    for each in BUSY_A_PROCESSOR:
        taken: dict[str, list[float]] = {kind: [] for kind in KINDS}
        with busy(each * processors):
            for number in range(runs + 1):
                for kind, start in KINDS.items():
                    seconds = start(site)
                    if number:
                        taken[kind].append(seconds)
        found[f"{each} busy a processor"] = {
            "load": round(os.getloadavg()[0], 1),
            **{kind: spread([one * 1000 for one in times]) for kind, times in taken.items()},
            "discovery_to_interpreter": round(
                statistics.median(
                    one / other
                    for one, other in zip(taken["discovery"], taken["interpreter"], strict=True)
                ),
                1,
            ),
            "probes_in_time": _in_time(taken["discovery"], PROBES),
            "starts_in_time": _in_time(taken["handshake"], STARTS),
        }
        keep(found)


def _in_time(seconds: list[float], bounds: dict[str, float]) -> dict[str, str]:
    return {
        f"{name} ({bound:g} s)": f"{sum(one < bound for one in seconds)}/{len(seconds)}"
        for name, bound in bounds.items()
    }


def main() -> None:
    """Measure and write ``probes.json``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = prepared(Path(folder), given.repository, given.at)
        facts = {**machine(), "commit": site.commit, "passages": site.passages}
        measured(site, given.runs, lambda found: write("probes", {**facts, **found}, given.into))


if __name__ == "__main__":
    main()
