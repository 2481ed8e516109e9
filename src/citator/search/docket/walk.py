"""From lines of a file back to the commits that gave them their behaviour.

- git says who touched a line last; :mod:`~citator.search.docket.steps` says whether that commit
  made it or only its form; if only its form, the walk goes on from where the line stood before.
  Every commit that was passed is kept, with what it did.
- A line that was joined from several has several origins; the newest is its own.
- The walk ends at a commit that made the line, at the edge of a shallow clone, at an object that
  is not here, or when its time is over: then the line stands at the last commit that was reached.
- Commits that a repository asks to be ignored are passed where the line stood before in any form.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from citator.git.blame import Touched, blame
from citator.git.records import RawCommit, Repository
from citator.search.docket.past_files import PastFiles
from citator.search.docket.patience import Patience
from citator.search.docket.steps import Piece, Skip

MAX_HOPS: Final = 40
MAX_BRANCHES: Final = 8


@dataclass(frozen=True, slots=True)
class Skipped:
    """A commit that was passed: what it did to the line, which stood at ``path``:``line`` in it."""

    commit: str
    skip: Skip
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Origin:
    """A commit, the place of the line in it, and what was passed on the way to it.

    ``edge``: it has parents that this clone does not have, so the line is of it or older.
    ``ended``: False where time was over before it could be told whether the line is older.
    ``part``: the tokens of the line in question, where not all of it.
    """

    commit: str
    path: str
    line: int
    at: int | None
    skipped: tuple[Skipped, ...] = ()
    edge: bool = False
    ended: bool = True
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file of a commit (of its tokens only ``part``), and how it was reached."""

    commit: str
    path: str
    line: int
    skipped: tuple[Skipped, ...] = ()
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Walked:
    """The origins of each line that was asked for, newest first, and whether all walks ended.

    ``missing``: an object that a walk needed is not here.
    """

    origins: dict[int, tuple[Origin, ...]]
    missing: bool

    @property
    def ended(self) -> bool:
        """Whether no walk was cut off."""
        return all(one.ended for found in self.origins.values() for one in found)


