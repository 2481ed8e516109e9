"""One passage as the engine stores it: a fixed header, its terms with their counts, its row.

- The header and the terms are enough to mask, score and order a passage; the row is parsed
  only for passages that are shown.
- Terms hold no white space, so that the engine's splitting at white space gives them back.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citator.index.damage import damaged
from citator.index.protocol import Row
from citator.index.scoring import FIRST_SUBJECT, Counts, Lengths
from citator.model.document import AdrStatus, Document, Passage, Person
from citator.model.reference import DocumentKind, Ref

SHOWN_PATHS = 12
MAX_PATH_TERMS = 48
MAX_TERM = 255

_HEADER = struct.Struct("<B32s7I")
_KINDS = (DocumentKind.COMMIT, DocumentKind.MARKDOWN)
_MOST = 90
_CODES = "".join(chr(33 + n) for n in range(_MOST + 1))
_WHITE = str.maketrans(dict.fromkeys(" \t\n\r\x0b\x0c", "_"))


def clean(term: str) -> str:
    """``term`` as it is indexed: no white space, no lone surrogates, not longer than 255."""
    cleaned = term[:MAX_TERM].translate(_WHITE)
    return cleaned.encode("utf-8", "replace").decode("utf-8")


def cleaned(terms: Sequence[str]) -> list[str]:
    """``terms`` cleaned, empty ones left out. Cheap where all are clean, which is the rule."""
    joined = " ".join(terms)
    if (
        joined.isprintable()
        and joined.split() == terms
        and max(map(len, terms), default=0) <= MAX_TERM
    ):
        return list(terms)
    return [clean(term) for term in terms if term]


def touched(document: Document) -> tuple[str, ...]:
    """The paths a document is found by: its own, or those a commit touched."""
    return document.paths if document.path is None else (document.path,)


def path_terms(terms: Sequence[str]) -> list[str]:
    """The distinct terms of a document's paths: the most frequent, first seen first."""
    kept = Counter(terms).most_common(MAX_PATH_TERMS)
    return [term for term, _ in kept]


@dataclass(frozen=True, slots=True)
class Fields:
    """The clean terms of one passage, field by field; in ``paths`` each stands once."""

    subject: list[str]
    body: list[str]
    paths: list[str]

    @property
    def bag(self) -> str:
        """What the first stage indexes."""
        return " ".join([*self.subject * FIRST_SUBJECT, *self.body, *self.paths])


@dataclass(frozen=True, slots=True)
class Position:
    """Where a passage stands: its ordinal, its document's first ordinal and passage count."""

    ordinal: int
    first: int
    count: int


def encode(fields: Fields, document: Document, passage: Passage, position: Position) -> bytes:
    """The stored form of one passage."""
    terms = _encoded_terms(fields).encode("utf-8")
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
    header = _HEADER.pack(
        _KINDS.index(document.kind),
        digest_of(passage.ref),
        position.ordinal,
        position.first,
        position.count,
        len(fields.subject),
        len(fields.body),
        len(fields.paths),
        len(terms),
    )
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return header + terms + text.encode("utf-8", "surrogatepass")


def digest_of(ref: str) -> bytes:
    """The 32 bytes of a reference's digest."""
    return bytes.fromhex(ref.rpartition(":")[2])


def _encoded_terms(fields: Fields) -> str:
    subject, body, paths = Counter(fields.subject), Counter(fields.body), set(fields.paths)
    codes, most = _CODES, _MOST
    parts = [
        f"\n{term}\t{codes[min(subject.get(term, 0), most)]}"
        f"{codes[min(count, most)]}{codes[term in paths]}"
        for term, count in body.items()
    ]
    parts += [
        f"\n{term}\t{codes[min(count, most)]}{codes[0]}{codes[term in paths]}"
        for term, count in subject.items()
        if term not in body
    ]
    parts += [
        f"\n{term}\t{codes[0]}{codes[0]}{codes[1]}"
        for term in fields.paths
        if term not in body and term not in subject
    ]
    return "".join(parts)


def term_key(term: str) -> bytes:
    """What :meth:`Record.counts` looks for."""
    return f"\n{clean(term)}\t".encode()


class Record:
    """A stored passage, read as far as it is asked.

    Raises IntegrityError where the bytes make no sense.
    """

    __slots__ = ("_end", "_raw", "count", "digest", "first", "kind", "lengths", "ordinal")

    def __init__(self, raw: bytes) -> None:
        try:
            kind, digest, ordinal, first, count, subject, body, paths, size = _HEADER.unpack_from(
                raw
            )
        except struct.error as error:
            raise damaged("a passage is cut short") from error
        self._raw = raw
        self._end = _HEADER.size + size
        self.kind: int = kind
        self.digest: bytes = digest
        self.ordinal: int = ordinal
        self.first: int = first
        self.count: int = count
        self.lengths = Lengths(subject, body, paths)

    def counts(self, key: bytes) -> Counts | None:
        """How often the term of ``key`` stands in each field; None where in none."""
        at = self._raw.find(key, _HEADER.size, self._end)
        if at < 0:
            return None
        raw, at = self._raw, at + len(key)
        return Counts(raw[at] - 33, raw[at + 1] - 33, raw[at + 2] - 33)

    def terms(self) -> Iterator[str]:
        """Each distinct term."""
        for entry in self._raw[_HEADER.size : self._end].split(b"\n")[1:]:
            yield entry[:-4].decode("utf-8")

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
