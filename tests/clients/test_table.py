"""The exact text that each client gets, and where, on every platform."""

from __future__ import annotations

import json
import tomllib
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pytest
import yaml

from citator.clients.launch import Launch, expanded, is_off, launch_of
from citator.clients.places import Scope, Surroundings, System, places
from citator.clients.table import CLIENTS, Client, client_named

POSIX = Launch("/opt/citator/bin/citator", ("serve", "--root", "/src/ferry"))
WINDOWS = Launch(
    str(PureWindowsPath("C:/Users/Ada L/bin/citator.exe")),
    ("serve", "--root", str(PureWindowsPath("D:/new/table"))),
)

GOLDEN = {
    "claude-code": """\
{
  "mcpServers": {
    "citator": {
      "type": "stdio",
      "command": "/opt/citator/bin/citator",
      "args": [
        "serve",
        "--root",
        "/src/ferry"
      ],
      "env": {}
    }
  }
}
""",
    "vscode": """\
{
  "servers": {
    "citator": {
      "type": "stdio",
      "command": "/opt/citator/bin/citator",
      "args": [
        "serve",
        "--root",
        "/src/ferry"
      ]
    }
  }
}
""",
    "codex": """\
[mcp_servers.citator]
command = "/opt/citator/bin/citator"
args = ["serve", "--root", "/src/ferry"]
supports_parallel_tool_calls = true
""",
    "opencode": """\
{
  "mcp": {
    "citator": {
      "type": "local",
      "command": [
        "/opt/citator/bin/citator",
        "serve",
        "--root",
        "/src/ferry"
      ],
      "enabled": true
    }
  }
}
""",
    "zed": """\
{
  "context_servers": {
    "citator": {
      "command": "/opt/citator/bin/citator",
      "args": [
        "serve",
        "--root",
        "/src/ferry"
      ],
      "env": {}
    }
  }
}
""",
    "cline": """\
{
  "mcpServers": {
    "citator": {
      "command": "/opt/citator/bin/citator",
      "args": [
        "serve",
        "--root",
        "/src/ferry"
      ],
      "disabled": false
    }
  }
}
""",
    "goose": """\
extensions:
  citator:
    name: citator
    type: stdio
    cmd: "/opt/citator/bin/citator"
    args: ["serve", "--root", "/src/ferry"]
    envs: {}
    enabled: true
    timeout: 300
""",
}
BARE = """\
{
  "mcpServers": {
    "citator": {
      "command": "/opt/citator/bin/citator",
      "args": [
        "serve",
        "--root",
        "/src/ferry"
      ]
    }
  }
}
"""