class Walk:
    """Walks in one repository. Use as a context manager."""

    def __init__(
        self,
        repo: Repository,
        ignored: frozenset[str] = frozenset(),
        files: PastFiles | None = None,
    ) -> None:
        """``files`` are those that others read too: they are not closed here."""
        self._repo = repo
        self._ignored = ignored
        self._files = files or PastFiles(repo)
        self._own = files is None
        self._steps: dict[tuple[str, str, Piece], list[Place] | None] = {}
        self._missing = False

    def __enter__(self) -> Walk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._files.close()

    def back(self, starts: Mapping[int, Sequence[Place]], patience: Patience) -> Walked:
        """The origins of lines that stand at ``starts``, by the number they are known under."""
        open_: dict[int, list[Place]] = {line: list(places) for line, places in starts.items()}
        done: dict[int, list[Origin]] = defaultdict(list)
        for _ in range(MAX_HOPS):
            if not any(open_.values()):
                break
            touches = self._touches((one for some in open_.values() for one in some), patience)
            open_ = {
                line: self._next(places, touches, done[line], patience)
                for line, places in open_.items()
            }
        for line, places in open_.items():
            done[line] += [self._cut(place) for place in places]
        return Walked({line: _ordered(done[line]) for line in starts}, self._missing)

    def _touches(
        self, places: Iterable[Place], patience: Patience
    ) -> dict[tuple[str, str, int], Touched]:
        """Who touched each place last; nothing for those that time or objects did not allow."""
        wanted: dict[tuple[str, str], set[int]] = defaultdict(set)
        for place in places:
            wanted[place.commit, place.path].add(place.line)
        found: dict[tuple[str, str, int], Touched] = {}
        for (commit, path), lines in wanted.items():
            if patience.over:
                break
            said = blame(self._repo, commit, path, _ranges(lines), patience.left)
            self._missing |= said.missing
            for one in said.touched:
                for offset in range(one.count):
                    moved = replace(one, first=one.first + offset, line=one.line + offset, count=1)
                    found[commit, path, moved.first] = moved
        return found

    def _next(
        self,
        places: list[Place],
        touches: dict[tuple[str, str, int], Touched],
        done: list[Origin],
        patience: Patience,
    ) -> list[Place]:
        """Where the walk of one line goes on; what is at its end goes to ``done``."""
        following: list[Place] = []
        for place in places:
            touched = touches.get((place.commit, place.path, place.line))
            if touched is None:
                done.append(self._cut(place))
                continue
            skipped = place.skipped + self._renames(place, touched, patience)
            asked = Piece(touched.line, place.part)
            before = None if patience.over else self._before(touched, asked, patience)
            if before is None or patience.over:
                done.append(self._origin(touched, asked, skipped, not patience.over))
            elif len(done) + len(following) + len(before) <= MAX_BRANCHES:
                following += [replace(one, skipped=skipped + one.skipped) for one in before]
            else:
                following += [replace(before[0], skipped=skipped + before[0].skipped)]
        return following

    def _before(self, touched: Touched, asked: Piece, patience: Patience) -> list[Place] | None:
        """The places at which a line stood before the commit that touched it last."""
        key = touched.commit, touched.path, asked
        if key not in self._steps:
            self._steps[key] = self._stood(touched, asked, patience)
        return self._steps[key]

    def _stood(self, touched: Touched, asked: Piece, patience: Patience) -> list[Place] | None:
        commit = self._files.commit(touched.commit)
        if commit is None or not commit.parents:
            return None
        for parent, path in self._parents(touched, commit):
            change = self._files.change(parent, path, touched.commit, touched.path, patience)
            stood = None if change is None else change.before(*asked)
            if change is not None and stood is not None:
                return _places(touched, stood.skip, parent, path, stood.pieces)
        between = self._moved_between(touched, asked, commit, patience)
        if between is not None or touched.commit not in self._ignored:
            return between
        for parent, path in self._parents(touched, commit):
            change = self._files.change(parent, path, touched.commit, touched.path, patience)
            lines = () if change is None else change.nearest(touched.line)
            if lines:
                return _places(touched, Skip.IGNORED, parent, path, tuple(map(Piece, lines)))
        return None

    def _parents(self, touched: Touched, commit: RawCommit) -> list[tuple[str, str]]:
        """The parents in which the file stood, each with its name there, git's choice first."""
        others = [(parent, touched.path) for parent in commit.parents]
        return list(dict.fromkeys([*([touched.previous] if touched.previous else []), *others]))

    def _moved_between(
        self, touched: Touched, asked: Piece, commit: RawCommit, patience: Patience
    ) -> list[Place] | None:
        """Among the lines that the commit took away from its other files."""
        if len(commit.parents) != 1 or patience.over:
            return None
        parent = commit.parents[0]
        change = self._files.change(parent, touched.path, touched.commit, touched.path, patience)
        change = change or self._files.addition(touched.commit, touched.path)
        if change is None:
            return None
        best: tuple[int, str, tuple[Piece, ...]] | None = None
        sources = self._files.sources(parent, touched.commit, touched.path, change.new, patience)
        for path, old, gone in sources(touched.line):
            run = change.moved_from(old, gone, asked)
            if run is not None and (best is None or run.letters > best[0]):
                best = run.letters, path, run.pieces
        if best is None:
            return None
        return _places(touched, Skip.MOVED_BETWEEN, parent, best[1], best[2])

    def _renames(self, place: Place, touched: Touched, patience: Patience) -> tuple[Skipped, ...]:
        """The commits that named the file anew between where a walk stood and what it met."""
        if place.path == touched.path:
            return ()
        found = self._files.renames(place.commit, place.path, touched.path, patience)
        return tuple(Skipped(one, Skip.RENAMED, path, touched.line) for one, path in found)

    def _origin(
        self, touched: Touched, asked: Piece, skipped: tuple[Skipped, ...], ended: bool
    ) -> Origin:
        commit = self._files.commit(touched.commit)
        return Origin(
            commit=touched.commit,
            path=touched.path,
            line=touched.line,
            at=None if commit is None else commit.committed_at,
            skipped=skipped,
            edge=touched.boundary and commit is not None and bool(commit.parents),
            ended=ended,
            part=asked.part,
        )

    def _cut(self, place: Place) -> Origin:
        """A place that could not be looked behind: the line is of its commit or older."""
        commit = self._files.commit(place.commit)
        at = None if commit is None else commit.committed_at
        return Origin(
            *(place.commit, place.path, place.line, at, place.skipped),
            ended=False,
            part=place.part,
        )


def _places(
    touched: Touched, skip: Skip, parent: str, path: str, pieces: tuple[Piece, ...]
) -> list[Place]:
    passed = (Skipped(touched.commit, skip, touched.path, touched.line),)
    return [Place(parent, path, one.line, passed, one.part) for one in pieces]


def _ranges(lines: set[int]) -> list[tuple[int, int]]:
    """Runs of lines, first and last."""
    found: list[tuple[int, int]] = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return found


def _ordered(origins: list[Origin]) -> tuple[Origin, ...]:
    """One a commit, the newest first."""
    newest = sorted(origins, key=lambda one: (-(one.at or 0), one.commit, one.line))
    first: dict[str, Origin] = {}
    for one in newest:
        first.setdefault(one.commit, one)
    return tuple(first.values())
