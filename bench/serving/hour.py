"""A long run of mixed calls over HTTP and stdio while commits arrive: nothing grows, nothing lies.

    nice python -m bench.serving.hour REPOSITORY --at COMMIT [--minutes 60] [--arrival 30]
        [--replaced-every 10] [--name hour] [--into FOLDER]

Four clients ask one repository at once: an HTTP server's, in both eras, and two servers on
pipes, one in each. Every half minute a commit arrives that explains itself with a word that
stands nowhere else; every tenth replaces the one before. Each answer is judged: it speaks of a
HEAD that was there while it was asked, it says when the index is behind it, and where it does
not say so, the newest commit answers for its word and a replaced one is not cited. Memory,
handles, threads and what lies on disk are looked at every minute. Linux only.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.serving.grounds import (
    QUESTIONS,
    Client,
    Site,
    call,
    machine,
    object_of,
    prepared,
    spread,
    write,
)
from bench.serving.watching import held_by, stored_in
from tests.mcp.http_speaker import HttpSpeaker
from tests.mcp.over_http import HttpServer
from tests.mcp.serving import ERAS, Era, Server
from tests.support.builder import run_git

PAUSE_SECONDS: Final = 2.0
CALLS_A_SESSION: Final = 60
WAYS: Final = ("http modern", "http legacy", "stdio modern", "stdio legacy")


def word_of(number: int) -> str:
    """A word that no history holds."""
    syllables = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru")
    return "zq" + "".join(syllables[int(digit)] for digit in f"{number:04d}") + "x"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A commit, the word it alone explains, and when it became HEAD, in seconds."""

    commit: str
    word: str
    at: float


class Author:
    """Commits now and then; ``heads`` is every HEAD there was, in order.

    ``moving`` is held while HEAD moves, so that nobody judges by half a move.
    """

    def __init__(self, site: Site, replaced_every: int) -> None:
        self._root = site.root
        self._replaced_every = replaced_every
        self.moving = threading.Lock()
        self._tree = run_git(site.root, "rev-parse", "HEAD^{tree}").decode().strip()
        self.heads = [Arrival(site.commit, "", time.monotonic())]
        self.replaced: set[str] = set()

    def commit(self) -> None:
        """One more commit, or another in the place of the last."""
        number = len(self.heads)
        word = word_of(number)
        parent, replaced = self.heads[-1].commit, set[str]()
        if number % self._replaced_every == 0:
            replaced = {parent}
            parent = run_git(self._root, "rev-parse", f"{parent}^").decode().strip()
        message = (
            f"Keep the {word} valve open\n\nThe {word} valve froze shut twice last winter and the "
            f"pump ran dry, because nothing told the {word} controller. Kept open it drains."
        )
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        tree = (self._tree, "-p", parent)
        made = run_git(self._root, *person, "commit-tree", *tree, "-m", message)
        commit = made.decode().strip()
        with self.moving:
            run_git(self._root, "update-ref", "--no-deref", "HEAD", commit)
            self.heads.append(Arrival(commit, word, time.monotonic()))
            self.replaced |= replaced


@dataclass
class Judge:
    """What one client was told."""

    author: Author
    counts: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    lags: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def asked(self, client: Client, task: str, newest: bool) -> dict[str, Any]:
        """Ask, and judge what is answered."""
        with self.author.moving:
            before, gone = len(self.author.heads) - 1, set(self.author.replaced)
        begin = time.perf_counter()
        found = call(client, "investigate_work", task=task)
        self.milliseconds.append((time.perf_counter() - begin) * 1000)
        with self.author.moving:
            possible = self.author.heads[before:]
        if "error" in found:
            self.counts[f"error: {found['error']['code']}"] += 1
            self.wrong.append(f"{found['error']['code']} at {possible[0].commit}")
            return found
        horizon = found["horizon"]
        limits = {fact["limit"] for fact in horizon.get("facts", ())}
        behind = "index_behind" in limits
        self.counts["said to be behind" if behind else "at head"] += 1
        if horizon["head"] not in {one.commit for one in possible}:
            self.wrong.append(f"a head that was not there: {horizon['head']}")
        if behind:
            return found
        if "indexed" in horizon:
            self.wrong.append(f"indexed is not head, unsaid: {horizon}")
        self.lags.setdefault(horizon["head"], time.monotonic())
        cited = {row["locator"] for row in found["evidence"]}
        if newest and horizon["head"] == possible[0].commit and horizon["head"] not in cited:
            self.wrong.append(f"current, and without the newest commit: {horizon['head']}")
        if cited & gone:
            self.wrong.append(f"replaced and cited at {horizon['head']}: {cited & gone}")
        return found

    def seconds_behind(self) -> list[float]:
        """For each arrival, how long until this client was first told of it."""
        return [
            self.lags[one.commit] - one.at for one in self.author.heads if one.commit in self.lags
        ]

    def report(self) -> dict[str, Any]:
        """Counts and times; ``wrong`` must be empty."""
        waits = sorted(self.seconds_behind())
        return {
            "counts": dict(sorted(self.counts.items())),
            "asked": spread(self.milliseconds),
            "until_an_arrival_was_answered_s": {
                "arrivals": len(waits),
                "p50": round(statistics.median(waits), 1) if waits else None,
                "max": round(waits[-1], 1) if waits else None,
            },
            "wrong": self.wrong,
        }


