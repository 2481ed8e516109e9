"""The names that a text speaks of: what its author put into code spans, as far as it is a name."""

from __future__ import annotations

import re
from typing import Final

from citator.model.plain import is_plain

MAX_NAMES: Final = 12
_CHARACTERS: Final = 65_536
_SPAN: Final = re.compile(r"(?<!`)`{1,2}([^`\n]{2,120})`{1,2}(?!`)")
_NAME: Final = re.compile(
    r"[A-Za-z_@$][A-Za-z0-9_$@/-]{0,63}(?:(?:\.|::|#)[A-Za-z_][\w-]{0,63}){0,5}"
)
_FILE: Final = re.compile(r"\.(?:py|toml|cfg|ini|md|rst|txt|ya?ml|jsx?|tsx?|rb|rs|java|lock)$")
_VALUES: Final = frozenset({"none", "true", "false", "null", "nil", "self", "this"})
_FENCED: Final = re.compile(r"^ {0,3}(?:```|~~~)")


def names_in(text: str) -> tuple[str, ...]:
    """The names, each once, in order: ``run``, ``Mill.grind``, ``mill::grind``, ``left-pad``.

    Empty parentheses after a name are left off. What is fenced is no span; a file, or a value that
    every language has, is no name.
    """
    found: dict[str, None] = {}
    fenced = False
    for line in text[:_CHARACTERS].split("\n"):
        if _FENCED.match(line):
            fenced = not fenced
        elif not fenced and "`" in line:
            for match in _SPAN.finditer(line):
                name = match[1].strip().removesuffix("()")
                plain = name.replace("::", ".").replace("#", ".")
                is_other = _FILE.search(name) or name.casefold() in _VALUES
                if _NAME.fullmatch(name) and is_plain(plain) and not is_other:
                    found.setdefault(plain)
    return tuple(found)[:MAX_NAMES]
