"""What became of the symbols and dependencies that a text names, from one commit to another.

- Three values. *Holds* is said only of a definition that was found at both ends with the same
  digest; a dependency holds where every line that names it is the same. *Changed*, *moved* and
  *gone* are said of what was found before, with the commit. All else is *not observed*, and why.
- A name that several definitions have is not guessed at.
- Every look is bounded: names, files, bytes, commits, seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final

from citator.git.blobs import BlobReader
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import Git, checked_id, is_id, within
from citator.git.trees import entries
from citator.index.code.definitions import VERSION as _DEFINITIONS
from citator.index.code.definitions import Definition, can_read, definitions
from citator.index.code.kinds import MAX_BYTES
from citator.model.plain import plain_path
from citator.model.premise import MANIFESTS
from citator.model.record import is_of_record
from citator.model.spoken import MAX_NAMES
from citator.model.treatment import TOO_MANY_FILES, DriftState, SymbolDrift
from citator.sources.treatment.drift import blobs_at, drift_of

VERSION: Final = f"y1.{_DEFINITIONS}"
MAX_PLACES: Final = 16
MAX_BACK: Final = 40
SECONDS: Final = 3.0
NOT_DEFINED: Final = "not_defined"
AMBIGUOUS: Final = "ambiguous_name"
NO_GRAMMAR: Final = "no_grammar"
MISSING: Final = "blob_missing"
UNPARSED: Final = "not_parsed"
NO_TIME: Final = "out_of_time"
# What manifests say of themselves, and no dependency is called.
_OWN_KEYS: Final = frozenset(
    {"name", "version", "description", "license", "main", "type", "dependencies", "scripts"}
)
_PROSE: Final = (".md", ".markdown", ".rst", ".txt", ".adoc", ".lock", ".json", ".csv", ".svg")
_LETTERS: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")


class _UnseenError(Exception):
    """What was to be seen could not be: the reason."""


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    definition: Definition


class Symbols:
    """Looks at symbols in the trees of one repository. Use as a context manager.

    ``covers`` says of a path that it is hidden: nothing there is looked at or told.
    """

    def __init__(
        self, repo: Repository, tip: str, covers: Callable[[str], bool], seconds: float = SECONDS
    ) -> None:
        self._repo = repo
        self._seconds = seconds
        self._tip = checked_id(repo, tip)
        self._covers = covers
        self._held = ExitStack()
        self._reader = self._held.enter_context(BlobReader(repo))
        self._git: Git = self._held.enter_context(object_git(repo))
        self._read: dict[tuple[str, str, str], tuple[Definition, ...]] = {}
        self._named: dict[tuple[str, str], list[str]] = {}

    def __enter__(self) -> Symbols:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def since(self, then: str, names: Sequence[str], touched: Sequence[str]) -> list[SymbolDrift]:
        """The drift of ``names`` from ``then``, each; ``touched`` is looked into first."""
        checked_id(self._repo, then)
        return [self._one(then, name, touched) for name in names[:MAX_NAMES]]

    def differs(self, then: str, name: str, touched: Sequence[str]) -> bool | None:
        """Whether a name is seen to be another than it was, or elsewhere: without who did it, and
        with one look at each end. What is not seen is not said to differ; None: time was over."""
        checked_id(self._repo, then)
        try:
            places = self._near(then, name, touched) if _LETTERS.fullmatch(name) else []
            if not places:
                return self._manifests_differ(then, name)
            was = places[0]
            if len(places) == 1 and was.definition.digest is not None:
                here = [one.definition.digest for one in self._same(self._tip, was, [was.path])]
                return not here or here not in ([was.definition.digest], [None])
        except _UnseenError as error:
            return None if str(error) == NO_TIME else False
        return False

    def _one(self, then: str, name: str, touched: Sequence[str]) -> SymbolDrift:
        try:
            found = self._symbol(then, name, touched) if _LETTERS.fullmatch(name) else None
            found = found or self._dependency(then, name)
            if found is not None:
                return found
            unread = any(map(_may_define, self._naming(then, name)))
        except _UnseenError as error:
            return SymbolDrift(name, DriftState.NOT_OBSERVED, why=str(error))
        why = NO_GRAMMAR if unread else NOT_DEFINED
        return SymbolDrift(name, DriftState.NOT_OBSERVED, why=why)

    def _symbol(self, then: str, name: str, touched: Sequence[str]) -> SymbolDrift | None:
        """The drift of a symbol; None where nothing is defined by that name."""
        places = self._near(then, name, touched)
        if not places:
            return None
        if len(places) > 1:
            raise _UnseenError(AMBIGUOUS)
        return self._followed(then, name, places[0])

    def _near(self, then: str, name: str, touched: Sequence[str]) -> list[_Place]:
        """Where a name was defined: in what was touched, else anywhere."""
        near = [one for one in touched if not self._covers(one) and can_read(one)][:MAX_PLACES]
        places = self._places(then, name, near) if near else []
        return places or self._places(then, name, _readable(self._naming(then, name)))

    def _followed(self, then: str, name: str, was: _Place) -> SymbolDrift:
        if was.definition.digest is None:
            raise _UnseenError(UNPARSED)
        told = plain_path(was.path)
        file = drift_of(self._repo, then, self._tip, [was.path])[0]
        if file.state is DriftState.HOLDS:
            return SymbolDrift(name, DriftState.HOLDS, told)
        place = file.now if file.state is DriftState.MOVED else was.path
        if file.state is DriftState.NOT_OBSERVED:
            raise _UnseenError(file.why or MISSING)
        here: list[_Place] = []
        if file.state is not DriftState.GONE and place is not None and not self._covers(place):
            here = self._same(self._tip, was, [place])
        if len(here) > 1 or any(one.definition.digest is None for one in here):
            raise _UnseenError(AMBIGUOUS if len(here) > 1 else UNPARSED)
        if here and here[0].definition.digest == was.definition.digest:
            if place == was.path:
                return SymbolDrift(name, DriftState.HOLDS, told)
            return SymbolDrift(name, DriftState.MOVED, told, file.by, plain_path(place or ""))
        if here and place is not None:
            by = self._changed_by(then, was, place)
            now = None
            if place != was.path:
                now = plain_path(place)
                if by is None and len(self._history(then, place)) < MAX_BACK:
                    by = self._changed_by(then, was, was.path, stays=True) or file.by
            return SymbolDrift(name, DriftState.CHANGED, told, by, now)
        return self._elsewhere(then, name, was)

    def _elsewhere(self, then: str, name: str, was: _Place) -> SymbolDrift:
        """A symbol that its file has no more: where the same one is now, or that it is gone."""
        by = self._changed_by(then, was, was.path)
        named = [one for one in self._naming(self._tip, name) if one != was.path]
        others = self._same(self._tip, was, _readable(named), anywhere=True)
        same = [one for one in others if one.definition.digest == was.definition.digest]
        told = plain_path(was.path)
        if len(same) == 1:
            return SymbolDrift(name, DriftState.MOVED, told, by, plain_path(same[0].path))
        return SymbolDrift(name, DriftState.CHANGED if others else DriftState.GONE, told, by)

    def _places(self, commit: str, name: str, paths: Sequence[str]) -> list[_Place]:
        """Where ``name``, qualified or bare, is defined among ``paths``."""
        *outer, bare = name.split(".")
        found = self._defined(commit, bare, paths)
        if outer:
            exact = [one for one in found if one.definition.within[-1:] == (outer[-1],)]
            free = [one for one in found if not one.definition.within]
            found = exact or [one for one in free if outer[-1] in _stems(one.path)]
        return found

    def _same(
        self, commit: str, was: _Place, paths: Sequence[str], *, anywhere: bool = False
    ) -> list[_Place]:
        """Where a definition of the same name is, in the same ones unless ``anywhere``."""
        found = self._defined(commit, was.definition.name, paths)
        return [one for one in found if anywhere or one.definition.within == was.definition.within]

    def _defined(self, commit: str, bare: str, paths: Sequence[str]) -> list[_Place]:
        found = []
        for path, blob in self._blobs(commit, paths).items():
            found += [_Place(path, one) for one in self._of_blob(blob, path, bare)]
        return found

    def _blobs(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        """What lies at these paths, also where the blob itself is missing."""
        found = entries(self._repo, commit, paths) if paths else ()
        return {one.path: one.object_id for one in found if one.kind == "blob"}

    def _of_blob(self, blob: str, path: str, bare: str) -> tuple[Definition, ...]:
        key = blob, path.rpartition(".")[2], bare
        if key not in self._read:
            content = self._reader.read(blob, MAX_BYTES)
            if not isinstance(content, bytes):
                raise _UnseenError(MISSING)
            # A file that does not have the word defines nothing by it: not parsed for that.
            has = bare.encode() in content
            made = definitions(content, path, frozenset({bare})) if has else ()
            if made is None:
                raise _UnseenError(UNPARSED)
            self._read[key] = made
        return self._read[key]

    def _naming(self, commit: str, name: str) -> list[str]:
        """The files of a tree that have the bare word, less the hidden ones."""
        bare = name.rpartition(".")[2]
        if self._repo.partial:  # what it has not is not searched, and not told
            raise _UnseenError(MISSING)
        if (commit, bare) in self._named:
            return self._named[commit, bare]
        command = ("grep", "-l", "-z", "-w", "-F", "-I", "-e", bare, commit, "--")
        said, code = within(self._git, command, self._seconds)
        if code not in (0, 1):
            raise _UnseenError(NO_TIME if code is None else MISSING)
        told = said.decode("utf-8", "surrogateescape").split("\0")
        paths = (one.partition(":")[2] for one in told if one)
        self._named[commit, bare] = [one for one in paths if not self._covers(one)]
        return self._named[commit, bare]

    def _changed_by(self, then: str, was: _Place, path: str, *, stays: bool = False) -> str | None:
        """The latest commit since ``then`` at which the definition at ``path`` became another than
        with any of its parents. That a moved file came there is no change of it; with ``stays``,
        nor that it left."""

        def digests(commit: str, blob: str | None) -> frozenset[str | None]:
            blob = blob or self._blobs(commit, [path]).get(path)
            found = () if blob is None else self._of_blob(blob, path, was.definition.name)
            return frozenset(one.digest for one in found if one.within == was.definition.within)

        with suppress(_UnseenError):
            began = path == was.path and not stays
            return self._turned(then, path, digests, began=began, stays=stays)
        return None

    def _turned(
        self,
        then: str,
        path: str,
        state: Callable[[str, str | None], object],
        *,
        began: bool = True,
        stays: bool = False,
    ) -> str | None:
        """The latest commit since ``then`` whose ``state`` (of a commit and what lies at ``path``)
        is that of none of its parents. Without ``began`` nothing before is no other state, and
        with ``stays`` nothing after."""
        history = self._history(then, path)
        asked = dict.fromkeys(one for entry in history for one in entry)
        blobs = blobs_at(self._repo, [(one, path) for one in asked])
        for commit, *parents in history:
            own = state(commit, blobs[commit, path])
            before = [state(one, blobs[one, path]) for one in parents]
            if (
                before
                and (own or not stays)
                and all(one != own and (began or one) for one in before)
            ):
                return commit
        return None

    def _history(self, then: str, path: str) -> list[list[str]]:
        """The commits since ``then`` that touched a path, the latest first, each followed by its
        parents, as far as they did."""
        options = ("--parents", f"--max-count={MAX_BACK}")
        command = ("rev-list", *options, self._tip, f"^{then}", "--", path)
        said, code = within(self._git, command, SECONDS)
        lines = said.decode("ascii", "replace").splitlines() if code == 0 else []
        found = [line.split() for line in lines]
        return [one for one in found if all(is_id(self._repo, each) for each in one)]

    def _dependency(self, then: str, name: str) -> SymbolDrift | None:
        """The drift of a dependency; None where no manifest named it then."""
        if name.casefold() in _OWN_KEYS:
            return None
        shown = [one for one in MANIFESTS if not self._covers(one)]
        then_at, now_at = self._blobs(then, shown), self._blobs(self._tip, shown)
        before = {one: self._lines(then_at.get(one), name) for one in shown}
        path = next((one for one in shown if before[one]), None)
        if path is None:
            return None
        after = {one: self._lines(now_at.get(one), name) for one in shown}
        if after == before:
            return SymbolDrift(name, DriftState.HOLDS, path, is_dependency=True)
        gone = not any(after.values())
        changed = next(one for one in shown if after[one] != before[one])

        def lines(commit: str, blob: str | None) -> tuple[bytes, ...]:
            return self._lines(blob or self._blobs(commit, [changed]).get(changed), name)

        by = self._turned(then, changed, lines)
        state = DriftState.GONE if gone else DriftState.CHANGED
        return SymbolDrift(name, state, path, by, is_dependency=True)

    def _manifests_differ(self, then: str, name: str) -> bool:
        """Whether a dependency that a manifest named then is named otherwise now."""
        if name.casefold() in _OWN_KEYS:
            return False
        shown = [one for one in MANIFESTS if not self._covers(one)]
        ends = self._blobs(then, shown), self._blobs(self._tip, shown)
        before, after = ([self._lines(end.get(one), name) for one in shown] for end in ends)
        return any(before) and before != after

    def _lines(self, blob: str | None, name: str) -> tuple[bytes, ...]:
        """The lines of a manifest that name a dependency, without the space around them."""
        if blob is None:
            return ()
        content = self._reader.read(blob, MAX_BYTES)
        if not isinstance(content, bytes):
            raise _UnseenError(MISSING)
        word = re.compile(rb"(?<![\w./@-])" + re.escape(name.encode()) + rb"(?![\w.@/-])", re.I)
        return tuple(one.strip() for one in content.split(b"\n") if word.search(one))


def _readable(paths: Sequence[str]) -> list[str]:
    """Those of ``paths`` that a grammar is here for; a few at most."""
    found = [one for one in paths if can_read(one)]
    if len(found) > MAX_PLACES:
        raise _UnseenError(TOO_MANY_FILES)
    return found


def _may_define(path: str) -> bool:
    """Whether a file that is not read may hold code: it has an ending, and is no prose."""
    name = path.rpartition("/")[2]
    prose = name.casefold().endswith(_PROSE) or name in MANIFESTS or is_of_record(path)
    return "." in name and not prose and not can_read(path)


def _stems(path: str) -> tuple[str, str]:
    """What a file is called without its ending, and its folder: what may qualify its names."""
    folder, _, name = path.rpartition("/")
    return name.partition(".")[0], folder.rpartition("/")[2]
