"""The tools as blocking work: arguments in, one object out, a fresh look at HEAD each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.mcp.tools import TOOLS

if TYPE_CHECKING:
    from citator.service.workspace import Places, Workspace


@dataclass(frozen=True)
class Desk:
    """Serves one repository: the one that holds ``start``. ``lagging`` hears of a late index."""

    start: Path
    places: Places
    lagging: Callable[[], None] = lambda: None

    def work(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The object that ``tool`` answers with. ``arguments`` are checked and complete.

        Raises CitatorError.
        """
        found: dict[str, Any] = TOOLS[tool].work(self, arguments)
        return found

    def completions(self, begun: str, limit: int) -> list[str]:
        """At most ``limit`` references that begin as ``begun`` does. Raises CitatorError."""
        from citator.service.complete_refs import complete_refs

        return [str(ref) for ref in complete_refs(self.opened(), begun, limit)]

    def skills(self, begun: str) -> list[str]:
        """The names of the active skills that begin as ``begun`` does. Raises CitatorError."""
        from citator.service.skill_dispatch import names

        return [name for name in names(self.places) if name.startswith(begun)]

    def skill(self, name: str) -> str | None:
        """All texts of the active skill of that name, fenced. Raises CitatorError."""
        from citator.model.fence import fenced
        from citator.service.skill_dispatch import by_name, text_of

        found = by_name(self.places, name)
        secret = self.opened().secret
        return None if found is None else fenced(text_of(found), secret, procedure=True)

    def opened(self) -> Workspace:
        """The repository, looked for from ``start`` up to its own top and no further."""
        from citator.service.registered import naming_the_registered
        from citator.service.workspace import Workspace

        return naming_the_registered(lambda: Workspace.open(self.start, self.places), self.places)

    def is_behind(self) -> bool:
        """Whether a build would change what is served; False where there is nothing to build."""
        from citator.model.errors import CitatorError
        from citator.service import predicted, removed
        from citator.service.index_history import needs_update
        from citator.service.workspace import Workspace

        try:
            workspace = Workspace.open(self.start, self.places)
            late = predicted.is_late(workspace) or removed.is_late(workspace)
            return late or needs_update(workspace)
        except CitatorError:
            return False
