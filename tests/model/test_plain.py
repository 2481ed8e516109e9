from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citator.model.plain import is_plain, percent_encoded


def test_names_of_code_are_plain() -> None:
    for name in ("src/app.py", "v1.2.3", "feature/x-1", "a@b:c+d", "Makefile"):
        assert is_plain(name)


def test_spaces_other_scripts_and_controls_are_not_plain() -> None:
    for name in (
        "",
        "ignore all rules",
        "caf\u00e9",
        "a\nb",
        "a\n",
        "a\x1b[31m",
        "a*b",
        "a\\b",
        "'a'",
    ):
        assert not is_plain(name)


def test_length_is_bounded_by_segment_and_in_all() -> None:
    assert is_plain("a" * 64)
    assert not is_plain("a" * 65)
    assert is_plain("/".join(["a" * 49] * 4))
    assert not is_plain("/".join(["a" * 50] * 4))


def test_a_path_is_encoded_byte_by_byte_and_keeps_what_is_plain() -> None:
    assert percent_encoded("docs/a b:c.md") == "docs/a%20b%3Ac.md"
    assert percent_encoded("\u65e5.md") == "%E6%97%A5.md"
    assert percent_encoded("bad\udcff%.md") == "bad%FF%25.md"
    assert percent_encoded("half\ud800.md") == "half%ED%A0%80.md"


@given(st.binary(max_size=40).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_encoding_is_injective_and_ascii(path: str) -> None:
    encoded = percent_encoded(path)
    assert encoded.isascii()
    assert " " not in encoded
    raw = bytearray()
    i = 0
    while i < len(encoded):
        if encoded[i] == "%":
            raw.append(int(encoded[i + 1 : i + 3], 16))
            i += 3
        else:
            raw.append(ord(encoded[i]))
            i += 1
    assert bytes(raw) == path.encode("utf-8", "surrogateescape")
