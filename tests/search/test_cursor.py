"""A cursor continues the question it came from, and nothing else."""

from __future__ import annotations

import base64

import pytest

from citator.model.errors import UsageError
from citator.search.cursor import cursor_at, offset_of

SEAL = b"generation 7 of this installation"


@pytest.mark.parametrize("offset", [0, 1, 8, 1000, 2**24 - 1])
def test_a_cursor_names_its_place(offset: int) -> None:
    assert offset_of(cursor_at(offset, "why?", SEAL), "why?", SEAL) == offset


def test_a_cursor_is_plain_and_says_nothing_of_the_question() -> None:
    cursor = cursor_at(8, "why is the secret so secret", SEAL)
    assert len(cursor) == 24
    assert "secret" not in base64.urlsafe_b64decode(cursor).decode("latin-1")


def forged(cursor: str) -> str:
    raw = bytearray(base64.urlsafe_b64decode(cursor))
    raw[2] += 1
    return base64.urlsafe_b64encode(bytes(raw)).decode()


GOOD = cursor_at(8, "why?", SEAL)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "8",
        "next",
        GOOD[:-1],
        GOOD + "A",
        GOOD[:-1] + ("A" if GOOD[-1] != "A" else "B"),
        forged(GOOD),
        cursor_at(8, "why not?", SEAL),
        cursor_at(8, "why?", b"generation 8 of this installation"),
        GOOD.replace(GOOD[5], "é"),
        "-" * 24,
        GOOD + "\n",
    ],
)
def test_a_foreign_or_forged_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(UsageError) as refused:
        offset_of(cursor, "why?", SEAL)
    assert refused.value.code == "invalid_cursor"
