"""Which items govern a path: patterns filed under the folders they name literally."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from citator.formats.globs import compiled, problem_with

_WILD: Final = re.compile(r"[*?\[\\]")


class Scopes:
    """Path patterns of many items. Asking looks only under the folders above the path."""

    def __init__(self, scoped: Iterable[tuple[str, Iterable[str]]]) -> None:
        self._filed: dict[str, list[tuple[re.Pattern[str], int, str]]] = {}
        for item, patterns in scoped:
            for pattern in patterns:
                if problem_with(pattern) is None:
                    entry = (compiled(pattern), len(pattern), item)
                    self._filed.setdefault(_literal(pattern), []).append(entry)

    def matching(self, path: str) -> list[str]:
        """The items of which a pattern holds ``path``: the longest pattern first, then by id."""
        best: dict[str, int] = {}
        for folder in _above(path):
            for pattern, length, item in self._filed.get(folder, ()):
                if length > best.get(item, -1) and pattern.fullmatch(path):
                    best[item] = length
        return sorted(best, key=lambda item: (-best[item], item))


def _literal(pattern: str) -> str:
    """The leading segments of a pattern that hold no wildcard."""
    kept = []
    for segment in pattern.removeprefix("./").split("/"):
        if _WILD.search(segment):
            break
        if segment:
            kept.append(segment)
    return "/".join(kept)


def _above(path: str) -> Iterable[str]:
    """The path itself, each folder above it, and the root (an empty text)."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""
