"""How a server is started: a program, its arguments, what is added to its environment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_:]*?)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Launch:
    """One command, as a client runs it. ``cwd`` is None where the client decides."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The command and its arguments."""
        return (self.command, *self.args)

    def with_args(self, *more: str) -> Launch:
        """The same command with ``more`` arguments at the end."""
        return Launch(self.command, (*self.args, *more), self.env, self.cwd)


def launch_of(entry: Mapping[str, object]) -> Launch | None:
    """What a client's entry starts, in any of the shapes; None where it starts nothing here."""
    command = entry.get("command", entry.get("cmd"))
    given = command if isinstance(command, list) else [command, *_items(entry.get("args", []))]
    words = [word for word in given if isinstance(word, str)]
    if not words or not words[0] or len(words) < len(given):
        return None
    env = next((entry[key] for key in ("env", "environment", "envs") if key in entry), None) or {}
    if not isinstance(env, Mapping):
        return None
    cwd = entry.get("cwd")
    return Launch(
        words[0],
        tuple(words[1:]),
        {str(name): str(value) for name, value in env.items()},
        cwd if isinstance(cwd, str) else None,
    )


def expanded(launch: Launch, value_of: Callable[[str], str | None]) -> Launch:
    """``launch`` with each ``${NAME}`` replaced; ``${NAME:-DEFAULT}`` where NAME has no value.

    A name without a value and without a default stays as it is written.
    """

    def replaced(match: re.Match[str]) -> str:
        found = value_of(match[1])
        default = match[0] if match[2] is None else match[2]
        return default if found is None else found

    def of(text: str) -> str:
        return _VARIABLE.sub(replaced, text)

    return Launch(
        of(launch.command),
        tuple(of(word) for word in launch.args),
        {name: of(value) for name, value in launch.env.items()},
        None if launch.cwd is None else of(launch.cwd),
    )


def is_off(entry: Mapping[str, object]) -> bool:
    """Whether the entry is there and switched off."""
    return entry.get("disabled") is True or entry.get("enabled") is False


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [None]