def era_of(way: str) -> Era:
    return "modern" if way.endswith("modern") else "legacy"


def mixed(client: Client, judge: Judge, end: threading.Event, most: int | None = None) -> None:
    """Calls of every kind, in turn: ``most`` of them, or until told to end."""
    refs: list[str] = []
    for turn in itertools.count() if most is None else range(most):
        if end.is_set():
            return
        newest = judge.author.heads[-1].word
        kind = turn % 6
        if kind in (0, 3) and newest:
            judge.asked(client, f"why is the {newest} valve kept open", newest=True)
        elif kind in (0, 1, 3):
            found = judge.asked(client, QUESTIONS[turn % len(QUESTIONS)], newest=False)
            refs = [row["ref"] for row in found.get("evidence", [])][:2] or refs
        elif kind == 2 and refs:
            items = call(client, "read_evidence", refs=refs)["items"]
            judge.counts["read" if all("text" in one for one in items) else "read: gone"] += 1
        elif kind == 4:
            refused(client, judge, turn)
        elif kind == 5:
            offered(client, judge, turn, refs)
        end.wait(PAUSE_SECONDS)


def refused(client: Client, judge: Judge, turn: int) -> None:
    """A call that must fail, and how."""
    wrong_calls: list[tuple[str, dict[str, Any]]] = [
        ("investigate_work", {"task": "why", "cursor": "c1.forged"}),
        ("investigate_work", {"task": "why", "everything": True}),
        ("read_evidence", {"refs": []}),
        ("no_such_tool", {}),
    ]
    tool, arguments = wrong_calls[turn // 6 % len(wrong_calls)]
    answer = client.ask("tools/call", {"name": tool, "arguments": arguments})
    if "error" in answer:
        judge.counts[f"refused: {answer['error']['code']}"] += 1
    else:
        found = object_of(answer)
        judge.counts[f"refused: {found['error']['code']}"] += 1


def offered(client: Client, judge: Judge, turn: int, refs: list[str]) -> None:
    """What is offered beside the tools: lists, evidence by address, completion, a prompt."""
    begun = refs[0][:20] if refs else "commit:v1:"
    known = refs[0] if refs else f"commit:v1:{'0' * 64}"
    template = {"type": "ref/resource", "uri": "citator://evidence/{ref}"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("tools/list", {}),
        ("resources/read", {"uri": f"citator://evidence/{known}"}),
        ("resources/templates/list", {}),
        ("completion/complete", {"ref": template, "argument": {"name": "ref", "value": begun}}),
        ("prompts/list", {}),
        ("resources/read", {"uri": f"citator://evidence/commit:v1:{'0' * 64}"}),
    ]
    method, params = requests[turn // 6 % len(requests)]
    answer = client.ask(method, params)
    judge.counts[f"{method}: {'answered' if 'result' in answer else answer['error']['code']}"] += 1


def over_http(server: HttpServer, site: Site, judge: Judge, way: str, end: threading.Event) -> None:
    """One client of the HTTP server, which comes back with a new session now and then.

    Every fourth session is left behind without a word, as a client that was killed leaves it.
    """
    for number in itertools.count():
        if end.is_set():
            return
        client = HttpSpeaker(server, site.name, era_of(way))
        mixed(client, judge, end, CALLS_A_SESSION)
        if number % 4 == 3:
            client.drop()
        else:
            client.leave()
        judge.counts["sessions"] += 1


def kept_up(work: Callable[[], None], judge: Judge, end: threading.Event) -> Callable[[], None]:
    """``work``, begun again where it fails; each failure is counted and told."""

    def run() -> None:
        while not end.is_set():
            try:
                work()
            except Exception as error:
                judge.wrong.append(f"the client failed: {type(error).__name__}")
                traceback.print_exc()
                end.wait(5.0)

    return run


@dataclass
class Watch:
    """What the servers and the disk held, minute by minute."""

    site: Site
    processes: dict[str, int]
    looks: list[dict[str, Any]] = field(default_factory=list)

    def look(self, minute: float) -> None:
        """Look once."""
        held = {name: asdict(held_by(pid)) for name, pid in self.processes.items()}
        self.looks.append(
            {"minute": round(minute, 1), **held, "data": stored_in(self.site.home.data)}
        )

    def growth(self) -> dict[str, Any]:
        """Means of the second and the last sixth of the run, and their difference."""
        size = max(1, len(self.looks) // 6)
        early, late = self.looks[size : 2 * size], self.looks[-size:]
        found: dict[str, Any] = {}
        for name in (*self.processes, "data"):
            found[name] = {
                key: {
                    "early": round(statistics.fmean(look[name][key] for look in early), 1),
                    "late": round(statistics.fmean(look[name][key] for look in late), 1),
                    "most": max(look[name][key] for look in self.looks),
                }
                for key in self.looks[0][name]
            }
        return found


def run(
    site: Site,
    minutes: float,
    arrival: float,
    replaced_every: int,
    keep: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """The whole run; ``keep`` is given what is known so far every ten minutes."""
    author, end = Author(site, replaced_every), threading.Event()
    judges = {way: Judge(author) for way in WAYS}
    options = ("--root", str(site.root), "--end-with-input")
    with ExitStack() as open_things:
        http = open_things.enter_context(HttpServer(site.home, options))
        pipes = {era: open_things.enter_context(Server(site.root, site.home)) for era in ERAS}
        watch = Watch(
            site,
            {
                "http": http.process.pid,
                **{f"stdio {era}": pipes[era].process.pid for era in pipes},
            },
        )
        works: dict[str, Callable[[], None]] = {}
        for way in WAYS:
            if way.startswith("http"):
                works[way] = partial(over_http, http, site, judges[way], way, end)
            else:
                client = pipes[era_of(way)].open(era_of(way))
                works[way] = partial(mixed, client, judges[way], end)
        threads = [
            threading.Thread(target=kept_up(works[way], judges[way], end), daemon=True)
            for way in WAYS
        ]
        for thread in threads:
            thread.start()
        begin = time.monotonic()
        arrivals = 0
        while (passed := time.monotonic() - begin) < minutes * 60:
            if passed >= (arrivals + 1) * arrival:
                arrivals += 1
                author.commit()
            if passed >= len(watch.looks) * 60:
                watch.look(passed / 60)
                if len(watch.looks) % 10 == 0:
                    keep(told(judges, watch, author, passed / 60, http))
            time.sleep(0.5)
        end.set()
        for thread in threads:
            thread.join(60)
        watch.look(minutes)
        found = told(judges, watch, author, minutes, http)
        complaints = {era: pipes[era].complaints.splitlines() for era in pipes}
    return {**found, "complaints_stdio": complaints, "http_exit": http.process.returncode}


def told(
    judges: dict[str, Judge], watch: Watch, author: Author, minutes: float, http: HttpServer
) -> dict[str, Any]:
    """All that is known."""
    asked = [judge for judge in judges.values() if len(judge.milliseconds) > 2]
    return {
        "minutes": round(minutes, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "arrivals": len(author.heads) - 1,
        "replaced": len(author.replaced),
        "answers_judged": sum(len(judge.milliseconds) for judge in asked),
        "wrong": sum(len(judge.wrong) for judge in judges.values()),
        "clients": {way: judge.report() for way, judge in judges.items() if judge in asked},
        "growth": watch.growth() if len(watch.looks) > 2 else {},
        "complaints_http": http.complaints,
        "looks": watch.looks,
    }


def main() -> int:
    """Run, and write NAME.json; 1 where an answer was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--arrival", type=float, default=30.0)
    parser.add_argument("--replaced-every", type=int, default=10)
    parser.add_argument("--name", default="hour")
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = prepared(Path(folder), given.repository, given.at)
        facts = {**machine(), "commit": site.commit, "passages": site.passages}

        def keep(found: dict[str, Any]) -> None:
            write(given.name, {**facts, **found}, given.into)

        found = run(site, given.minutes, given.arrival, given.replaced_every, keep)
        keep(found)
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
