"""``CITATOR_LOG``: errors by default, everything on request, and no word of anybody in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citator.model.trace import Level
from citator.service.event_log import level_of
from citator.store.log import lines
from tests.cli.process import Home
from tests.mcp.serving import Home as Serving
from tests.mcp.serving import Server
from tests.support import old_data
from tests.support.surfaces import QUESTION, attacked, leaked, speaks


def told(home: Home) -> list[dict[str, Any]]:
    return list(lines(home.path / "data"))


@pytest.mark.parametrize(
    ("value", "level"),
    [("", Level.ERROR), ("error", Level.ERROR), ("OFF", Level.OFF), ("0", Level.OFF),
     ("debug", Level.DEBUG), ("1", Level.DEBUG)],
)  # fmt: skip
def test_the_variable_says_how_much(value: str, level: Level) -> None:
    assert level_of({"CITATOR_LOG": value}) is level


def test_by_default_an_error_leaves_its_code_where_there_is_a_directory_already(
    home: Home, tmp_path: Path
) -> None:
    repository = old_data.history(tmp_path / "repo").path
    assert home.run("ask", "why", cwd=tmp_path).code == 2
    assert not (home.path / "data").exists()
    assert home.run("index", "build", "--root", repository).code == 0
    assert told(home) == []
    assert home.run("index", "promote", "999", "--root", repository).code == 3
    assert home.run("read", "not/a ref", "--root", repository, CITATOR_LOG="off").code == 2
    (line,) = told(home)
    expected = {"v": 1, "level": "error", "event": "failed", "command": "index"}
    assert line.items() >= {**expected, "code": "no_such_generation", "exit": 3}.items()


def test_on_request_every_step_is_there_with_its_time(home: Home, tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    asked = home.run("ask", old_data.QUESTION, "--root", repository, CITATOR_LOG="debug")
    assert (asked.code, asked.err) == (0, "")
    events = [line["event"] for line in told(home)]
    assert {"git", "update", "investigate", "command"} == set(events)
    assert events[-1] == "command"
    assert {line["command"] for line in told(home)} == {"ask"}
    assert all(line["ms"] >= 0 for line in told(home))
    update = next(line for line in told(home) if line["event"] == "update")
    assert (update["generation"], update["documents"], update["fresh"]) == (1, 5, True)
    assert {line["git"] for line in told(home) if line["event"] == "git"} >= {"rev-parse"}


def test_no_payload_of_an_author_or_a_caller_reaches_the_log(home: Home, tmp_path: Path) -> None:
    world = attacked(tmp_path / "repository")
    root = world.builder.path
    for words in (
        ("ask", QUESTION), ("ask", "zqx-private-question", "--limit", "2"), ("init",),
        ("read", "zqx\nforged"), ("doctor",), ("index", "build", "--fresh"), ("index", "status"),
        ("zqx-command",), ("ask", "why", "--zqx"),
    ):  # fmt: skip
        home.run(*words, "--root", root, CITATOR_LOG="debug")
    serving = Serving(home.path / "data", home.path / "config")
    with Server(root, serving, {"CITATOR_LOG": "debug"}) as server:
        speaker = server.open("modern")
        speaker.call("investigate_work", task=QUESTION)
        speaker.call("read_evidence", refs=["zqx\nforged"])
    files = [path for path in (home.path / "data" / "log").iterdir() if path.name != "lock"]
    text = "".join(path.read_text(encoding="ascii") for path in files)
    assert {"call", "command", "failed", "git", "update", "investigate"} <= {
        line["event"] for line in told(home)
    }
    assert leaked(text) == []
    assert speaks(text) == []
    assert "zqx" not in text
    assert str(tmp_path) not in text
    assert all(json.loads(line)["v"] == 1 for line in text.splitlines())


def test_a_log_that_cannot_be_kept_is_in_nobodys_way(home: Home, tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    assert home.run("index", "build", "--root", repository).code == 0
    (home.path / "data" / "log").write_bytes(b"a file")
    done = home.run("ask", old_data.QUESTION, "--root", repository, CITATOR_LOG="debug")
    assert (done.code, done.err) == (0, "")
