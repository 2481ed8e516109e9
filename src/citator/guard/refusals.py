"""Whether a change does what an approved decision refuses: set membership, and nothing that weighs.

- A package is refused in any manifest or lock file; everything else where the decision's own scope
  holds. What was there before is not refused.
- A pattern is a part of a line in which ``*`` is any text. Each piece is matched at its first fit:
  exact for that alphabet, and linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citator.formats.globs import usable
from citator.guard.change import Change, FileChange
from citator.index.code.imports import targets
from citator.index.code.languages import language_of
from citator.model.record import Refuse, is_of_record
from citator.sources.removals.dependencies import folded

_IMPORT: Final = re.compile(
    r"[ \t]{0,80}(?:import|from|use|pub use|using|require(?:_once|_relative)?|include"
    r"|#[ \t]*include|export|extern crate|(?:const|let|var)\b)[^\n]{0,1000}"
)
_QUOTED: Final = re.compile(r"[\"'<]([\w@./+-]{1,200})[\"'>]")
_NAMES: Final = re.compile(r"[A-Za-z_][\w.:\\]{0,200}")


@dataclass(frozen=True, slots=True)
class Refused:
    """What is refused and where: ``predicate`` is ``packages``, ``imports``, ``paths`` or
    ``patterns``; ``line`` is 0 where it is about a whole file."""

    predicate: str
    path: str
    line: int


def refused_by(change: Change, refuse: Refuse, scope: Sequence[str]) -> Refused | None:
    """The first thing in a change that is refused, None where nothing is."""
    patterns = usable(scope)
    for file in change.files:
        path = file.new_path
        if path is None or is_of_record(path):
            continue
        found = next(_packages(file, path, refuse), None)
        if found is None and (not scope or any(one.fullmatch(path) for one in patterns)):
            found = next(_inside(file, path, refuse), None)
        if found is not None:
            return found
    return None


def _packages(file: FileChange, path: str, refuse: Refuse) -> Iterator[Refused]:
    if not refuse.packages:
        return
    for new in file.dependencies:
        if new.name in {folded(new.ecosystem, one) for one in refuse.packages}:
            yield Refused("packages", path, new.line)


def _inside(file: FileChange, path: str, refuse: Refuse) -> Iterator[Refused]:
    if any(one.fullmatch(path) for one in usable(refuse.paths)):
        yield Refused("paths", path, 0)
    language = language_of(path)
    for at, line in file.added:
        if language is not None and refuse.imports and _IMPORT.match(line):
            named = _imported(line, language.name)
            if any(_is_within(one, wanted) for one in named for wanted in refuse.imports):
                yield Refused("imports", path, at)
        if any(holds(line, one) for one in refuse.patterns):
            yield Refused("patterns", path, at)


def _imported(line: str, language: str) -> set[str]:
    """What an import names, with slashes for whatever separates its parts."""
    text = line.strip().rstrip(";")
    named = set(targets(text, language)) if language in ("python", "rust") else set()
    named |= set(_QUOTED.findall(text))
    if language in ("java", "kotlin", "csharp", "php", "rust"):
        named |= {_slashed(one) for one in _NAMES.findall(text)}
    return named


def _slashed(name: str) -> str:
    return re.sub(r"[.:\\]+", "/", name).strip("/")


def _is_within(name: str, wanted: str) -> bool:
    """Whether an import is of what is refused, or of something below it."""
    for one in (wanted, _slashed(wanted)):
        if name == one or name.startswith((f"{one}/", f"{one}.")):
            return True
    return False


def holds(line: str, pattern: str) -> bool:
    """Whether a line holds a pattern."""
    at = 0
    for piece in pattern.split("*"):
        at = line.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
