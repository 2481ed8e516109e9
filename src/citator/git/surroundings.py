"""What surrounds every git process: its environment, its settings, and where git itself is.

- The repository is not trusted. No program, hook, pager, credential helper, monitor or transport
  that its configuration names is started; nothing leaves the machine; nothing is written.
- The person is trusted: their own configuration is read (it says which directories are safe),
  under the settings below, which win.
- One exchange may leave the machine (:mod:`citator.git.exchange`, which a person's command names):
  from an empty repository of ours, over three transports, with the person's own credentials.
- The history is read as it was made: replace refs, grafts and the commit graph take no part.
- git is looked for in absolute directories of PATH alone, never in the current directory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from citator.model.errors import GitRefusedError

# Variables of git that only narrow what is read, or say where the person's configuration is.
KEPT: Final = frozenset(
    {
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
    }
)

FIXED: Final[Mapping[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",  # the allowed transports, whatever is configured: no such one
    "GIT_ASKPASS": "",  # stands before core.askPass and SSH_ASKPASS
    "GIT_FLUSH": "0",  # only speed
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

SETTINGS: Final[Mapping[str, str]] = {
    "core.attributesFile": os.devnull,
    "core.commitGraph": "false",  # a copy of the history that may say something else
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "credential.helper": "",
    "diff.external": "",  # no program at all: who wants a patch asks with --no-ext-diff
    "log.showSignature": "false",
}

# Of the one exchange with a remote: how the person reaches it, and what git may reach it over.
REACHING: Final = frozenset({"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO"})
TRANSPORTS: Final = "file:https:ssh"
EXCHANGE_SETTINGS: Final[Mapping[str, str]] = {
    "fetch.writeCommitGraph": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "push.gpgSign": "false",
}


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of a git process, given this process's own."""
    return _kept(inherited, KEPT) | dict(FIXED)


def exchange_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """The same for a git process that may reach a remote."""
    fixed = {**FIXED, "GIT_ALLOW_PROTOCOL": TRANSPORTS}
    return _kept(inherited, KEPT | REACHING) | fixed


def _kept(inherited: Mapping[str, str], of_git: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in inherited.items() if _is_kept(name.upper(), of_git)}


def _is_kept(name: str, of_git: frozenset[str]) -> bool:
    if name.startswith("GIT_"):
        return name in of_git
    return not name.startswith(("LC_", "LANGUAGE"))


def options() -> list[str]:
    """The options that stand before every git subcommand."""
    return _options(SETTINGS)


def exchange_options() -> list[str]:
    """The same for a git process that may reach a remote: the person's credentials are read."""
    person = {name: value for name, value in SETTINGS.items() if name != "credential.helper"}
    return _options({**person, **EXCHANGE_SETTINGS})


def _options(settings: Mapping[str, str]) -> list[str]:
    said = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return ["--no-pager", *said]


def executable(inherited: Mapping[str, str]) -> str:
    """The absolute path of git. Raises GitRefusedError where PATH has none."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in inherited.get("PATH", os.defpath).split(os.pathsep):
        candidate = Path(folder, name)
        if candidate.is_absolute() and candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise GitRefusedError(
        "git_missing",
        "git was not found on this machine",
        "install git, or put its directory on PATH",
    )
