"""The tools as blocking work: arguments in, one object out, a fresh look at HEAD each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.answers import answer_object, fitting, reading_object, reply_object
from citator.model.errors import UsageError
from citator.model.horizon import Limit

if TYPE_CHECKING:
    from citator.service.decide import Links
    from citator.service.decision_template import Wish
    from citator.service.proposing import Moment
    from citator.service.workspace import Places, Workspace

# A passage is bounded where it is made; what a result holds is bounded in answers.
WHOLE_LINES: Final = 1_000_000
WHOLE_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True)
class Desk:
    """Serves one repository: the one that holds ``start``. ``lagging`` hears of a late index.

    Proposals are written one after the other: a record has one writer, and each builds on it.
    """

    start: Path
    places: Places
    lagging: Callable[[], None] = lambda: None
    _writing: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def work(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The object that ``tool`` answers with. ``arguments`` are checked and complete.

        Raises CitatorError.
        """
        return {
            "investigate_work": self._investigate,
            "read_evidence": self._read,
            "propose_decision": self._propose,
        }[tool](arguments)

    def completions(self, begun: str, limit: int) -> list[str]:
        """At most ``limit`` references that begin as ``begun`` does. Raises CitatorError."""
        from citator.service.complete_refs import complete_refs

        return [str(ref) for ref in complete_refs(self._opened(), begun, limit)]

    def _investigate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from citator.model.record import ItemKind
        from citator.service.investigate import Question, investigate

        workspace = self._opened()
        question = Question(
            arguments["task"],
            limit=arguments["limit"],
            read=arguments["read"],
            cursor=arguments["cursor"] or None,
            paths=tuple(arguments["paths"] or ()),
            kinds=tuple(ItemKind(kind) for kind in arguments["kinds"] or ()),
            as_of=arguments["as_of"] or None,
            at=arguments["at"] or None,
        )
        found = investigate(workspace, question)
        kept = fitting(found.answer, found.record)
        if kept < len(found.answer.evidence):
            shorter = replace(question, limit=kept)
            found = investigate(workspace, shorter, record=found.record)
        if any(fact.limit is Limit.INDEX_BEHIND for fact in found.answer.horizon.facts):
            self.lagging()
        return answer_object(found.answer, found.texts, workspace.secret, found.record)

    def _read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from citator.service.read_evidence import read_evidence

        workspace = self._opened()
        items = read_evidence(
            workspace, arguments["refs"], max_lines=WHOLE_LINES, max_characters=WHOLE_CHARACTERS
        )
        return reading_object(items, workspace.secret, arguments["start"], arguments["max_lines"])

    def _propose(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from citator.service.propose_decision import propose_decision, status_of

        given = {key: value for key, value in arguments.items() if value and key != "kind"}
        if "id" in given:
            if len(given) > 1:
                raise _only("`id` asks how a proposal stands", "Give `id` alone, or leave it out.")
            return reply_object(status_of(self._opened(), given["id"]))
        missing = [key for key in ("title", "ruling", "body") if key not in given]
        if missing:
            raise _only(f"`{missing[0]}` is missing", f"Give `{missing[0]}`, or `id` alone.")
        wish, links = _wished(arguments)
        because = given.get("because")
        with self._writing:
            made = propose_decision(self._opened(), wish, links, because, _moment())
        return reply_object(made)

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


def _only(what: str, todo: str) -> UsageError:
    return UsageError("invalid_arguments", what, todo)


def _moment() -> Moment:
    """Now, at this border: nothing below reads a clock."""
    from secrets import token_bytes
    from time import time_ns

    from citator.service.proposing import Moment

    return Moment(time_ns() // 1_000_000, token_bytes)


def _wished(arguments: Mapping[str, Any]) -> tuple[Wish, Links]:
    from citator.service.decide import Links
    from citator.service.decision_template import Alternative, Wish

    wish = Wish(
        title=arguments["title"],
        ruling=arguments["ruling"],
        kind=arguments["kind"],
        paths=tuple(arguments["paths"] or ()),
        body=arguments["body"],
        alternatives=tuple(
            Alternative(one["value"], one["reason"], one["unless"] or "")
            for one in arguments["rejected"] or ()
        ),
    )
    supersedes = arguments["supersedes"]
    return wish, Links((supersedes,) if supersedes else (), arguments["revises"] or None)
