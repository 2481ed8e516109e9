"""What one call costs over stdio and over HTTP, on the same index, in turn in one run.

    python -m bench.serving.round_trips REPOSITORY --at COMMIT [--rounds 15] [--into FOLDER]

Four warm clients, two transports in two eras, are asked each question one after another, in an
order that turns with every round, so that a noisy minute is everybody's. ``empty`` is a call that
is refused before any work: what the protocol and the transport cost by themselves. The ratios
are of pairs: the same question in the same round. Linux and macOS.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.serving.grounds import QUESTIONS, Client, Site, call, machine, prepared, spread, write
from tests.mcp.http_speaker import HttpSpeaker
from tests.mcp.over_http import HttpServer
from tests.mcp.serving import ERAS, Server

Kind = Callable[[Client, str], object]


def _asked(client: Client, question: str) -> object:
    found = call(client, "investigate_work", task=question)
    assert "evidence" in found, found
    return found


def _read(client: Client, ref: str) -> object:
    (item,) = call(client, "read_evidence", refs=[ref])["items"]
    assert "text" in item, item
    return item


def _empty(client: Client, _: str) -> object:
    found = call(client, "investigate_work", task="why", everything=True)
    assert found["error"]["code"] == "invalid_arguments"
    return found


KINDS: Final[dict[str, Kind]] = {"ask": _asked, "read": _read, "empty": _empty}


def measured(site: Site, rounds: int) -> dict[str, Any]:
    """Milliseconds by kind of call and client, and what HTTP costs beside stdio."""
    with ExitStack() as held:
        http = held.enter_context(HttpServer(site.home, ("--root", str(site.root))))
        clients: dict[str, Client] = {}
        for era in ERAS:
            clients[f"stdio {era}"] = held.enter_context(Server(site.root, site.home)).open(era)
            clients[f"http {era}"] = HttpSpeaker(http, site.name, era)
        refs = _refs(clients["stdio modern"])
        taken = _in_turn(clients, refs, rounds)
    found: dict[str, Any] = {}
    for kind, by_client in taken.items():
        found[kind] = {name: spread(times) for name, times in by_client.items()}
        found[kind]["http_to_stdio"] = {
            era: _ratio(by_client[f"http {era}"], by_client[f"stdio {era}"]) for era in ERAS
        }
    return found


def _refs(client: Client) -> list[str]:
    refs = []
    for question in QUESTIONS:
        rows = call(client, "investigate_work", task=question)["evidence"]
        refs += [row["ref"] for row in rows[:1]]
    return refs


def _in_turn(
    clients: dict[str, Client], refs: list[str], rounds: int
) -> dict[str, dict[str, list[float]]]:
    """Every call of every client, after a round that is not counted."""
    taken: dict[str, dict[str, list[float]]] = {
        kind: {name: [] for name in clients} for kind in KINDS
    }
    names = list(clients)
    for number in range(rounds + 1):
        turned = names[number % len(names) :] + names[: number % len(names)]
        for kind, work in KINDS.items():
            for given in refs if kind == "read" else QUESTIONS:
                for name in turned:
                    begin = time.perf_counter()
                    work(clients[name], given)
                    passed = (time.perf_counter() - begin) * 1000
                    if number:
                        taken[kind][name].append(passed)
    return taken


def _ratio(one: list[float], other: list[float]) -> dict[str, float]:
    """The median of the ratios of pairs, and of their differences."""
    pairs = list(zip(one, other, strict=True))
    return {
        "median_ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "median_more_ms": round(statistics.median(a - b for a, b in pairs), 1),
    }


def main() -> None:
    """Measure and write ``round_trips.json``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = prepared(Path(folder), given.repository, given.at)
        facts = {**machine(), "commit": site.commit, "passages": site.passages}
        found = measured(site, given.rounds)
    write("round_trips", {**facts, **found}, given.into)


if __name__ == "__main__":
    main()
