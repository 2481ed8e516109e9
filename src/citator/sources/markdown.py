"""Markdown files of a tree, as documents.

- A document is a regular file whose name ends in ``.md`` or ``.markdown`` (any case) and whose
  path the configuration selects. No folder is left out for its name, but the record's own: of
  ``.citator/`` nothing is a source here but the review threads that were imported into it.
- A symbolic link is never followed; a Git LFS pointer is never taken for content.
- The served text is the file without byte-order mark and carriage returns, secrets redacted, up
  to ``MAX_CHARACTERS``; lines keep their numbers.
- What could not be read as it is meant is indexed as far as that is honest, never dropped in
  silence: each such file is a :class:`Trouble`, and the troubles are counted as facts.
- Bytes that are not UTF-8 are read as windows-1252, byte by byte, beside what is UTF-8; UTF-16
  with its mark is read as that; a file with NUL and many other control bytes is binary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from citator.formats.adr import Adr, read_adr
from citator.formats.config import Config
from citator.formats.front_matter import FrontMatter, read_front_matter
from citator.formats.markdown import LineKind, Outline, outline
from citator.git.blobs import BlobReader, Unread
from citator.git.decoding import guessed
from citator.git.records import Repository, TreeEntry
from citator.model.document import Document
from citator.model.horizon import HorizonFact, Limit, merge_facts
from citator.model.record import is_of_record
from citator.model.reference import DocumentKind
from citator.sources import reviews
from citator.sources.issue_keys import issue_keys
from citator.sources.redaction import redact
from citator.sources.splitter import passages, split_markdown

MAX_BYTES = 32 * 1024 * 1024
MAX_CHARACTERS = 2 * 1024 * 1024
MAX_SUBJECT = 400

_SUFFIXES = (".md", ".markdown")
_POINTER_BYTES = 1024
_POINTER = re.compile(rb"(?:\xef\xbb\xbf)?version https?://(?:git-lfs|hawser)\.github\.com/spec/")
_SAMPLE_BYTES = 8192
_CONTROLS = bytes((*range(9), *range(14, 27), *range(28, 32)))
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")  # a run is tried once


class Trouble(NamedTuple):
    """A file that could not be read as it is meant, and the limit it met."""

    path: str
    object_id: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text and the limits met on the way."""

    text: str
    limits: tuple[Limit, ...] = ()


class MarkdownSource:
    """The Markdown of one repository under one configuration.

    :attr:`facts` and :attr:`troubles` tell about the entries read so far.
    """

    def __init__(self, repo: Repository, config: Config) -> None:
        self._repo = repo
        self._paths = config.paths()
        self._troubles: list[Trouble] = []

    def selects(self, path: str) -> bool:
        """Whether a file at ``path`` is a document under this configuration."""
        return reviews.is_review(path) or (is_markdown(path) and self._paths.selects(path))

    def documents(self, entries: Iterable[TreeEntry]) -> Iterator[Document]:
        """The documents among the entries of a tree, in their order."""
        with BlobReader(self._repo) as blobs:
            for entry in entries:
                if entry.kind == "blob" and self.selects(entry.path):
                    document = self._document(entry, blobs)
                    if document is not None:
                        yield document

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Each file that could not be read as it is meant, in reading order."""
        return tuple(self._troubles)

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """The troubles as facts: one a limit, with how many files met it."""
        return merge_facts(HorizonFact(trouble.limit, 1) for trouble in self._troubles)

    def _document(self, entry: TreeEntry, blobs: BlobReader) -> Document | None:
        if entry.mode == "120000":
            self._met(entry, Limit.SYMLINKS_NOT_FOLLOWED)
            return None
        data = blobs.read(entry.object_id, MAX_BYTES)
        if isinstance(data, Unread):
            too_large = data is Unread.TOO_LARGE
            self._met(entry, Limit.TOO_LARGE if too_large else Limit.UNREADABLE_BLOBS)
            return None
        refused = _not_text(data)
        if refused is not None:
            self._met(entry, refused)
            return None
        decoded = decode(data)
        if reviews.is_review(entry.path):
            return reviews.document_of(entry.path, entry.object_id, decoded.text)
        document, limits = document_of(entry.path, entry.object_id, decoded.text)
        for limit in (*decoded.limits, *limits):
            self._met(entry, limit)
        return document

    def _met(self, entry: TreeEntry, limit: Limit) -> None:
        self._troubles.append(Trouble(entry.path, entry.object_id, limit))


def is_markdown(path: str) -> bool:
    """Whether a path names Markdown outside the record's own folder."""
    lowered = path.lower()
    return lowered.endswith(_SUFFIXES) and not is_of_record(lowered)


