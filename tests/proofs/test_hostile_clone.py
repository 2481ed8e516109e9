"""A repository whose own approvers signed everything, never pinned: no words of it travel.

- The control: once the operator pins that very root, the same calls bring the rulings and the
  reasons that its key signed, and nothing else that was not asked for.
- What is asked for by name comes quoted or fenced, and inert; so do reports of what is imported.
- Every pair of a surface and a way is measured in ``bench/leaks``; here each way is walked once
  or more, in either state of trust.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from citator.service.record import record_of
from citator.service.workspace import Places, Workspace
from citator.store.log import path_of
from tests.cli.process import Finished
from tests.cli.process import Home as User
from tests.mcp.serving import Era, Home, Server
from tests.support import hostile_record, hostile_reviews
from tests.support.adversary import ADA, outcome, solo
from tests.support.builder import Builder
from tests.support.hostile_record import SURFACES, hostile
from tests.support.http_ways import over_http
from tests.support.record_ways import (
    HEARD,
    NAMED,
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
from tests.support.surfaces import ABOUT, steering_in
from tests.support.ways_out import (
    WAYS,
    Asking,
    Grounds,
    Way,
    as_text,
    grounds,
    in_this_process,
    served,
    strings_in,
    tool_calls,
)

pytestmark = pytest.mark.long
TRUST = pytest.mark.parametrize("trusted", [False, True], ids=["unpinned", "pinned"])
NOES = ("rejected value", "signed rejected value")
FORMS = ("okf", "madr", "html")
TOLD = HEARD | {"signed rejection reason"}  # a tool is also asked about files in its scope


@dataclass(frozen=True)
class World:
    """The hostile repository as somebody cloned it."""

    builder: Builder
    known: Known
    user: User
    grounds: Grounds

    @property
    def root(self) -> Path:
        return self.builder.path

    @property
    def places(self) -> Places:
        return Places(self.user.path / "data", self.user.path / "config")

    @property
    def home(self) -> Home:
        return Home(self.places.data, self.places.config)

    def believing(self, trusted: bool) -> Any:
        """While the record's own key is pinned, or not."""
        return pinned(self.root, self.user) if trusted else nullcontext()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("hostile")
    origin = Builder.init(folder / "origin")
    origin.write("src/mail.py", "limit = 100\n")
    origin.commit(f"Bound the mailer retry queue\n\n{ABOUT}")
    made = hostile(origin)
    hostile_reviews.kept(origin)
    hostile_reviews.code(origin)
    clone = origin.clone(folder / "clone")
    user = User(folder / "user")
    done = in_this_process(["index", "build", "--root", str(clone.path)], user)
    assert done.code == 0, done.err
    known = known_of(made, clone.head(), folder)
    return World(clone, known, user, grounds(clone.path, user, folder))


def leaked(told: str) -> set[str]:
    """The surfaces of the record, of reviews and of what is imported that ``told`` shows."""
    return {*hostile_record.leaked(told), *hostile_reviews.leaked(told)}


def said(world: World, ways: Iterator[Way], **extra: str) -> Iterator[tuple[Way, Finished]]:
    """What each way says."""
    for way in ways:
        line = [*way.words, "--root", str(world.root)]
        yield way, in_this_process(line, world.user, **extra)


def is_sound(way: Way, done: Finished) -> None:
    """Whether a command ended as it may, steered nobody, forged nothing, and gave whole JSON."""
    told = done.out + done.err
    assert done.code in way.codes, (way.name, done.err)
    assert "unexpected error" not in told, way.name
    assert steering_in(told) == [], way.name
    if "--json" not in way.words:
        assert spoken(told) == [], way.name
    else:
        strings = [text for _, text in strings_in(done.object)]
        assert [text for text in strings if steering_in(text)] == [], way.name


def test_everything_is_really_there_and_signed(world: World, tmp_path: Path) -> None:
    git = world.builder.git
    there = git("log", "-p", "--text", "--format=raw") + git("ls-tree", "-r", "-z", "HEAD")
    text = there.decode("utf-8", "replace")
    assert hostile_record.leaked(text) == list(SURFACES)
    assert hostile_reviews.leaked(text) == [*hostile_reviews.KEPT, *hostile_reviews.CODE]
    handed_in = "".join(
        f"{path}\n{content}"
        for folder in world.known.abroad.values()
        for path, content in files_below(folder).items()
    )
    assert hostile_reviews.leaked(handed_in) == list(hostile_reviews.ABROAD)
    record = record_of(Workspace.open(world.root, world.places))
    assert not record.pinned
    assert record.state.items == {}
    assert record.tombstones == ()
    assert len(record.problems) == 3
    assert len(record.proposals) == 15
    with pinned(world.root, world.user):
        record = record_of(Workspace.open(world.root, world.places))
    assert len(record.effective) == 12
    assert len(record.tombstones) == 3


def test_no_words_of_it_leave_by_a_command(world: World) -> None:
    for way in WAYS:
        if way.place == "none":
            continue
        done = in_this_process(world.grounds.line(way), world.grounds.who(way))
        told = done.out + done.err
        assert leaked(told) <= may_show(way.name, pinned=False), way.name
        assert steering_in(told) == [], way.name


@TRUST
def test_a_command_of_the_record_shows_what_a_pinned_key_signed_and_nothing_else(
    trusted: bool, world: World
) -> None:
    shown: set[str] = set()
    ways = in_both_forms(quiet(world.known, f"quiet-{trusted}"))
    with world.believing(trusted):
        for way, done in said(world, ways):
            is_sound(way, done)
            found = leaked(done.out + done.err)
            assert found <= may_show(way.name, pinned=trusted), way.name
            shown |= found
    assert shown & SIGNED == (HEARD if trusted else set())
    assert {"function name", "code file name"} <= shown
    assert {"refused file name", "alias", "protected branch"} <= shown or not trusted


