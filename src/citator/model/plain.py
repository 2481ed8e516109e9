"""The grammar of names that may travel unasked (rule 1).

A *plain* name uses only ``[A-Za-z0-9_./:@+-]``, at most 64 characters a segment (between
slashes) and 200 in all. A path that is an answer and is not plain travels percent-encoded;
everything else that is not plain does not travel.
"""

from __future__ import annotations

import re

MAX_SEGMENT = 64
MAX_TOTAL = 200

_PLAIN = re.compile(r"[A-Za-z0-9_./:@+-]+")
_KEPT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./@+-")


def is_plain(text: str) -> bool:
    """Whether ``text`` may travel as a plain name."""
    return (
        len(text) <= MAX_TOTAL
        and _PLAIN.fullmatch(text) is not None
        and all(len(segment) <= MAX_SEGMENT for segment in text.split("/"))
    )


def percent_encoded(path: str) -> str:
    """``path`` (surrogate-escaped UTF-8) with every byte outside the grammar as ``%XX``.

    A colon is encoded too, so that ``path:line`` stays unambiguous. The result can be longer
    than a plain name may be: it is for answers a caller asked for.
    """
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair, as JSON may spell it
        raw = path.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in raw)


def plain_path(path: str) -> str:
    """A path as it travels: as it is where that is plain, else percent-encoded."""
    return path if is_plain(path) else percent_encoded(path)


def shown_path(path: str) -> str:
    """A path that a line may follow, as it travels: encoded too where it has a colon."""
    return percent_encoded(path) if ":" in path else plain_path(path)
