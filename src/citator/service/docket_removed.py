"""What used to be at some lines, in a file, or anywhere by a name or a text: and who took it away.

- A change that only moved or formatted lines took nothing away: what it removed must not stand in
  what it added.
- A name or text is looked for where documents that speak of it point first, then in the files that
  held it at one of some commits evenly apart, then in the whole history, newest first; how far that
  came is kept, and asking again goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from citator.git.blame import Hunk
from citator.git.line_history import changes
from citator.git.merges import mainline
from citator.git.pickaxe import (
    Changed,
    Held,
    Picked,
    can_be_searched,
    changing,
    count,
    holding,
)
from citator.git.records import Repository
from citator.git.renames import deleted
from citator.index.analysis import Analyser
from citator.index.protocol import WeightedTerm
from citator.model.docket import Removal, Role
from citator.model.plain import shown_path
from citator.model.reference import DocumentKind
from citator.search.docket.patience import Patience
from citator.search.docket.removed import Loss, losses
from citator.search.docket.steps import Change
from citator.service.docket_commits import Commits
from citator.service.docket_kept import Kept
from citator.service.docket_lines import Lines

MAX_REMOVALS: Final = 8
MAX_PATHS: Final = 40
LEAST_LINES: Final = 3
_CANDIDATES: Final = 60
_LOOKED_AT: Final = 160
_EVERYWHERE: Final = 6
_CHANGES: Final = 20
_MOVES: Final = 4
_SAMPLES: Final = 12


@dataclass
class Gone:
    """What was found. ``roles``: the commits, why each is there, and how many lines it took."""

    removals: list[Removal] = field(default_factory=list)
    roles: list[tuple[str, Role, int]] = field(default_factory=list)
    unfinished: bool = False

    def take(self, removal: Removal) -> None:
        """Add one removal and its commit."""
        self.removals.append(removal)
        self.roles.append((removal.commit, Role.REMOVED, removal.lines))

    @property
    def full(self) -> bool:
        """Whether there are enough to choose from."""
        return len(self.removals) >= MAX_REMOVALS * 3

    def chosen(self) -> Gone:
        """What left less than there was, then what was only replaced: the newest of each."""
        order = sorted(self.removals, key=lambda one: one.lines <= one.instead)[:MAX_REMOVALS]
        kept = [one for one in self.removals if one in order]
        commits = {one.commit for one in kept}
        roles = [one for one in self.roles if one[1] is not Role.REMOVED or one[0] in commits]
        return Gone(kept, roles, self.unfinished)


@dataclass(frozen=True, slots=True)
class _Sought:
    """A text, or a name that counts only where it stands alone."""

    text: str
    word: bool


def gone_from_lines(
    commits: Commits, lines: Lines, first: int, last: int, patience: Patience
) -> Gone:
    """What lines of a file lost, newest first."""
    gone = Gone()
    places = lines.at_head(first, last)
    if places is None:
        return gone
    with closing(changes(_repo(commits), lines.head, lines.path, patience.left)) as walked:
        for loss in losses(walked, *places):
            _weigh(commits, loss, gone, patience)
            if gone.full or patience.over:
                break
    gone.unfinished = patience.over
    return gone.chosen()


def gone_from_file(commits: Commits, path: str, patience: Patience) -> Gone:
    """What a file lost, the newest losses first; the file itself, where it is gone."""
    gone = Gone()
    if commits.files.blob(commits.head, path) is None:
        ended = deleted(_repo(commits), commits.head, path, patience.left)
        if ended is not None and commits.in_view(ended.commit):
            held = _lines_before(commits, ended.commit, path)
            now = None if ended.new_path is None else shown_path(ended.new_path)
            gone.take(Removal(ended.commit, shown_path(path), 1, held, 0, whole=True, now=now))
        return gone
    with closing(changes(_repo(commits), commits.head, path, patience.left)) as walked:
        for number, change in enumerate(walked):
            for hunk in change.hunks:
                net = hunk.old_count - hunk.new_count
                if net >= LEAST_LINES and change.old_path is not None:
                    loss = Loss.by(change, hunk, change.old_path)
                    _weigh(commits, loss, gone, patience)
            if gone.full or patience.over or number >= _LOOKED_AT:
                break
    gone.unfinished = patience.over
    return gone.chosen()


def _weigh(commits: Commits, loss: Loss, gone: Gone, patience: Patience) -> None:
    """Take a loss for what it is: fewer lines where some only moved, none where all did."""
    if gone.full or not commits.in_view(loss.commit) or commits.hidden(loss.path):
        return
    back = _reversed(commits, loss, patience)
    taken = list(range(loss.first, loss.first + loss.lines))
    if back is not None:
        worded = [line for line in taken if back.new.between(line, line)]
        taken = [line for line in worded if back.before(line) is None]
    if taken:
        gone.take(Removal(loss.commit, shown_path(loss.path), taken[0], len(taken), loss.instead))


def _reversed(commits: Commits, loss: Loss, patience: Patience) -> Change | None:
    """The change backwards: what is new in it is what was taken away."""
    raw = commits.files.commit(loss.commit)
    if raw is None or not raw.parents:
        return None
    path = loss.now or loss.path
    change = commits.files.change(raw.parents[0], loss.path, loss.commit, path, patience)
    if change is None:
        return None
    hunks = [Hunk(one.new, one.new_count, one.old, one.old_count) for one in change.hunks]
    return Change(change.new, change.old, hunks)


def _lines_before(commits: Commits, commit: str, path: str) -> int:
    """How many lines a file had before a commit."""
    raw = commits.files.commit(commit)
    if raw is None or not raw.parents:
        return 0
    tokens = commits.files.tokens(commits.files.blob(raw.parents[0], path), path)
    return 0 if tokens is None else len(tokens.lines) - (tokens.lines[-1] == b"")


def gone_text(
    commits: Commits,
    text: str,
    patience: Patience,
    path: str = "",
    *,
    word: bool = False,
) -> Gone:
    """The commits that took a text away (from ``path``, where given), and what brought it.

    ``word``: it is a name, and counts only where it stands alone.
    """
    gone = Gone()
    if not can_be_searched(text):
        return gone
    sought = _Sought(text, word)
    if path:
        _follow(commits, sought, (path,), gone, patience)
        gone.unfinished = patience.over
        return gone
    for paths in chain(_likely(commits, text), _sampled(commits, sought, patience)):
        _follow(commits, sought, paths, gone, patience)
        if _is_the_last(commits, sought, gone, patience):
            return gone.chosen()
    picked = _everywhere(commits, sought, patience)
    brought = _tell(commits, picked.commits, sought, gone, patience)
    if brought is not None:
        gone.roles.append((brought, Role.ADDED_TEXT, 0))
    gone.unfinished = not picked.whole
    return gone.chosen()


def _is_the_last(commits: Commits, sought: _Sought, gone: Gone, patience: Patience) -> bool:
    """Whether the newest removal left nothing of it anywhere."""
    if not gone.removals:
        return False
    newest = max(gone.removals, key=lambda one: commits.time(one.commit))
    return not _held(commits, newest.commit, sought, patience)


def _sampled(commits: Commits, sought: _Sought, patience: Patience) -> Iterator[tuple[str, ...]]:
    """The files that held it at the newest of some commits, evenly apart, that held it at all."""
    line = mainline(_repo(commits), commits.head, patience.left)
    step = max(1, len(line) // _SAMPLES)
    for commit in line[step // 2 :: step]:
        if patience.over:
            return
        held = _held(commits, commit, sought, patience)
        if paths := tuple(dict.fromkeys(one.path for one in held)):
            yield paths
            return


def _follow(
    commits: Commits, sought: _Sought, paths: tuple[str, ...], gone: Gone, patience: Patience
) -> None:
    """Through the files of these names, and those that had their lines before them."""
    tip = commits.head
    for _ in range(_MOVES):
        picked = changing(
            *(_repo(commits), tip, sought.text, patience),
            paths=paths,
            most=commits.most(_CHANGES),
            word=sought.word,
        )
        brought = _tell(commits, picked.commits, sought, gone, patience)
        raw = None if brought is None else commits.files.commit(brought)
        if brought is None or raw is None:
            return
        before = []
        if raw.parents:
            before = _held(commits, raw.parents[0], sought, patience)
        paths = tuple(dict.fromkeys(one.path for one in before))
        if not paths:
            gone.roles.append((brought, Role.ADDED_TEXT, 0))
            return
        tip = raw.parents[0]


def _likely(commits: Commits, text: str) -> Iterator[tuple[str, ...]]:
    """The files that commits touched which speak of a text, a few at a time."""
    terms = [WeightedTerm(term) for term in dict.fromkeys(Analyser().terms(text))]
    found = commits.view.candidates(terms, _CANDIDATES) if terms else []
    wanted = len(terms)
    paths: dict[str, None] = {}
    rows = commits.view.rows([one.ordinal for one in found if len(one.terms) >= wanted])
    for row in rows:
        if row.kind is DocumentKind.COMMIT and row.object_id:
            paths.update(dict.fromkeys(row.paths or commits.files.paths(row.object_id) or ()))
    visible = [one for one in paths if not commits.hidden(one)][:MAX_PATHS]
    if visible:
        yield tuple(visible)


def _tell(
    commits: Commits, changed: Sequence[Changed], sought: _Sought, gone: Gone, patience: Patience
) -> str | None:
    """Take the removals of these commits, newest first. Returns the oldest that added to it."""
    brought: str | None = None
    for one in changed:
        raw = commits.files.commit(one.commit)
        paths = [path for path in one.paths if not commits.hidden(path)]
        if raw is None or not paths or not commits.in_view(one.commit) or patience.over:
            continue
        after = _count(commits, one.commit, sought, paths, patience)
        parent = raw.parents[0] if raw.parents else None
        before = 0
        if parent is not None:
            before = _count(commits, parent, sought, paths, patience)
        if after < before and parent is not None and not gone.full:
            held = _held(commits, parent, sought, patience, paths)
            path, line = (held[0].path, held[0].line) if held else (paths[0], 1)
            whole = commits.files.blob(one.commit, path) is None
            gone.take(Removal(one.commit, shown_path(path), line, before - after, after, whole))
        elif after > before:
            brought = one.commit
    return brought


def _count(
    commits: Commits, commit: str, sought: _Sought, paths: Sequence[str], patience: Patience
) -> int:
    repo, left = _repo(commits), patience.left
    return count(repo, commit, sought.text, paths, left, word=sought.word)


def _held(
    commits: Commits, commit: str, sought: _Sought, patience: Patience, paths: Sequence[str] = ()
) -> list[Held]:
    """Lines that are not hidden and hold it."""
    found = holding(
        *(_repo(commits), commit, sought.text, patience.left),
        paths=paths,
        word=sought.word,
        most=commits.most(MAX_PATHS),
    )
    return [one for one in found if not commits.hidden(one.path)]


def _everywhere(commits: Commits, sought: _Sought, patience: Patience) -> Picked:
    """The whole history, from where an earlier search of this HEAD ended."""
    said = ["text", commits.head, commits.mask.id, sought.word, sought.text]
    file = Kept(commits.workspace, json.dumps(said))
    known = Picked((), 0, 0)
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        known = _picked(file.read() or {})
        if known.whole and known.total:
            return known
    found = changing(
        *(_repo(commits), commits.head, sought.text, patience),
        skip=known.looked_at,
        most=commits.most(_EVERYWHERE),
        word=sought.word,
    )
    joined = Picked((*known.commits, *found.commits), found.looked_at, found.total)
    kept = [[one.commit, list(one.paths)] for one in joined.commits]
    file.write({"commits": kept, "looked_at": joined.looked_at, "total": joined.total})
    return joined


def _picked(kept: dict[str, Any]) -> Picked:
    found = tuple(Changed(str(one), tuple(map(str, paths))) for one, paths in kept["commits"])
    return Picked(found, int(kept["looked_at"]), int(kept["total"]))


def _repo(commits: Commits) -> Repository:
    return commits.workspace.repository
