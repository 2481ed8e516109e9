"""What the process stands in: this face's only reader of the environment.

- ``CITATOR_DATA_DIR`` and ``CITATOR_CONFIG_DIR`` override the platform's directories; an empty
  value counts as none.
- A person watches a stream when it is a terminal. Colour is for a person alone, and for none
  where ``NO_COLOR`` is set or ``TERM`` is ``dumb``.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from citator.clients.launch import Launch
    from citator.clients.places import Surroundings
    from citator.service.event_log import EventLog
    from citator.service.workspace import Places

VARIABLES = ("CITATOR_DATA_DIR", "CITATOR_CONFIG_DIR", "CITATOR_DEBUG", "CITATOR_LOG")
NARROWEST = 20
DEFAULT_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Screen:
    """How to write for whoever reads: ``width`` in columns, ``unicode`` for glyphs past ASCII."""

    person: bool
    colour: bool
    width: int
    unicode: bool


def screen(stream: IO[str] | None = None, environ: Mapping[str, str] = os.environ) -> Screen:
    """The screen that ``stream`` (standard output) is written to."""
    target = sys.stdout if stream is None else stream
    person = is_terminal(target)
    plain = bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"
    return Screen(
        person=person,
        colour=person and not plain and _understands_colour(environ),
        width=max(NARROWEST, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns),
        unicode=(getattr(target, "encoding", None) or "ascii").lower().startswith("utf"),
    )


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person watches ``stream``; a closed or missing stream has no watcher."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def shows_progress(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a moving line on standard error would be seen and not merely logged."""
    return is_terminal(sys.stderr) and environ.get("TERM") != "dumb"


def wants_reports(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether an unexpected error may print its traceback (``CITATOR_DEBUG``)."""
    return environ.get("CITATOR_DEBUG", "") not in {"", "0"}


def named_variables(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Which variables of ours are set; not what they say."""
    return tuple(name for name in VARIABLES if environ.get(name))


def event_log(command: str, environ: Mapping[str, str] = os.environ) -> EventLog:
    """Who keeps what ``command`` tells (``CITATOR_LOG``)."""
    from citator.service.event_log import EventLog, level_of

    level = level_of(environ)
    return EventLog(level, lambda: places(environ).data, time.time, time.monotonic, command)


def places(environ: Mapping[str, str] = os.environ) -> Places:
    """The data and the configuration directory of this user, absolute. Raises UsageError."""
    from citator.service.workspace import Places

    data, config = environ.get("CITATOR_DATA_DIR"), environ.get("CITATOR_CONFIG_DIR")
    with _wanting_a_home():
        if not data or not config:
            import platformdirs

            data = data or platformdirs.user_data_dir("citator", appauthor=False)
            config = config or platformdirs.user_config_dir("citator", appauthor=False)
        found = Path(data).expanduser().absolute(), Path(config).expanduser().absolute()
    return Places(*found, home=home())


def now() -> str:
    """The present time (RFC 3339, UTC, to the second)."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def home() -> Path | None:
    """This user's home directory; None where the system knows of none (some containers)."""
    try:
        return Path.home()
    except RuntimeError:
        return None


@contextmanager
def _wanting_a_home() -> Iterator[None]:
    """Raises UsageError where the block needs a home directory and there is none."""
    try:
        yield
    except RuntimeError:
        from citator.model.errors import UsageError

        raise UsageError(
            "no_home_directory",
            "this user has no home directory, so there is no place to keep an index",
            "set CITATOR_DATA_DIR and CITATOR_CONFIG_DIR to directories of this user",
        ) from None


def environment() -> dict[str, str]:
    """All of it, for a program that is started as a client would start it."""
    return dict(os.environ)


def client_folders(environ: Mapping[str, str] = os.environ) -> Surroundings:
    """The folders in which clients keep this user's configuration."""
    from citator.clients.places import Surroundings, System

    def folder(name: str) -> Path | None:
        value = environ.get(name)
        return Path(value) if value and Path(value).is_absolute() else None

    systems = {"darwin": System.MACOS, "win32": System.WINDOWS}
    with _wanting_a_home():
        at_home = Path.home()
    return Surroundings(
        systems.get(sys.platform, System.LINUX),
        at_home,
        xdg_config=folder("XDG_CONFIG_HOME"),
        roaming=folder("APPDATA"),
        claude=folder("CLAUDE_CONFIG_DIR"),
        codex=folder("CODEX_HOME"),
    )


def program(
    script: str = sys.argv[0], executable: str = sys.executable
) -> tuple[Launch, tuple[Launch, ...]]:
    """How this very program is started again, from anywhere; and its other names.

    The script that runs, by its absolute path, or else the interpreter with the module. ``-P``
    keeps the directory it is started in, which is somebody's repository, off the import path.
    """
    from citator.clients.launch import Launch

    module = Launch(executable, ("-P", "-m", "citator"))
    suffix = ".exe" if os.name == "nt" else ""
    running = Path(script).absolute()
    if running.suffix != suffix:
        running = running.with_name(running.name + suffix)
    beside = Path(executable).with_name(f"citator{suffix}")
    scripts = [path for path in (running, beside) if path.stem == "citator" and path.is_file()]
    known = [Launch(str(path)) for path in dict.fromkeys(scripts)]
    if running in scripts:
        return known[0], (*known[1:], module)
    return module, tuple(known)


def hook_program(executable: str = sys.executable) -> Launch:
    """How our hooks are started from anywhere: the interpreter with their module, as above."""
    from citator.clients.launch import Launch

    return Launch(executable, ("-P", "-m", "citator.hooks"))


def _understands_colour(environ: Mapping[str, str]) -> bool:
    """Old Windows consoles print escapes as text; newer ones announce themselves."""
    return os.name != "nt" or bool(environ.get("WT_SESSION") or environ.get("TERM"))
