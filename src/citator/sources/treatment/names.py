"""How later commits name one: by its title, the number of its change, what it was copied from.

- A title is kept as a digest of its folded form, without the change number that a squash appends:
  a revert quotes it so.
- A number is the one that merged the commit, never one that it only speaks of.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_TITLE: Final = 500
MAX_NUMBERS: Final = 8


class Naming(StrEnum):
    """By what a commit is named."""

    ID = "id"  # hexadecimal digits: whole, or a beginning of at least seven
    CHANGE = "change"  # the number of a pull or merge request
    TITLE = "title"  # a digest of the folded title
    REVISION = "revision"  # the number of a Subversion revision
    COPY_OF = "copy_of"  # the id of the commit it was picked from
    DECISION = "decision"  # a decision's id
    ADR = "adr"  # the number of an architecture decision record


@dataclass(frozen=True, slots=True)
class Name:
    """One name. ``text`` is a plain token."""

    naming: Naming
    text: str


_SPACE: Final = re.compile(r"\s+")
_NUMBER_AT_END: Final = re.compile(r"\s*\((?:#|GH-|!)([1-9][0-9]{0,8})\)\s*$")
_MERGED: Final = re.compile(
    r"(?:Merge pull request|Auto merge of|Rollup merge of|Merge|Merged PR|Merge PR|"
    r"Merged in \S{1,200} \(pull request)[ ]#?([1-9][0-9]{0,8})(?![0-9.])"
)
_GITLAB: Final = re.compile(r"^See merge request \S{0,200}!([1-9][0-9]{0,8})$", re.M)
_PULL_URL: Final = re.compile(r"^PR-URL: \S{1,200}/pull/([1-9][0-9]{0,8})$", re.M)
_SVN: Final = re.compile(r"^git-svn-id: \S{1,300}@([1-9][0-9]{0,8}) ", re.M)
_PICKED: Final = re.compile(r"\(cherry[ -]picked from commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\)")
_IS_MERGE: Final = re.compile(r"Merged? |Auto merge |Rollup merge ")


def title_of(text: str) -> Name | None:
    """The name that a title gives; None where there is none."""
    while (match := _NUMBER_AT_END.search(text[:MAX_TITLE])) is not None and match.start():
        text = text[: match.start()]
    folded = _SPACE.sub(" ", text[:MAX_TITLE]).strip().rstrip(".").casefold()
    if not folded:
        return None
    return Name(
        Naming.TITLE, hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    )


def titles(message: str) -> tuple[str, ...]:
    """The title of a message, and of a merge also that of the change it merges."""
    paragraphs = message.split("\n\n", 2)
    first = _SPACE.sub(" ", paragraphs[0][: 2 * MAX_TITLE]).strip()
    if len(paragraphs) > 1 and _IS_MERGE.match(first) and _MERGED.match(first):
        second = paragraphs[1].strip()
        if second and "\n" not in second:
            return first, second
    return (first,)


def names_of(message: str) -> tuple[Name, ...]:
    """The names under which later commits may speak of the one with this message."""
    found: list[Name | None] = [title_of(one) for one in titles(message)]
    first = message.partition("\n")[0][: 4 * MAX_TITLE].rstrip()
    merged = _MERGED.match(first)
    at_end = _NUMBER_AT_END.search(first[-40:])
    numbers = [one[1] for one in (merged, at_end) if one is not None]
    if "See merge request " in message:
        numbers += [one[1] for one in _GITLAB.finditer(message)]
    if "PR-URL: " in message:
        numbers += [one[1] for one in _PULL_URL.finditer(message)]
    found += [Name(Naming.CHANGE, one) for one in numbers[:MAX_NUMBERS]]
    if "git-svn-id: " in message:
        found += [Name(Naming.REVISION, one[1]) for one in _SVN.finditer(message)][:4]
    if "picked from commit " in message:
        found += [Name(Naming.COPY_OF, one[1]) for one in _PICKED.finditer(message)][:8]
    return tuple(dict.fromkeys(one for one in found if one is not None))
