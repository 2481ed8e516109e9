"""Rejected values that a change says: whole words of it, in what is new where the rejection holds.

A value is looked for in its folded form, line by line and in the names of new dependencies. What a
change merely resembles it does not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from citator.formats.globs import usable
from citator.guard.change import Change, FileChange
from citator.model.record import Rejected, is_of_record
from citator.record.folding import folded
from citator.record.rejections import holds_words

MAX_FOLDED: Final = 2_000
SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Said:
    """A rejected value, and where a change says it. ``named``: as a dependency, or a whole line."""

    rejected: Rejected
    path: str
    line: int
    named: bool


def said_by(change: Change, rejections: Iterable[Rejected]) -> list[Said]:
    """The rejections that a change speaks of, each once, where it first does, oldest first."""
    folds: dict[str, str] = {}
    found: list[Said] = []
    for one in sorted(rejections, key=lambda each: (each.at, each.id)):
        if len(one.folded) >= SHORTEST:
            found += islice(_found(change, one, folds), 1)
    return found


def _found(change: Change, rejected: Rejected, folds: dict[str, str]) -> Iterator[Said]:
    patterns = usable(rejected.scope)
    for file in change.files:
        path = file.new_path
        if path is None or is_of_record(path):
            continue
        if rejected.scope and not any(one.fullmatch(path) for one in patterns):
            continue
        yield from _dependency(file, path, rejected)
        yield from _line(file, path, rejected, folds)


def _dependency(file: FileChange, path: str, rejected: Rejected) -> Iterator[Said]:
    for new in file.dependencies:
        if folded(new.name) == rejected.folded or rejected.folded in _parts(new.name):
            yield Said(rejected, path, new.line, named=True)


def _parts(name: str) -> Sequence[str]:
    """The last part of a name with a scope or a group, which is what people call it."""
    return (folded(name.rpartition("/")[2]), folded(name.rpartition(":")[2]))


def _line(file: FileChange, path: str, rejected: Rejected, folds: dict[str, str]) -> Iterator[Said]:
    """Lines that hold the value. Most lines are passed by for want of its longest word."""
    word = max(rejected.folded.split(), key=len)
    for at, line in file.added:
        if line.isascii() and word not in line.lower():
            continue
        if line not in folds:
            if len(folds) >= MAX_FOLDED:
                return
            folds[line] = folded(line)
        if holds_words(folds[line], rejected.folded):
            yield Said(rejected, path, at, named=folds[line] == rejected.folded)
            return
