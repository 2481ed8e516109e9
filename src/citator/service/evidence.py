"""Rows of the index → evidence: the border where the repository's words stay behind (rule 1)."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from citator.index.protocol import Row
from citator.model.document import Person
from citator.model.evidence import Evidence
from citator.model.plain import is_plain
from citator.model.reference import DocumentKind


def evidence_of(row: Row, matched: tuple[str, ...]) -> Evidence:
    """What may travel of a row. ``matched`` are words the asker used, never the row's."""
    return Evidence(
        ref=row.ref,
        kind=row.kind,
        locator=locator(row),
        object_id=row.object_id,
        lines=(row.start, row.end),
        characters=len(row.text),
        matched=matched,
        date=iso_date(row.authored_at),
        author=None if row.author is None else author_number(row.author),
        adr_status=row.adr_status,
        redactions=row.redactions,
    )


def locator(row: Row) -> str:
    """Where a person finds it: a commit id, ``path:start-end`` if plain, else the blob id."""
    if row.kind is DocumentKind.COMMIT:
        return row.object_id
    name = row.path if row.path and is_plain(row.path) else row.object_id
    return f"{name}:{row.start}-{row.end}"


def author_number(person: Person) -> int:
    """A number (32 bits) that is the same for one e-mail address in every clone and answer.

    It names nobody; it lets a reader see that two items have one author.
    """
    key = (person.email or person.name).strip().lower()
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big")


def iso_date(seconds: int | None) -> str | None:
    """``YYYY-MM-DD`` in UTC, None for a time outside the years 1 to 9999."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
