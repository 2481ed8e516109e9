"""Why some code is the way it is: the docket of lines, a file, a symbol, a commit, a decision, a
text or a question.

- Routed by the shape of what is asked: what names something exactly goes to git and the syntax of
  the files first, prose to the search over documents; a question that does both gets both.
- Only what HEAD has and the audience may see takes part; anything else is ``unknown_ref``.
- Bounded: the git legs end when their seconds are over, the docket says so, and goes on from there
  when more is asked for.
- Plain tokens alone leave (rule 1): messages are read by their references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from citator.git import trees
from citator.git.merges import last_touching
from citator.git.revisions import commit_named
from citator.git.uncommitted import read_work_file
from citator.index.protocol import View
from citator.model.docket import (
    Docket,
    DocketLines,
    DocketPlace,
    Removal,
    Role,
    Shape,
)
from citator.model.errors import NotFoundError, UsageError
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.plain import shown_path
from citator.model.reference import DocumentKind
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.search.docket.past_files import PastFiles
from citator.search.docket.patience import Patience
from citator.search.docket.target import Target, target_of
from citator.service.docket_beside import Beside, beside, tests_of
from citator.service.docket_commits import Commits
from citator.service.docket_groups import grouped
from citator.service.docket_lines import Lines
from citator.service.docket_places import (
    MAX_TESTS,
    Definition,
    definitions_in,
    held_lines,
    named,
    place_of,
)
from citator.service.docket_removed import Gone, gone_from_file, gone_from_lines, gone_text
from citator.service.horizon import Seen, horizon_of
from citator.service.opened import opened
from citator.service.readership import mask_of
from citator.service.treatment import treatments
from citator.service.workspace import Workspace, require_commits

SECONDS: Final = 5.0
MORE_SECONDS: Final = 60.0
MAX_COMMITS: Final = 12
MAX_PLACES: Final = 3
PARTNERS: Final = "cochange"
_CHANGES_OF: Final = 3
_MAX_PATH: Final = 400
_HEAD_LINES: Final = 8
_CHANGE_SECONDS: Final = 1.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: ``target`` as it was typed. ``removed``: what used to be there, and why it
    went. ``more``: take longer, and go on from where an earlier answer was cut off. ``unread``: how
    many commits may be read first to tell what changes along (None: as many as in a call)."""

    target: str
    removed: bool = False
    more: bool = False
    limit: int = MAX_COMMITS
    unread: int | None = None


def why(
    workspace: Workspace,
    asked: Asked,
    clock: Callable[[], float],
    audience: Audience | None = None,
) -> Docket:
    """The docket of what is asked, for ``audience`` (None: whom the operator granted).

    ``clock`` gives seconds. Raises NotFoundError ``unknown_ref``, UsageError ``empty_target``,
    RefusedError where nothing was indexed, GitRefusedError, StorageError.
    """
    if not asked.target.strip():
        raise UsageError(
            "empty_target", "nothing was asked about", "name lines, a file or a symbol"
        )
    with _opened(workspace, asked, clock, audience) as made:
        return made.docket()


@contextmanager
def _opened(
    workspace: Workspace, asked: Asked, clock: Callable[[], float], audience: Audience | None
) -> Iterator[_Making]:
    mask = mask_of(workspace, audience)
    head = require_commits(workspace)
    with (
        opened(workspace, mask) as (snapshot, view),
        closing(PastFiles(workspace.repository)) as files,
    ):
        horizon = horizon_of(workspace, snapshot, (), Seen(view, mask))
        with treatments(workspace, audience) as treated:
            commits = Commits(workspace, files, view, mask, treated, head)
            patience = Patience.of(MORE_SECONDS if asked.more else SECONDS, clock)
            yield _Making(workspace, asked, audience, commits, view, horizon, patience)


