"""How long whole processes take: version, discovery, first call, a question on a warm index.

Each figure is the median over whole processes, run one after another. Processor time is what
the operating system charges the process and the children it waited for (user and system), and
is the figure to compare: wall time on a shared machine measures the neighbours as well.
``discovery`` is killed as soon as its answer has arrived, so its processor time is an upper
bound of what the answer took.

    python bench/start/measure.py REPOSITORY "A QUESTION" [--foreign "UNE QUESTION"] [--runs 15]

Writes ``results.json`` beside this file. POSIX only (``os.wait4``).
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
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parent
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
LIMITS = {
    "version": {"wall_ms": 100},
    "discovery": {"wall_ms": 200},
    "ask": {"cpu_ms": 400},
    "ask_foreign": {"cpu_ms": 700},
}


class Bench:
    """Runs ``citator`` as a user would, with an index of its own."""

    def __init__(self, repository: Path, data: Path) -> None:
        script = Path(sys.executable).with_name("citator")
        self._citator = [str(script)] if script.exists() else [sys.executable, "-m", "citator"]
        self._root = ["--root", str(repository)]
        self._environment = {
            **os.environ,
            "CITATOR_DATA_DIR": str(data),
            "CITATOR_CONFIG_DIR": str(data / "config"),
        }

    def command(self, *arguments: str) -> tuple[float, float]:
        """Run one command to its end; (processor, wall) milliseconds."""
        begin = time.perf_counter()
        process = self._start(arguments)
        pipe(process.stdin).close()
        pipe(process.stdout).read()
        return self._ended(process, begin)

    def prepare(self) -> None:
        """Index the repository."""
        self.command("init", *self._root)

    def version(self) -> tuple[float, float]:
        return self.command("--version")

    def ask(self, question: str) -> tuple[float, float]:
        return self.command("ask", question, "--json", *self._root)

    def discovery(self) -> tuple[float, float]:
        """From the start of the process to the answer."""
        begin = time.perf_counter()
        process = self._start(("serve", *self._root))
        self._exchange(process, 1, "server/discover", {})
        wall = time.perf_counter() - begin
        process.kill()
        processor, _ = self._ended(process, begin)
        return processor, wall * 1000

    def first_call(self, question: str) -> tuple[float, float]:
        """From the start of the process to the first cited answer, and the end of the process."""
        begin = time.perf_counter()
        process = self._start(("serve", *self._root))
        self._exchange(process, 1, "server/discover", {})
        arguments = {"name": "investigate_work", "arguments": {"task": question}}
        result = self._exchange(process, 2, "tools/call", arguments)["result"]
        assert not result.get("isError"), result
        wall = time.perf_counter() - begin
        pipe(process.stdin).close()
        processor, _ = self._ended(process, begin)
        return processor, wall * 1000

    def _start(self, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._citator, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
        )

    def _exchange(
        self, process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]
    ) -> dict[str, Any]:
        message = {
            "jsonrpc": "2.0",
            "id": number,
            "method": method,
            "params": {**params, "_meta": ENVELOPE},
        }
        pipe(process.stdin).write(json.dumps(message).encode() + b"\n")
        pipe(process.stdin).flush()
        found = json.loads(pipe(process.stdout).readline())
        assert found["id"] == number
        assert isinstance(found, dict)
        return found

    def _ended(self, process: subprocess.Popen[bytes], begin: float) -> tuple[float, float]:
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        pipe(process.stdin).close()
        pipe(process.stdout).close()
        return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """A pipe that was asked for."""
    assert stream is not None
    return stream


def median_of(runs: int, measure: Callable[[], tuple[float, float]]) -> dict[str, Any]:
    """Medians and spread over ``runs`` processes, after one that is not counted."""
    measure()
    seen = [measure() for _ in range(runs)]
    processor, wall = ([round(run[at], 1) for run in seen] for at in (0, 1))
    return {
        "runs": runs,
        "cpu_ms": round(statistics.median(processor), 1),
        "wall_ms": round(statistics.median(wall), 1),
        "cpu_ms_range": [min(processor), max(processor)],
        "wall_ms_range": [min(wall), max(wall)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Time whole processes.")
    parser.add_argument("repository", type=Path)
    parser.add_argument("question")
    parser.add_argument("--foreign", help="the question in another language")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--name", help="what to call the repository in the results")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        bench = Bench(wanted.repository.resolve(), Path(data))
        bench.prepare()
        measures: dict[str, Callable[[], tuple[float, float]]] = {
            "version": bench.version,
            "discovery": bench.discovery,
            "first_call": lambda: bench.first_call(wanted.question),
            "ask": lambda: bench.ask(wanted.question),
        }
        if wanted.foreign:
            measures["ask_foreign"] = lambda: bench.ask(wanted.foreign)
        figures = {name: median_of(wanted.runs, measure) for name, measure in measures.items()}
    results = {
        "repository": wanted.name or wanted.repository.name,
        "question": wanted.question,
        "foreign": wanted.foreign,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "load": [round(load, 2) for load in os.getloadavg()],
        "limits": LIMITS,
        "figures": figures,
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    for name, found in figures.items():
        print(f"{name:12} cpu {found['cpu_ms']:7.1f} ms   wall {found['wall_ms']:7.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
