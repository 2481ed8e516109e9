"""Review threads in plain values, and the file that keeps one.

- A thread belongs to a change (a pull or merge request) or to an issue; its state is one of a
  closed set. Comments are evidence of who objected, and authority for nothing.
- A file is Markdown: closed front matter, then each comment under a line that says who and when,
  its words quoted line by line. What a comment says can therefore not look like another comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from citator.formats.one_line import one_line
from citator.model.document import ThreadState as ThreadState

VERSION: Final = 1
MAX_COMMITS: Final = 64
MAX_COMMENTS: Final = 500
UNKNOWN: Final = "somebody"

_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_SAID: Final = re.compile(
    r"\*\*(.{1,100})\*\*, (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|at no known time):"
)


class About(StrEnum):
    """What a thread is about."""

    CHANGE = "change"
    ISSUE = "issue"


class ChangeState(StrEnum):
    """How a change or an issue ended."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody said. ``at`` is UTC to the second, None where it is not known."""

    author: str
    at: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread. ``commit`` is the commit that it was written about, where it says one."""

    id: str
    state: ThreadState
    comments: tuple[Comment, ...]
    path: str | None = None
    line: int | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A pull or merge request, or an issue, with its threads. ``commits`` are ids it states."""

    provider: str
    number: int
    about: About
    title: str
    state: ChangeState
    threads: tuple[Thread, ...]
    commits: tuple[str, ...] = ()
    branch: str | None = None
    merged_at: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """One thread as a file keeps it, with the commits it was joined to."""

    provider: str
    number: int
    about: About
    outcome: ChangeState
    title: str
    thread: Thread
    commits: tuple[str, ...] = ()


def render(kept: Kept) -> str:
    """The file of a thread: a function of the values alone."""
    thread = kept.thread
    values: list[tuple[str, object]] = [
        ("citator_review", VERSION),
        ("provider", kept.provider),
        (kept.about.value, kept.number),
        ("outcome", kept.outcome.value),
        ("title", one_line(kept.title, 200) or "Untitled"),
        ("thread", thread.id),
        ("state", thread.state.value),
        ("path", thread.path),
        ("line", thread.line),
        ("commits", list(kept.commits[:MAX_COMMITS])),
    ]
    lines = ["---", *(f"{key}: {_json(one)}" for key, one in values if one not in (None, []))]
    lines.append("---")
    for comment in thread.comments[:MAX_COMMENTS]:
        when = comment.at or "at no known time"
        lines += ["", f"**{person(comment.author)}**, {when}:", ""]
        lines += [f"> {line}".rstrip() for line in _lines(comment.text)]
    return "\n".join([*lines, ""])


def _lines(text: str) -> list[str]:
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return plain.strip().split("\n")


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(one: str) -> str:
    """As YAML reads it: it knows no pair of surrogates, which is how JSON writes it."""
    return json.dumps(one)[1:-1] if ord(one) <= 0xFFFF else f"\\U{ord(one):08x}"


def person(name: str) -> str:
    """A name on one line without the marks that end it."""
    return one_line(name.replace("*", ""), 80) or UNKNOWN


def parse(values: Mapping[str, Any], body: str) -> Kept | None:
    """The thread in a file, None where the file keeps none."""
    if values.get("citator_review") != VERSION or isinstance(values.get("citator_review"), bool):
        return None
    about = next((one for one in About if _is_number(values.get(one.value))), None)
    state, outcome = values.get("state"), values.get("outcome")
    texts = [values.get(key) for key in ("provider", "title", "thread")]
    known = state in [one.value for one in ThreadState]
    ended = outcome in [one.value for one in ChangeState]
    if about is None or not known or not ended or not all(isinstance(one, str) for one in texts):
        return None
    commits = values.get("commits") or []
    path, line = values.get("path"), values.get("line")
    return Kept(
        provider=str(texts[0]),
        number=values[about.value],
        about=about,
        outcome=ChangeState(str(outcome)),
        title=str(texts[1]),
        thread=Thread(
            id=str(texts[2]),
            state=ThreadState(str(state)),
            comments=tuple(_comments(body)),
            path=path if isinstance(path, str) else None,
            line=line if _is_number(line) else None,
        ),
        commits=tuple(one for one in commits if is_object_id(one))
        if isinstance(commits, list)
        else (),
    )


def _comments(body: str) -> list[Comment]:
    found: list[tuple[str, str | None, list[str]]] = []
    for line in body.split("\n"):
        said = _SAID.fullmatch(line)
        if said is not None:
            found.append((said[1], said[2] if said[2][0].isdigit() else None, []))
        elif found and line.startswith(">"):
            found[-1][2].append(line[1:].removeprefix(" "))
    return [Comment(author, at, "\n".join(lines)) for author, at, lines in found]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9


def is_object_id(value: object) -> bool:
    """Whether a value is a whole object id."""
    return isinstance(value, str) and _OBJECT_ID.fullmatch(value) is not None


def moment(value: object) -> str | None:
    """A time as exports write it, as UTC to the second; None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.replace("Z", "+00:00"))
        aware = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        text = aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
    except (ValueError, OverflowError):
        return None
    return text if _TIME.fullmatch(text) else None
