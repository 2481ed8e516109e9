"""Marks: a word for each surface, that stands nowhere else and says from where a text leaked."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

STEERING_CATEGORIES: Final = ("Cc", "Cf", "Zl", "Zp", "Cs")
# Letters that are drawn as nothing: a text that calls itself printable may hold them.
BLANKS: Final = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f\ufe0b\u180b")

_NO_NAME: Final = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def steers(character: str) -> bool:
    """Whether a terminal or a reader's eye would be steered by it."""
    if character in "\n\t":
        return False
    return character in BLANKS or unicodedata.category(character) in STEERING_CATEGORIES


def in_a_name(text: str) -> str:
    """What a file may be called of ``text`` on this system."""
    return _NO_NAME.sub("", text) if os.name == "nt" else text


@dataclass(frozen=True)
class Marks:
    """The marks of ``surfaces``: letters and digits alone, so that any name takes one."""

    prefix: str
    surfaces: tuple[str, ...]

    def of(self, surface: str) -> str:
        """The word that stands on this surface alone."""
        return f"{self.prefix}{self.surfaces.index(surface):02}xqz"

    def leaked(self, text: str) -> list[str]:
        """The surfaces of which ``text`` holds the mark, however it is written."""
        seen = _CONTROLS.sub("", unquote(text).casefold())
        if not seen.isascii():
            seen = "".join(one for one in seen if not steers(one))
        return [one for one in self.surfaces if self.of(one) in seen]
