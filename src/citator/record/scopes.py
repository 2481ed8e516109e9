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
        self._filed: dict[str, list[tuple[str, str]]] = {}
        self._compiled: dict[str, re.Pattern[str]] = {}
        for item, patterns in scoped:
            for pattern in patterns:
                if problem_with(pattern) is None:
                    self._filed.setdefault(_literal(pattern), []).append((pattern, item))

    def matching(self, path: str) -> list[str]:
        """The items of which a pattern holds ``path``: the longest pattern first, then by id."""
        best: dict[str, int] = {}
        for folder in _above(path):
            for pattern, item in self._filed.get(folder, ()):
                if len(pattern) > best.get(item, -1) and self._holds(pattern, path):
                    best[item] = len(pattern)
        return sorted(best, key=lambda item: (-best[item], item))

    def _holds(self, pattern: str, path: str) -> bool:
        # Compiled when it is first asked for: most patterns of a large record never are.
        if pattern not in self._compiled:
            self._compiled[pattern] = compiled(pattern)
        return self._compiled[pattern].fullmatch(path) is not None


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
