"""Bytes of a commit as text: the declared encoding, else UTF-8, else a labelled guess.

- Only encodings that git histories use and that are safe to decode are obeyed; a name is never
  looked up in Python's own registry, which knows ``zip`` and ``punycode`` too.
- A guess keeps what is valid UTF-8 and takes each other byte for windows-1252: a message that
  mixes both reads right in both parts.
"""

from __future__ import annotations

import re
from typing import Final

_SPELLINGS: Final = (
    (re.compile("utf-?8"), "utf-8"),
    (re.compile("(?:us-?)?ascii|ansi-x3-4-1968|646"), "utf-8"),
    (re.compile("latin-?([1-4])"), "iso-8859-{}"),
    (re.compile("latin-?9"), "iso-8859-15"),
    (re.compile("(?:iso-?)?8859-?([1-9]|1[0-1]|1[3-6])"), "iso-8859-{}"),
    (re.compile("(?:windows|win|cp|x-cp)-?(125[0-8]|874)"), "cp{}"),
    (re.compile("(?:cp|ibm|oem)-?(437|85[0258]|86[0-69])"), "cp{}"),
    (re.compile("koi8-?([rut])"), "koi8-{}"),
    (re.compile("(?:x-?)?s(?:hift)?-?jis|ms-kanji"), "shift_jis"),
    (re.compile("(?:cp-?932|windows-31j|ms932)"), "cp932"),
    (re.compile("(?:x-?)?euc-?jp"), "euc_jp"),
    (re.compile("iso-?2022-?jp"), "iso2022_jp"),
    (re.compile("euc-?kr|ks-c-5601-1987"), "euc_kr"),
    (re.compile("cp-?949|uhc"), "cp949"),
    (re.compile("gb-?2312|euc-?cn"), "gb2312"),
    (re.compile("gbk|cp-?936"), "gbk"),
    (re.compile("gb-?18030"), "gb18030"),
    (re.compile("big-?5"), "big5"),
    (re.compile("mac(?:intosh|-?roman)?"), "mac_roman"),
)

# A byte that is not UTF-8, as Python escapes it → what windows-1252 says (else Latin-1) it is.
_GUESS: Final = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(128, 256)
}


def codec(declared: bytes | None) -> str | None:
    """Python's name for a declared encoding (UTF-8 where none is), None for an unknown one."""
    if declared is None:
        return "utf-8"
    name = re.sub("[ _.:]+", "-", declared.decode("ascii", "replace").strip().lower())
    for pattern, codec_name in _SPELLINGS:
        match = pattern.fullmatch(name)
        if match is not None:
            return codec_name.format(*match.groups())
    return None


def decoded(raw: bytes, codec: str | None) -> tuple[str, bool]:
    """``raw`` as text without lone surrogates, and whether that took a guess."""
    try:
        return raw.decode(codec or "ascii"), False
    except UnicodeDecodeError:
        return guessed(raw), True


def guessed(raw: bytes) -> str:
    """``raw`` read as UTF-8 where it is that, as windows-1252 elsewhere."""
    return raw.decode("utf-8", "surrogateescape").translate(_GUESS)
