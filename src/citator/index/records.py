"""One passage as the engine stores it: a fixed header, its terms with their counts, its row.

- The header and the terms' counts are enough to mask, score and order a passage; the row is
  parsed only for passages that are shown.
- A term stands there as a short digest: exact enough, and cheaper to write and to find.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from citator.index.damage import damaged
from citator.index.protocol import Row
from citator.index.scoring import FIRST_SUBJECT, Counts, Lengths
from citator.index.tokens import KEY_BYTES, Text
from citator.model.document import AdrStatus, Document, Passage, Person
from citator.model.reference import DocumentKind, Ref

SHOWN_PATHS = 12
# kind, reference digest, ordinal, first, count, lengths, distinct terms, those with all counts
_HEADER = struct.Struct("<B32s6IHH")
_KINDS = (DocumentKind.COMMIT, DocumentKind.MARKDOWN)
MOST_COUNTED = 255


@dataclass(frozen=True, slots=True)
class Fields:
    """The terms of one passage, field by field; in ``paths`` each stands once."""

    subject: Text
    body: Text
    paths: Text

    @property
    def bag(self) -> str:
        """What the first stage indexes."""
        subject, body, paths = self.subject.terms, self.body.terms, self.paths.terms
        return " ".join([*subject * FIRST_SUBJECT, *body, *paths])

    @property
    def lengths(self) -> Lengths:
        """Terms in each field."""
        return Lengths(len(self.subject.terms), len(self.body.terms), len(self.paths.terms))


@dataclass(frozen=True, slots=True)
class Position:
    """Where a passage stands: its ordinal, its document's first ordinal and passage count."""

    ordinal: int
    first: int
    count: int


def encode(fields: Fields, document: Document, passage: Passage, position: Position) -> bytes:
    """The stored form of one passage."""
    author = document.author
    row = [
        document.object_id,
        document.path or "",
        passage.start,
        passage.end,
        document.subject,
        passage.text,
        document.paths[:SHOWN_PATHS],
        None if author is None else (author.name, author.email),
        document.authored_at,
        document.adr_status,
        document.redactions,
    ]
    distinct, full, terms = _encoded_terms(fields)
    header = _HEADER.pack(
        _KINDS.index(document.kind),
        digest_of(passage.ref),
        position.ordinal,
        position.first,
        position.count,
        *fields.lengths,
        distinct,
        full,
    )
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return header + terms + text.encode("utf-8", "surrogatepass")


def _encoded_terms(fields: Fields) -> tuple[int, int, bytes]:
    """How many distinct terms, how many of them outside the body too, and their encoding.

    Those first; then the keys of all, the body's counts of all, and of the first the subject's
    counts and whether a path holds them.
    """
    body = dict(Counter(fields.body.keys))
    subject = dict(Counter(fields.subject.keys))
    paths = set(fields.paths.keys)
    outside = [*dict.fromkeys([*subject, *fields.paths.keys])]
    counts = [body.pop(key, 0) for key in outside]
    encoded = [
        *outside,
        *body,
        _counted([*counts, *body.values()]),
        _counted([subject.get(key, 0) for key in outside]),
        bytes([key in paths for key in outside]),
    ]
    return len(outside) + len(body), len(outside), b"".join(encoded)


def _counted(counts: list[int]) -> bytes:
    try:
        return bytes(counts)
    except ValueError:
        return bytes(min(count, MOST_COUNTED) for count in counts)


def digest_of(ref: str) -> bytes:
    """The 32 bytes of a reference's digest."""
    return bytes.fromhex(ref.rpartition(":")[2])


class Record:
    """A stored passage, read as far as it is asked.

    Raises IntegrityError where the bytes make no sense.
    """

    __slots__ = ("_body", "_end", "_full", "_raw", "count", "digest", "first", "kind", "lengths",
                 "ordinal")  # fmt: skip

    def __init__(self, raw: bytes) -> None:
        try:
            (
                kind, digest, ordinal, first, count, subject, body, paths, terms, full,
            ) = _HEADER.unpack_from(raw)  # fmt: skip
        except struct.error as error:
            raise damaged("a passage is cut short") from error
        self._raw = raw
        self._full = full
        self._body = _HEADER.size + KEY_BYTES * terms
        self._end = self._body + terms + 2 * full
        if len(raw) <= self._end:
            raise damaged("a passage is cut short")
        self.kind: int = kind
        self.digest: bytes = digest
        self.ordinal: int = ordinal
        self.first: int = first
        self.count: int = count
        self.lengths = Lengths(subject, body, paths)

    def counts(self, key: bytes) -> Counts | None:
        """How often the term of ``key`` stands in each field; None where in none."""
        raw, end = self._raw, self._body
        at = raw.find(key, _HEADER.size, end)
        while at >= 0:
            index, between = divmod(at - _HEADER.size, KEY_BYTES)
            if not between:
                break
            at = raw.find(key, at + 1, end)
        else:
            return None
        if index >= self._full:
            return Counts(0, raw[end + index], 0)
        subject = self._end - 2 * self._full + index
        return Counts(raw[subject], raw[end + index], raw[subject + self._full])

    def keys(self) -> Iterator[bytes]:
        """The key of each distinct term."""
        for at in range(_HEADER.size, self._body, KEY_BYTES):
            yield self._raw[at : at + KEY_BYTES]

    @property
    def order(self) -> tuple[int, bytes]:
        """Sorts as the reference does."""
        return self.kind, self.digest

    def row(self) -> Row:
        """The whole passage."""
        try:
            return self._row()
        except (ValueError, TypeError, IndexError) as error:
            raise damaged("a passage cannot be read") from error

    def _row(self) -> Row:
        (
            object_id, path, start, end, subject, text, paths, author, when, status, redactions,
        ) = json.loads(self._raw[self._end :].decode("utf-8", "surrogatepass"))  # fmt: skip
        kind = _KINDS[self.kind]
        return Row(
            ordinal=self.ordinal,
            document=self.first,
            ref=Ref(f"{kind.value}:v1:{self.digest.hex()}"),
            kind=kind,
            object_id=object_id,
            path=path,
            start=start,
            end=end,
            subject=subject,
            text=text,
            paths=tuple(paths),
            author=None if author is None else Person(*author),
            authored_at=when,
            adr_status=None if status is None else AdrStatus(status),
            redactions=redactions,
        )
