"""The shape of the entry that each client reads.

What a person may have changed since (whether it is on, how long to wait, its environment) is
*settled* once it is there. No shape allows anything by itself: approval stays with the client.
"""

from __future__ import annotations

from citator.clients.editing import Entry
from citator.clients.launch import Launch


def bare(launch: Launch) -> Entry:
    """A command and its arguments."""
    return Entry({"command": launch.command, "args": list(launch.args)})


def typed(launch: Launch) -> Entry:
    """The same, named as a server over standard input and output."""
    return Entry({"type": "stdio", "command": launch.command, "args": list(launch.args)})


def typed_with_env(launch: Launch) -> Entry:
    """As Claude Code writes it itself."""
    return Entry({**typed(launch).fields, "env": {}}, frozenset({"env"}))


def with_env(launch: Launch) -> Entry:
    """As Zed writes it itself."""
    return Entry({**bare(launch).fields, "env": {}}, frozenset({"env"}))


def switchable(launch: Launch) -> Entry:
    """As Cline writes it itself."""
    return Entry({**bare(launch).fields, "disabled": False}, frozenset({"disabled"}))


def argument_vector(launch: Launch) -> Entry:
    """OpenCode: one array; a command that is a string does not start."""
    fields = {"type": "local", "command": [launch.command, *launch.args], "enabled": True}
    return Entry(fields, frozenset({"enabled"}))


def parallel(launch: Launch) -> Entry:
    """Codex: calls may overlap, because none of them writes."""
    fields = {**bare(launch).fields, "supports_parallel_tool_calls": True}
    return Entry(fields, frozenset({"supports_parallel_tool_calls"}))


def extension(launch: Launch) -> Entry:
    """Goose."""
    fields = {
        "name": "citator",
        "type": "stdio",
        "cmd": launch.command,
        "args": list(launch.args),
        "envs": {},
        "enabled": True,
        "timeout": 300,
    }
    return Entry(fields, frozenset({"envs", "enabled", "timeout"}))
