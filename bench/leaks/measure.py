"""What leaves of what an author controls: surfaces times ways out, with real processes.

    python -m bench.leaks.measure [--out results.json]

Every surface of ``tests/support/surfaces.py`` holds two payloads. Every command of
``tests/support/ways_out.py`` runs as a process of its own at a pipe, every tool over stdio and
over HTTP in both eras; of the HTTP server, heads, refusals and its log are read as well. A leak is
the mark of a payload in what was said, also percent-encoded or with invisible characters between
its letters. The second world, a hostile record with reviews, code and imports, is in
:mod:`bench.leaks.record`. The results hold counts and names, no text. Exit code 1 where anything
leaked, steered, or where a control was not found.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.leaks import record
from tests.cli.process import Home as User
from tests.mcp.serving import ERAS, Home, Server
from tests.support.http_ways import over_http
from tests.support.surfaces import (
    DOCUMENTS,
    MESSAGES,
    QUESTION,
    SURFACES,
    VARIANTS,
    Attacked,
    attacked,
    leaked,
    speaks,
    steering_in,
)
from tests.support.ways_out import WAYS, as_text, grounds, served

from citator import __version__
from citator.store.log import path_of

HERE = Path(__file__).resolve().parent


def said_by_commands(root: Path, user: User, folder: Path) -> dict[str, str]:
    """What each command says on both streams."""
    places = grounds(root, user, folder)
    found = {}
    for way in WAYS:
        done = places.who(way).run(*places.line(way), CITATOR_DEBUG="", CITATOR_LOG="debug")
        if done.code not in way.codes:
            raise SystemExit(f"{way.name} ended with {done.code}")
        found[f"command: {way.name}"] = done.out + done.err
    return found


def said_by_tools(root: Path, home: Home) -> dict[str, str]:
    """What each tool call is answered with, and what the server logs, in both eras."""
    return {
        f"tool, {era}: {way}": as_text(message)
        for era in ERAS
        for way, message in served(root, home, era).items()
    }


def said_over_http(root: Path, home: Home) -> dict[str, str]:
    """What the HTTP server answers, heads and refusals included, and what it logs."""
    return {
        f"http: {way}": text.replace("\r\n", "\n") for way, text in over_http(root, home).items()
    }


def controls(root: Path, home: Home, made: Attacked, said: dict[str, str]) -> dict[str, Any]:
    """Whether the passages beside the payloads are found, and what an explicit read shows."""
    rows: list[dict[str, Any]] = []
    shown: set[tuple[str, str]] = set()
    steering: list[str] = []
    with Server(root, home) as server:
        speaker, cursor = server.open("modern"), ""
        while not rows or cursor:
            page = speaker.answer("investigate_work", task=QUESTION, limit=20, cursor=cursor)
            rows += page["evidence"]
            cursor = page.get("cursor", "")
        for at in range(0, len(rows), 4):
            refs = [row["ref"] for row in rows[at : at + 4]]
            for item in speaker.answer("read_evidence", refs=refs)["items"]:
                shown |= set(leaked(item["text"]))
                steering += steering_in(item["text"])
    places = " ".join(row["locator"] for row in rows)
    documents = {row["locator"].split(":")[0] for row in rows if row["kind"] == "markdown"}
    readable = {(surface, variant) for surface in (*MESSAGES, *DOCUMENTS) for variant in VARIANTS}
    commits = [made.carriers[key] for key in made.carriers if key[0] not in (*DOCUMENTS, *NAMES)]
    return {
        "honest commit found": made.honest in places,
        "honest commit found over http": any(
            made.honest in text for way, text in said.items() if way.startswith("http: ")
        ),
        "commits beside a payload found": f"{sum(c in places for c in commits)}/{len(commits)}",
        "documents beside a payload found": f"{len(documents)}/{2 * (len(DOCUMENTS) + len(NAMES))}",
        "payloads shown on explicit read": f"{len(readable & shown)}/{len(readable)}",
        "steering characters in what was read": len(steering),
    }


NAMES = ("file name", "folder name")


def in_git_log(made: Attacked) -> int:
    """How many surfaces speak in ``git log --stat --notes``, which an agent would run instead."""
    log = ("log", "--decorate", "--stat", "--notes=*", "--format=fuller")
    return len(
        {surface for surface, _ in leaked(made.builder.git(*log).decode("utf-8", "replace"))}
    )


def _merged(said: dict[str, str]) -> dict[str, str]:
    """What was said, by way: completing one reference or another is the same."""
    found: dict[str, list[str]] = {}
    for name, text in said.items():
        found.setdefault(record.way_of(name), []).append(text)
    return {way: "\n".join(texts) for way, texts in found.items()}


def measure(folder: Path) -> dict[str, Any]:
    """The whole matrix."""
    made = attacked(folder / "repository")
    root, user = made.builder.path, User(folder / "user")
    if user.run("index", "build", "--root", root).code != 0:
        raise SystemExit("the repository could not be indexed")
    home = Home(user.path / "data", user.path / "config")
    said = {
        **said_by_commands(root, user, folder),
        **said_by_tools(root, home),
        **said_over_http(root, home),
    }
    said = _merged(said)
    said["the log of everything"] = path_of(home.data).read_text("utf-8")
    matrix = {
        surface: {
            way: count
            for way, text in said.items()
            if (count := sum(found == surface for found, _ in leaked(text)))
        }
        for surface in SURFACES
    }
    second = record.measure(folder / "second")
    return {
        "all": {
            "surfaces": len(SURFACES) + second["surfaces"],
            "ways_out": len(said) + second["ways_out"],
            "cells": len(SURFACES) * len(said) + second["cells"],
            "surfaces_that_leak": sum(map(bool, matrix.values())) + second["surfaces_that_leak"],
        },
        "surfaces": len(SURFACES),
        "payloads": len(SURFACES) * len(VARIANTS),
        "ways_out": len(said),
        "cells": len(SURFACES) * len(said),
        "surfaces_that_leak": sum(bool(ways) for ways in matrix.values()),
        "surfaces_in_git_log": in_git_log(made),
        "leaks_by_surface": {surface: sum(ways.values()) for surface, ways in matrix.items()},
        "leaks": {surface: ways for surface, ways in matrix.items() if ways},
        "ways": {
            way: {
                "characters": len(text),
                "leaks": len(leaked(text)),
                "parts_of_payloads": len(speaks(text)),
                "steering_characters": len(steering_in(text)),
            }
            for way, text in said.items()
        },
        "controls": controls(root, home, made, said),
        "record": second,
    }


def clean(found: dict[str, Any]) -> bool:
    """Whether nothing left that should not, and every control was found."""
    ways = found["ways"].values()
    silent = not any(
        way["leaks"] or way["parts_of_payloads"] or way["steering_characters"] for way in ways
    )
    second = found["record"]
    given = [*found["controls"].values(), *second["controls"].values()]
    whole = [value.split("/") for value in given if isinstance(value, str)]
    bad = ("leaks", "orders_and_forged_lines", "steering_characters")
    return (
        silent
        and not any(way[one] for way in second["ways"].values() for one in bad)
        and found["surfaces_that_leak"] == 0
        and found["controls"]["honest commit found"]
        and found["controls"]["honest commit found over http"]
        and found["controls"]["steering characters in what was read"] == 0
        and all(one == other for one, other in whole)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "citator": __version__,
            "python": platform.python_version(),
            "system": platform.system(),
            **measure(Path(folder)),
        }
    arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    everything = found["all"]
    print(f"{everything['surfaces_that_leak']} of {everything['surfaces']} surfaces leak")
    print(f"through {everything['ways_out']} ways out")
    print(f"{found['surfaces_in_git_log']} of {found['surfaces']} speak in git log")
    print(json.dumps([found["controls"], found["record"]["controls"]], indent=1))
    return 0 if clean(found) else 1


if __name__ == "__main__":
    sys.exit(main())