def decode(data: bytes) -> Decoded:
    """The text of a file, line ends as ``\\n``, without blanks at line ends."""
    limits: list[Limit] = []
    if len(data) > 4 * MAX_CHARACTERS:
        data = _whole_lines(data, 4 * MAX_CHARACTERS)
        limits.append(Limit.CUT_LONG)
    text = _text(data, limits)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS:
        end = text.rfind("\n", 0, MAX_CHARACTERS)
        text = text[: end if end > 0 else MAX_CHARACTERS]
        limits.append(Limit.CUT_LONG)
    if " \n" in text or "\t\n" in text or text[-1:] in (" ", "\t"):
        text = _TRAILING.sub("", text)
    return Decoded(text.rstrip("\n"), tuple(dict.fromkeys(limits)))


def document_of(path: str, object_id: str, text: str) -> tuple[Document | None, tuple[Limit, ...]]:
    """The document of a decoded file (None where it says nothing), and the limits met."""
    text, redactions = redact(text)
    if not text.strip():
        return None, ()
    lines = text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    structure = outline(below)
    title = structure.headings[0].title if structure.headings else None
    adr = read_adr(path, title, below, structure, front) or Adr()
    pieces = split_markdown(lines, _whole(structure, front))
    document = Document(
        kind=DocumentKind.MARKDOWN,
        object_id=object_id,
        subject=_subject(path, structure, front),
        text=text,
        passages=passages(DocumentKind.MARKDOWN, object_id, pieces),
        path=path,
        issue_keys=issue_keys(text),
        adr_number=adr.number,
        adr_status=adr.status,
        adr_date=adr.date,
        supersedes=adr.supersedes,
        redactions=redactions,
    )
    return document, (Limit.FRONT_MATTER_UNREADABLE,) if front.unreadable else ()


def _not_text(data: bytes) -> Limit | None:
    """Why a file is not read at all: it stands for another, or it is binary."""
    if len(data) <= _POINTER_BYTES and _POINTER.match(data):
        return Limit.LFS_POINTERS
    start = data[:_SAMPLE_BYTES]
    if b"\0" not in start or start.startswith(_UTF16_MARKS):
        return None
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return Limit.UNREADABLE_BLOBS if controls * 100 > len(start) else None


def _subject(path: str, structure: Outline, front: FrontMatter) -> str:
    """Front matter's title, else the first heading of the highest level, else the file's name."""
    stated = front.text("title")
    if stated is None and structure.headings:
        stated = min(structure.headings, key=lambda heading: heading.level).title
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    stem = stem.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return (" ".join((stated or "").split()) or stem)[:MAX_SUBJECT]


def _whole(structure: Outline, front: FrontMatter) -> Outline:
    """The structure of the file with its front matter as one block of code."""
    if not front.lines:
        return structure
    moved = tuple(
        type(one)(one.start + front.lines, one.end + front.lines, one.level, one.title)
        for one in structure.headings
    )
    return Outline(bytes([LineKind.CODE]) * front.lines + structure.kinds, moved)


def _text(data: bytes, limits: list[Limit]) -> str:
    if data.startswith(_UTF16_MARKS):
        limits.append(Limit.INVALID_UTF8)
        codec = "utf-16-le" if data.startswith(_UTF16_MARKS[0]) else "utf-16-be"
        return data[2:].decode(codec, "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        limits.append(Limit.INVALID_UTF8)
        data = data.replace(b"\0", b"\xef\xbf\xbd")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        limits.append(Limit.INVALID_UTF8)
        return guessed(data)


def _whole_lines(data: bytes, limit: int) -> bytes:
    end = data.rfind(b"\n", 0, limit)
    return data[: end if end > 0 else _character_start(data, limit)]


def _character_start(data: Sequence[int], limit: int) -> int:
    """The nearest cut at or before ``limit`` that is not inside a UTF-8 character."""
    while limit > 0 and data[limit] & 0xC0 == 0x80:
        limit -= 1
    return limit
