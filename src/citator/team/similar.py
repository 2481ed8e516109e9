"""Notes that may say the same, or say it anew: offered to whoever writes, never acted on.

- A text is its set of words and pairs of words, case and marks aside (scripts that put no space
  between words: pairs of characters). Likeness is what two sets share of what both have.
- From ``SAME`` on the other is offered as a duplicate, from ``NEAR`` on as something that the new
  note may succeed. A person, or the agent that asked, decides; rule 6.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

NEAR: Final = 0.35
SAME: Final = 0.7
MOST: Final = 3

_WORD: Final = re.compile(
    "[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e01-\u0eff]|"
    "[^\\W_\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e01-\u0eff]+"
)


class Likeness(StrEnum):
    """What another note is offered as."""

    DUPLICATE = "duplicate"
    SUCCEEDS = "succeeds"


@dataclass(frozen=True, slots=True)
class Similar:
    """Another note, as what it is offered, and how alike the two are (0 to 1)."""

    id: str
    likeness: Likeness
    share: float


def words(text: str) -> tuple[str, ...]:
    """The words of a text in one spelling."""
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def shingles(text: str) -> frozenset[str]:
    """The words and pairs of words of a text."""
    single = words(text)
    return frozenset(single) | {f"{one} {other}" for one, other in pairwise(single)}


def similar(text: str, others: Iterable[tuple[str, str]]) -> tuple[Similar, ...]:
    """The most alike of ``others`` (id, text), most alike first, ties by id."""
    ours = shingles(text)
    found = []
    for id, other in others:
        theirs = shingles(other)
        both = len(ours & theirs)
        share = both / ((len(ours) + len(theirs) - both) or 1)
        if share >= NEAR:
            kind = Likeness.DUPLICATE if share >= SAME else Likeness.SUCCEEDS
            found.append(Similar(id, kind, round(share, 2)))
    return tuple(sorted(found, key=lambda one: (-one.share, one.id))[:MOST])
