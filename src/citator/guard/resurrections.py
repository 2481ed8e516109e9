"""What a change brings back of what left with a reason.

- A match is of numbers; what matched is then looked for in what is there already, because what
  never left, or came back before, is no news.
- Lines count where most of a removed run comes back; a name where it is new in the change.
- Similarity has no say: a name is the same name, a line the same line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from citator.guard.change import Change, FileChange
from citator.index.behaviour import is_behaviour
from citator.index.removals import Found
from citator.sources.removals import dependencies
from citator.sources.removals.causes import Cause
from citator.sources.removals.marks import (
    SHINGLE,
    MarkKind,
    definition,
    few_lines,
    flags,
    is_config,
    is_distinctive,
    key,
    keys_of,
    number,
    runs,
    shingles,
)

MAX_MARKS: Final = 20_000
LEAST_SHARE: Final = 0.5
LEAST_SHINGLES: Final = 2


class Strength(StrEnum):
    """How sure it is that the same thing comes back."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the change a mark stands: ``text`` is what to look for in what is there already."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class Brought:
    """The marks of what is new, and where each stands first."""

    places: dict[int, Place] = field(default_factory=dict)

    def add(self, mark: int, path: str, line: int, text: str) -> None:
        """Take a mark, unless there are too many."""
        if len(self.places) < MAX_MARKS:
            self.places.setdefault(mark, Place(path, line, text))


@dataclass(frozen=True, slots=True)
class Resurrection:
    """One thing that comes back: what was removed, where the change has it, how sure that is.

    ``share`` is how much of the removed lines come back, 0 to 1; ``also`` how many more things of
    the same removal do.
    """

    found: Found
    place: Place
    strength: Strength
    share: float = 1.0
    also: int = 0


def brought_by(change: Change) -> Brought:
    """The marks of what a change adds."""
    brought = Brought()
    for lock in (False, True):
        for file in change.files:
            _of_dependencies(file, brought, lock)
    for file in change.files:
        path = file.new_path
        if path is None or not is_behaviour(path):
            continue
        if file.old_path is None or (file.whole and file.old is None and file.new is None):
            brought.add(number(MarkKind.FILE, path), path, 0, "")
        _of_names(file, path, brought)
        _of_keys(file, path, brought)
        _of_lines(file, path, brought)
    return brought


def brought_by_words(words: Iterable[str]) -> Brought:
    """The marks of names in a proposed approach."""
    brought = Brought()
    for word in words:
        for ecosystem in dependencies.ECOSYSTEMS:
            name = dependencies.folded(ecosystem, word)
            brought.add(number(MarkKind.DEPENDENCY, ecosystem, name), "", 0, name)
        if is_distinctive(word):
            brought.add(number(MarkKind.SYMBOL, word), "", 0, word)
        if word.startswith("--"):
            brought.add(number(MarkKind.FLAG, word), "", 0, word)
    return brought


def _of_dependencies(file: FileChange, brought: Brought, lock: bool) -> None:
    """Those of manifests come before those that a program chose."""
    named = dependencies.named_in(file.path, None)
    if named is None or named.lock is not lock:
        return
    for one in file.dependencies:
        mark = number(MarkKind.DEPENDENCY, one.ecosystem, one.name)
        brought.add(mark, file.path, one.line, one.name)


def _of_names(file: FileChange, path: str, brought: Brought) -> None:
    lost = {definition(text) for _, text in file.removed}
    for at, text in file.added:
        if is_distinctive(name := definition(text)) and name not in lost:
            brought.add(number(MarkKind.SYMBOL, name), path, at, name)
        for flag in flags(text):
            brought.add(number(MarkKind.FLAG, flag), path, at, flag)


def _of_keys(file: FileChange, path: str, brought: Brought) -> None:
    if not is_config(path) or dependencies.is_manifest(path) or not file.whole:
        return
    before = keys_of(file.old or b"")
    for at, text in file.added:
        if (name := key(text)) and name not in before:
            brought.add(number(MarkKind.KEY, path, name), path, at, "")


def _of_lines(file: FileChange, path: str, brought: Brought) -> None:
    for run in runs(file.added):
        texts = [text for _, text in run]
        for at, mark in enumerate(shingles(texts)):
            brought.add(mark, path, run[at][0], max(texts[at : at + SHINGLE], key=len))
        for size in (1, 2):
            for at in range(len(run) - size + 1):
                some = texts[at : at + size]
                brought.add(few_lines(path, some), path, run[at][0], max(some, key=len))


