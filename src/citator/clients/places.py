"""Where each client keeps its configuration, as data: nothing here looks at a disk.

- A place is a base (the home, the project, the platform's folder for settings) and a path below
  it. What the bases are on this machine is told by the face.
- Paths are pure, so that the places of any platform can be worked out on any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath


class System(StrEnum):
    """The platforms whose folders differ."""

    LINUX = "linux"
    MACOS = "macos"
    WINDOWS = "windows"


class Scope(StrEnum):
    """For whom a file configures its client: one person, or everybody in one project."""

    USER = "user"
    PROJECT = "project"


class Base(StrEnum):
    """What a path hangs from."""

    HOME = "home"
    PROJECT = "project"
    XDG = "xdg"  # XDG_CONFIG_HOME, else ~/.config, on every platform
    SETTINGS = "settings"  # the platform's own folder for a person's settings
    CLAUDE = "claude"  # CLAUDE_CONFIG_DIR, else the home
    CLAUDE_FOLDER = "claude_folder"  # CLAUDE_CONFIG_DIR, else ~/.claude
    CODEX = "codex"  # CODEX_HOME, else ~/.codex


@dataclass(frozen=True, slots=True)
class Surroundings:
    """This person's folders on this machine. None: not set, the default below the home holds."""

    system: System
    home: PurePath
    xdg_config: PurePath | None = None
    roaming: PurePath | None = None
    claude: PurePath | None = None
    codex: PurePath | None = None

    def base(self, base: Base, project: PurePath | None) -> PurePath | None:
        """The folder that ``base`` is here; None for a project where there is none."""
        xdg = self.xdg_config or self.home / ".config"
        if base is Base.PROJECT:
            return project
        if base is Base.SETTINGS:
            return {
                System.LINUX: xdg,
                System.MACOS: self.home / "Library" / "Application Support",
                System.WINDOWS: self.roaming or self.home / "AppData" / "Roaming",
            }[self.system]
        return {
            Base.HOME: self.home,
            Base.XDG: xdg,
            Base.CLAUDE: self.claude or self.home,
            Base.CLAUDE_FOLDER: self.claude or self.home / ".claude",
            Base.CODEX: self.codex or self.home / ".codex",
        }[base]


EVERYWHERE = frozenset(System)
POSIX = frozenset({System.LINUX, System.MACOS})
WINDOWS = frozenset({System.WINDOWS})


@dataclass(frozen=True, slots=True)
class Where:
    """A file: ``path`` (slashes) below ``base``, on ``systems``."""

    base: Base
    path: str
    systems: frozenset[System] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Place:
    """A file on this machine, and the folder that it must stay inside."""

    base: PurePath
    path: PurePath


def places(
    wheres: tuple[Where, ...], surroundings: Surroundings, project: PurePath | None
) -> tuple[Place, ...]:
    """The candidates on this machine, the preferred one first."""
    found = []
    for where in wheres:
        base = surroundings.base(where.base, project)
        if base is not None and surroundings.system in where.systems:
            found.append(Place(base, base.joinpath(*where.path.split("/"))))
    return tuple(found)
