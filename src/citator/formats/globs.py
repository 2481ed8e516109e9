"""Path patterns: which paths a configuration selects.

- A pattern is matched against the whole path from the root, with its case: ``*.md`` is the top
  level, ``**/*.md`` is every level (the top one included).
- ``*`` and ``?`` and ``[...]`` stay inside one path segment; a segment ``**`` is any number of
  whole segments. A backslash takes the next character literally.
- A pattern whose last segment has no wildcard also covers everything below it; a trailing slash
  means only what is below.
- Matching cannot blow up: every wildcard but the last takes the nearest fit and never
  reconsiders, which is exact because what follows a wildcard has a fixed number of segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_PATTERN = 512

_ANY = "[^/]"


def problem_with(pattern: str) -> str | None:
    """Why ``pattern`` cannot be used (a code), or None where it can."""
    if not pattern.strip("/") or pattern in (".", "./"):
        return "empty_pattern"
    if len(pattern) > MAX_PATTERN:
        return "long_pattern"
    if pattern.startswith("!"):
        return "negated_pattern"
    if "\0" in pattern or ".." in pattern.split("/"):
        return "impossible_pattern"
    return None


def compiled(pattern: str) -> re.Pattern[str]:
    """The expression that fully matches the paths of a usable ``pattern``."""
    segments = [one for one in pattern.removeprefix("./").split("/") if one]
    below_only = pattern.endswith("/")
    groups: list[list[str]] = [[]]
    for segment in segments + (["**"] if below_only else []):
        if segment != "**":
            groups[-1].append(segment)
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    return re.compile(_joined(groups), re.DOTALL)


def usable(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """The expressions of those of ``patterns`` that can be used."""
    return tuple(compiled(one) for one in patterns if problem_with(one) is None)


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Selects a path that some ``include`` pattern matches and no ``exclude`` pattern does."""

    include: tuple[re.Pattern[str], ...]
    exclude: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, include: Iterable[str], exclude: Iterable[str]) -> PathFilter:
        """A filter of usable patterns."""
        return cls(tuple(map(compiled, include)), tuple(map(compiled, exclude)))

    def selects(self, path: str) -> bool:
        """Whether ``path`` (segments between slashes, from the root) is selected."""
        return _any(self.include, path) and not _any(self.exclude, path)


def _any(patterns: Sequence[re.Pattern[str]], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _joined(groups: list[list[str]]) -> str:
    """The expression of runs of segments with ``**`` between each two runs."""
    first, *rest = groups
    expression = "".join(_segment(one) + "/" for one in first)
    if not rest:
        return expression[:-1] + _below(first[-1])
    for group in rest[:-1]:
        run = "".join(_segment(one) + "/" for one in group)
        expression += f"(?>(?:{_ANY}+/)*?{run})"
    last = rest[-1]
    if not last:
        return expression + ".+"
    run = "/".join(_segment(one) for one in last)
    return f"{expression}(?:{_ANY}+/)*{run}{_below(last[-1])}"


def _below(segment: str) -> str:
    has_wildcard = any(token is None or token[0] in "[(" for token in _tokens(segment))
    return "" if has_wildcard else "(?:/.+)?"


def _segment(segment: str) -> str:
    """The expression of one segment; its stars take the nearest fit, the last one any."""
    chunks = [""]
    for token in _tokens(segment):
        if token is not None:
            chunks[-1] += token
        elif chunks[-1] or len(chunks) == 1:
            chunks.append("")
    if chunks == ["", ""]:
        return f"{_ANY}+"
    first, *rest = chunks
    middle = "".join(f"(?>{_ANY}*?{chunk})" for chunk in rest[:-1])
    if not rest:
        return first
    last = f"{_ANY}*{rest[-1]}(?=/|\\Z)" if rest[-1] else f"{_ANY}*+"
    return first + middle + last


def _tokens(segment: str) -> list[str | None]:
    """The segment's characters as expressions; None is a star."""
    tokens: list[str | None] = []
    index = 0
    while index < len(segment):
        character = segment[index]
        index += 1
        if character == "*":
            tokens.append(None)
        elif character == "?":
            tokens.append("[^/]")
        elif character == "[" and (end := _class_end(segment, index)) > 0:
            tokens.append(_class(segment[index:end]))
            index = end + 1
        elif character == "\\" and index < len(segment):
            tokens.append(re.escape(segment[index]))
            index += 1
        else:
            tokens.append(re.escape(character))
    return tokens


def _class_end(segment: str, start: int) -> int:
    """Where the class that opens before ``start`` closes; 0 where it does not."""
    first = start + 1 if segment[start : start + 1] in ("!", "^") else start
    return segment.find("]", first + 1) if first < len(segment) else 0


def _class(body: str) -> str:
    """The expression of what stands between brackets; it never matches a slash."""
    negated = body[0] in "!^"
    body = body[1:] if negated else body
    members: list[str] = []
    index = 0
    while index < len(body):
        low = body[index]
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            high = body[index + 2]
            index += 3
            if low <= high:
                members.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            members.append(re.escape(low))
            index += 1
    if not members:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]"
