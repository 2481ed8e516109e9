"""Why a file is in an answer of locate, in sentences of ours; how much of it a short answer says.

A short answer has a size that it may not pass: what is said of each file shrinks until it fits, the
paths last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.locate.reasons import Cause, Reason

BYTES_OF_A_FILE: Final = 160  # ten files: 400 tokens
LEAST_FILES: Final = 10
NOTHING_SAID: Final = (
    "No file: nothing of the issue stands in a file here, nor in what was said of one."
)
_NEAR: Final = 3


@dataclass(frozen=True, slots=True)
class Fullness:
    """How many reasons and functions are told of the first file, of those near it, of the rest;
    and whether signed words are."""

    reasons: tuple[int, int, int]
    functions: tuple[int, int, int]
    words: bool = True

    def reasons_of(self, number: int) -> int:
        """Of the file at place ``number``, from 1."""
        return self.reasons[_step(number)]

    def functions_of(self, number: int) -> int:
        """Of the file at place ``number``, from 1."""
        return self.functions[_step(number)]


FULLNESS: Final = (
    Fullness((2, 1, 1), (2, 1, 0)),
    Fullness((1, 1, 1), (1, 1, 0)),
    Fullness((1, 1, 0), (1, 1, 0)),
    Fullness((1, 0, 0), (1, 0, 0)),
    Fullness((1, 0, 0), (1, 0, 0), words=False),
    Fullness((0, 0, 0), (0, 0, 0), words=False),
)
EVERYTHING: Final = Fullness((100, 100, 100), (100, 100, 100))


def room_for(files: int) -> int:
    """How many bytes an answer of so many files may take where no detail was asked for."""
    return BYTES_OF_A_FILE * max(files, LEAST_FILES)


def sentence(reason: Reason) -> str:
    """A reason in our own words."""
    tokens = ", ".join(reason.tokens)
    if reason.cause is Cause.TRACEBACK:
        return f"in the traceback, frame {reason.numbers[0]} of {reason.numbers[1]}"
    if reason.cause is Cause.PATH:
        return "named in the issue"
    if reason.cause is Cause.DEFINES:
        return f"defines {tokens}"
    if reason.cause is Cause.REFERS:
        return f"touched by {tokens}, which the issue refers to"
    if reason.cause is Cause.EARLIER:
        count = reason.numbers[0]
        return f"{count} earlier commit{'s' * (count != 1)} alike: {tokens}"
    if reason.cause is Cause.WORDS:
        return f"says {tokens or 'words of the issue'}"
    if reason.cause is Cause.SAID:
        return "its past changes were told in words of the issue"
    return "near the others by imports or past changes"


def _step(number: int) -> int:
    return 0 if number == 1 else 1 if number <= _NEAR else 2