@TRUST
def test_words_that_are_asked_for_come_quoted_or_fenced_and_inert(
    trusted: bool, world: World
) -> None:
    shown: set[str] = set()
    with world.believing(trusted):
        for way, done in said(world, in_both_forms(asked(world.known))):
            is_sound(way, done)
            found = leaked(done.out + done.err)
            if way.name.startswith("import"):
                assert found <= PATHS_HANDED_IN, way.name
            shown |= found
    assert {"title", "ruling", "body", "proposed title", "proposed body", "owner"} <= shown
    assert {"change title", "thread person", "record file name"} <= shown
    assert {"rejected value", "rejection reason"} <= shown or not trusted
    assert not shown & {"withheld title", "withheld body", "comment in a migration", "attributes"}


@TRUST
def test_an_export_holds_what_a_pinned_key_signed_inert_and_nothing_withheld(
    trusted: bool, world: World, tmp_path: Path
) -> None:
    with world.believing(trusted):
        for form in FORMS:
            line = ["export", form, str(tmp_path / form), "--root", str(world.root)]
            assert in_this_process(line, world.user).code == 0
    for form in FORMS:
        place = tmp_path / form
        files = {form: place.read_text("utf-8")} if place.is_file() else files_below(place)
        text = "".join(f"{path}\n{content}" for path, content in files.items())
        assert steering_in(text) == [], form
        held = leaked(text)
        assert ({"title", "ruling", "body"} <= held) is trusted, form
        assert held == set() or trusted
        assert not held & {"withheld title", "proposed title", "retired body", "draft title"}


def of_the_record(known: Known) -> Any:
    """The calls of every tool, and those that are about the record."""

    def calls(speaker: Asking) -> Iterator[tuple[str, Any]]:
        yield from tool_calls(speaker)
        yield from record_calls(speaker, known)

    return calls


@pytest.mark.parametrize(
    ("era", "trusted"), [("modern", False), ("legacy", True)], ids=["unpinned", "pinned"]
)
def test_a_tool_shows_what_a_pinned_key_signed_and_nothing_else(
    era: Era, trusted: bool, world: World
) -> None:
    shown: set[str] = set()
    with world.believing(trusted):
        for way, message in served(world.root, world.home, era, of_the_record(world.known)).items():
            found = leaked(as_text(message))
            assert found <= tool_may_show(way, pinned=trusted), way
            assert steering_in(as_text(message)) == [], way
            shown |= found
        with Server(world.root, world.home) as server:
            speaker = server.open(era)
            refused = told_no(speaker) if trusted else {}
            read = read_on_request(speaker)
            named = [
                speaker.call("investigate_work", task=hostile_record.said(one)) for one in NOES
            ]
    assert shown - NAMED["locate"] == (TOLD if trusted else set())
    assert shown >= NAMED["locate"]
    assert leaked(as_text(named)) - {*NOES} == (SIGNED - HEARD | {"ruling"} if trusted else set())
    assert leaked(as_text(refused)) == ({"reason of an honest no"} if trusted else set())
    # The control: what is asked for by its reference is there, whole, fenced and inert.
    assert ({"title", "ruling", "body"} <= leaked(read)) is trusted
    assert steering_in(read) == []
    assert spoken(read) == []


def test_what_travels_over_http_is_what_a_pinned_key_signed(world: World) -> None:
    with pinned(world.root, world.user):
        told = over_http(world.root, world.home, of_the_record(world.known), ("modern",))
    for way, text in told.items():
        assert leaked(text) <= tool_may_show(way, pinned=True), way
        assert steering_in(text.replace("\r\n", "\n")) == [], way
    assert leaked("".join(told.values())) == TOLD | NAMED["locate"]
    assert leaked(told["standard error, everything logged"]) == set()


def test_a_review_that_is_read_on_request_is_there_fenced_and_inert(world: World) -> None:
    with Server(world.root, world.home) as server:
        speaker = server.open("modern")
        found = speaker.answer("investigate_work", task=hostile_record.QUESTION, limit=20)
        refs = [one["ref"] for one in found["evidence"] if one["kind"] == "review"]
        items = speaker.answer("read_evidence", refs=refs)["items"]
    text = "\n".join(one["text"] for one in items)
    assert len(refs) >= 3
    assert set(hostile_reviews.leaked(text)) >= {*hostile_reviews.READ}
    assert steering_in(text) == []
    assert spoken(text) == []


@pytest.mark.skipif(os.name == "nt", reason="no signal ends a process of its own there")
def test_a_round_of_watching_says_no_word_of_it(world: World) -> None:
    told = watched(world.root, world.user, as_json=True)
    assert leaked(told) == set()
    assert json.loads(told.splitlines()[0])["generation"]


def test_the_log_of_everything_holds_no_word_and_no_line_but_ours(world: World) -> None:
    with pinned(world.root, world.user):
        ways = (*quiet(world.known, "logged"), *asked(world.known))
        assert list(said(world, iter(ways), CITATOR_LOG="debug"))
        extra = {"CITATOR_LOG": "debug"}
        with Server(world.root, world.home, extra) as server:
            assert list(record_calls(server.open("modern"), world.known))
    text = path_of(world.places.data).read_text("ascii")
    assert leaked(text) == set()
    assert steering_in(text) == []
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["command"] for line in lines} >= {"decisions", "approve", "serve", "import"}


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
