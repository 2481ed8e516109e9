"""Why a file is in the answer: closed codes with plain tokens, strongest first.

A reason carries no prose of the repository: names that match the plain grammar, the asker's own
words, counts and commit ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from citator.locate.issue import Issue
from citator.locate.mentions import files_of, frame_files
from citator.locate.past_signal import nearest
from citator.locate.protocol import Scene
from citator.locate.references import referred_to
from citator.locate.words_signal import asked
from citator.model.plain import is_plain

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_COMMITS = 3
_WORDS = 4
_DEFINITIONS = 8
_NEAR = 0.4
_WHATEVER_IS_ASKED = ("h_last", "h_1y", "h_fix")


class Cause(StrEnum):
    """A closed list of reasons."""

    TRACEBACK = "traceback"
    PATH = "path"
    DEFINES = "defines"
    REFERS = "refers"
    EARLIER = "earlier"
    WORDS = "words"
    SAID = "said"
    IMPORTS = "imports"


_LEAST = (
    {"m": Cause.PATH}
    | dict.fromkeys(("bm25f", "f", "ch", "fn"), Cause.WORDS)
    | dict.fromkeys(("h", "ht", "hp", "hpt"), Cause.SAID)
    | {"ppr": Cause.IMPORTS}
)


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: the plain tokens that show it, and the numbers that go with it."""

    cause: Cause
    tokens: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


class Reasons:
    """The reasons of an issue against a scene."""

    def __init__(self, issue: Issue, scene: Scene) -> None:
        self._issue, self._scene = issue, scene
        self._named = {
            file for path in issue.paths for files in [files_of(path, scene)]
            if len(files) <= _WORDS for file in files
        }  # fmt: skip
        self._framed: dict[int, int] = {}
        for number, files in frame_files(issue, scene):
            for file in files:
                self._framed.setdefault(file, number)

    def of(self, file: int, heard: frozenset[str], limit: int = 2) -> tuple[Reason, ...]:
        """The reasons of one file that the signals of ``heard`` have an opinion on."""
        found: list[Reason] = []
        if file in self._framed:
            found.append(Reason(Cause.TRACEBACK, (), (self._framed[file], len(self._issue.frames))))
        if file in self._named:
            found.append(Reason(Cause.PATH))
        defined = tuple(name for name, files in self._defining if file in files)[:2]
        if defined:
            found.append(Reason(Cause.DEFINES, defined))
        touching = self._touching(file)
        referred = self._known(sorted(self._referred & touching, reverse=True))
        if referred:
            found.append(Reason(Cause.REFERS, referred[:_COMMITS], (len(referred),)))
        commits = self._known(one for one in self._strong if one in touching)
        if commits:
            found.append(Reason(Cause.EARLIER, commits[:_COMMITS], (len(commits),)))
        if len(found) < limit and (words := self._words(file)):
            found.append(Reason(Cause.WORDS, words))
        return tuple(found[:limit]) or (_least(heard),)

    @cached_property
    def _defining(self) -> list[tuple[str, list[int]]]:
        """The plain names of the issue that few definitions have, the rarest first, with the file
        of each definition."""
        code = self._scene.code
        names = [
            (len(found), -weight, name, code.def_files[found].tolist())
            for name, weight in self._issue.names.items()
            if 0 < len(found := code.definitions(name)) <= _DEFINITIONS and is_plain(name)
        ]
        return [(name, files) for _, _, name, files in sorted(names)]

    def _touching(self, file: int) -> set[int]:
        past = self._scene.past
        return set() if past is None else set(past.commits[past.files == file].tolist())

    def _known(self, commits: Iterable[int]) -> tuple[str, ...]:
        """The starts of the ids of commits."""
        past = self._scene.past
        return () if past is None else tuple(f"{int(past.ids[n]):016x}"[:10] for n in commits)

    @cached_property
    def _referred(self) -> set[int]:
        """The commits that the issue names, by id or by ticket."""
        past = self._scene.past
        if past is None or not len(past.times):
            return set()
        named, speaking = referred_to(self._issue, past)
        return set(named).union(*speaking)

    @cached_property
    def _strong(self) -> list[int]:
        """The commits that read like the issue, nearest first."""
        past = self._scene.past
        if past is None or not len(past.times):
            return []
        near, nearness = nearest(self._issue.weights, past)
        strong: list[int] = near[nearness >= _NEAR].tolist()
        return strong

    @cached_property
    def _said(self) -> tuple[Array, Array, Array]:
        """Where the terms of the issue stand: files, the place of the term in the issue; and what
        each term is worth."""
        import numpy as np

        table = self._scene.code.files
        query = asked(table, self._scene.size, self._issue.weights)
        df = np.bincount(query.which, minlength=len(query.weights))
        return table.docs[query.index], query.which, query.weights / np.maximum(df, 1)

    def _words(self, file: int) -> tuple[str, ...]:
        files, which, worth = self._said
        numbers = list(self._issue.weights)
        hit = sorted(which[files == file].tolist(), key=lambda one: -worth[one])
        words = dict.fromkeys(self._issue.written[numbers[one]] for one in hit)
        return tuple(word for word in words if is_plain(word))[:_WORDS]


def cause_of(signal: str) -> Cause | None:
    """What a file is in an answer for by an opinion of ``signal`` alone; None where the opinion is
    not of the issue, or of no file of its own."""
    return None if signal in _WHATEVER_IS_ASKED else _LEAST.get(signal.partition("_")[0])


def _least(heard: frozenset[str]) -> Reason:
    """What is true of a file for which no token can be shown."""
    causes = {cause_of(one) for one in heard}
    return Reason(next((one for one in _LEAST.values() if one in causes), Cause.IMPORTS))