def resurrections(brought: Brought, found: Sequence[Found]) -> list[Resurrection]:
    """What of ``found`` comes back: the surest of each removal first, not yet held against what is
    there already."""
    whole = Counter(
        each.number for each in found if each.kind is MarkKind.LINES and _is_whole(each)
    )
    newest: dict[tuple[MarkKind, str, int], Resurrection] = {}
    for each in found:
        one = _of(each, brought, whole[each.number])
        place = (each.kind, one.place.path, one.place.line)
        before = newest.get(place)
        if before is None or _rank(one) >= _rank(before):
            newest[place] = one
    return sorted(newest.values(), key=_order)


def _rank(one: Resurrection) -> tuple[int, int]:
    """Of what left more than once the last time counts, if it is as sure."""
    return -list(Strength).index(one.strength), one.found.number


def _is_whole(found: Found) -> bool:
    return len(found.marks) >= LEAST_SHARE * found.size


def _of(found: Found, brought: Brought, whole: int) -> Resurrection:
    """``whole`` is how many runs of lines of the same removal come back."""
    place = min((brought.places[one] for one in found.marks), key=lambda one: (one.path, one.line))
    if found.kind is not MarkKind.LINES:
        return Resurrection(found, place, _strength_of_name(found, place))
    share = len(found.marks) / found.size
    if found.size == 1:
        return Resurrection(found, place, _strength_of_few(found, place, whole))
    if not _is_whole(found) or len(found.marks) < LEAST_SHINGLES:
        return Resurrection(found, place, Strength.WEAK, share)
    same = place.path == found.path
    strong = same and share >= 0.8
    return Resurrection(found, place, Strength.STRONG if strong else Strength.FAIR, share)


def _strength_of_name(found: Found, place: Place) -> Strength:
    if found.kind is MarkKind.DEPENDENCY:
        locked = dependencies.named_in(place.path, None)
        return Strength.WEAK if locked is not None and locked.lock else Strength.STRONG
    if found.kind is MarkKind.FILE:
        return Strength.STRONG
    if found.kind in (MarkKind.KEY, MarkKind.FLAG):
        return Strength.FAIR
    if not place.path:  # named by whoever asks
        return Strength.FAIR
    return Strength.STRONG if place.path == found.path else Strength.WEAK


def _strength_of_few(found: Found, place: Place, whole: int) -> Strength:
    """A line or two: only what a revert took out of the same file, and not alone of much."""
    enough = whole >= 2 or 2 * whole >= found.runs
    same = place.path == found.path and len(place.text) >= 20
    return Strength.FAIR if found.cause is Cause.REVERT and same and enough else Strength.WEAK


def _order(one: Resurrection) -> tuple[int, int, int, str, int]:
    strength = list(Strength).index(one.strength)
    return strength, int(one.found.cause), -one.found.at, one.place.path, one.place.line


def settled(
    made: Iterable[Resurrection], lines: Mapping[str, Sequence[tuple[str, str]]]
) -> list[Resurrection]:
    """Those that are not there already, one a removal: the surest.

    ``lines`` are, by what was looked for, the (path, text) that hold it in what is there already.
    """
    kept: dict[int, Resurrection] = {}
    for one in made:
        if _is_there(one, lines.get(one.place.text, ())):
            continue
        first = kept.get(one.found.number)
        kept[one.found.number] = one if first is None else replace(first, also=first.also + 1)
    return list(kept.values())


def _is_there(one: Resurrection, lines: Sequence[tuple[str, str]]) -> bool:
    """Whether what comes back never left, or came back before: elsewhere, or by another way."""
    kind = one.found.kind
    if kind is MarkKind.DEPENDENCY:
        return any(dependencies.is_manifest(path) and is_behaviour(path) for path, _ in lines)
    if kind is MarkKind.SYMBOL:
        return any(definition(text) == one.found.name for _, text in lines)
    if kind is MarkKind.LINES:
        return any(text == one.place.text and is_behaviour(path) for path, text in lines)
    return any(is_behaviour(path) for path, _ in lines)
