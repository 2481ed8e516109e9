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

from citator.index.attached import attached, review_of, stated_of
from citator.index.damage import damaged
from citator.index.protocol import DocumentKey, Row
from citator.index.scoring import FIRST_SUBJECT, Counts, Lengths
from citator.index.tokens import KEY_BYTES, Text
from citator.model.document import AdrStatus, Document, Passage, Person
from citator.model.reference import DocumentKind, Ref

SHOWN_PATHS = 12
# kind, reference digest, ordinal, first, count, lengths, distinct terms, those with all counts
_HEADER = struct.Struct("<B32s6IHH")
_KINDS = (DocumentKind.COMMIT, DocumentKind.MARKDOWN, DocumentKind.REVIEW)
MOST_COUNTED = 255


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Frame:
    """What every passage of one document has in common, encoded once.

    ``bag``: the subject's terms, as often as the first stage wants them, and the paths' terms.
    ``keys``: their distinct keys, ``counts`` how often the subject holds each and whether a path
    does. ``row``: the document's part of a row.
    """

    kind: int
    bag: list[str]
    subject: int
    paths: int
    keys: list[bytes]
    counts: bytes
    row: str


def frame_of(document: Document, subject: Text, paths: Text) -> Frame:
    """The frame of a document's passages; in ``paths`` each term stands once."""
    held, touched = dict(Counter(subject.keys)), set(paths.keys)
    keys = [*dict.fromkeys([*held, *paths.keys])]
    author = document.author
    row = [
        document.object_id,
        document.path or "",
        document.subject,
        document.paths[:SHOWN_PATHS],
        None if author is None else (author.name, author.email),
        document.authored_at,
        document.adr_status,
        document.redactions,
        *attached(document),
    ]
    return Frame(
        kind=_KINDS.index(document.kind),
        bag=[*subject.terms * FIRST_SUBJECT, *paths.terms],
        subject=len(subject.terms),
        paths=len(paths.terms),
        keys=keys,
        counts=_counted([held.get(key, 0) for key in keys]) + bytes([k in touched for k in keys]),
        row=_JSON.encode(row),
    )


def bag_of(frame: Frame, body: Text) -> str:
    """What the first stage indexes of a passage."""
    return " ".join([*frame.bag, *body.terms])


@dataclass(frozen=True, slots=True)
class Position:
    """Where a passage stands: its ordinal, its document's first ordinal and passage count."""

    ordinal: int
    first: int
    count: int


def encode(frame: Frame, body: Text, passage: Passage, position: Position) -> bytes:
    """The stored form of one passage.

    After the header: the keys of the distinct terms (those of the frame first), the body's count
    of each, the frame's counts, and the row.
    """
    counts = dict(Counter(body.keys))
    framed = [counts.pop(key, 0) for key in frame.keys]
    header = _HEADER.pack(
        frame.kind,
        digest_of(passage.ref),
        position.ordinal,
        position.first,
        position.count,
        frame.subject,
        len(body.terms),
        frame.paths,
        len(framed) + len(counts),
        len(framed),
    )
    text = _JSON.encode(passage.text)
    row = f"[{passage.start},{passage.end},{text},{frame.row}]"
    return b"".join(
        [
            header,
            *frame.keys,
            *counts,
            _counted([*framed, *counts.values()]),
            frame.counts,
            row.encode("utf-8", "surrogatepass"),
        ]
    )


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

    def is_of(self, key: DocumentKey) -> bool:
        """Whether this is a passage of the document ``key``, without parsing the row.

        A quote inside a JSON string is escaped, so the head of the document's part of the row
        cannot stand anywhere else.
        """
        head = _JSON.encode([key.object_id, key.path])[:-1].encode("utf-8", "surrogatepass")
        return _KINDS[self.kind] is key.kind and self._raw.find(head, self._end) >= 0

    @property
    def order(self) -> tuple[int, bytes]:
        """Sorts as the reference does."""
        return self.kind, self.digest

    def row(self) -> Row:
        """The whole passage."""
        try:
            return self._row()
        except (ValueError, TypeError, IndexError, AttributeError) as error:
            raise damaged("a passage cannot be read") from error

    def _row(self) -> Row:
        start, end, text, framed = json.loads(
            self._raw[self._end :].decode("utf-8", "surrogatepass")
        )
        object_id, path, subject, paths, author, when, status, redactions = framed[:8]
        kind = _KINDS[self.kind]
        review = stated = None
        if len(framed) > 8:
            (facts,) = framed[8:]
            if kind is DocumentKind.REVIEW:
                review = review_of(facts)
            else:
                stated = stated_of(facts)
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
            review=review,
            stated=stated,
        )
