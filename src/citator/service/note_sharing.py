"""Notes that leave this machine as a file a person commits, and notes that come in from one.

- An export holds what was typed or remembered here and is not stale: one note a line, in an order
  that follows from the notes. It replaces an earlier export and nothing else.
- What comes in is captured, whatever it says of itself: its words are an author's and travel to no
  agent. It is read bounded; a line that is no note is counted and left out.
- The ancestor's store (SQLite) is opened read-only, as data: its schema is not trusted, a query
  that takes too long ends, and nothing in it is run.
- A second import changes nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from citator.model.errors import CitatorError, UsageError
from citator.service import notes
from citator.service.notes import Draft
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.store import exports, files
from citator.team.notes import Channel, Content, NoteKind
from citator.team.scoring import Age

MARK: Final = "citator_notes"
FORMAT: Final = 1
MAX_BYTES: Final = 8 << 20
MAX_NOTES: Final = 10_000
MAX_STORE_BYTES: Final = 256 << 20
MOST_VALUE: Final = 1 << 20
STEPS: Final = 20_000_000
SHORTEST: Final = 1_000
_STORES: Final = "not_a_store"
_KINDS: Final = {
    "decision": NoteKind.DECISION_HINT,
    "pattern": NoteKind.PATTERN,
    "avoid": NoteKind.AVOID,
    "failed": NoteKind.AVOID,
}


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import did: new notes, those that were there, and what was left out, by reason."""

    new: int
    there: int
    left_out: Mapping[str, int]


def export(workspace: Workspace, target: Path, moment: Moment) -> int:
    """Write the notes of this machine to ``target``. Returns how many.

    Raises RefusedError ``not_ours`` where something else lies there, StorageError.
    """
    found = [
        one
        for one in notes.listing(workspace, moment, everything=True).notes
        if one.channel is not Channel.CAPTURED and one.age is not Age.STALE
        if not one.taken_back and one.rejected is None
    ]
    lines = sorted(
        json.dumps(
            {
                "kind": one.kind.value, "text": one.text, "paths": list(one.paths),
                "author": one.author, "confirmed": one.confirmed,
            },
            ensure_ascii=False,
        )
        for one in found
    )  # fmt: skip
    head = json.dumps({MARK: FORMAT})
    raw = "\n".join([head, *lines, ""]).encode("utf-8", "surrogatepass")
    exports.write_page(target, raw, f'"{MARK}"'.encode())
    return len(found)


def import_file(workspace: Workspace, source: Path, moment: Moment) -> Taken:
    """Take in what an export wrote. Raises UsageError, RefusedError, StorageError."""
    lines = _read(source, MAX_BYTES).decode("utf-8", "replace").splitlines()
    if not lines or _line(lines[0]).get(MARK) != FORMAT:
        raise UsageError(
            "not_notes", "that file holds no notes of an export", "name one that was exported"
        )
    return take(workspace, map(_line, lines[1:]), moment)


def import_mcp_brain(workspace: Workspace, source: Path, moment: Moment) -> Taken:
    """Take in the memories of an mcp-brain store. Raises as :func:`import_file`."""
    return take(workspace, _memories(source), moment)


def take(workspace: Workspace, lines: Iterable[Mapping[str, Any]], moment: Moment) -> Taken:
    """Keep as captured what is a note, once."""
    left_out: Counter[str] = Counter()
    wanted: list[Content] = []
    spoken = notes.rejections(workspace)
    for number, line in enumerate(lines):
        if number >= MAX_NOTES:
            left_out["too_many"] += 1
            break
        content = _content(line)
        if isinstance(content, str):
            left_out[content] += 1
        elif spoken(content) is not None:
            left_out["told_no"] += 1
        else:
            wanted.append(content)
    made, there = notes.of(workspace).add_all(wanted, moment.text, moment.entropy)
    return Taken(len(made), there, dict(sorted(left_out.items())))


def _content(line: Mapping[str, Any]) -> Content | str:
    """The note of a line; the code of what is wrong with it."""
    text, kind, paths = line.get("text"), line.get("kind"), line.get("paths", [])
    author = line.get("author", "unknown")
    known = isinstance(kind, str) and kind in {one.value for one in NoteKind}
    listed = isinstance(paths, list) and all(isinstance(one, str) for one in paths)
    if not (isinstance(text, str) and isinstance(author, str) and known and listed):
        return "no_note"
    try:
        content = notes.checked(Draft(text, str(kind), tuple(paths)))
    except CitatorError as error:
        return error.code
    return replace(content, author=" ".join(author.split())[:200] or "unknown")


def _line(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text) if len(text) <= notes.MAX_TEXT * 100 else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read(source: Path, most: int) -> bytes:
    if not source.is_file():
        raise UsageError("no_such_file", "there is no such file", "name a file that is there")
    with files.guarded(), source.open("rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise UsageError("too_large", f"that file is larger than {most >> 20} MiB", "split it")
    return raw


def _memories(source: Path) -> Iterator[Mapping[str, Any]]:
    if not source.is_file() or source.stat().st_size > MAX_STORE_BYTES:
        raise _no_store()
    address = f"{source.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as store:
            store.execute("PRAGMA trusted_schema = OFF")
            store.execute("PRAGMA query_only = ON")
            store.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE)
            left = [STEPS // SHORTEST]

            def tired() -> bool:
                left[0] -= 1
                return left[0] < 0

            store.set_progress_handler(tired, SHORTEST)
            yield from _rows(store)
    except (sqlite3.Error, ValueError, OverflowError):
        raise _no_store() from None


def _rows(store: sqlite3.Connection) -> Iterator[Mapping[str, Any]]:
    kind = store.execute("SELECT type FROM sqlite_master WHERE name = 'memories'").fetchone()
    if kind != ("table",):
        raise _no_store()
    columns = {row[1] for row in store.execute("PRAGMA table_info(memories)")}
    if not {"category", "content"} <= columns:
        raise _no_store()
    wanted = [
        one if one in columns else f"NULL AS {one}"
        for one in ("category", "content", "status", "scope_type", "scope_value")
    ]
    question = f"SELECT {', '.join(wanted)} FROM memories ORDER BY rowid LIMIT ?"  # noqa: S608
    for category, content, status, scope, value in store.execute(question, (MAX_NOTES + 1,)):
        if status == "superseded":
            continue
        kind_of = _KINDS.get(str(category).lower(), NoteKind.FACT)
        about = [value] if scope in ("module", "file") and value else []
        text = content[: notes.MAX_TEXT] if isinstance(content, str) else content
        yield {"kind": kind_of.value, "text": text, "paths": about, "author": "mcp-brain"}


def _no_store() -> UsageError:
    return UsageError(
        _STORES,
        "that is no store of mcp-brain, or it is too large to be one",
        "name its memory.db",
    )
