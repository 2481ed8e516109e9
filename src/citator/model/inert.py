"""Text made inert: nothing in it can steer a terminal, a log or a reader's eye.

Control characters, bidirectional overrides, tag characters and other invisible characters
are replaced by a visible escape such as ``\\u{202e}``. Honest right-to-left text needs none
of them and is left alone, as are single joiners between non-ASCII characters and single
emoji selectors (Persian, Hindi, emoji). A run of them spells nothing but hidden bits.
"""

from __future__ import annotations

import re

# Ranges after the Unicode general categories Cc, Cf, Zl, Zp, Cs and the blank fillers.
_STEERING = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, carriage return included; tab and newline stay
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_JOINER = re.compile("[\u200c\u200d]")
_INVISIBLE = re.compile("[\u200c\u200d\ufe0e\ufe0f]+")
_SELECTORS = frozenset({"\ufe0e", "\ufe0f"})
_JOINERS = frozenset({"\u200c", "\u200d", "\ufe0f\u200d"})
_LINE = re.compile(r"[\t\n]")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def inert(text: str) -> str:
    """``text`` with every steering character made visible; newlines and tabs stay."""
    text = _STEERING.sub(_escape, text)
    if text.isascii():
        return text

    def invisible(match: re.Match[str]) -> str:
        before, after = match.start() - 1, match.end()
        between = before >= 0 and after < len(text)
        joins = between and not text[before].isascii() and not text[after].isascii()
        if match[0] in _SELECTORS or (joins and match[0] in _JOINERS):
            return match[0]
        return "".join(f"\\u{{{ord(one):x}}}" for one in match[0])

    return _INVISIBLE.sub(invisible, text)


def inert_json(dumped: str) -> str:
    """A JSON text with every steering character as JSON's own escape: the same value, inert."""

    def escape(match: re.Match[str]) -> str:
        units = match[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    return _JOINER.sub(escape, _STEERING.sub(escape, dumped))


def inert_line(text: str) -> str:
    """:func:`inert` for one line: newlines and tabs become a space."""
    return inert(_LINE.sub(" ", text))
