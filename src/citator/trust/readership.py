"""Who the history of a repository is for: how sensitive it is, and which paths are more so.

- Said by a person's command, per repository id, and kept outside every repository: nothing in one
  can widen who reads it.
- Where nothing is said, a repository is for whoever is served. What is said of paths only raises.
- A file that cannot be relied on: everything is for those who may see all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.formats.globs import problem_with
from citator.model.record import Sensitivity
from citator.store.layout import Layout
from citator.trust.errors import PinRefusedError
from citator.trust.owned_json import PerRepository, damaged

VERSION: Final = 1
MAX_RULES: Final = 200


@dataclass(frozen=True, slots=True)
class PathRule:
    """Paths that ``glob`` (see :mod:`citator.formats.globs`) covers are at least so sensitive."""

    glob: str
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class Readership:
    """How sensitive a repository is, and the paths that are more so."""

    sensitivity: Sensitivity = Sensitivity.INTERNAL
    rules: tuple[PathRule, ...] = ()


CLOSED: Final = Readership(Sensitivity.RESTRICTED)


class Readerships:
    """The readerships of one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._file = PerRepository(layout, "readership", VERSION)

    def of(self, repository: str) -> Readership | None:
        """What was said of ``repository`` (its id), None where nothing was.

        Raises PinRefusedError, StorageError.
        """
        said = self._file.said(repository)
        return None if said is None else _parsed(said)

    def relied_on(self, repository: str) -> Readership | None:
        """The same; :data:`CLOSED` where it cannot be relied on. Raises StorageError."""
        try:
            return self.of(repository)
        except PinRefusedError:
            return CLOSED

    def set(self, repository: str, readership: Readership | None) -> None:
        """Say it, durably, or (None) nothing any more. For a person's command alone.

        Raises PinRefusedError, StorageError.
        """
        parts: dict[str, object] | None = None
        if readership is not None:
            rules = [
                {"glob": one.glob, "sensitivity": one.sensitivity.value} for one in readership.rules
            ]
            parts = {"sensitivity": readership.sensitivity.value, "paths": rules}
        self._file.say(repository, parts)


def _parsed(said: object) -> Readership:
    """One entry of the file; damage where it is not what a command wrote."""
    if not isinstance(said, dict) or said.keys() != {"sensitivity", "paths"}:
        raise damaged()
    paths = said["paths"]
    if not isinstance(paths, list) or len(paths) > MAX_RULES:
        raise damaged()
    try:
        return Readership(Sensitivity(said["sensitivity"]), tuple(map(_rule, paths)))
    except ValueError:
        raise damaged() from None


def _rule(said: object) -> PathRule:
    if not isinstance(said, dict) or said.keys() != {"glob", "sensitivity"}:
        raise damaged()
    glob = said["glob"]
    if not isinstance(glob, str) or problem_with(glob) is not None:
        raise damaged()
    return PathRule(glob, Sensitivity(said["sensitivity"]))
