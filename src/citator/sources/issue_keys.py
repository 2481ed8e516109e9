"""Keys of issues and pull requests that a text names.

- ``#123`` and ``GH-123`` are ``#123``; ``owner/name#123`` and the address of an issue or a pull
  request are ``owner/name#123``; ``ABC-123`` stays as it is.
- Names that only look like keys (``UTF-8``, ``SHA-256``, ``CVE-2024-1``) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_KEYS = 64

# Each begins with its literal, which is what makes a text without keys cheap.
_NUMBER = re.compile(r"#([1-9][0-9]{0,8})(?![\w-])")
_TRACKER = re.compile(r"-(?<=[A-Z0-9]-)([1-9][0-9]{0,8})(?![\w-]|\.[0-9])")
_ADDRESS = re.compile(
    r"://(?:www\.)?[\w-]{0,40}\.?git(?:hub|lab)\.[a-z.]{2,20}/([\w.-]{1,100}/[\w.-]{1,100})/(?:-/)?"
    r"(?:issues|pull|merge_requests|discussions)/([1-9][0-9]{0,8})\b"
)
_REPOSITORY = re.compile(r"(?<![\w/.-])[\w.-]{1,100}/[\w.-]{1,100}\Z")
_PROJECT = re.compile(r"(?<![\w/.-])[A-Z][A-Z0-9]{1,9}\Z")
_NOT_TRACKERS_TEXT = """
ADR AES ANSI APR ARM AUG BASE BOM BSD CBC CC CIE CP CRC CTRL CVE CWE DEC DES EBCDIC ECMA EN FEB FIPS
FY GB GCC GPL GPT HTTP IEC IEEE IP ISO ITU JAN JEP JIS JSR JUL JUN KOI LATIN LGPL MAR MAY MD MIT MPL
MS NFC NFD NIST NOV OCT PEP PHP PKCS PR PSR PY PYTHON RC RFC RIPEMD RPM RSA RUBY SEP SHA SOC SSE SSL
STD TCP TIS TLS TYPE UCS UDP UNICODE UTC UTF UTS V VT WIN WINDOWS X XML
"""
_NOT_TRACKERS = frozenset(_NOT_TRACKERS_TEXT.split())


def issue_keys(text: str) -> tuple[str, ...]:
    """The keys in ``text``, each once, in order, at most ``MAX_KEYS``."""
    found: list[tuple[int, str]] = []
    if "#" in text:
        found += _numbers(text)
    if "-" in text:
        found += _trackers(text)
    if "://" in text:
        found += ((match.start(), f"{match[1]}#{match[2]}") for match in _ADDRESS.finditer(text))
    if not found:
        return ()
    found.sort()
    return tuple(dict.fromkeys(key for _, key in found))[:MAX_KEYS]


def _numbers(text: str) -> Iterator[tuple[int, str]]:
    for match in _NUMBER.finditer(text):
        at = match.start()
        before = text[at - 1] if at else " "
        if before in "&/#":
            continue
        if before.isalnum() or before in "_.-":
            start = max(0, at - 202)
            named = text.find("/", start, at) >= 0
            repository = _REPOSITORY.search(text[start:at]) if named else None
            if repository is not None:
                yield at, f"{repository[0]}#{match[1]}"
        else:
            yield at, f"#{match[1]}"


def _trackers(text: str) -> Iterator[tuple[int, str]]:
    for match in _TRACKER.finditer(text):
        project = _PROJECT.search(text[max(0, match.start() - 12) : match.start()])
        if project is None or project[0] in _NOT_TRACKERS:
            continue
        yield match.start(), f"#{match[1]}" if project[0] == "GH" else f"{project[0]}-{match[1]}"
