"""What was asked, told from its shape: lines, a file, a symbol, a commit, a text, or a question.

- A shape is a matter of form, and of whether a path is there; nothing is looked up by likeness.
- A question in prose may name symbols and quote texts: those are looked for exactly, first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from citator.model.docket import Shape
from citator.model.errors import UsageError

MAX_TARGET: Final = 4096
_MAX_NAMED: Final = 3
_MAX_PHRASE: Final = 160
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")
_LINES: Final = re.compile(
    r"(?P<path>.+?)(?::|#L)(?P<first>[0-9]{1,8})"
    r"(?:(?:-|\.\.|,)L?(?P<last>[0-9]{1,8})|:[0-9]{1,5})?",
    re.DOTALL,
)
_SYMBOL: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*[!?]?(?:\(\))?")
_TELLING: Final = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|::|\(\)|#|[a-z]\.[a-z]|\d")
_ITEM: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{6,26}")
_ERROR: Final = re.compile(
    r"(?:[A-Z]\w*(?:\.\w+)*)?(?:Error|Exception|Warning|Failure)(?:\[\w+\])?:\s+\S|"
    r"(?:error|fatal|panic(?:ked)?|warning|E\d{3,4})\b[^?]*:\s+\S"
)
_QUOTED: Final = re.compile(r"\"([^\"\n]{3,200})\"|`([^`\n]{3,200})`|“([^”\n]{3,200})”")
_SAID: Final = re.compile(r"'([^'\n]{6,200})'(?!\w)")
_CODE: Final = re.compile(
    r"(?<![\w/.-])[A-Za-z_][\w$]*(?:(?:\.|::|#)[A-Za-z_]\w*)*(?:\(\))?(?![\w/-])"
)
_ASKS: Final = re.compile(
    r"\?|^(?:why|how|what|when|where|who|which|is|are|was|were|do|does|did|should|can)\b", re.I
)
_PLACEHOLDER: Final = re.compile(
    r"\{[^{}]{0,40}\}|%[-+ 0-9.]*[sdrifgxq]|%\(\w{1,40}\)[sdrif]|\$\{?\w{1,40}\}?|<[^<>\s]{1,40}>"
    r"|(?<![\w.])(?:[A-Za-z]:[\\/]|https?://|~?/)[^\s'\"`]{1,400}|0x[0-9a-fA-F]+|\b\d+(?:\.\d+)*\b|'[^']{0,80}'|\"[^\"]{0,80}\"|`[^`]{0,80}`"
)


@dataclass(frozen=True, slots=True)
class Target:
    """``said`` is what was asked. ``path`` is of lines, a path or a symbol (empty: anywhere);
    ``symbols`` and ``texts`` are what is looked for exactly, in this order. ``phrase`` is prose
    that asks nothing: it may be the text of a line."""

    shape: Shape
    said: str
    path: str = ""
    first: int = 0
    last: int = 0
    symbols: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    phrase: str = ""


def target_of(said: str, is_path: Callable[[str], bool], was_path: Callable[[str], bool]) -> Target:
    """Tell the shape of ``said``; ``is_path`` says whether there is such a file or folder, and
    ``was_path`` whether there was one. Raises UsageError ``no_such_lines``."""
    said = said[:MAX_TARGET].strip()
    path, separator, symbol = said.rpartition("::")
    if separator and is_path(_path(path)) and _SYMBOL.fullmatch(symbol):
        return Target(Shape.SYMBOL, said, _path(path), symbols=(name_of(symbol),))
    if is_path(_path(said)):
        return Target(Shape.PATH, said, _path(said))
    lines = _LINES.fullmatch(said)
    if lines is not None and is_path(_path(lines["path"])):
        first = int(lines["first"])
        last = int(lines["last"] or first)
        if not 1 <= first <= last:
            raise UsageError(
                "no_such_lines", "a file has no such lines", "give PATH:LINE, or PATH:FIRST-LAST"
            )
        return Target(Shape.LINES, said, _path(lines["path"]), first, last)
    if was_path(_path(said)):
        return Target(Shape.PATH, said, _path(said))
    if lines is not None and was_path(_path(lines["path"])):  # it has no lines now: all of it
        return Target(Shape.PATH, said, _path(lines["path"]))
    if separator and was_path(_path(path)):
        return Target(Shape.SYMBOL, said, _path(path), symbols=(name_of(symbol),))
    if _COMMIT.fullmatch(said):
        return Target(Shape.COMMIT, said)
    whole = _QUOTED.fullmatch(said) or _SAID.fullmatch(said)
    if whole is not None:
        return Target(Shape.TEXT, said, texts=_texts("".join(filter(None, whole.groups()))))
    if _ITEM.fullmatch(said) and any(one.isdigit() for one in said):
        return Target(Shape.DECISION, said)
    if _SYMBOL.fullmatch(said):
        return Target(Shape.SYMBOL, said, symbols=(name_of(said),))
    if _ERROR.match(said):
        return Target(Shape.TEXT, said, texts=_texts(_without_name(said)))
    phrase = "" if _ASKS.search(said) or len(said) > _MAX_PHRASE else said
    return Target(Shape.QUESTION, said, symbols=_symbols(said), texts=_quoted(said), phrase=phrase)


def _path(said: str) -> str:
    return said.replace("\\", "/").removeprefix("./").rstrip("/")


def name_of(symbol: str) -> str:
    """The last name of a qualified one: that is what a definition is called."""
    return re.split(r"\.|::|#", symbol.removesuffix("()"))[-1].rstrip("!?") or symbol


def _without_name(said: str) -> str:
    """An error's text without the name of its class."""
    return said.partition(": ")[2] or said


def _texts(said: str) -> tuple[str, ...]:
    """A text as it may stand in source: whole, else its longest parts between what is filled in."""
    parts = [part.strip(" .:,;()[]") for part in _PLACEHOLDER.split(said)]
    parts = sorted((part for part in parts if len(part) >= 8), key=len, reverse=True)
    return tuple(dict.fromkeys([said, *parts[:_MAX_NAMED]]))


def _quoted(said: str) -> tuple[str, ...]:
    found = ["".join(filter(None, match.groups())) for match in _QUOTED.finditer(said)]
    found += [match[1] for match in _SAID.finditer(said)]
    return tuple(dict.fromkeys(found))[:_MAX_NAMED]


def _symbols(said: str) -> tuple[str, ...]:
    """Names in prose that only code is written with."""
    found = [match[0] for match in _CODE.finditer(said) if _TELLING.search(match[0])]
    return tuple(dict.fromkeys(name_of(one) for one in found))[:_MAX_NAMED]
