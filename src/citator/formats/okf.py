"""Open Knowledge Format 0.2: a concept file ↔ plain values, an index, a log.

- A concept is Markdown with YAML front matter of which ``type`` alone is required. What a reader
  does not know it leaves alone; a broken link, an unknown type or key refuses nothing.
- Front matter describes; it governs nothing. Whoever reads a concept decides who owns it, who may
  see it and whether it stands.
- What is written is a function of the values alone: no clock, no chance, keys in one order. Values
  are JSON, which is YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, normpath
from typing import Any, Final
from urllib.parse import unquote

from citator.formats.front_matter import read_front_matter

OKF_VERSION: Final = "0.2"
RESERVED: Final = frozenset({"index.md", "log.md"})

_MARKUP: Final = re.compile(r"([\\`*_\[\]<>#|])")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept. ``path`` is its file below the bundle's root; ``values`` its front matter.

    ``unreadable`` says that the front matter could not be wholly read.
    """

    path: str
    values: Mapping[str, Any]
    body: str
    unreadable: bool = False

    def text(self, *keys: str) -> str:
        """The first text (or number) under ``keys``, stripped; empty where there is none."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str) and value.strip():
                return value.strip()
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Every text in the list under ``key``; a single text counts as a list of one."""
        value = self.values.get(key)
        found = value if isinstance(value, list) else [value]
        return tuple(one.strip() for one in found if isinstance(one, str) and one.strip())

    def mappings(self, *keys: str) -> tuple[Mapping[str, Any], ...]:
        """Every mapping in the lists under ``keys``; a bare mapping counts as a list of one."""
        found: list[Mapping[str, Any]] = []
        for key in keys:
            value = self.values.get(key)
            listed = value if isinstance(value, list) else [value]
            found.extend(one for one in listed if isinstance(one, dict))
        return tuple(found)

    @property
    def stale_after(self) -> str | None:
        """The date from which it is stale, ``YYYY-MM-DD``; None where it states none."""
        found = self.text("stale_after")
        return found if _DATE.fullmatch(found) else None


def parse(path: str, text: str) -> Concept:
    """The concept in ``text``. A file without front matter has no values."""
    lines = text.split("\n")
    front = read_front_matter(lines)
    body = "\n".join(lines[front.lines :]).strip("\n")
    return Concept(path, dict(front.values), f"{body}\n" if body else "", front.unreadable)


def resolved(path: str, target: str) -> str | None:
    """The file in the bundle that ``target``, written in the concept at ``path``, names.

    None where it leads out of the bundle, to an address, or nowhere.
    """
    plain = unquote(target.split("#", 1)[0].split("?", 1)[0]).strip()
    if not plain or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", plain):
        return None
    joined = plain.lstrip("/") if plain.startswith("/") else f"{dirname(path)}/{plain}".lstrip("/")
    found = normpath(joined)
    return None if found.startswith("..") or found == "." else found


def render(values: Iterable[tuple[str, Any]], body: str) -> str:
    """A concept file: the values in the order given, those that are empty left out."""
    lines = [f"{key}: {_value(value)}" for key, value in values if value not in (None, "", [], ())]
    return "\n".join(["---", *lines, "---", "", body.strip("\n"), ""])


def _value(value: Any) -> str:
    """JSON with a space after separators; nothing that YAML would not take as it stands."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an index or a log: what it links, and what it says of it."""

    title: str
    path: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its entries."""

    heading: str
    entries: tuple[Entry, ...] = field(default_factory=tuple)


def render_index(sections: Sequence[Section], *, root: bool) -> str:
    """An ``index.md``. The one at the bundle's root says which version it follows."""
    lines = ["---", f'okf_version: "{OKF_VERSION}"', "---", ""] if root else []
    for section in sections:
        lines += [f"# {escaped(section.heading)}", ""]
        for one in section.entries:
            told = f" - {escaped(one.description)}" if one.description else ""
            lines.append(f"* [{escaped(one.title)}]({one.path}){told}")
        lines.append("")
    return "\n".join(lines)


def render_log(days: Sequence[tuple[str, Sequence[tuple[str, Entry]]]]) -> str:
    """A ``log.md``: (date, [(word, entry)]), newest first."""
    lines = ["# Log", ""]
    for day, entries in days:
        lines += [f"## {day}", ""]
        lines += [f"* **{word}**: [{escaped(one.title)}]({one.path})" for word, one in entries]
        lines.append("")
    return "\n".join(lines)


def escaped(text: str) -> str:
    """One line of plain text for Markdown: nothing in it is a mark."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
