"""Marks: what a file holds that can leave and come back, each under one number.

- A number is the first 63 bits of a digest over the kind and a normal form: what is compared are
  numbers, and what is kept of most marks is nothing else.
- Lines are compared by *shingles*: three significant lines in a row, white space aside. A line that
  is only punctuation, a comment or an import says nothing about what came back.
- Names are taken only where they are distinctive: a short or common word comes back every day.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Final

SHINGLE: Final = 3
MAX_LINE: Final = 400


class MarkKind(IntEnum):
    """What was removed."""

    LINES = 1
    FILE = 2
    SYMBOL = 3
    DEPENDENCY = 4
    KEY = 5
    FLAG = 6


_WORDS: Final = re.compile(r"\w{2,}")
_COMMENT: Final = re.compile(
    r"(?:#(?!include|define|if|pragma)|//|/\*|\*(?: |/|$)|--|;|<!--|%|\"{3})"
)
_IMPORT: Final = re.compile(r"(?:import|from|use|using|require|#include|package|export \*|end\b)\b")
_DEFINITION: Final = re.compile(
    r"[ \t]{0,80}(?:(?:export|default|pub(?:\([a-z]{1,9}\))?|public|private|protected|static|final"
    r"|abstract|async|unsafe|override|virtual|inline|extern|sealed|internal|open|data|partial)"
    r"[ \t]+){0,6}"
    r"(?:def|class|module|function\*?|fn|func|fun|interface|struct|enum|trait)[ \t]+"
    r"(?:\([^()]{0,80}\)[ \t]*)?(?:self\.)?([A-Za-z_$][\w$]{0,79}[?!]?)"
)
_KEY: Final = re.compile(
    r"[ \t]{0,80}(?:-[ \t]+)?[\"']?([A-Za-z_][\w.-]{3,59})[\"']?[ \t]*(?::(?:[ \t]|$)|=(?!=))"
)
_FLAG: Final = re.compile(r"[\"'`](--[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){1,6})\b")
_CONFIG: Final = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|properties|env|json|jsonc)$|(?:^|/)\.env[^/]*$"
)
_PROSE: Final = re.compile(
    r"\.(?:md|markdown|mdx|rst|txt|adoc|html?|svg|po|pot|csv|tsv|ipynb|lock|sum|snap|map|patch|diff"
    r"|ambr|golden|out|log|xml)$|(?:^|/)(?:changelog|changes|news|authors|contributors|readme)[^/]*$",
    re.IGNORECASE,
)


def number(kind: MarkKind, *parts: str) -> int:
    """The number of a mark: 0 to 2**63 - 1."""
    raw = "\0".join((str(int(kind)), *parts)).encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest()) >> 1


def significant(line: str) -> str:
    """The normal form of a line that says something, else an empty text."""
    if len(line) > MAX_LINE:
        return ""
    text = " ".join(line.split())
    if len(text) < 6 or _COMMENT.match(text) or _IMPORT.match(text):
        return ""
    return text if _WORDS.search(text) else ""


def shingles(lines: Sequence[str]) -> list[int]:
    """The numbers of all three lines in a row, of significant lines in normal form."""
    return [
        number(MarkKind.LINES, *lines[at : at + SHINGLE]) for at in range(len(lines) - SHINGLE + 1)
    ]


def few_lines(path: str, lines: Sequence[str]) -> int:
    """The number of a whole run that is too short for a shingle: known again in its file alone."""
    return number(MarkKind.LINES, path, *lines)


def definition(line: str) -> str:
    """The name that a line defines, if any."""
    match = _DEFINITION.match(line)
    return match[1] if match else ""


def is_distinctive(name: str) -> bool:
    """Whether a name is so long and made of so many words that two things rarely share it."""
    if name.lower().startswith(("__", "test")) or len(name) < 8:
        return False
    humps = sum(1 for one, other in pairwise(name) if one.islower() and other.isupper())
    return "_" in name.strip("_") or humps >= 1 or len(name) >= 14


def flags(line: str) -> list[str]:
    """The options of a command line that a line names in quotation marks."""
    return _FLAG.findall(line[:MAX_LINE])


def key(line: str) -> str:
    """The key that a line of a configuration sets, if any."""
    match = _KEY.match(line[:MAX_LINE])
    return match[1] if match else ""


def keys_of(content: bytes) -> set[str]:
    """The keys that a configuration sets, at any depth."""
    return set(map(key, content.decode("utf-8", "replace").split("\n")))


def is_config(path: str) -> bool:
    """Whether a path is that of a configuration by its ending."""
    return _CONFIG.search(path) is not None


def is_prose(path: str) -> bool:
    """Whether a path is of a text, a lock file or a listing: its lines are no behaviour."""
    return _PROSE.search(path) is not None


def runs(
    lines: Iterable[tuple[int, str]], dropped: Iterable[str] = ()
) -> list[list[tuple[int, str]]]:
    """Runs of significant lines ``(number, normal form)`` that follow each other, but for lines
    without significance; a line among ``dropped`` ends a run."""
    gone = frozenset(dropped)
    found: list[list[tuple[int, str]]] = [[]]
    last = 0
    for at, line in lines:
        if found[-1] and at > last + 1:
            found.append([])
        last = at
        text = significant(line)
        if text in gone and text:
            found.append([])
        elif text:
            found[-1].append((at, text))
    return [run for run in found if run]
