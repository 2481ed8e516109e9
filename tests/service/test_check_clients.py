"""The server is started as each client starts it, and really called."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from citator.clients.launch import Launch
from citator.clients.places import Scope, Surroundings, System
from citator.clients.table import Client, client_named
from citator.mcp.definitions import PROFILES
from citator.model.errors import NotFoundError
from citator.service.check_clients import Checking, Trial, check
from citator.service.wire_clients import Wiring, carry_out, plan_write
from citator.service.workspace import Places
from tests.support.builder import Builder, environment

PROGRAM = Launch(sys.executable, ("-P", "-m", "citator"))
TOOLS = tuple(tool["name"] for tool in PROFILES["all"])
BOTH = ("2026-07-28", "2025-11-25")


@pytest.fixture
def checking(tmp_path: Path, history: Builder) -> Checking:
    home = tmp_path / "home"
    home.mkdir()
    inherited = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    environ = environment(
        HOME=str(home),
        USERPROFILE=str(home),
        CITATOR_DATA_DIR=str(home / "data"),
        CITATOR_CONFIG_DIR=str(home / "config"),
        **inherited,
    )
    wiring = Wiring(Surroundings(System.LINUX, home), PROGRAM, history.path)
    places = Places(home / "data", home / "config")
    return Checking(wiring, environ, time.monotonic, places)


def named(name: str) -> Client:
    client = client_named(name)
    assert client is not None
    return client


def configure(checking: Checking, name: str, scope: Scope | None = None) -> Path:
    plan = plan_write(checking.wiring, named(name), scope)
    carry_out(plan)
    assert plan.path is not None
    return plan.path


def only(trials: tuple[Trial, ...]) -> Trial:
    (trial,) = trials
    return trial


def test_a_configured_client_gets_its_tools_and_an_answer_in_both_eras(checking: Checking) -> None:
    path = configure(checking, "opencode")
    trial = only(check(checking))
    assert (trial.client, trial.scope, trial.path) == ("opencode", Scope.USER, path)
    assert trial.ok, trial
    assert (trial.tools, trial.eras, trial.todo) == (TOOLS, BOTH, "")
    assert trial.answer in {"complete", "partial", "abstained", "index_being_built"}
    assert trial.seconds is not None
    assert 0 < trial.seconds < checking.patience


def test_codex_passes_on_little_and_works_all_the_same(checking: Checking) -> None:
    configure(checking, "codex", Scope.PROJECT)
    trial = only(check(checking, named("codex")))
    assert trial.ok, trial
    home = Path(checking.wiring.surroundings.home)
    assert not (home / "data").exists()


def test_a_client_that_starts_elsewhere_is_told_to_name_the_repository(checking: Checking) -> None:
    configure(checking, "windsurf")
    trial = only(check(checking))
    assert (trial.ok, trial.answer) == (False, "not_a_repository")
    assert "citator clients write windsurf --root PATH" in trial.todo
    told = replace(checking, wiring=replace(checking.wiring, root_named=True))
    configure(told, "windsurf")
    assert only(check(told)).ok


def test_nothing_configured_is_said(checking: Checking) -> None:
    for client, what in ((None, "no client"), (named("zed"), "Zed is not configured")):
        with pytest.raises(NotFoundError, match=what):
            check(checking, client)


@pytest.mark.parametrize(
    ("entry", "detail"),
    [
        ({"command": "/nowhere/citator"}, "the command could not be started (2026-07-28)"),
        ({"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]}, "ended with code 3"),
        ({"command": sys.executable, "args": ["-c", "print('hello')"]}, "does not speak the"),
        (
            {"command": sys.executable, "args": ["-c", "input(); print('{\"id\": 1}')"]},
            "the server answered server/discover with an error",
        ),
        ({"command": "no-such-citator"}, "the command is not on the path"),
        ({"args": ["x"]}, "the entry starts no command"),
        ({"url": "x"}, "not a server of this machine; it was not called"),
        ({"command": "x", "disabled": True}, "the entry is switched off"),
        (1, "a list or a plain value stands where a table of settings belongs (line 1)"),
    ],
)
def test_what_does_not_work_is_said_with_what_to_do(
    checking: Checking, entry: object, detail: str
) -> None:
    path = Path(checking.wiring.surroundings.home) / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"citator": entry}}), encoding="utf-8")
    trial = only(check(checking))
    assert not trial.ok
    assert detail in trial.detail
    assert trial.todo


def test_a_server_that_says_nothing_is_not_waited_for_long(checking: Checking) -> None:
    path = Path(checking.wiring.surroundings.home) / ".claude.json"
    entry = {"command": sys.executable, "args": ["-c", "import sys; sys.stdin.read()"]}
    path.write_text(json.dumps({"mcpServers": {"citator": entry}}), encoding="utf-8")
    trial = only(check(replace(checking, patience=0.05)))
    assert trial.detail == "the server did not answer server/discover in time (2026-07-28)"


@pytest.mark.parametrize(
    "change",
    [
        {"command": "/bin/sh", "args": ["-c", "touch MARK"]},
        {"args": [*PROGRAM.args, "forget", "--yes"]},
        {"args": [*PROGRAM.args, "serve", "--evil", "x"]},
        {"args": ["-c", "open('MARK', 'w')"]},
        {"env": {"PYTHONPATH": "."}},
        {"cwd": "/"},
        {"command": "${PWD}/citator"},
    ],
)
def test_a_command_that_a_repository_names_is_not_run(
    checking: Checking, change: dict[str, object]
) -> None:
    path = configure(checking, "claude-code", Scope.PROJECT)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["mcpServers"]["citator"].update(change)
    path.write_text(json.dumps(document), encoding="utf-8")
    before = sorted(checking.wiring.start.iterdir())
    trial = only(check(checking))
    assert (trial.ok, trial.tools, trial.seconds) == (False, (), None)
    assert "names another command; it was not started" in trial.detail
    assert sorted(checking.wiring.start.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="a script with an interpreter line")
def test_a_plain_name_in_a_persons_file_is_not_looked_for_in_the_repository(
    checking: Checking,
) -> None:
    script = checking.wiring.start / "tool"
    script.write_text("#!/bin/sh\ntouch ran\n")
    script.chmod(0o755)
    path = Path(checking.wiring.surroundings.home) / ".claude.json"
    path.write_text('{"mcpServers": {"citator": {"command": "tool"}}}', encoding="utf-8")
    search = f".{os.pathsep}{checking.environ['PATH']}"
    trial = only(check(replace(checking, environ={**checking.environ, "PATH": search})))
    assert trial.detail == "the command is not on the path"
    assert not (checking.wiring.start / "ran").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a script with an interpreter line")
def test_a_plain_name_is_run_from_the_path_but_never_from_the_repository(
    checking: Checking, tmp_path: Path
) -> None:
    path = checking.wiring.start / ".vscode" / "mcp.json"
    path.parent.mkdir()
    entry = {"command": "citator", "args": ["serve", "--root", "${workspaceFolder}"]}
    path.write_text(json.dumps({"servers": {"citator": entry}}), encoding="utf-8")
    for folder, ok in ((tmp_path / "bin", True), (checking.wiring.start / "bin", False)):
        folder.mkdir()
        script = folder / "citator"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m citator "$@"\n')
        script.chmod(0o755)
        search = f"{folder}{os.pathsep}{checking.environ['PATH']}"
        trial = only(check(replace(checking, environ={**checking.environ, "PATH": search})))
        assert trial.ok is ok, trial