FILES = {
    "claude-code": (".claude.json", ".mcp.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini-cli": (".gemini/settings.json", ".gemini/settings.json"),
    "opencode": (".config/opencode/opencode.json", "opencode.json"),
    "antigravity": (".gemini/config/mcp_config.json", ".agents/mcp_config.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json", None),
    "zed": (".config/zed/settings.json", ".zed/settings.json"),
    "cline": (
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        None,
    ),
    "goose": (".config/goose/config.yaml", None),
    "jetbrains": (".junie/mcp/mcp.json", ".junie/mcp/mcp.json"),
    "generic": (None, None),
}


def fresh(client: Client, launch: Launch) -> str:
    return client.editor.put("", client.keys, client.shape(launch))


def parsed(client: Client, text: str) -> Any:
    if client.name == "codex":
        return tomllib.loads(text)
    return yaml.safe_load(text) if client.name == "goose" else json.loads(text)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_client_gets_exactly_this_text(client: Client) -> None:
    text = fresh(client, POSIX)
    assert text == GOLDEN.get(client.name, BARE)
    assert client.editor.put(text, client.keys, client.shape(POSIX)) == text


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_windows_paths_arrive_as_they_are(client: Client) -> None:
    text = fresh(client, WINDOWS)
    entry = parsed(client, text)[client.servers]["citator"]
    assert launch_of(entry) == WINDOWS
    if client.name == "codex":
        assert "command = 'C:\\Users\\Ada L\\bin\\citator.exe'\n" in text
        assert """args = ["serve", "--root", 'D:\\new\\table']\n""" in text
    else:
        assert '"C:\\\\Users\\\\Ada L\\\\bin\\\\citator.exe"' in text


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_client_keeps_its_files_here(client: Client) -> None:
    linux = Surroundings(System.LINUX, PurePosixPath("/home/ada"))
    user, project = FILES[client.name]
    assert first(client, Scope.USER, linux) == (user and f"/home/ada/{user}")
    assert first(client, Scope.PROJECT, linux) == (project and f"/src/ferry/{project}")


def first(client: Client, scope: Scope, surroundings: Surroundings) -> str | None:
    found = places(client.wheres(scope), surroundings, PurePosixPath("/src/ferry"))
    return str(found[0].path) if found else None


@pytest.mark.parametrize(
    ("name", "macos", "windows"),
    [
        (
            "vscode",
            "/Users/ada/Library/Application Support/Code/User/mcp.json",
            "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
        ),
        (
            "zed",
            "/Users/ada/.config/zed/settings.json",
            "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
        ),
        (
            "goose",
            "/Users/ada/.config/goose/config.yaml",
            "C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
        ),
        (
            "opencode",
            "/Users/ada/.config/opencode/opencode.json",
            "C:\\Users\\ada\\.config\\opencode\\opencode.json",
        ),
        ("codex", "/Users/ada/.codex/config.toml", "C:\\Users\\ada\\.codex\\config.toml"),
    ],
)
def test_the_platforms_differ(name: str, macos: str, windows: str) -> None:
    client = client_named(name)
    assert client is not None
    mac = Surroundings(System.MACOS, PurePosixPath("/Users/ada"))
    assert first(client, Scope.USER, mac) == macos
    win = Surroundings(System.WINDOWS, PureWindowsPath("C:/Users/ada"))
    found = places(client.wheres(Scope.USER), win, None)
    assert str(found[0].path) == windows


def test_what_a_person_set_moves_the_files() -> None:
    moved = Surroundings(
        System.LINUX,
        PurePosixPath("/home/ada"),
        xdg_config=PurePosixPath("/x"),
        claude=PurePosixPath("/cl"),
        codex=PurePosixPath("/co"),
    )
    named = {client.name: first(client, Scope.USER, moved) for client in CLIENTS}
    assert named["claude-code"] == "/cl/.claude.json"
    assert named["codex"] == "/co/config.toml"
    assert named["goose"] == "/x/goose/config.yaml"
    assert named["vscode"] == "/x/Code/User/mcp.json"
    win = Surroundings(
        System.WINDOWS, PureWindowsPath("C:/Users/ada"), roaming=PureWindowsPath("D:/Roaming")
    )
    goose = client_named("goose")
    assert goose is not None
    assert str(places(goose.user, win, None)[0].path) == (
        "D:\\Roaming\\Block\\goose\\config\\config.yaml"
    )


def test_the_default_is_every_project_only_where_the_client_starts_in_it() -> None:
    chosen = {client.name: client.default_scope() for client in CLIENTS}
    user = {name for name, scope in chosen.items() if scope is Scope.USER}
    assert user == {
        "claude-code", "codex", "gemini-cli", "opencode", "windsurf", "cline", "goose",
    }  # fmt: skip
    assert chosen["generic"] is None


@pytest.mark.parametrize(
    ("entry", "launch"),
    [
        ({"command": "c", "args": ["a"], "env": {"N": 1}}, Launch("c", ("a",), {"N": "1"})),
        ({"command": ["c", "a"], "environment": {}}, Launch("c", ("a",))),
        ({"cmd": "c", "args": [], "envs": None, "cwd": "/w"}, Launch("c", cwd="/w")),
        ({"command": "c"}, Launch("c")),
        ({"url": "u"}, None),
        ({"command": []}, None),
        ({"command": ["c", 1]}, None),
        ({"command": "c", "args": "a"}, None),
        ({"command": "", "args": []}, None),
        ({"command": "c", "env": "x"}, None),
    ],
)
def test_entries_of_every_shape_are_read(entry: dict[str, Any], launch: Launch | None) -> None:
    assert launch_of(entry) == launch


def test_an_entry_may_be_switched_off() -> None:
    assert is_off({"disabled": True})
    assert is_off({"enabled": False})
    assert not is_off({"disabled": False, "enabled": True})
    assert not is_off({})


def test_variables_are_replaced_where_they_have_a_value() -> None:
    known = {"workspaceFolder": "/w", "env:N": "n"}
    launch = Launch("${workspaceFolder}/c", ("${X:-d}", "${X}", "${env:N}"), {"A": "${X:-}"}, "$")
    assert expanded(launch, known.get) == Launch("/w/c", ("d", "${X}", "n"), {"A": ""}, "$")
