"""Functions of which the first line changes: who calls them is asked for, and told.

Only names that are distinctive, and that one place alone defines, are looked for: of any other
nobody can say from a name who calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from citator.guard.change import Change
from citator.index.behaviour import is_behaviour
from citator.sources.removals.marks import definition, is_distinctive

MOST: Final = 8
MOST_CALLERS: Final = 8
_COMMENT: Final = re.compile(r"[ \t]{1,40}(?:#|//)[^\n]{0,400}$")
_AFTER: Final = frozenset("([<{ ,)")


@dataclass(frozen=True, slots=True)
class Changed:
    """A definition whose first line is another: its name, and where it would be."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Called:
    """A changed definition and the files, none of the change, that name it, in order."""

    changed: Changed
    callers: tuple[str, ...]


def changed_signatures(change: Change) -> list[Changed]:
    """The definitions that keep their name and change their first line, in order."""
    found: dict[str, Changed] = {}
    for file in change.files:
        path = file.new_path
        if path is None or file.old_path is None or not is_behaviour(path):
            continue
        before = {name: text for _, text in file.removed if (name := definition(text))}
        for at, text in file.added:
            name = definition(text)
            if is_distinctive(name) and name in before and _bare(text) != _bare(before[name]):
                found.setdefault(name, Changed(name, path, at))
    return list(found.values())[:MOST]


def _bare(line: str) -> str:
    """A line without the comment at its end, and without blanks around it."""
    return _COMMENT.sub("", line).strip()


def callers(
    signatures: Iterable[Changed],
    lines: Mapping[str, Iterable[tuple[str, str]]],
    touched: frozenset[str],
) -> list[Called]:
    """Who names each. ``lines``: the (path, text) that hold a name, as it stands now."""
    made = []
    for one in signatures:
        held = list(lines.get(one.name, ()))
        defining = [path for path, text in held if definition(text) == one.name]
        if len(defining) > 1:
            continue
        naming = {path for path, text in held if _names(text, one.name) and is_behaviour(path)}
        others = tuple(sorted(naming - touched))[:MOST_CALLERS]
        if others:
            made.append(Called(one, others))
    return made


def _names(text: str, name: str) -> bool:
    """Whether a line uses a name, and not only one that holds it, nor its definition."""
    before, found, after = text.partition(name)
    borders = not before[-1:].isidentifier() and (not after or after[0] in _AFTER)
    return bool(found) and borders and definition(text) != name
