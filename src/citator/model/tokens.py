"""How many tokens a text takes: bytes / 4, and an estimate that does not flatter what is not prose.

Hashes, paths and punctuation take more tokens than prose of as many bytes: what is a hundred by
bytes alone was up to a hundred and sixty to a tokenizer (``bench/brief``).
"""

from __future__ import annotations

import re
from typing import Final

BYTES_A_TOKEN: Final = 4
_LETTERS: Final = 8
_DIGITS: Final = 3
# A run of letters, a run of digits, an end of line, any other one that is no space.
_PIECE: Final = re.compile(r"([A-Za-z]+)|([0-9]+)|(\n)|(\S)")


def tokens_of(text: str) -> int:
    """UTF-8 bytes / 4, rounded up: the measure of every budget."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def tokens_at_most(text: str) -> int:
    """What a tokenizer is likely to make of a line of names and punctuation, and rather more;
    never less than :func:`tokens_of`. A line's is the sum of its own, whatever stands around it."""
    found = 0
    for letters, digits, _, _ in _PIECE.findall(text):
        if letters:
            found += 1 + (len(letters) - 1) // _LETTERS
        else:
            found += max(1, -(-len(digits) // _DIGITS))
    return max(found, tokens_of(text))
