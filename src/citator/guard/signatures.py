"""Functions of which the header changes: who calls them is asked for, and told.

- A header is all that stands before the body, as the grammar sees it: layout and comments are none
  of it. Where there is no grammar, or a patch does not fit, it is the first line.
- A caller is a file that calls the name, where its grammar can see calls (as a function or as an
  attribute), or holds it as one, where not; a type is named, not called.
- A file of another family of languages calls something else of that name.
- Of a name that several places define, and of one that is not distinctive, a caller is known only
  by what it imports: the file that changes, and no other that defines the name. A common name
  counts where it stands bare or behind the name of its file; of a method nobody can say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citator.guard.change import Change, FileChange
from citator.index.behaviour import is_behaviour
from citator.index.code.definitions import Header, headers
from citator.sources.removals.marks import definition, is_distinctive

MOST: Final = 8
MOST_CALLERS: Final = 8
MAX_READ: Final = 1 << 20  # bytes that grammars read, of both sides of all files
LEAST_LETTERS: Final = 4
_COMMENT: Final = re.compile(r"[ \t]{1,40}(?:#|//)[^\n]{0,400}$")
_FUNCTION: Final = re.compile(r"\b(?:def|function\*?|fn|func|fun)[ \t]")
_AFTER: Final = frozenset("([<{ ,)")
_FAMILIES: Final = (
    frozenset({"javascript", "typescript", "tsx"}),
    frozenset({"c", "cpp"}),
    frozenset({"java", "kotlin"}),
)
_BY_FOLDER: Final = frozenset({"go", "java", "kotlin"})


@dataclass(frozen=True, slots=True)
class Changed:
    """A definition whose header is another: its name, and where it would be. ``inner``: it
    stands inside another, ``calls``: it is a function."""

    name: str
    path: str
    line: int
    inner: bool = False
    calls: bool = True

    @property
    def distinctive(self) -> bool:
        """Whether the name alone tells what is meant."""
        return is_distinctive(self.name)


@dataclass(frozen=True, slots=True)
class Holder:
    """A file that holds a name in ``texts``. ``language`` is empty where no grammar saw it; then
    nothing is known of what it ``defines``, ``calls`` and ``imports`` (targets)."""

    path: str
    texts: tuple[str, ...]
    language: str = ""
    defines: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Called:
    """A changed definition and the files, none of the change, that name it, in order."""

    changed: Changed
    callers: tuple[str, ...]


def changed_signatures(change: Change) -> list[Changed]:
    """The definitions that keep their name and change their header: the distinctive first, then in
    order. Of a common name only what stands by itself."""
    found: dict[str, Changed] = {}
    left = MAX_READ
    for file in change.files:
        path = file.new_path
        if path is None or file.old_path is None or not is_behaviour(path):
            continue
        left -= len(file.old or b"") + len(file.new or b"")
        seen = _by_grammar(file, path) if file.whole and left >= 0 else None
        for one in _by_first_line(file, path) if seen is None else seen:
            plain = one.calls and not one.inner and len(one.name) >= LEAST_LETTERS
            if one.distinctive or (plain and not one.name.startswith(("_", "test"))):
                found.setdefault(one.name, one)
    return sorted(found.values(), key=lambda one: not one.distinctive)[:MOST]


def _by_grammar(file: FileChange, path: str) -> list[Changed] | None:
    """What a grammar sees; None where there is none, or the file is not known as a whole. Of those
    that share a name the last that came is told, where one went too: one more changes none."""
    before = headers(file.old or b"", path)
    after = None if before is None else headers(file.new or b"", path)
    if before is None or after is None:
        return None
    touched = before.touching({at for at, _ in file.removed})
    touched |= after.touching({at for at, _ in file.added})
    old, new = before.of(touched), after.of(touched)
    gone = {(one.name, one.within, one.calls) for one in _beyond(old, new)}
    last = {(one.name, one.within, one.calls): one for one in _beyond(new, old)}
    return [
        Changed(one.name, path, one.first, one.inner, one.calls)
        for key, one in last.items()
        if key in gone
    ]


def _beyond(these: Sequence[Header], those: Sequence[Header]) -> list[Header]:
    """Those of ``these`` that ``those`` have not: wherever they stand."""
    known = {(one.name, one.within, one.calls, one.tokens) for one in those}
    return [one for one in these if (one.name, one.within, one.calls, one.tokens) not in known]


def _by_first_line(file: FileChange, path: str) -> list[Changed]:
    """What the first lines tell, of languages that have a word for a definition."""
    found = []
    before = {name: text for _, text in file.removed if (name := definition(text))}
    for at, text in file.added:
        name = definition(text)
        if name in before and _bare(text) != _bare(before[name]):
            calls = bool(_FUNCTION.search(text))
            found.append(Changed(name, path, at, text[:1].isspace(), calls))
    return found


def _bare(line: str) -> str:
    """A line without the comment at its end, and without blanks around it."""
    return _COMMENT.sub("", line).strip()


def candidates(one: Changed, lines: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The files of behaviour that use or define the name of ``one``, with the lines that do, of
    the (path, text) that hold it."""
    found: dict[str, tuple[str, ...]] = {}
    for path, text in lines:
        if is_behaviour(path) and (names(text, one.name) or definition(text) == one.name):
            found[path] = (*found.get(path, ()), text)
    return found


def callers(one: Changed, held: Mapping[str, Holder], touched: frozenset[str]) -> Called | None:
    """Who uses a changed definition, of the files in ``held``; None: nobody who is known."""
    own = held.get(one.path)
    language = own.language if own is not None else ""
    same = [file for file in held.values() if _is_akin(file.language, language)]
    defining = [file.path for file in same if _defines(file, one.name)]
    several = len(defining) > 1 or (defining and one.path not in defining)
    by_import = several or not one.distinctive
    found = []
    for file in same:
        if file.path in touched or not _uses(file, one):
            continue
        if not by_import or _means(file, one, defining):
            found.append(file.path)
    return Called(one, tuple(sorted(found))[:MOST_CALLERS]) if found else None


def _is_akin(one: str, other: str) -> bool:
    return not one or not other or one == other or any({one, other} <= all_ for all_ in _FAMILIES)


def _defines(file: Holder, name: str) -> bool:
    return name in file.defines or any(definition(text) == name for text in file.texts)


def _uses(file: Holder, one: Changed) -> bool:
    if one.calls and file.language:
        return one.name in file.calls
    return any(names(text, one.name) for text in file.texts)


def _means(file: Holder, one: Changed, defining: Sequence[str]) -> bool:
    """Whether it is this definition that a file uses, by what the file imports."""
    from citator.index.code.imports import Resolver

    if _defines(file, one.name):
        return False
    where = [one.path, *(path for path in defining if path != one.path)]
    resolver = Resolver(where)
    imported = {at for target in file.imports for at in resolver.files(target, file.path)}
    if file.language in _BY_FOLDER:
        folder = _folder(file.path)
        imported |= {at for at, path in enumerate(where) if _folder(path) == folder}
    if imported != {0}:
        return False
    stem = one.path.rpartition("/")[2].partition(".")[0]
    called = re.compile(
        rf"(?:(?<![\w.$])|(?<![\w.$]){re.escape(stem)}\.){re.escape(one.name)}\s*\("
    )
    return one.distinctive or any(called.search(text) for text in file.texts)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def names(text: str, name: str) -> bool:
    """Whether a line uses a name, and not only one that holds it, nor its definition."""
    before, found, after = text.partition(name)
    borders = not before[-1:].isidentifier() and (not after or after[0] in _AFTER)
    return bool(found) and borders and definition(text) != name
