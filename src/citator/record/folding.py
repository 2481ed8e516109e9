"""The folded form of a rejected value: spellings that a reader takes for the same fold to one.

NFKC, case, white space and dashes, invisible and direction marks, Latin accents, and letters of
other scripts that are drawn like Latin ones. What it misses is told by a reader, not guessed by
likeness (rule 6).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

# Small letters that are drawn like a Latin one (UTS 39, the rows of living alphabets).
_LOOK_ALIKES: Final = {
    **dict(zip("авсԁеѐғһіїјкқмоөрԛѕтуүѵԝхцԍ", "abcdeefhiijkkmooqqstuyvwxug", strict=True)),
    **dict(zip("αβεικνορτυχγωϲϳ", "abeikvoptuxywcj", strict=True)),
    **dict(zip("աեզհոռսօցքւ", "auqhnnuogpi", strict=True)),
    **dict(zip("ɑɡɩıɪʏʜⅼǀ∣│", "agiiiyhllll", strict=True)),
    "р": "p",
}
_TABLE: Final = str.maketrans(_LOOK_ALIKES)
_DROPPED: Final = frozenset({"Cf", "Cc", "Co", "Cs"})
_GAPS: Final = re.compile(r"[\s_\-‐‑‒–—―−]+")
_EDGES: Final = " .!?,;:\"'`"


def folded(value: str) -> str:
    """The folded form of ``value``. Folding a folded form changes nothing."""
    text, before = value, None
    while text != before:
        before, text = text, _once(text)
    return text


def _once(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text.casefold())
    kept = (one for one in spread if one.isspace() or _is_seen(one))
    plain = unicodedata.normalize("NFKC", "".join(kept).translate(_TABLE))
    return _GAPS.sub(" ", plain).strip(_EDGES)


def _is_seen(character: str) -> bool:
    """Whether it is drawn by itself: no invisible mark, and no accent on a Latin letter."""
    accent = "\u0300" <= character <= "\u036f" or "\ufe00" <= character <= "\ufe0f"
    return not accent and unicodedata.category(character) not in _DROPPED


def rejection_key(value: str, kind: str | None, scope: Iterable[str]) -> str:
    """The key of a tombstone: a SHA-256 over the folded value, the kind and the scope."""
    parts = [folded(value), kind or "", *sorted(scope)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
