"""Writing our entry into the files of clients, and taking it out again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from citator.clients.launch import Launch
from citator.clients.places import Scope, Surroundings, System
from citator.clients.table import CLIENTS, Client, client_named
from citator.model.errors import RefusedError, UsageError
from citator.service.wire_clients import (
    State,
    Wiring,
    carry_out,
    plan_removal,
    plan_write,
    survey,
)
from tests.support.builder import Builder

PROGRAM = Launch("/opt/citator/bin/citator")


@pytest.fixture
def wiring(tmp_path: Path, history: Builder) -> Wiring:
    home = tmp_path / "home"
    home.mkdir()
    return Wiring(Surroundings(System.LINUX, home), PROGRAM, history.path)


def named(name: str) -> Client:
    client = client_named(name)
    assert client is not None
    return client


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


WRITABLE = [(client, scope) for client in CLIENTS for scope in client.scopes()]


@pytest.mark.parametrize(
    ("client", "scope"), WRITABLE, ids=[f"{c.name}-{s.value}" for c, s in WRITABLE]
)
def test_every_client_is_written_once_found_and_removed(
    wiring: Wiring, client: Client, scope: Scope
) -> None:
    plan = plan_write(wiring, client, scope)
    assert plan.path is not None
    assert not plan.path.exists()
    assert carry_out(plan) is None
    assert plan.path.read_text(encoding="utf-8") == plan.snippet
    again = plan_write(wiring, client, scope)
    assert (again.changed, again.path) == (False, plan.path)
    assert carry_out(again) is None
    assert [path.name for path in plan.path.parent.iterdir() if path.is_file()] == [plan.path.name]
    states = {(found.client, found.scope): found.state for found in survey(wiring)}
    assert states.pop((client.name, scope)) is State.CONFIGURED
    assert set(states.values()) <= {State.ABSENT, State.UNCONFIGURED}
    (removal,) = plan_removal(wiring, client)
    kept = carry_out(removal)
    assert kept is not None
    assert kept.read_text(encoding="utf-8") == plan.snippet
    assert plan_removal(wiring, client) == ()
    assert client.editor.entry(plan.path.read_text(encoding="utf-8"), client.keys) is None


def test_the_project_is_named_in_its_own_files_and_on_request(wiring: Wiring) -> None:
    root = str(wiring.project())
    project = plan_write(wiring, named("claude-code"), Scope.PROJECT)
    assert json.loads(project.snippet)["mcpServers"]["citator"]["args"] == ["serve", "--root", root]
    user = plan_write(wiring, named("claude-code"))
    assert (user.scope, user.in_repository, user.lost) == (Scope.USER, False, False)
    assert json.loads(user.snippet)["mcpServers"]["citator"]["args"] == ["serve"]
    windsurf = plan_write(wiring, named("windsurf"))
    assert windsurf.lost
    told = plan_write(replace(wiring, root_named=True), named("windsurf"))
    assert json.loads(told.snippet)["mcpServers"]["citator"]["args"] == ["serve", "--root", root]
    assert not told.lost
    below = replace(wiring, start=wiring.start / "src")
    assert below.project() == wiring.project()


def test_comments_other_servers_line_ends_and_a_mark_stay(wiring: Wiring) -> None:
    path = wiring.start / ".vscode" / "mcp.json"
    path.parent.mkdir()
    before = (
        b'\xef\xbb\xbf{\r\n\t// ours\r\n\t"servers": {\r\n\t\t"db": {"command": "db"}, // theirs'
        b"\r\n"
        b'\t},\r\n\t"inputs": [],\r\n}'
    )
    path.write_bytes(before)
    kept = carry_out(plan_write(wiring, named("vscode")))
    assert kept is not None
    assert kept.read_bytes() == before
    after = path.read_bytes()
    assert after.startswith(before[: before.index(b" // theirs") + len(b" // theirs")])
    assert after.endswith(b'\r\n\t},\r\n\t"inputs": [],\r\n}')
    assert after.count(b"\n") == after.count(b"\r\n")
    (removal,) = plan_removal(wiring, named("vscode"))
    carry_out(removal)
    assert path.read_bytes() == before


def test_antigravity_gets_no_mark_and_no_comments(wiring: Wiring) -> None:
    path = wiring.start / ".agents" / "mcp_config.json"
    path.parent.mkdir()
    path.write_bytes(b'\xef\xbb\xbf{"mcpServers": {}}\n')
    carry_out(plan_write(wiring, named("antigravity")))
    assert json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["citator"]["command"]
    path.write_bytes(b'{\n  // mine\n  "mcpServers": {}\n}\n')
    with pytest.raises(RefusedError) as told:
        plan_write(wiring, named("antigravity"))
    assert "it holds a comment, which this client does not read (line 2)" in told.value.what
    assert '"citator"' in told.value.todo


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claude-code", '{"mcpServers": {"secret": '),
        ("codex", "model = secret\n"),
        ("goose", "extensions: [secret\n"),
    ],
)
def test_a_file_that_does_not_parse_is_refused_and_untouched(
    wiring: Wiring, name: str, text: str
) -> None:
    path = plan_write(wiring, named(name)).path
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    before = everything(wiring.start.parent)
    for attempt in (plan_write, plan_removal):
        with pytest.raises(RefusedError) as told:
            attempt(wiring, named(name))
        assert told.value.code == "config_not_editable"
        assert "(line " in told.value.what
        assert "secret" not in told.value.what + told.value.todo
    assert everything(wiring.start.parent) == before
    states = {(found.client, found.scope): found.state for found in survey(wiring)}
    assert states[(name, Scope.USER)] is State.UNREADABLE


def test_what_a_person_added_to_the_entry_stays_and_is_named(wiring: Wiring) -> None:
    path = wiring.start / ".mcp.json"
    old = {"command": "old", "args": [], "env": {"A": "b"}, "timeout": 9, "bad name": 1}
    path.write_text(json.dumps({"mcpServers": {"citator": old}}), encoding="utf-8")
    states = {(found.client, found.scope): found.state for found in survey(wiring)}
    assert states[("claude-code", Scope.PROJECT)] is State.DIFFERS
    plan = plan_write(wiring, named("claude-code"), Scope.PROJECT)
    assert plan.kept == ("timeout",)
    carry_out(plan)
    entry = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["citator"]
    assert entry["command"] == PROGRAM.command
    assert (entry["env"], entry["timeout"], entry["type"]) == ({"A": "b"}, 9, "stdio")


def test_an_entry_that_points_to_an_address_is_not_mixed_with_ours(wiring: Wiring) -> None:
    path = wiring.start / ".mcp.json"
    path.write_text('{"mcpServers": {"citator": {"url": "x"}}}', encoding="utf-8")
    with pytest.raises(RefusedError) as told:
        plan_write(wiring, named("claude-code"), Scope.PROJECT)
    assert told.value.code == "entry_is_remote"
    (removal,) = plan_removal(wiring, named("claude-code"))
    carry_out(removal)
    assert json.loads(path.read_text(encoding="utf-8")) == {"mcpServers": {}}


def test_the_file_that_a_client_has_already_is_the_one_that_is_written(wiring: Wiring) -> None:
    client = named("opencode")
    home = Path(wiring.surroundings.home)
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("// mine\n{}\n", encoding="utf-8")
    assert plan_write(wiring, client).path == folder / "opencode.jsonc"
    carry_out(plan_write(wiring, client))
    (folder / "opencode.json").write_text("{}\n", encoding="utf-8")
    assert plan_write(wiring, client).path == folder / "opencode.jsonc"
    assert not plan_write(wiring, client).changed
    (home / ".cline" / "data" / "settings").mkdir(parents=True)
    assert plan_write(wiring, named("cline")).path == (
        home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    )


def test_outside_a_repository_only_the_user_can_be_served(wiring: Wiring, tmp_path: Path) -> None:
    outside = replace(wiring, start=tmp_path)
    assert {found.scope for found in survey(outside)} == {Scope.USER}
    assert plan_write(outside, named("codex")).scope is Scope.USER
    for attempt in (Scope.PROJECT, None):
        with pytest.raises(UsageError) as told:
            plan_write(outside, named("cursor"), attempt)
        assert told.value.code == "not_a_repository"


def test_a_repository_without_a_work_tree_has_no_project_files(
    wiring: Wiring, history: Builder, tmp_path: Path
) -> None:
    bare = history.clone(tmp_path / "bare", bare=True)
    with pytest.raises(UsageError) as told:
        plan_write(replace(wiring, start=bare.path), named("cursor"))
    assert told.value.code == "no_work_tree"


def test_a_scope_that_a_client_lacks_is_said(wiring: Wiring) -> None:
    with pytest.raises(UsageError) as told:
        plan_write(wiring, named("goose"), Scope.PROJECT)
    assert (told.value.code, told.value.todo) == ("no_such_scope", "it has: user")
    generic = plan_write(wiring, named("generic"))
    assert (generic.path, generic.changed) == (None, False)
    assert carry_out(generic) is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_repository_cannot_make_us_write_elsewhere(wiring: Wiring, tmp_path: Path) -> None:
    victim = tmp_path / "home" / "victim.json"
    victim.write_text("{}", encoding="utf-8")
    (wiring.start / ".mcp.json").symlink_to(victim)
    (wiring.start / ".cursor").symlink_to(tmp_path / "home")
    (wiring.start / ".codex").mkdir()
    (wiring.start / ".codex" / "config.toml").symlink_to("../.git/config")
    for name in ("claude-code", "cursor", "codex"):
        with pytest.raises(RefusedError) as told:
            plan_write(wiring, named(name), Scope.PROJECT)
        assert told.value.code == "config_link_outside"
    assert victim.read_text(encoding="utf-8") == "{}"
