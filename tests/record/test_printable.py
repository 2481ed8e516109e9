"""A text is a text on every Python, or on none."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from citator.record.fields import BadValueError, text
from citator.record.printable import UNICODE, is_printable


def test_the_table_is_what_the_oldest_python_calls_printable() -> None:
    ours = {code for code in range(sys.maxunicode + 1) if is_printable(chr(code) + "é")}
    theirs = {code for code in range(sys.maxunicode + 1) if chr(code).isprintable()}
    assert len(ours) == 144_516
    if unicodedata.unidata_version == UNICODE:
        assert ours == theirs
    assert ours <= theirs


@pytest.mark.parametrize(
    "line",
    ["", "plain", "a b", "é", "日本語", "עברית", "नमस्ते", "😀", "𝒳", "ⵣ", "߷", "e\u0301"],
)
def test_what_is_drawn_is_printable(line: str) -> None:
    assert is_printable(line)


@pytest.mark.parametrize(
    "line",
    ["\x00", "\n", "\t", "\x7f", "é\n", "é\u200b", "é\u202e", "é\ud800", "é\u00a0", "é\ue000"],
)
def test_what_is_not_drawn_is_not(line: str) -> None:
    assert not is_printable(line)


@pytest.mark.parametrize("line", ["\U0001fa77", "\U0001fae8", "\U00031350", "\u0cf3", "\U000105c0"])
def test_what_was_assigned_later_is_refused_also_where_it_is_known(line: str) -> None:
    assert not is_printable(line)
    with pytest.raises(BadValueError):
        text(10)(f"heart {line}")
