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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from citator.service.workspace import Places

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


def places(environ: Mapping[str, str] = os.environ) -> Places:
    """The data and the configuration directory of this user, absolute."""
    from citator.service.workspace import Places

    data, config = environ.get("CITATOR_DATA_DIR"), environ.get("CITATOR_CONFIG_DIR")
    if not data or not config:
        import platformdirs

        data = data or platformdirs.user_data_dir("citator", appauthor=False)
        config = config or platformdirs.user_config_dir("citator", appauthor=False)
    return Places(Path(data).expanduser().absolute(), Path(config).expanduser().absolute())


def _understands_colour(environ: Mapping[str, str]) -> bool:
    """Old Windows consoles print escapes as text; newer ones announce themselves."""
    return os.name != "nt" or bool(environ.get("WT_SESSION") or environ.get("TERM"))
