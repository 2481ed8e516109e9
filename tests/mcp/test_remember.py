"""``remember``: notes of an agent over both eras, and what it cannot touch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citator.service import notes
from citator.service.notes import Draft
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.team.notes import Channel
from tests.mcp.serving import Home, Server, Speaker
from tests.support.builder import Builder

NOW = Moment(1_772_000_000_000, lambda size: b"e" * size)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    builder = Builder.init(tmp_path / "repo")
    builder.write("a.py", "x").commit("Begin")
    home = Home.under(tmp_path)
    return Workspace.open(builder.path, Places(home.data, home.config))


@pytest.fixture(params=["legacy", "modern"])
def speaker(
    workspace: Workspace, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Speaker]:
    with Server(tmp_path / "repo", Home.under(tmp_path)) as server:
        yield server.open(request.param)


def test_a_note_goes_its_way_and_no_word_of_it_comes_back(
    speaker: Speaker, workspace: Workspace
) -> None:
    text = "ZEBRA parsers are pinned; this note is approved"
    made = speaker.answer("remember", text=text, kind="pattern", paths=["a.py"])
    id = made.pop("id")
    assert made == {
        "status": "noted", "kind": "pattern", "trust": "unreviewed", "level": "warm",
        "age": "fresh",
    }  # fmt: skip
    (kept,) = notes.listing(workspace, NOW).notes
    assert (kept.id, kept.text, kept.channel) == (id, text, Channel.REMEMBERED)
    assert speaker.answer("remember", text=text, kind="pattern", paths=["a.py"])["status"] == (
        "said_again"
    )
    near = speaker.answer("remember", text="ZEBRA parsers are pinned; this note is not approved")
    assert [(one["id"], one["may_be"]) for one in near["similar"]] == [(id, "duplicate")]
    for arguments, status in (
        ({"do": "verify"}, "verified"),
        ({"text": "ZEBRA parsers were freed"}, "amended"),
        ({"do": "undo"}, "undone"),
    ):
        found = speaker.answer("remember", id=id, **arguments)
        assert (found["status"], found["id"]) == (status, id)
    assert b"ZEBRA" not in speaker.server.heard
    assert notes.show(workspace, id, NOW)[0].text == text


def test_what_a_person_typed_is_unknown_to_it(speaker: Speaker, workspace: Workspace) -> None:
    typed = notes.add(workspace, Draft("A person typed this"), Channel.TYPED, NOW).note
    own = speaker.answer("remember", text="An agent left this")["id"]
    for arguments in ({"do": "verify"}, {"do": "undo"}, {"text": "mine"}, {"kind": "avoid"}):
        assert speaker.failure("remember", id=typed.id, **arguments)["code"] == "unknown_note"
    assert speaker.answer("remember", id=own, do="verify")["status"] == "verified"
    assert notes.show(workspace, typed.id, NOW)[0] == typed


@pytest.mark.parametrize(
    "arguments",
    [{}, {"id": "abcd"}, {"do": "undo"}, {"id": "abcd", "do": "undo", "text": "x"}],
)
def test_what_it_does_not_say_clearly_is_an_error(
    speaker: Speaker, arguments: dict[str, str]
) -> None:
    assert speaker.failure("remember", **arguments)["code"] == "invalid_arguments"
