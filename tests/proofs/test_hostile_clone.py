"""A repository whose own approvers signed everything, never pinned: no words of it travel.

The control: once the operator pins that very root, the same calls bring the ruling and what was
told no, and nothing else that was not asked for.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from citator.record.migration import Migration
from citator.service.record import record_of
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.cli.process import Finished
from tests.cli.process import Home as User
from tests.mcp.serving import ERAS, Home, Server
from tests.support.adversary import ADA, outcome, solo
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.hostile_record import (
    HOSTILE,
    POLICY,
    QUESTION,
    SURFACES,
    hostile,
    leaked,
    mark_of,
)
from tests.support.http_ways import over_http
from tests.support.ways_out import WAYS, Grounds, as_text, grounds, in_this_process, served

# Ways of the record that show no words unless they are asked for.
RECORD_WAYS = (
    ("decisions", "list"),
    ("decisions", "list", "--rejections"),
    ("decisions", "list", "--path", "src/mail.py"),
    ("decisions", "list", "--status", "approved"),
    ("decisions", "list", "--as-of", "2026-06-01"),
    ("verify",),
    ("log",),
    ("trust", "show"),
    ("trust", "pin"),
    ("apply",),
    ("approve", "0" * 26),
    ("reject", "0" * 26, "--reason", "no"),
    ("ask", QUESTION),
)


@dataclass(frozen=True)
class World:
    """The hostile repository as somebody cloned it."""

    builder: Builder
    proposal: Migration
    user: User
    grounds: Grounds

    @property
    def places(self) -> Places:
        return Places(self.user.path / "data", self.user.path / "config")

    @property
    def home(self) -> Home:
        return Home(self.places.data, self.places.config)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("hostile")
    origin = Builder.init(folder / "origin")
    origin.write("src/mail.py", "limit = 100\n")
    origin.commit("Bound the mailer retry queue\n\nBecause memory ran out in an hour without it.")
    proposal = hostile(origin)
    clone = origin.clone(folder / "clone")
    user = User(folder / "user")
    done = in_this_process(["index", "build", "--root", str(clone.path)], user)
    assert done.code == 0, done.err
    return World(clone, proposal, user, grounds(clone.path, user, folder))


def test_everything_is_really_there_and_signed(world: World) -> None:
    git = world.builder.git
    there = git("log", "-p", "--text").decode() + git("ls-tree", "-r", "HEAD").decode()
    assert leaked(there) == list(SURFACES)
    record = record_of(Workspace.open(world.builder.path, world.places))
    assert not record.pinned
    assert record.state.items == {}
    assert record.tombstones == ()
    assert record.problems == ()
    assert len(record.proposals) == 12


def test_no_words_of_it_leave_by_a_command(world: World) -> None:
    for way in WAYS:
        done = in_this_process(world.grounds.line(way), world.grounds.who(way))
        assert leaked(done.out + done.err) == [], way.name


def said(world: World, user: User) -> Iterator[tuple[str, Finished]]:
    """What each way of the record says, as text and as JSON."""
    for words in RECORD_WAYS:
        for more in ((), ("--json",)):
            line = [*words, *more, "--root", str(world.builder.path)]
            yield " ".join((*words, *more)), in_this_process(line, user)


def test_no_words_of_it_leave_by_a_command_of_the_record(world: World) -> None:
    for way, done in said(world, world.user):
        assert leaked(done.out + done.err) == [], way
        assert "unexpected error" not in done.err, way


@pytest.mark.parametrize("form", ["okf", "madr", "html"])
def test_no_words_of_it_are_exported(form: str, world: World, tmp_path: Path) -> None:
    target = tmp_path / ("page.html" if form == "html" else "out")
    line = ["export", form, str(target), "--root", str(world.builder.path)]
    done = in_this_process(line, world.user)
    files = [target] if target.is_file() else [one for one in target.rglob("*") if one.is_file()]
    written = "".join(f"{one.name}\n{one.read_text('utf-8')}" for one in files)
    assert leaked(done.out + done.err + written) == []


def queried(server: Any) -> dict[str, Any]:
    """Calls that name what the record governs, besides those of every way."""
    return {
        name: server.call("investigate_work", task=task, **more)
        for name, task, more in (
            ("asked", QUESTION, {}),
            ("asked, with text", QUESTION, {"read": 3}),
            ("of a path", QUESTION, {"paths": ["src/mail.py"]}),
            ("of a day", QUESTION, {"as_of": "2026-06-01T00:00:00Z"}),
            ("of a rejection", mark_of("rejected value"), {}),
        )
    }


@pytest.mark.parametrize("era", ERAS)
def test_no_words_of_it_leave_by_a_tool(era: Any, world: World) -> None:
    for way, message in served(world.builder.path, world.home, era).items():
        assert leaked(as_text(message)) == [], way
    with Server(world.builder.path, world.home) as server:
        speaker = server.open(era)
        for way, message in queried(speaker).items():
            shown = as_text(message).replace(mark_of("rejected value"), "")
            assert leaked(shown) == [], way
        stands = speaker.call("propose_decision", id=world.proposal.id)
    assert leaked(as_text(stands)) == []


def test_no_words_of_it_leave_over_http(world: World) -> None:
    for way, message in over_http(world.builder.path, world.home).items():
        assert leaked(message) == [], way


def test_pinned_by_the_operator_its_ruling_travels_and_little_else(
    world: World, tmp_path: Path
) -> None:
    """The control: the calls above would have shown it."""
    workspace = Workspace.open(world.builder.path, world.places)
    root = pin(HOSTILE, policy=POLICY)
    bound = replace(root, repositories=(workspace.repository_id,), places=())
    pins = Pins(Layout(world.places.data))
    pins.write(bound)
    try:
        with Server(world.builder.path, world.home) as server:
            told = queried(server.open("modern"))
        shown = {way: leaked(as_text(message)) for way, message in told.items()}
    finally:
        pins.remove(bound.record)
    assert "ruling" in shown["asked"]
    assert "ruling" in shown["of a path"]
    assert set(shown["asked"]) <= {"ruling", "rejection reason", "signed rejection reason"}


def test_a_copy_of_a_pinned_record_in_another_repository_says_nothing(tmp_path: Path) -> None:
    """Every file is genuine and every signature right: it is another repository all the same."""
    scene = solo(tmp_path / "scene")
    scene.take(ADA.says(scene.proposal))
    assert outcome(scene).approved
    other = Builder.init(tmp_path / "other")
    other.write("src/door.py", "OPEN = True\n").commit("Begin elsewhere")
    shutil.copytree(scene.path / ".citator", other.path / ".citator")
    copy = replace(scene, folder=tmp_path / "copy")
    copy.folder.mkdir()
    other.path.rename(copy.path)
    (copy.folder / "operator").symlink_to(scene.folder / "operator")
    copy.commit("Copy it")

    found = outcome(copy)

    assert (found.approved, found.words) == (False, False)
    assert found.record is not None
    assert [one.code for one in found.record.problems] == ["pinned_elsewhere"]
    assert outcome(scene).approved
