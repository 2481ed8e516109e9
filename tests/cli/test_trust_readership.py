"""``citator trust readership``: said by a person, per repository, outside of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citator.service.workspace import Places
from tests.cli.process import Finished, Home
from tests.support.builder import Builder
from tests.support.office import Office
from tests.support.ways_out import in_this_process


@pytest.fixture
def office(tmp_path: Path, home: Home) -> Office:
    builder = Builder.init(tmp_path / "repo")
    builder.write("a.md", "# Tide\n\nThe tide.\n").commit("Begin with the tide\n\nBecause of it.")
    places = Places(home.path / "data", home.path / "config", lambda size: b"k" * size)
    return Office(builder, places)


def run(office: Office, home: Home, *words: str) -> Finished:
    return in_this_process([*words, "--root", str(office.builder.path)], home)


def readership(office: Office, home: Home, *words: str) -> object:
    done = run(office, home, "trust", "readership", *words, "--json")
    assert done.code == 0, done.err
    return done.object


def test_a_readership_is_said_shown_added_to_and_forgotten(office: Office, home: Home) -> None:
    nothing: object = {"sensitivity": None, "paths": []}
    assert readership(office, home) == nothing

    rule = {"glob": "a=b/**", "sensitivity": "confidential"}
    said = readership(office, home, "--path", "a=b/**=confidential", "--yes")
    assert said == {"sensitivity": "internal", "paths": [rule]}
    other = {"glob": "*.md", "sensitivity": "restricted"}
    words = ("--sensitivity", "public", "--path", "*.md=restricted", "--yes")
    assert readership(office, home, *words) == {"sensitivity": "public", "paths": [other, rule]}
    assert readership(office, home) == {"sensitivity": "public", "paths": [other, rule]}
    shown = run(office, home, "trust", "readership").out.splitlines()
    assert shown == ["sensitivity: public", '"*.md": restricted', '"a=b/**": confidential']

    again = readership(office, home, "--clear", "--path", "a=b/**=restricted", "--yes")
    assert again == {"sensitivity": "internal", "paths": [{**rule, "sensitivity": "restricted"}]}
    assert readership(office, home, "--clear", "--yes") == nothing
    events = json.loads(run(office, home, "log", "--json").out)["entries"]
    assert [one["event"] for one in events] == ["readership_set"] * 4


def test_what_was_said_is_asked_by_the_next_question(office: Office, home: Home) -> None:
    assert run(office, home, "ask", "tide").code == 0
    readership(office, home, "--sensitivity", "restricted", "--yes")
    told = run(office, home, "ask", "tide", "--json")
    assert (told.code, told.object["abstained"]) == (3, "empty_index")
    readership(office, home, "--clear", "--yes")
    assert run(office, home, "ask", "tide").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--path", "docs/**"), "usage"),
        (("--path", "docs/**=secret"), "usage"),
        (("--path", "=restricted"), "usage"),
        (("--path", "!docs=restricted"), "usage"),
        (("--path", "docs/**=restricted"), "not_agreed"),
        (("--clear",), "not_agreed"),
        (tuple(f"--path={n}=restricted" for n in range(201)), "too_many_rules"),
    ],
)
def test_what_is_no_rule_or_not_agreed_to_changes_nothing(
    office: Office, home: Home, words: tuple[str, ...], code: str
) -> None:
    readership(office, home, "--path", "a.md=restricted", "--yes")
    told = run(office, home, "trust", "readership", *words, "--json")
    assert told.code in (1, 2) and told.object["error"]["code"] == code
    assert readership(office, home) == {
        "sensitivity": "internal",
        "paths": [{"glob": "a.md", "sensitivity": "restricted"}],
    }
