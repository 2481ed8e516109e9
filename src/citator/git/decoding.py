"""Bytes of a commit as text: the declared encoding, else UTF-8, else a labelled guess.

- Only encodings that git histories use and that are safe to decode are obeyed; a name is never
  looked up in Python's own registry, which knows ``zip`` and ``punycode`` too.
- A guess keeps what is valid UTF-8 and takes each other byte for windows-1252: a message that
  mixes both reads right in both parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

# Names without case and punctuation → Python's.
_NAMES: Final[Mapping[str, str]] = {
    "utf8": "utf-8",
    "ascii": "utf-8",
    "usascii": "utf-8",
    "latin1": "iso-8859-1",
    "latin2": "iso-8859-2",
    "latin9": "iso-8859-15",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macintosh": "mac_roman",
    "macroman": "mac_roman",
    "shiftjis": "shift_jis",
    "sjis": "shift_jis",
    "cp932": "cp932",
    "windows31j": "cp932",
    "eucjp": "euc_jp",
    "iso2022jp": "iso2022_jp",
    "euckr": "euc_kr",
    "cp949": "cp949",
    "uhc": "cp949",
    "gb2312": "gb2312",
    "euccn": "gb2312",
    "gbk": "gbk",
    "cp936": "gbk",
    "gb18030": "gb18030",
    "big5": "big5",
}
_FAMILIES: Final = (
    (("iso8859", "8859"), "iso-8859-{}", "1 2 3 4 5 6 7 8 9 10 11 13 14 15 16"),
    (("windows", "cp", "win"), "cp{}", "1250 1251 1252 1253 1254 1255 1256 1257 1258 874"),
    (("cp", "ibm"), "cp{}", "437 850 852 855 858 860 861 862 863 865 866"),
)

# A byte that is not UTF-8, as Python escapes it → what windows-1252 says (else Latin-1) it is.
_GUESS: Final = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(128, 256)
}


def codec(declared: bytes | None) -> str | None:
    """Python's name for a declared encoding (UTF-8 where none is), None for an unknown one."""
    if declared is None:
        return "utf-8"
    name = re.sub("[^a-z0-9]", "", declared.decode("ascii", "replace").lower())
    for prefixes, form, numbers in _FAMILIES:
        for prefix in prefixes:
            if name.startswith(prefix) and name[len(prefix) :] in numbers.split():
                return form.format(name[len(prefix) :])
    return _NAMES.get(name)


def decoded(raw: bytes, codec: str | None) -> tuple[str, bool]:
    """``raw`` as text without lone surrogates, and whether that took a guess."""
    try:
        return raw.decode(codec or "ascii"), False
    except UnicodeDecodeError:
        return guessed(raw), True


def guessed(raw: bytes) -> str:
    """``raw`` read as UTF-8 where it is that, as windows-1252 elsewhere."""
    return raw.decode("utf-8", "surrogateescape").translate(_GUESS)
