"""The folded form of a rejected value: spellings that a reader takes for the same fold to one.

NFKC, case, white space, dashes and the marks of Markdown, quotation marks, invisible and direction
marks, accents, and letters of other scripts that are drawn like Latin ones. What it misses is told
by a reader, not guessed by likeness (rule 6).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

# Letters that are drawn like a Latin one (UTS 39, the rows of living alphabets): small ones, which
# stand for their capitals too, and capitals whose small letter is drawn like another, or like none.
_SMALL: Final = {
    **dict(zip("авгԁеѐғһніїјкқӏмоөрԛѕтуүѵԝхцԍь", "abrdeefhhiijkklmoopqstyyvwxugb", strict=True)),
    **dict(zip("αβεικνορτυχγωϲϳ", "abeikvoptuxywcj", strict=True)),
    **dict(zip("աեզհոռսօցքւ", "auqhnnuogpi", strict=True)),
    **dict(zip("ɑɡɩıɪʏʜⅼǀ∣│", "agiiiyhllll", strict=True)),
    "с": "c",
}
_CAPITALS: Final = dict(zip("ΗΝΥΖΜ", "hnyzm", strict=True))
_QUOTES: Final = {**dict.fromkeys("’‘‚‛′´ʼ", "'"), **dict.fromkeys("“”„‟″«»「」『』", '"')}
_BLANK: Final = frozenset(
    "\u034f\u0640\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
_SMALL_TABLE: Final = str.maketrans(_SMALL)
_CAPITAL_TABLE: Final = str.maketrans(_CAPITALS)
_QUOTE_TABLE: Final = str.maketrans(_QUOTES)
_DROPPED: Final = frozenset({"Cf", "Cc", "Co", "Cs"})
_MIXED: Final = re.compile(r"(?<!\w)\w*[A-Za-z]\w*")
_GAPS: Final = re.compile(r"[\s_\-*~`]+")
_DASHES: Final = "\u02d7\u2043\u2212\u2796"
_EDGES: Final = " .!?,;:\"'`。、・؟،؛।"


def folded(value: str) -> str:
    """The folded form of ``value``. Folding a folded form changes nothing."""
    text, before = value, None
    while text != before:
        before, text = text, _once(text)
    return text


def _once(text: str) -> str:
    text = _MIXED.sub(lambda word: word[0].translate(_CAPITAL_TABLE), text.translate(_QUOTE_TABLE))
    spread = unicodedata.normalize("NFKD", text.casefold())
    seen = "".join(_drawn(one) for one in spread)
    plain = unicodedata.normalize("NFKC", seen.translate(_SMALL_TABLE))
    return _GAPS.sub(" ", plain).strip(_EDGES)


def _drawn(character: str) -> str:
    """What is drawn of it: nothing of an invisible mark or an accent, one dash for every dash."""
    if character.isspace():
        return character
    accent = "\u0300" <= character <= "\u036f" or "\ufe00" <= character <= "\ufe0f"
    selector = "\U000e0100" <= character <= "\U000e01ef"
    category = unicodedata.category(character)
    if accent or selector or character in _BLANK or category in _DROPPED:
        return ""
    return "-" if category == "Pd" or character in _DASHES else character


def rejection_key(value: str, kind: str | None, scope: Iterable[str]) -> str:
    """The key of a tombstone: a SHA-256 over the folded value, the kind and the scope."""
    parts = [folded(value), kind or "", *sorted(scope)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
