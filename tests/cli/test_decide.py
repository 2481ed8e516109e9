"""Deciding in an editor: what was written is proposed, or kept, or nothing at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.cli.editing import editor
from citator.model.errors import RefusedError
from tests.cli.process import Finished, Home
from tests.support.builder import Builder, contents_of
from tests.support.ways_out import in_this_process

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the editors here are shell scripts")

FILLED = """%% not kept
---
title: Keep sessions in SQLite
ruling: Sessions live in SQLite.
kind: architecture
scope: src/**, docs/*.md
---

## Context

One host.

## Options

## Rejected alternatives

- Redis
  reason: another service
"""


@pytest.fixture
def repository(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "repo")
    builder.write("a", "b").commit("Begin\n\nBecause.")
    builder.git("config", "user.name", "Ada")
    return builder


class Person:
    """Somebody whose editor does what a script says."""

    def __init__(self, home: Home, repository: Builder, folder: Path) -> None:
        self.home, self.repository, self.folder = home, repository, folder
        self.monkey = pytest.MonkeyPatch()

    def edits(self, script: str, name: str = "editor") -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.monkey.setenv("VISUAL", str(path))

    def writes(self, text: str) -> None:
        (self.folder / "text").write_text(text)
        self.edits(f'cp "{self.folder}/text" "$1"')

    def decide(self, *words: str) -> Finished:
        line = ["decide", *words, "--root", str(self.repository.path)]
        return in_this_process(line, self.home)

    @property
    def proposals(self) -> list[Path]:
        return sorted((self.repository.path / ".citator").glob("proposals/*"))

    @property
    def kept(self) -> list[Path]:
        return sorted((self.home.path / "data").glob("*/local/drafts/*"))


@pytest.fixture
def person(home: Home, repository: Builder, tmp_path: Path) -> Person:
    return Person(home, repository, tmp_path)


@pytest.fixture(autouse=True)
def _restored(person: Person) -> object:
    yield
    person.monkey.undo()


def test_what_was_written_is_proposed_without_the_guidance(person: Person) -> None:
    person.writes(FILLED)
    done = person.decide("--json")
    assert done.code == 0, done.err
    (path,) = person.proposals
    text = path.read_text()
    assert done.object["path"] == str(path)
    assert 'kind: "architecture"' in text
    assert 'paths: ["docs/*.md", "src/**"]' in text
    assert 'owner: "Ada"' in text
    assert "%%" not in text
    assert "## Options" not in text
    assert 'op: "reject_value"' in text
    assert person.kept == []


def test_the_template_holds_what_the_options_said(person: Person) -> None:
    person.edits(f'cp "$1" "{person.folder}/seen"')
    told = person.decide("--title", "Log in UTC", "--scope", "src/**")
    assert told.code == 1
    seen = (person.folder / "seen").read_text()
    assert "\ntitle: Log in UTC\nruling:\n" in seen
    assert "\nscope: src/**\n" in seen
    assert "## Rejected alternatives" in seen
    assert "unless: what would change our mind" in seen


@pytest.mark.parametrize("text", ["", "%% only guidance\n", "---\ntitle:\nruling: R\n---\n"])
def test_an_emptied_text_proposes_nothing(person: Person, text: str) -> None:
    before = contents_of(person.repository.path)
    person.writes(text)
    told = person.decide("--json")
    assert (told.code, told.object["error"]["code"]) == (1, "nothing_written")
    assert contents_of(person.repository.path) == before
    assert person.kept == []


def test_a_text_that_was_not_changed_proposes_nothing(person: Person) -> None:
    person.edits("exit 0")
    told = person.decide("--title", "T", "--json")
    assert (told.code, told.object["error"]["code"]) == (1, "nothing_written")
    assert (person.proposals, person.kept) == ([], [])


def test_a_text_that_does_not_parse_is_kept_and_its_place_told(person: Person) -> None:
    person.writes(FILLED.replace("kind:", "sort:"))
    told = person.decide()
    assert told.code == 2
    (kept,) = person.kept
    assert f"What you wrote is kept at {kept}" in told.err
    assert kept.read_text() == FILLED.replace("kind:", "sort:")
    assert person.proposals == []


def test_a_text_that_is_refused_is_kept_too(person: Person) -> None:
    person.writes(FILLED.replace("One host.", "password = 'hunter2hunter2hunter2'"))
    told = person.decide("--json")
    assert told.object["error"]["code"] == "secret_found"
    assert len(person.kept) == 1
    assert str(person.kept[0]) in told.object["error"]["todo"]
    assert person.proposals == []


@pytest.mark.parametrize(
    ("script", "code", "kept"),
    [
        ("exit 3", "editor_failed", 0),
        ('echo half > "$1"; exit 3', "editor_failed", 1),
        ('rm "$1"', "nothing_written", 0),
        ("printf '\\377\\376' > \"$1\"", "template_unreadable", 1),
    ],
)
def test_an_editor_that_fails_loses_nothing_that_was_written(
    person: Person, script: str, code: str, kept: int
) -> None:
    person.edits(script)
    told = person.decide("--json")
    assert (told.code, told.object["error"]["code"]) == (1, code)
    assert len(person.kept) == kept
    assert person.proposals == []


def test_an_editor_that_is_not_there_is_told(person: Person) -> None:
    person.monkey.setenv("VISUAL", str(person.folder / "missing"))
    told = person.decide("--json")
    assert (told.code, told.object["error"]["code"]) == (1, "no_editor")
    assert person.kept == []


def test_no_editor_is_opened_where_nobody_is_at_a_terminal(person: Person) -> None:
    line = ["decide", "--json", "--root", str(person.repository.path)]
    told = person.home.run(*line, VISUAL="", EDITOR="", TERM="xterm")
    assert (told.code, told.object["error"]["code"]) == (1, "no_editor")
    assert "--title, --ruling" in told.object["error"]["todo"]
    assert person.kept == []


def test_the_command_of_an_editor_may_have_words(person: Person) -> None:
    person.edits("exit 0", "an editor")
    path = person.folder / "an editor"
    assert editor({"VISUAL": str(path)}) == [str(path)]
    assert editor({"EDITOR": "code --wait"}) == ["code", "--wait"]
    assert editor({"VISUAL": "first", "EDITOR": "second"}) == ["first"]
    with pytest.raises(RefusedError) as caught:
        editor({"PATH": str(person.folder), "TERM": "xterm"})
    assert caught.value.code == "no_editor"


def test_a_revision_starts_from_what_stands(person: Person) -> None:
    told = person.decide("--title", "T", "--ruling", "R", "--json")
    assert told.code == 0
    text = person.proposals[0].read_text()
    item = told.object["items"][0]
    refused = person.decide("--revises", item, "--ruling", "S", "--json")
    assert refused.object["error"]["code"] == "only_proposed"
    record = person.repository.path / ".citator" / "record"
    record.mkdir()
    (record / person.proposals[0].name).write_text(text)
    person.edits(f'cp "$1" "{person.folder}/seen"')
    person.decide("--revises", item)
    seen = (person.folder / "seen").read_text()
    assert "\ntitle: T\nruling: R\n" in seen


@pytest.mark.parametrize(
    "words",
    [
        ("--anyway",),
        ("--because", "x"),
        ("--revises", "01JDAAAAAA", "--kind", "api"),
        ("--title", "T", "--ruling", "R", "--body-file", "missing"),
        ("--title", "T", "--ruling", "R", "--valid-to", "soon"),
        ("--kind", "poem"),
    ],
)
def test_words_that_are_off_end_with_two(person: Person, words: tuple[str, ...]) -> None:
    told = person.decide(*words)
    assert told.code in (2, 3), told.err
    assert person.proposals == []


def test_without_a_name_git_knows_the_author_is_asked_for(person: Person) -> None:
    person.repository.git("config", "--unset", "user.name")
    person.monkey.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    person.monkey.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    told = person.decide("--title", "T", "--ruling", "R", "--json")
    assert (told.code, told.object["error"]["code"]) == (2, "no_author")
    assert person.decide("--title", "T", "--ruling", "R", "--author", "Ada").code == 0
