"""Rows of a question set, the words of a question, and the manifest that may be committed.

- A set (``{id, repo, at_commit, language, query, relevant_commits, acceptable_commits}``, one
  JSON object a line) holds other people's words: it is written where the caller says and
  never into this project.
- A manifest holds ids, commit ids and numbers only, so that anyone can check a set they built.
- A question never carries the number of the issue or the change: the commit names it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MIN_WORDS = 3
MAX_CHARACTERS = 300

_LINK = re.compile(r"<?https?://\S+>?")
_MARKDOWN_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NUMBER = re.compile(
    r"""\(?\s*(?:
        (?:[\w.-]+/[\w.-]+)?\#\d+            # #123, owner/name#123
      | \b(?:gh|bpo|bug|issue|pr|ticket|pull\s+request)[-\s:#]*\d{2,}\b
    )\s*\)?""",
    re.VERBOSE | re.IGNORECASE,
)
_OBJECT_ID = re.compile(  # digits and letters mixed, but not a name like ed25519
    r"\b(?![a-f]+[0-9]+\b)(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"
)
_SPACE = re.compile(r"\s+")
_LOOSE = re.compile(r"\s+([.,;:)])")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|<!--|```|[-*]\s*\[[ xX]\])")


@dataclass(frozen=True, slots=True)
class Question:
    """One row of a set. ``relevant_commits`` answer it; ``acceptable_commits`` are no miss."""

    id: str
    repo: str
    at_commit: str
    language: str
    query: str
    relevant_commits: tuple[str, ...]
    acceptable_commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a manifest: how the answer was found, and what the question gives away."""

    id: str
    repo: str
    at_commit: str
    relevant_commits: tuple[str, ...]
    acceptable_commits: tuple[str, ...]
    how: str
    share: float
    peak: float
    query_sha256: str


def clean(line: str) -> str:
    """``line`` without links, numbers of issues and changes, and object ids."""
    line = line.encode("utf-8", "ignore").decode("utf-8")
    line = _MARKDOWN_LINK.sub(r"\1", line)
    for pattern in (_LINK, _NUMBER, _OBJECT_ID):
        line = pattern.sub(" ", line)
    line = _LOOSE.sub(r"\1", _SPACE.sub(" ", line)).strip(" \t-:;,#*.")
    return line[:MAX_CHARACTERS].strip()


def first_words(statement: str) -> str | None:
    """The first line of an issue; with its next line of prose where it is under three words.

    None where both together say less than that.
    """
    lines = [line for line in statement.splitlines() if line.strip()]
    if not lines:
        return None
    title = clean(lines[0].lstrip("# "))
    if len(title.split()) >= MIN_WORDS:
        return title
    body = next((line for line in lines[1:] if not _HEADING.match(line)), "")
    longer = clean(f"{title}. {clean(body)}")
    return longer if len(longer.split()) >= MIN_WORDS else None


def digest(query: str) -> str:
    """Says whether two people built the same question, without carrying it."""
    return hashlib.sha256(query.encode()).hexdigest()[:16]


def write_set(path: Path, questions: Iterable[Question]) -> None:
    """Write a set, one object a line, in id order."""
    _write(path, [asdict(question) for question in sorted(questions, key=lambda q: q.id)])


def write_manifest(path: Path, entries: Iterable[Entry]) -> None:
    """Write a manifest, one object a line, in id order."""
    _write(path, [asdict(entry) for entry in sorted(entries, key=lambda e: e.id)])


def read_rows(path: Path) -> list[dict[str, object]]:
    """The JSON objects of a file with one a line."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _write(path: Path, rows: Sequence[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, "utf-8")
