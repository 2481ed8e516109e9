"""A decision as a file in the shape of MADR 4 (Markdown Any Decision Records).

- What the text calls its sections is mapped to the names of that template; what it has no name for
  stands under *More Information*. Nothing of the text is lost and nothing is made up, but what a
  status or a date in it says: the front matter says that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from citator.formats.okf import escaped
from citator.formats.sections import Part, sections, trimmed

_CONTEXT: Final = "Context and Problem Statement"
_DRIVERS: Final = "Decision Drivers"
_OPTIONS: Final = "Considered Options"
_OUTCOME: Final = "Decision Outcome"
_PROS: Final = "Pros and Cons of the Options"
_MORE: Final = "More Information"
_NAMES: Final = {
    "context": _CONTEXT,
    "context and problem statement": _CONTEXT,
    "background": _CONTEXT,
    "problem": _CONTEXT,
    "problem statement": _CONTEXT,
    "decision drivers": _DRIVERS,
    "drivers": _DRIVERS,
    "forces": _DRIVERS,
    "options": _OPTIONS,
    "considered options": _OPTIONS,
    "options considered": _OPTIONS,
    "alternatives": _OPTIONS,
    "alternatives considered": _OPTIONS,
    "decision": _OUTCOME,
    "the decision": _OUTCOME,
    "decision outcome": _OUTCOME,
    "consequences": "Consequences",
    "confirmation": "Confirmation",
    "validation": "Confirmation",
    "pros and cons of the options": _PROS,
    "rejected alternatives": _PROS,
    "rejected options": _PROS,
    "more information": _MORE,
    "links": _MORE,
    "references": _MORE,
}
_LEFT_OUT: Final = frozenset({"status", "date", "superseded by", "supersedes"})
_FIELD: Final = re.compile(
    r" {0,3}(?:[-*+] +|\| *)?[*_]{0,2}(?:status|date|deciders|decision[ -]makers)[*_]{0,2} ?[:|]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Related:
    """A relation to another exported decision: in words, its title, its file."""

    words: str
    title: str
    file: str


@dataclass(frozen=True, slots=True)
class Madr:
    """What a file says. ``date`` is ``YYYY-MM-DD``; ``makers`` are those who answer for it."""

    title: str
    status: str
    date: str
    makers: tuple[str, ...]
    ruling: str
    body: str
    related: tuple[Related, ...] = ()


def render(decision: Madr) -> str:
    """The file."""
    found = sections(decision.body)
    named: dict[str, list[list[str]]] = {}
    others: list[Part] = []
    for part in found.parts:
        name = _NAMES.get(part.name)
        if name is not None:
            level = 3 if name in ("Consequences", "Confirmation") else 2
            named.setdefault(name, []).append(part.at(level))
        elif part.name not in _LEFT_OUT:
            others.append(part)
    preamble = trimmed(line for line in found.preamble if not _FIELD.match(line))
    if preamble:
        named.setdefault(_CONTEXT, []).insert(0, preamble)
    named[_OUTCOME] = _outcome(decision.ruling, named.get(_OUTCOME, []))
    return "\n".join(
        [
            *_front(decision),
            f"# {escaped(decision.title)}",
            "",
            *_section(2, _CONTEXT, named.get(_CONTEXT, [])),
            *_section(2, _DRIVERS, named.get(_DRIVERS, [])),
            *_section(2, _OPTIONS, named.get(_OPTIONS, [])),
            *_section(2, _OUTCOME, named[_OUTCOME]),
            *_section(3, "Consequences", named.get("Consequences", [])),
            *_section(3, "Confirmation", named.get("Confirmation", [])),
            *_section(2, _PROS, named.get(_PROS, [])),
            *_section(2, _MORE, [*named.get(_MORE, []), *_more(decision, others)]),
        ]
    )


def _front(decision: Madr) -> list[str]:
    lines = ["---", f"status: {_quoted(decision.status)}", f"date: {_quoted(decision.date)}"]
    if decision.makers:
        lines.append(f"decision-makers: {_quoted(list(decision.makers))}")
    return [*lines, "---", ""]


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _outcome(ruling: str, texts: Sequence[list[str]]) -> list[list[str]]:
    """The ruling first, unless the text begins with it."""
    if texts and " ".join(" ".join(texts[0]).split()).startswith(ruling):
        return list(texts)
    return [[escaped(ruling)], *texts]


def _section(level: int, title: str, texts: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"{'#' * level} {title}", ""]
    for text in texts:
        if text:
            lines += [*text, ""]
    return lines if len(lines) > 2 else []


def _more(decision: Madr, others: Sequence[Part]) -> Iterable[list[str]]:
    for part in others:
        yield [f"### {part.title}", "", *part.at(3)]
    if decision.related:
        yield [f"* {one.words} [{escaped(one.title)}]({one.file})" for one in decision.related]
