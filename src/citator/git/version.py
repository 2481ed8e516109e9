"""Which git is installed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from citator.git.refusals import too_old
from citator.git.runner import Git

MINIMUM: Final = (2, 31)


def version() -> tuple[int, ...]:
    """The version of the installed git, such as ``(2, 39, 5)``. Raises GitRefusedError."""
    said = re.match(rb"git version (\d+(?:\.\d+)*)", Git(Path(os.sep)).run("version"))
    if said is None:
        raise too_old()
    return tuple(int(part) for part in said[1].split(b"."))
