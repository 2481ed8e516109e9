from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.model.inert import inert, inert_json, inert_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u{1b}[31mred"),
        ("over\rwritten", "over\\u{d}written"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u2066b\u2069", "a\\u{2066}b\\u{2069}"),
        ("x\U000e0041", "x\\u{e0041}"),
        ("zero\u200bwidth", "zero\\u{200b}width"),
        ("li\u2028ne", "li\\u{2028}ne"),
        ("\ufeffbom", "\\u{feff}bom"),
        ("lone\udce9", "lone\\u{dce9}"),
        ("ab\u200dcd", "ab\\u{200d}cd"),
        ("\u009b31m", "\\u{9b}31m"),
        ("é\u200c\u200dé", "é\\u{200c}\\u{200d}é"),
        ("❤\ufe0f\ufe0e\ufe0f!", "❤\\u{fe0f}\\u{fe0e}\\u{fe0f}!"),
    ],
)
def test_what_steers_becomes_visible(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f3\ufe0f\u200d\U0001f308 1\ufe0f\u20e3 ❤\ufe0f",
        "tab\tand\nnewline",
        "\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4",
    ],
)
def test_honest_text_is_left_alone(text: str) -> None:
    assert inert(text) == text


def test_a_line_has_no_line_breaks_and_no_tabs() -> None:
    assert inert_line("a\nb\tc") == "a b c"


@given(st.text())
def test_nothing_invisible_is_left_but_newlines_tabs_and_joiners(text: str) -> None:
    for char in inert(text):
        if char in "\n\t\u200c\u200d":
            continue
        assert unicodedata.category(char) not in {"Cc", "Zl", "Zp", "Cs"}
        assert char not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"


@given(st.text())
def test_it_changes_nothing_twice(text: str) -> None:
    assert inert(inert(text)) == inert(text)


def test_json_keeps_its_value_and_steers_nobody() -> None:
    value = {"a": "é \x9b31m \u202e \U000e0041 می\u200cخواهم", "b": "\x1b\r\n"}
    shown = inert_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == value
    assert shown == (
        '{"a": "é \\u009b31m \\u202e \\udb40\\udc41 می\\u200cخواهم", "b": "\\u001b\\r\\n"}'
    )
