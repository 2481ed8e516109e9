"""Which git is installed, and what it cannot be told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from citator.git.refusals import too_old
from citator.git.runner import Git

MINIMUM: Final = (2, 36)

# The first version of each line that obeys GIT_NO_LAZY_FETCH; every later line does.
_OBEYS: Final = {39: 4, 40: 2, 41: 1, 42: 2, 43: 4, 44: 1}
_ALL_OBEY: Final = (2, 45)


def version() -> tuple[int, ...]:
    """The version of the installed git, such as ``(2, 39, 5)``. Raises GitRefusedError."""
    said = re.match(rb"git version (\d+(?:\.\d+)*)", Git(Path.cwd()).run("version"))
    if said is None:
        raise too_old()
    return tuple(int(part) for part in said[1].split(b"."))


def fetches_lazily(version: tuple[int, ...]) -> bool:
    """Whether this git asks a remote for an absent object although it was told not to."""
    if version >= _ALL_OBEY:
        return False
    major, minor, patch = (*version, 0, 0, 0)[:3]
    return major < 2 or minor not in _OBEYS or patch < _OBEYS[minor]
