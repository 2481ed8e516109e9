"""CODEOWNERS as hosts read it: the last pattern that matches a path says who owns it.

- Read as data: bounded in bytes, lines and patterns; a line that cannot be used is passed over.
- A pattern with a slash inside is from the root, any other is at every depth; one that names a
  folder holds all below it. A pattern without owners takes ownership away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from citator.formats.globs import usable

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MAX_BYTES: Final = 1 << 20
MAX_RULES: Final = 5_000
MAX_OWNERS: Final = 20


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """The rules in their order: an expression and its owners, as they are written."""

    rules: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ()

    def of(self, path: str) -> tuple[str, ...]:
        """The owners that are declared for a path."""
        found = (owners for one, owners in reversed(self.rules) if one.fullmatch(path))
        return next(found, ())


def parse(content: bytes) -> CodeOwners:
    """The rules of a file."""
    rules: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
    for line in content[:MAX_BYTES].decode("utf-8", "replace").splitlines():
        text = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if not text or text.startswith("[") or len(rules) >= MAX_RULES:
            continue
        pattern, *owners = re.split(r"(?<!\\)\s+", text)
        globs = _globs(pattern.replace("\\ ", " "))
        rules += [(one, tuple(owners[:MAX_OWNERS])) for one in usable(globs)]
    return CodeOwners(tuple(rules))


def _globs(pattern: str) -> tuple[str, ...]:
    rooted = "/" in pattern.rstrip("/")
    path = pattern.lstrip("/")
    glob = path if rooted else f"**/{path}"
    return (glob,) if pattern.endswith(("/", "*")) or not path else (glob, f"{glob}/**")
