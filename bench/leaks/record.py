"""The second world of the leak matrix: a record, reviews, code and imports that try to speak.

Every way out is walked twice, with nobody pinned and with the record's own key pinned. A leak is a
mark that a way may not show: of a pinned record, the rulings and reasons that the key signed
travel; of either, a plain or percent-encoded name where it is the answer. What is asked for by name
is counted apart: it must be inert, and quoted or fenced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.cli.process import Home as User
from tests.mcp.serving import ERAS, Home, Server
from tests.support import hostile_record, hostile_reviews
from tests.support.builder import Builder
from tests.support.http_ways import over_http
from tests.support.record_ways import (
    HEARD,
    PATHS_HANDED_IN,
    SIGNED,
    Known,
    asked,
    files_below,
    in_both_forms,
    known_of,
    may_show,
    pinned,
    quiet,
    read_on_request,
    record_calls,
    spoken,
    told_no,
    tool_may_show,
    watched,
)
from tests.support.surfaces import ABOUT, ORDER, steering_in
from tests.support.ways_out import WAYS, Asking, Way, as_text, grounds, strings_in, tool_calls

from citator.store.log import path_of

SURFACES = (*hostile_record.SURFACES, *hostile_reviews.SURFACES)
LOUD = {"CITATOR_DEBUG": "", "CITATOR_LOG": "debug"}
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class World:
    """The hostile repository, whose it is, and what calls may name."""

    builder: Builder
    user: User
    known: Known

    @property
    def root(self) -> Path:
        return self.builder.path

    @property
    def home(self) -> Home:
        return Home(self.user.path / "data", self.user.path / "config")


@dataclass(frozen=True)
class Heard:
    """What one way said, what it may show, and whether words were asked for.

    In what is ``structured`` (messages, files) an order has no line of its own to pretend from: it
    is counted where nothing that was signed came with it.
    """

    way: str
    text: str
    allowed: frozenset[str] = NOTHING
    on_request: bool = False
    as_json: bool = False
    structured: bool = False

    def row(self) -> dict[str, int]:
        """The counts that are kept: no text."""
        shown = leaked(self.text)
        return {
            "characters": len(self.text),
            "shown": len(shown),
            "leaks": 0 if self.on_request else len(shown - self.allowed),
            "orders_and_forged_lines": self._orders(shown),
            "steering_characters": len(steering_in(self.text)) + len(steering_in(_held(self))),
        }

    def _orders(self, shown: set[str]) -> int:
        if not (self.as_json or self.structured):
            return len(spoken(self.text))
        return 0 if self.on_request or shown & self.allowed else self.text.count(ORDER)


def _held(heard: Heard) -> str:
    """What the strings of a JSON answer hold."""
    if not heard.as_json:
        return ""
    return "\n".join(text for _, text in strings_in(json.loads(heard.text.splitlines()[0])))


def leaked(text: str) -> set[str]:
    """The surfaces that ``text`` shows."""
    return {*hostile_record.leaked(text), *hostile_reviews.leaked(text)}


def way_of(name: str) -> str:
    """The way that a call went: completing one reference or another is the same."""
    return re.sub(r"completion of \S+", "completion of a reference", name)


def as_one_way(heard: Sequence[Heard]) -> list[Heard]:
    """Calls that went the same way, put together."""
    found: dict[str, Heard] = {}
    for one in heard:
        way = way_of(one.way)
        before = f"{found[way].text}\n" if way in found else ""
        found[way] = replace(one, way=way, text=before + one.text)
    return list(found.values())


def built(folder: Path) -> World:
    """Build and index it."""
    builder = Builder.init(folder / "record")
    builder.write("src/mail.py", "limit = 100\n")
    builder.commit(f"Bound the mailer retry queue\n\n{ABOUT}")
    made = hostile_record.hostile(builder)
    hostile_reviews.kept(builder)
    hostile_reviews.code(builder)
    user = User(folder / "reader")
    if user.run("index", "build", "--root", builder.path).code != 0:
        raise SystemExit("the record's repository could not be indexed")
    return World(builder, user, known_of(made, builder.head(), folder))


def measure(folder: Path) -> dict[str, Any]:
    """Every surface of this world, built below ``folder``, through every way."""
    folder.mkdir()
    world = built(folder)
    heard = list(_unpinned(world, folder))
    with pinned(world.root, world.user):
        heard += _either(world, "pinned")
    log = path_of(world.user.path / "data").read_text("utf-8")
    heard = as_one_way([*heard, Heard("the log of everything", log)])
    rows = {one.way: one.row() for one in heard}
    quiet_ways = [one for one in heard if not one.on_request]
    leaks = {
        surface: [one.way for one in quiet_ways if surface in leaked(one.text) - one.allowed]
        for surface in SURFACES
    }
    return {
        "surfaces": len(SURFACES),
        "ways_out": len(quiet_ways),
        "ways_on_request": len(heard) - len(quiet_ways),
        "cells": len(SURFACES) * len(quiet_ways),
        "surfaces_that_leak": sum(bool(ways) for ways in leaks.values()),
        "leaks": {surface: ways for surface, ways in leaks.items() if ways},
        "ways": rows,
        "controls": _controls(world, heard, log),
    }


def _unpinned(world: World, folder: Path) -> Iterator[Heard]:
    """With nobody pinned: the ways of every repository, and those of the record."""
    places = grounds(world.root, world.user, folder)
    for way in WAYS:
        done = places.who(way).run(*places.line(way), cwd=None, **LOUD)
        if way.place != "none":
            allowed = may_show(way.name, pinned=False)
            yield Heard(f"unpinned, command: {way.name}", done.out + done.err, allowed)
    for as_json in (False, True):
        form = "as JSON" if as_json else "as text"
        told = watched(world.root, world.user, as_json=as_json)
        yield Heard(f"unpinned, a round of watching, {form}", told)
    yield from _either(world, "unpinned")


def _either(world: World, state: str) -> Iterator[Heard]:
    """The ways of the record, in one state of trust."""
    is_pinned = state == "pinned"
    signed = SIGNED if is_pinned else NOTHING
    for way in in_both_forms(quiet(world.known, state)):
        allowed = may_show(way.name, pinned=is_pinned)
        yield _said(world, f"{state}, command: {way.name}", way, allowed, False)
    for way in in_both_forms(asked(world.known)):
        allowed = PATHS_HANDED_IN if way.name.startswith("import") else NOTHING
        yield _said(world, f"{state}, on request: {way.name}", way, allowed, True)
    for path, text in files_below(world.known.out).items():
        if path.startswith(state):
            kind = path.removeprefix(f"{state}-").partition("/")[0]
            yield Heard(
                f"{state}, on request: a file of {kind}", text, on_request=True, structured=True
            )

    def calls(speaker: Asking) -> Iterator[tuple[str, Any]]:
        yield from tool_calls(speaker)
        yield from record_calls(speaker, world.known)

    for era in ERAS:
        with Server(world.root, world.home, {"CITATOR_LOG": "debug"}) as server:
            speaker = server.open(era)
            for name, message in calls(speaker):
                may = tool_may_show(name, pinned=is_pinned)
                called = f"{state}, tool, {era}: {name}"
                yield Heard(called, as_text(message), may, structured=True)
            if is_pinned:
                told = as_text(told_no(speaker))
                yield Heard(f"{state}, tool, {era}: told no", told, signed, structured=True)
            read = read_on_request(speaker)
        yield Heard(f"{state}, tool, {era}: standard error", server.complaints)
        yield Heard(f"{state}, on request: read, {era}", read, on_request=True)
    for name, text in over_http(world.root, world.home, calls).items():
        told = text.replace("\r\n", "\n")
        may = tool_may_show(name, pinned=is_pinned)
        yield Heard(f"{state}, http: {name}", told, may, structured=True)


def _said(world: World, name: str, way: Way, allowed: frozenset[str], on_request: bool) -> Heard:
    done = world.user.run(*way.words, "--root", world.root, cwd=None, **LOUD)
    if done.code not in way.codes:
        raise SystemExit(f"{name} ended with {done.code}: {done.err}")
    as_json = "--json" in way.words
    text = done.out if as_json else done.out + done.err
    return Heard(name, text, allowed, on_request, as_json)


def _controls(world: World, heard: list[Heard], log: str) -> dict[str, Any]:
    """What shows that silence is worth something."""
    git = world.builder.git
    there = git("log", "-p", "--text", "--format=raw") + git("ls-tree", "-r", "-z", "HEAD")
    folders = [files_below(one) for one in world.known.abroad.values()]
    text = there.decode("utf-8", "replace") + "".join(
        f"{path}\n{content}" for files in folders for path, content in files.items()
    )
    shown = {
        state: set[str]().union(
            *(leaked(one.text) for one in heard if one.way.startswith(state) and not one.on_request)
        )
        for state in ("unpinned", "pinned")
    }
    requested = set[str]().union(*(leaked(one.text) for one in heard if one.on_request))
    lines = [json.loads(line) for line in log.splitlines()]
    travelled = shown["pinned"] & HEARD
    return {
        "payloads in the repository and in what is handed in": (
            f"{len(leaked(text))}/{len(SURFACES)}"
        ),
        "signed words that a pinned key lets travel": f"{len(travelled)}/{len(HEARD)}",
        "signed words that travel with nobody pinned": len(shown["unpinned"] & SIGNED),
        "plain names shown as answers, nobody pinned": sorted(shown["unpinned"]),
        "plain names shown as answers, pinned": sorted(shown["pinned"] - SIGNED),
        "surfaces shown when asked for by name": len(requested),
        "lines of the log, each one object": len(lines),
    }
