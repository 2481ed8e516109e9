"""Prose becomes one printable line, cut at a word; a sentence ends where a reader ends it."""

from __future__ import annotations

import pytest

from citator.formats.one_line import cut, first_sentence, one_line


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("We use **SQLite**,\nnot  _files_.", "We use SQLite, not _files_."),
        ("See [the notes](notes.md) and ![a picture](x.png).", "See the notes and ."),
        ("- one\u202e item\u200b", "one item"),
        ("a <b onclick=x>bold</b> <!-- hidden --> word", "a bold word"),
        ("snake_case_name and `code`", "snake_case_name and `code`"),
        ("", ""),
    ],
)
def test_marks_go_and_words_stay(written: str, read: str) -> None:
    assert one_line(written, 200) == read


def test_a_long_line_ends_at_a_word_inside_the_limit() -> None:
    assert cut("one two three four", 12) == "one two…"
    assert cut("onetwothreefour", 8) == "onetwot…"
    assert len(one_line("word " * 100, 280)) <= 280
    assert one_line("x" * 280, 280) == "x" * 280


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "We keep one index per repository. It is shared.",
            "We keep one index per repository.",
        ),
        (
            "We agree. The parser stays pinned to 2.x, e.g. 2.4, for a year. Then we look.",
            "We agree. The parser stays pinned to 2.x, e.g. 2.4, for a year.",
        ),
        (
            'It is called "the record of the ledger." Always.',
            'It is called "the record of the ledger."',
        ),
        (
            "索引はリポジトリごとに一つだけ持ち、全てのブランチとワークツリーで共有する。次の文。",
            "索引はリポジトリごとに一つだけ持ち、全てのブランチとワークツリーで共有する。",
        ),
        ("No end at all", "No end at all"),
    ],
)
def test_a_sentence_that_says_something_ends_where_it_ends(written: str, read: str) -> None:
    assert first_sentence(written) == read
