"""Text out of bytes: what a name means, and what a guess keeps."""

from __future__ import annotations

import codecs

import pytest

from citator.git.decoding import codec, decoded, guessed


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (None, "utf-8"),
        (b"UTF-8", "utf-8"),
        (b"utf8", "utf-8"),
        (b"US-ASCII", "utf-8"),
        (b"ISO-8859-1", "iso-8859-1"),
        (b"iso8859-1", "iso-8859-1"),
        (b"ISO_8859-15", "iso-8859-15"),
        (b"iso-8859-11", "iso-8859-11"),
        (b"8859_2", "iso-8859-2"),
        (b"Latin-1", "iso-8859-1"),
        (b"windows-1252", "cp1252"),
        (b"CP1251", "cp1251"),
        (b"cp866", "cp866"),
        (b"KOI8-R", "koi8-r"),
        (b"Shift_JIS", "shift_jis"),
        (b"EUC-JP", "euc_jp"),
        (b"GB18030", "gb18030"),
        (b"iso-8859-12", None),
        (b"iso-8859-17", None),
        (b"windows-1259", None),
        (b"", None),
        (b"utf-7", None),
        (b"utf-16", None),
        (b"zip", None),
        (b"rot13", None),
        (b"punycode", None),
        (b"unicode_escape", None),
        (b"../../etc/passwd", None),
        (b"\xff\xfe", None),
        (b"x" * 100_000, None),
    ],
)
def test_a_declared_name_is_one_of_a_closed_list(
    declared: bytes | None, expected: str | None
) -> None:
    assert codec(declared) == expected


@pytest.mark.parametrize("kind", ["iso-8859-{}", "windows-{}", "cp{}"])
def test_every_name_of_a_family_is_an_encoding_that_python_has(kind: str) -> None:
    names = [codec(kind.format(number).encode()) for number in range(1300)]
    found = {name for name in names if name is not None}
    assert len(found) >= 10
    for name in found:
        assert codecs.lookup(name).encode("plain")[0] == b"plain"


def test_a_guess_keeps_utf8_and_takes_other_bytes_for_windows_1252() -> None:
    raw = "naïve € ".encode() + b"na\xefve \x80 \x81 \xff"
    assert guessed(raw) == "naïve € naïve € \x81 ÿ"
    assert decoded(raw, "utf-8") == (guessed(raw), True)


def test_every_byte_sequence_becomes_text_that_can_be_written() -> None:
    for first in range(256):
        for raw in (bytes([first]), bytes([first, 0x80]), bytes([0xED, first, 0x80]), b"\xf4"):
            for declared in ("utf-8", None):
                text, _ = decoded(raw, declared)
                assert text.encode("utf-8").decode("utf-8") == text


def test_without_a_known_encoding_only_ascii_is_certain() -> None:
    assert decoded(b"plain", None) == ("plain", False)
    assert decoded("größe".encode(), None) == ("größe", True)


def test_a_long_broken_message_is_decoded_in_one_pass() -> None:
    text, was_guessed = decoded(b"\xe9" * 2_000_000, "utf-8")
    assert (text, was_guessed) == ("é" * 2_000_000, True)
