"""The tools as blocking work: arguments in, one object out, a fresh look at HEAD each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.answers import answer_object, fitting, reading_object
from citator.model.horizon import Limit

if TYPE_CHECKING:
    from citator.service.workspace import Places, Workspace

# A passage is bounded where it is made; what a result holds is bounded in answers.
WHOLE_LINES: Final = 1_000_000
WHOLE_CHARACTERS: Final = 1_000_000


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
        return {"investigate_work": self._investigate, "read_evidence": self._read}[tool](arguments)

    def completions(self, begun: str, limit: int) -> list[str]:
        """At most ``limit`` references that begin as ``begun`` does. Raises CitatorError."""
        from citator.service.complete_refs import complete_refs

        return [str(ref) for ref in complete_refs(self._opened(), begun, limit)]

    def _investigate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from citator.service.investigate import Question, investigate

        workspace = self._opened()
        question = Question(
            arguments["task"],
            limit=arguments["limit"],
            read=arguments["read"],
            cursor=arguments["cursor"] or None,
        )
        found = investigate(workspace, question)
        kept = fitting(found.answer)
        if kept < len(found.answer.evidence):
            found = investigate(workspace, replace(question, limit=kept))
        if any(fact.limit is Limit.INDEX_BEHIND for fact in found.answer.horizon.facts):
            self.lagging()
        return answer_object(found.answer, found.texts, workspace.secret)

    def _read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from citator.service.read_evidence import read_evidence

        workspace = self._opened()
        items = read_evidence(
            workspace, arguments["refs"], max_lines=WHOLE_LINES, max_characters=WHOLE_CHARACTERS
        )
        return reading_object(items, workspace.secret, arguments["start"], arguments["max_lines"])

    def _opened(self) -> Workspace:
        """The repository, looked for from ``start`` up to its own top and no further."""
        from citator.service.registered import naming_the_registered
        from citator.service.workspace import Workspace

        return naming_the_registered(lambda: Workspace.open(self.start, self.places), self.places)

    def is_behind(self) -> bool:
        """Whether a build would change what is served; False where there is nothing to build."""
        from citator.model.errors import CitatorError
        from citator.service.index_history import needs_update
        from citator.service.workspace import Workspace

        try:
            return needs_update(Workspace.open(self.start, self.places))
        except CitatorError:
            return False