class _Making:
    """One docket in the making."""

    def __init__(
        self,
        workspace: Workspace,
        asked: Asked,
        audience: Audience | None,
        commits: Commits,
        view: View,
        horizon: Horizon,
        patience: Patience,
    ) -> None:
        self._workspace = workspace
        self._asked = asked
        self._audience = audience
        self._commits = commits
        self._view = view
        self._horizon = horizon
        self._patience = patience
        self._files: dict[str, Lines] = {}
        self._limits: list[HorizonFact] = []
        self._roles: list[tuple[str, Role, int]] = []
        self._lines: list[DocketLines] = []
        self._places: list[DocketPlace] = []
        self._removals: list[Removal] = []
        self._unfinished = False

    def docket(self) -> Docket:
        """Tell the shape, follow it, and put together what was found."""
        target = target_of(self._asked.target, self._is_path, self._was_path)
        made = {
            Shape.LINES: self._of_lines,
            Shape.PATH: self._of_path,
            Shape.SYMBOL: self._of_symbol,
            Shape.COMMIT: self._of_commit,
            Shape.DECISION: self._of_decision,
            Shape.TEXT: self._of_text,
            Shape.QUESTION: self._of_question,
        }[target.shape](target)
        if self._unfinished:
            self._limits.append(HorizonFact(Limit.TIME_LIMIT, None, "history"))
        return replace(
            made,
            horizon=made.horizon.having(self._limits),
            unfinished=self._unfinished,
            lines=tuple(self._lines),
            places=tuple(self._places),
            removals=tuple(self._removals),
        )

    # -- shapes

    def _of_lines(self, target: Target) -> Docket:
        lines = self._file(target.path)
        if self._asked.removed:
            self._take(
                gone_from_lines(self._commits, lines, target.first, target.last, self._patience)
            )
        else:
            self._trace(lines, target.first, target.last)
        return self._joined(target, paths=(target.path,))

    def _of_path(self, target: Target) -> Docket:
        if self._asked.removed:
            self._take(gone_from_file(self._commits, target.path, self._patience))
        else:
            self._roles += self._touching(target.path)
        return self._joined(target, paths=(target.path,))

    def _of_symbol(self, target: Target) -> Docket:
        name = target.symbols[0]
        found = named(self._commits, name, self._patience, target.path)
        definitions = self._trace_definitions(found.definitions, name, target.path)
        if self._asked.removed or not (definitions or found.held):
            self._take(gone_text(self._commits, name, self._patience, target.path, word=True))
        elif not definitions:
            self._trace_held([(one.path, one.line) for one in found.held])
        if not (self._lines or self._removals or self._roles) and not target.path:
            return self._of_prose(target)
        paths = tuple(dict.fromkeys(one.path for one in definitions[:MAX_PLACES]))
        made = self._joined(target, paths=paths or ((target.path,) if target.path else ()))
        return replace(
            made,
            symbol=name if name.isidentifier() else None,
            callers=found.callers,
            callers_left_out=found.callers_left_out,
            tests=tuple(dict.fromkeys([*made.tests, *found.tests]))[:MAX_TESTS],
        )

    def _of_commit(self, target: Target) -> Docket:
        repo = self._workspace.repository
        try:
            commit = commit_named(repo, target.said)
        except NotFoundError:
            raise _unknown() from None
        if not self._commits.has(commit):
            raise _unknown()
        self._roles.append((commit, Role.NAMED, 0))
        paths = self._commits.files.paths(commit) or ()
        return self._joined(target, paths=paths[:20])

    def _of_decision(self, target: Target) -> Docket:
        from citator.service.governing import Asked as AskedOfRecord
        from citator.service.governing import governing

        record = governing(self._workspace, self._whom(), AskedOfRecord(target.said))
        kept = tuple(one for one in record.decisions if one.item.startswith(target.said))
        if not kept:
            symbol = replace(target, shape=Shape.SYMBOL, symbols=(target.said,))
            return self._of_symbol(symbol)
        edges = [edge for one in kept for edge in self._commits.treatments.of(one.item)]
        for edge in edges:
            if self._commits.files.commit(edge.by) is not None and self._commits.has(edge.by):
                self._roles.append((edge.by, Role.NAMED, 0))
        return self._joined(target, record=replace(record, decisions=kept))

    def _of_text(self, target: Target) -> Docket:
        if not self._exactly(target.texts) and not self._roles:
            return self._of_prose(target)
        return self._joined(target, paths=tuple(dict.fromkeys(one.path for one in self._places)))

    def _of_question(self, target: Target) -> Docket:
        for name in target.symbols[:1]:
            found = named(self._commits, name, self._patience)
            if len(found.definitions) <= MAX_PLACES:
                self._trace_definitions(found.definitions, name, "")
        for text in target.texts:
            self._exactly((text,))
        if target.phrase and (self._asked.removed or not self._places):
            held = held_lines(self._commits, target.phrase, self._patience)
            if held and not self._asked.removed:
                self._trace_held([(one.path, one.line) for one in held])
            elif self._asked.removed:
                self._exactly((target.phrase,))
        return self._of_prose(target)

    def _of_prose(self, target: Target) -> Docket:
        from citator.service.investigate import Question, investigate

        found = investigate(self._workspace, Question(target.said), self._audience)
        made = self._joined(target, record=found.record)
        horizon = made.horizon.having(found.answer.horizon.facts)
        nothing = found.answer.abstained if not made.commits else None
        return replace(made, evidence=found.answer.evidence, horizon=horizon, abstained=nothing)

    # -- steps

    def _is_path(self, path: str) -> bool:
        """Whether a path names a file or folder that HEAD or the work tree has."""
        commits = self._commits
        if not path or "\0" in path or commits.hidden(path):
            return False
        below = trees.entries(self._workspace.repository, commits.head, [path])
        if any(not commits.hidden(entry.path) for entry in below):
            return True
        repo = self._workspace.repository
        return repo.worktree is not None and read_work_file(repo, path) is not None

    def _was_path(self, path: str) -> bool:
        """Whether HEAD's history had a path that looks like one."""
        commits = self._commits
        likely = "/" in path or (self._asked.removed and "." in path)
        if not likely or " " in path or len(path) >= _MAX_PATH or commits.hidden(path):
            return False
        if commits.mask.hides:
            return bool(self._view.find_path(path, 1))
        return commits.files.was_there(commits.head, path, self._patience)

    def _file(self, path: str) -> Lines:
        if path not in self._files:
            self._files[path] = Lines(self._workspace, self._commits.files, path)
        return self._files[path]

    def _trace(self, lines: Lines, first: int, last: int) -> None:
        traces = lines.traced(first, last, self._patience, self._asked.more)
        self._unfinished |= not traces.ended and not traces.missing
        if traces.missing:
            self._limits.append(HorizonFact(Limit.MISSING_OBJECTS))
        self._lines += grouped(traces.lines, lines.path, self._commits, traces.missing)
        counted = Counter(
            one.origins[0].commit
            for one in traces.lines
            if one.origins
            and (one.origins[0].ended or one.origins[0].edge)
            and self._commits.in_view(one.origins[0].commit)
        )
        self._roles += [(commit, Role.BEHAVIOUR, n) for commit, n in counted.items()]

    def _trace_definitions(
        self, found: Sequence[Definition], name: str, path: str
    ) -> list[Definition]:
        """Trace the definitions of a name as they stand now; those that stand."""
        from citator.index.code.parsing import facts_of
        from citator.index.code.words import Words

        now: list[Definition] = []
        for file in dict.fromkeys([*([path] if path else []), *(one.path for one in found)]):
            lines = self._file(file)
            if lines.now is not None:
                facts = facts_of(lines.now.content, file, Words())
                now += definitions_in(facts, file, name)
            if len(now) >= MAX_PLACES:
                break
        for one in now[:MAX_PLACES]:
            self._places.append(place_of(one))
            lines = self._file(one.path)
            for line in range(one.first, min(one.last, one.first + _HEAD_LINES) + 1):
                first = lines.defined(line, name, self._patience)
                if first is not None:
                    if first.ended or first.edge:
                        self._roles.append((first.commit, Role.DEFINED, 0))
                    break
            self._trace(lines, one.first, one.last)
        return now

    def _trace_held(self, held: Iterable[tuple[str, int]]) -> None:
        for path, line in list(held)[:MAX_PLACES]:
            lines = self._file(path)
            self._places.append(DocketPlace(shown_path(path), line, line))
            with suppress(NotFoundError):
                self._trace(lines, line, line)

    def _exactly(self, texts: Sequence[str]) -> bool:
        """Follow the first of these texts that stands somewhere, or that stood; whether one did."""
        for text in texts:
            held = held_lines(self._commits, text, self._patience)
            if held and not self._asked.removed:
                self._trace_held([(one.path, one.line) for one in held])
                return True
        if texts:
            self._take(gone_text(self._commits, texts[0], self._patience))
        return bool(self._removals)

    def _take(self, gone: Gone) -> None:
        self._removals += gone.removals
        self._roles += gone.roles
        self._unfinished |= gone.unfinished

    def _touching(self, path: str) -> list[tuple[str, Role, int]]:
        """The commits that say why they touched a file, newest first; where none does, and of a
        folder, the newest that touched it."""
        rows = self._view.find_path(path, 200)
        found = dict.fromkeys(row.object_id for row in rows if row.kind is DocumentKind.COMMIT)
        if not found:
            commits, most = self._commits, self._commits.most(self._asked.limit)
            repo, left = self._workspace.repository, self._patience.left
            touching = last_touching(repo, commits.head, path, most, left)
            seen = islice(filter(commits.in_view, touching), self._asked.limit)
            found = dict.fromkeys(seen)
        return [(one, Role.TOUCHED, 0) for one in found]

    def _about(self, paths: Sequence[str]) -> Governing:
        """What is decided about files, and what was rejected there."""
        from citator.service.bearing import bearing_on

        visible = [path for path in paths if not self._commits.hidden(path)]
        return bearing_on(self._workspace, self._whom(), visible).record

    def _whom(self) -> Audience:
        from citator.service.record_view import audience_of

        return self._audience or audience_of(self._workspace)

    def _joined(
        self, target: Target, paths: Sequence[str] = (), record: Governing | None = None
    ) -> Docket:
        """What every docket holds beside what is its own."""
        commits = self._commits.facts(self._roles)
        kept = commits[: self._asked.limit]
        named_first = [one for one in kept[:_CHANGES_OF] if one.role is not Role.TOUCHED]
        patience = Patience.of(_CHANGE_SECONDS, self._patience.clock)
        kept = [
            self._commits.with_change(one, patience) if one in named_first else one for one in kept
        ]
        if patience.over:
            self._limits.append(HorizonFact(Limit.TIME_LIMIT, None, "changes"))
        kept = self._commits.with_states(kept)
        if record is None:
            record = self._about(paths)
        path = target.path or None
        near = Beside() if path is None else self._beside(path, target.shape)
        return Docket(
            shape=target.shape,
            horizon=self._horizon,
            path=None if path is None else shown_path(path),
            commits=tuple(kept),
            commits_left_out=len(commits) - len(kept),
            record=record,
            reviews=tuple(self._commits.reviews(kept[:_CHANGES_OF], path)),
            tests=tests_of(self._commits, kept, self._patience),
            partners=near.partners,
            ownership=near.ownership,
        )

    def _beside(self, path: str, shape: Shape) -> Beside:
        asked = self._asked
        owned = shape is Shape.PATH and not asked.removed
        found = beside(self._commits, path, owned=owned, patient=asked.more, unread=asked.unread)
        if found.late:
            self._limits.append(HorizonFact(Limit.LEG_OFF, None, PARTNERS))
        return found


def _unknown() -> NotFoundError:
    return NotFoundError(
        "unknown_ref", "HEAD has no such commit", "see `git log`, or fetch what is missing"
    )
