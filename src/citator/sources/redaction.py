"""Secrets are taken out of a text before anything else sees it.

- Each becomes ``[redacted:KIND]``: what kind it was, no digest, no length, no part of it.
- Lines keep their numbers: a marker replaces characters, or the whole of each line of a key.
- Redacting twice changes nothing more.
- A table of shapes stands behind a keyword filter; what a text does not mention costs nothing.
  Recall and false alarms are measured in ``bench/redaction`` against a well-kept scanner.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from citator.model.errors import RefusedError
from citator.sources import assignments, key_blocks
from citator.sources.redaction_rules import INNER, SHORTEST, SHORTEST_NAMED, Rule, rules

# A marker can free the boundary of the secret beside it; a text needs more rounds only so.
_ROUNDS = 8


def redact(text: str) -> tuple[str, int]:
    """``text`` without secrets, and how many were taken out. Line count and numbers stay."""
    total = 0
    for _ in range(_ROUNDS):
        text, count = _once(text)
        if not count:
            break
        total += count
    return text, total


def require_no_secret(text: str) -> None:
    """Raise RefusedError ``secret_found`` where ``text`` is not to be kept for one."""
    if redact(text)[1]:
        raise RefusedError(
            "secret_found", "the text seems to hold a secret; nothing was kept", "leave it out"
        )


def _once(text: str) -> tuple[str, int]:
    lowered = text.lower()
    count = 0
    if "private" in lowered and key_blocks.may_hold(lowered):
        text, count = key_blocks.redact_blocks(text, marker(key_blocks.KIND))
    for rule in _triggered(text, lowered):
        text, found = _replaced(text, _shaped(rule, text))
        count += found
    for kind, pattern, counts in assignments.shapes(lowered):
        matches = (match for match in _compiled(pattern).finditer(text) if counts(match))
        text, found = _replaced(text, [(*match.span("v"), kind) for match in matches])
        count += found
    assigns = ":" in text or "=" in text or "--" in text
    if assigns and assignments.has_names(lowered):
        lowered = text.lower() if count else lowered
        text, found = _replaced(text, assignments.assigned(text, lowered, _compiled))
        count += found
    return text, count


def marker(kind: str) -> str:
    """What stands in the place of a secret of ``kind`` (snake_case)."""
    return f"[redacted:{kind}]"


def _triggered(text: str, lowered: str) -> list[Rule]:
    """The rules to try. Most texts have no word long enough for any."""
    long = [word for word in text.split() if len(word) >= SHORTEST]
    if not long:
        return []
    table = _table()
    joined = " ".join(long)
    words = table.gate.findall(joined)
    if ":" in joined or "=" in joined or "~" in joined or "." in joined:
        words += [word for word in INNER if word in joined]
    places = {place for word in words for place in table.places[word]} if words else set()
    if max(map(len, long)) >= SHORTEST_NAMED and table.run.search(joined):
        places.update([place for word, place in table.folded if word in lowered])
    return [table.rules[place] for place in sorted(places)] if places else []


def _shaped(rule: Rule, text: str) -> list[assignments.Found]:
    pattern = _compiled(rule.pattern)
    group = "v" if "v" in pattern.groupindex else 0
    return [(*match.span(group), rule.kind) for match in pattern.finditer(text)]


def _replaced(text: str, found: list[assignments.Found]) -> tuple[str, int]:
    """``text`` with a marker for each (start, end, kind); they come in order and do not overlap."""
    if not found:
        return text, 0
    parts: list[str] = []
    at = 0
    for start, end, kind in found:
        parts += (text[at:start], marker(kind))
        at = end
    parts.append(text[at:])
    return "".join(parts), len(found)


class _Table(NamedTuple):
    """The rules, and how to find those that a text could need.

    ``gate`` finds a trigger of a rule sought as written; ``places`` gives the rules of what it
    found; ``folded`` are the lower-case words of the others, whose secrets all hold a ``run``: so
    many characters of a token in a row, a digit among them.
    """

    rules: tuple[Rule, ...]
    gate: re.Pattern[str]
    places: dict[str, tuple[int, ...]]
    folded: tuple[tuple[str, int], ...]
    run: re.Pattern[str]


@cache
def _table() -> _Table:
    every = tuple(rules())
    written = [
        (word, place)
        for place, rule in enumerate(every)
        if not rule.folded
        for word in rule.triggers
    ]
    words = {word for word, _ in written}
    return _Table(
        every,
        _gate(words.difference(INNER)),
        # The gate finds the shortest of triggers that begin alike.
        {
            word: tuple(place for other, place in written if other.startswith(word))
            for word in words
        },
        tuple(
            (word, place)
            for place, rule in enumerate(every)
            if rule.folded
            for word in rule.triggers
        ),
        re.compile(
            rf"(?=[A-Za-z+/_-]{{0,{SHORTEST_NAMED - 1}}}+[0-9])[A-Za-z0-9+/_-]{{{SHORTEST_NAMED}}}"
        ),
    )


def _gate(words: Iterable[str]) -> re.Pattern[str]:
    """One expression for any of ``words`` at a boundary, grouped by first letter."""
    starts: dict[str, set[str]] = {}
    for word in words:
        starts.setdefault(word[0], set()).add(word[1:])
    groups = (f"{first}(?:{_any(rest)})" for first, rest in sorted(starts.items()))
    return re.compile(f"(?<![A-Za-z0-9])(?:{'|'.join(groups)})")


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words)))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The expression, made when a text first needs it: most never do."""
    return re.compile(pattern)
