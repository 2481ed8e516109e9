"""Every client that can be wired, one entry each: its files, its shape, its ways.

- ``in_project``: a server without ``--root`` finds its repository, because the client starts
  servers in the directory of the project.
- ``bom``: the client reads a file that starts with a byte order mark.
- ``expands``: the client replaces ``${...}`` in what it starts.
- ``inherits``: the variables a server inherits, where the client passes on only some.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from citator.clients.editing import Editor, Entry
from citator.clients.json_text import JsonText
from citator.clients.launch import Launch
from citator.clients.places import POSIX, WINDOWS, Base, Scope, Where
from citator.clients.shapes import (
    argument_vector,
    bare,
    extension,
    parallel,
    switchable,
    typed,
    typed_with_env,
    with_env,
)
from citator.clients.toml_text import TomlText
from citator.clients.yaml_text import YamlText

SERVER: Final = "citator"
STRICT: Final = JsonText(strict=True)
JSONC: Final = JsonText()
TOML: Final = TomlText()
YAML: Final = YamlText()

# What Codex passes on to a server, on POSIX and on Windows.
_CODEX: Final = frozenset(
    [
        "HOME",
        "LOGNAME",
        "PATH",
        "SHELL",
        "USER",
        "__CF_USER_TEXT_ENCODING",
        "LANG",
        "LC_ALL",
        "TERM",
        "TMPDIR",
        "TZ",
        "PATHEXT",
        "COMSPEC",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "USERNAME",
        "USERDOMAIN",
        "USERPROFILE",
        "HOMEDRIVE",
        "HOMEPATH",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PROGRAMW6432",
        "PROGRAMDATA",
        "LOCALAPPDATA",
        "APPDATA",
        "TEMP",
        "TMP",
        "POWERSHELL",
        "PWSH",
    ]
)


@dataclass(frozen=True, slots=True)
class Client:
    """One client. ``servers`` is the key of its table of servers."""

    name: str
    title: str
    servers: str
    editor: Editor
    shape: Callable[[Launch], Entry]
    user: tuple[Where, ...] = ()
    project: tuple[Where, ...] = ()
    in_project: bool = False
    bom: bool = True
    expands: bool = False
    inherits: frozenset[str] | None = None

    @property
    def keys(self) -> tuple[str, str]:
        """Where our entry stands in the file."""
        return (self.servers, SERVER)

    def wheres(self, scope: Scope) -> tuple[Where, ...]:
        """The files of one scope, on every platform."""
        return self.user if scope is Scope.USER else self.project

    def scopes(self) -> tuple[Scope, ...]:
        """The scopes the client has."""
        return tuple(scope for scope in Scope if self.wheres(scope))

    def default_scope(self) -> Scope | None:
        """For every project at once where that works, else for one. None: it has no file."""
        wanted = Scope.USER if self.in_project or not self.project else Scope.PROJECT
        return wanted if self.wheres(wanted) else None


CLIENTS: Final[tuple[Client, ...]] = (
    Client(
        "claude-code",
        "Claude Code",
        "mcpServers",
        STRICT,
        typed_with_env,
        user=(Where(Base.CLAUDE, ".claude.json"),),
        project=(Where(Base.PROJECT, ".mcp.json"),),
        in_project=True,
        expands=True,
    ),
    Client(
        "cursor",
        "Cursor",
        "mcpServers",
        JSONC,
        bare,
        user=(Where(Base.HOME, ".cursor/mcp.json"),),
        project=(Where(Base.PROJECT, ".cursor/mcp.json"),),
        expands=True,
    ),
    Client(
        "vscode",
        "VS Code",
        "servers",
        JSONC,
        typed,
        user=(Where(Base.SETTINGS, "Code/User/mcp.json"),),
        project=(Where(Base.PROJECT, ".vscode/mcp.json"),),
        expands=True,
    ),
    Client(
        "codex",
        "Codex",
        "mcp_servers",
        TOML,
        parallel,
        user=(Where(Base.CODEX, "config.toml"),),
        project=(Where(Base.PROJECT, ".codex/config.toml"),),
        in_project=True,
        inherits=_CODEX,
    ),
    Client(
        "gemini-cli",
        "Gemini CLI",
        "mcpServers",
        JSONC,
        bare,
        user=(Where(Base.HOME, ".gemini/settings.json"),),
        project=(Where(Base.PROJECT, ".gemini/settings.json"),),
        in_project=True,
    ),
    Client(
        "opencode",
        "OpenCode",
        "mcp",
        JSONC,
        argument_vector,
        user=(
            Where(Base.XDG, "opencode/opencode.json"),
            Where(Base.XDG, "opencode/opencode.jsonc"),
        ),
        project=(Where(Base.PROJECT, "opencode.json"), Where(Base.PROJECT, "opencode.jsonc")),
        in_project=True,
    ),
    Client(
        "antigravity",
        "Antigravity",
        "mcpServers",
        STRICT,
        bare,
        user=(
            Where(Base.HOME, ".gemini/config/mcp_config.json"),
            Where(Base.HOME, ".gemini/antigravity/mcp_config.json"),
        ),
        project=(Where(Base.PROJECT, ".agents/mcp_config.json"),),
        bom=False,
    ),
    Client(
        "windsurf",
        "Windsurf",
        "mcpServers",
        JSONC,
        bare,
        user=(Where(Base.HOME, ".codeium/windsurf/mcp_config.json"),),
    ),
    Client(
        "zed",
        "Zed",
        "context_servers",
        JSONC,
        with_env,
        user=(
            Where(Base.XDG, "zed/settings.json", POSIX),
            Where(Base.SETTINGS, "Zed/settings.json", WINDOWS),
        ),
        project=(Where(Base.PROJECT, ".zed/settings.json"),),
    ),
    Client(
        "cline",
        "Cline",
        "mcpServers",
        STRICT,
        switchable,
        user=(
            Where(
                Base.SETTINGS,
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            Where(Base.HOME, ".cline/data/settings/cline_mcp_settings.json"),
        ),
    ),
    Client(
        "goose",
        "Goose",
        "extensions",
        YAML,
        extension,
        user=(
            Where(Base.XDG, "goose/config.yaml", POSIX),
            Where(Base.SETTINGS, "Block/goose/config/config.yaml", WINDOWS),
        ),
        in_project=True,
    ),
    Client(
        "jetbrains",
        "JetBrains Junie",
        "mcpServers",
        JSONC,
        bare,
        user=(Where(Base.HOME, ".junie/mcp/mcp.json"),),
        project=(Where(Base.PROJECT, ".junie/mcp/mcp.json"),),
    ),
    Client("generic", "Any other client", "mcpServers", STRICT, bare),
)


def client_named(name: str) -> Client | None:
    """The client called ``name``."""
    return next((client for client in CLIENTS if client.name == name), None)
