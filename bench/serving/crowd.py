"""Thirty-two HTTP clients at once for a minute: throughput, errors, memory.

    python -m bench.serving.crowd REPOSITORY --at COMMIT [--clients 32] [--seconds 60]

Each client is a thread with a connection of its own, half of them in either era, and asks one
question after another without a pause. They live in one process of their own beside the
server's, and share the processors with it; ``alone`` is one client, before the crowd and after,
so that what a crowd gains or loses is a ratio within one run. Memory and handles are looked at
every second. Linux only.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.serving.grounds import QUESTIONS, Site, call, machine, prepared, spread, write
from bench.serving.watching import held_by, processor_seconds
from tests.mcp.http_speaker import HttpSpeaker
from tests.mcp.over_http import HttpServer
from tests.mcp.serving import ERAS


class Member:
    """One client, and what it got."""

    def __init__(self, server: HttpServer, site: Site, number: int) -> None:
        self._server, self._site, self._number = server, site, number
        self.milliseconds: list[float] = []
        self.outcomes: Counter[str] = Counter()

    def run(self, end: threading.Event) -> None:
        """Ask until told to end; an answer that fails is counted, and the client comes back."""
        questions = itertools.cycle(QUESTIONS[self._number % len(QUESTIONS) :] + QUESTIONS)
        while not end.is_set():
            try:
                speaker = HttpSpeaker(self._server, self._site.name, ERAS[self._number % 2])
                while not end.is_set():
                    self._ask(speaker, next(questions))
                speaker.leave()
            except Exception as error:
                self.outcomes[f"failed: {type(error).__name__}"] += 1

    def _ask(self, speaker: HttpSpeaker, question: str) -> None:
        begin = time.perf_counter()
        found = call(speaker, "investigate_work", task=question)
        self.milliseconds.append((time.perf_counter() - begin) * 1000)
        word = found["error"]["code"] if "error" in found else "answered"
        self.outcomes[word] += 1


def crowded(server: HttpServer, site: Site, clients: int, seconds: float) -> dict[str, Any]:
    """What ``clients`` at once are answered in ``seconds``."""
    members = [Member(server, site, number) for number in range(clients)]
    end, pid = threading.Event(), server.process.pid
    threads = [threading.Thread(target=one.run, args=(end,), daemon=True) for one in members]
    before, spent = held_by(pid), processor_seconds(pid)
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    looks = []
    while time.perf_counter() - begin < seconds:
        time.sleep(min(1.0, seconds))
        looks.append(held_by(pid))
    end.set()
    for thread in threads:
        thread.join(120)
    passed = time.perf_counter() - begin
    times = [one for member in members for one in member.milliseconds]
    outcomes: Counter[str] = sum((one.outcomes for one in members), Counter())
    fewest = min(len(member.milliseconds) for member in members)
    return {
        "clients": clients,
        "seconds": round(passed, 1),
        "calls_a_second": round(len(times) / passed, 1),
        **spread(times),
        "outcomes": dict(outcomes),
        "fewest_and_most_calls_of_a_client": [
            fewest,
            max(len(member.milliseconds) for member in members),
        ],
        "server_cpu_ms_a_call": round((processor_seconds(pid) - spent) * 1000 / len(times), 1),
        "memory_kib": {
            "before": before.resident,
            "most": max(look.resident for look in looks),
            "after": held_by(pid).resident,
            "peak_of_process": held_by(pid).peak,
        },
        "handles": {
            "before": before.handles,
            "most": max(look.handles for look in looks),
            "after": held_by(pid).handles,
        },
        "threads_most": max(look.threads for look in looks),
    }


def measured(site: Site, clients: int, seconds: float) -> dict[str, Any]:
    """One client, the crowd, one client again."""
    with HttpServer(site.home, ("--root", str(site.root))) as server:
        crowded(server, site, 1, min(5.0, seconds))  # warm
        first = crowded(server, site, 1, seconds / 4)
        crowd = crowded(server, site, clients, seconds)
        time.sleep(5)
        again = crowded(server, site, 1, seconds / 4)
        complaints = server.complaints
    alone = (first["calls_a_second"] + again["calls_a_second"]) / 2
    return {
        "alone": first,
        "crowd": crowd,
        "alone_after": again,
        "throughput_crowd_to_alone": round(crowd["calls_a_second"] / alone, 2),
        "complaints": complaints,
    }


def main() -> None:
    """Measure and write ``crowd.json``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = prepared(Path(folder), given.repository, given.at)
        facts = {**machine(), "commit": site.commit, "passages": site.passages}
        found = measured(site, given.clients, given.seconds)
    write("crowd", {**facts, **found}, given.into)


if __name__ == "__main__":
    main()
