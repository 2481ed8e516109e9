"""Tokens as they are budgeted, and as a tokenizer is likely to make them."""

from __future__ import annotations

import pytest

from citator.model.tokens import tokens_at_most, tokens_of


@pytest.mark.parametrize(
    ("text", "by_bytes", "at_most"),
    [
        ("", 0, 0),
        ("abcd", 1, 1),
        ("abcde", 2, 2),
        ("branch: {name: main}\n", 6, 8),
        ("9f2c11d0", 2, 7),
        ("2026-11-29", 3, 6),
        ("日本", 2, 2),
        ("\udcff", 1, 1),
        ("internationalization", 5, 5),
    ],
)
def test_names_and_hashes_count_for_more_than_their_bytes(
    text: str, by_bytes: int, at_most: int
) -> None:
    assert (tokens_of(text), tokens_at_most(text)) == (by_bytes, at_most)


def test_lines_count_for_themselves() -> None:
    lines = ["stack: [python]\n", "wip: {new: 12}\n"]
    assert tokens_at_most("".join(lines)) <= sum(map(tokens_at_most, lines))
