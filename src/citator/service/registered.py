"""The repositories that this machine's data directory knows, by where they are.

Paths are of this machine and its owner's choice; they travel plain or percent-encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from citator.model.errors import CitatorError, UsageError
from citator.model.plain import plain_path
from citator.service.workspace import Places, Workspace
from citator.store import stamp
from citator.store.layout import Layout, RepositoryPlace

T = TypeVar("T")

NAMED: Final = 5
NOWHERE: Final = frozenset({"not_a_repository", "no_such_path", "home_repository"})


def registered(places: Places) -> tuple[RepositoryPlace, ...]:
    """Every clone that is registered and still the one at its place. Raises StorageError."""
    return tuple(place for place in Layout(places.data).places() if place.current)


def folder_of(place: RepositoryPlace) -> Path:
    """The folder a person knows the clone by: its work tree, where it has one of the usual kind."""
    common = place.common_dir
    return common.parent if common.name == ".git" else common


def shown(path: Path) -> str:
    """``path`` as a plain token, percent-encoded where it is not plain."""
    return plain_path(path.as_posix())


def opened_at(start: Path, places: Places) -> Workspace:
    """The repository that holds ``start``. Raises as ``Workspace.open``, naming those known."""
    return naming_the_registered(lambda: Workspace.open(start, places), places)


def require_readable(places: Places) -> None:
    """Raises IntegrityError where a newer version wrote the data directory."""
    stamp.require_readable(places.data)


def naming_the_registered(opened: Callable[[], T], places: Places) -> T:
    """What ``opened`` returns; where it finds no repository, its error names those known here."""
    try:
        return opened()
    except UsageError as error:
        if error.code not in NOWHERE:
            raise
        raise UsageError(error.code, error.what, _with_names(error.todo, places)) from None


def _with_names(todo: str, places: Places) -> str:
    try:
        known = [shown(folder_of(place)) for place in registered(places)]
    except CitatorError:
        return todo
    if not known:
        return todo
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return f"{todo}\nRegistered here: {', '.join(known[:NAMED])}{more}. `--root PATH` names one."
