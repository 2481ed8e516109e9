"""How the architecture decision records of one tree treat each other, by what they say.

- A link is followed where it names a file of the tree, or a number that one record alone has.
- What a record that was never accepted says of others changes nothing.
- A record is named by its path where that is plain, else by its blob; it is treated as its blob.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from citator.formats.adr import Adr, read_adr
from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import outline
from citator.git.blobs import BlobReader
from citator.git.records import Repository, TreeEntry
from citator.git.trees import entries
from citator.model.document import AdrStatus
from citator.model.plain import is_plain
from citator.model.treatment import Attested, Edge, Rule, Treatment
from citator.sources.markdown import decode, is_markdown

MAX_RECORDS: Final = 1_000
MAX_BYTES: Final = 256 << 10
_LIKELY: Final = re.compile(
    r"(?:^|/)(?:adrs?|(?:architecture|architectural)-decision(?:s|-records)|decision-records|"
    r"decisions)/|(?:^|/)adr[-_ ]?[0-9]",
    re.IGNORECASE,
)
_ACCEPTED: Final = (AdrStatus.ACCEPTED, AdrStatus.SUPERSEDED, AdrStatus.DEPRECATED)
_NUMBER: Final = re.compile(r"ADR-0*([0-9]+)")


@dataclass(frozen=True, slots=True)
class StatedRecord:
    """One record: its blob, where it lies, and what it says of itself and of others."""

    blob: str
    path: str
    adr: Adr


def records_of(
    repo: Repository, commit: str, covers: Callable[[str], bool]
) -> tuple[StatedRecord, ...]:
    """The records that ``commit`` has, less those at a path that ``covers`` says is hidden."""
    likely = (
        one
        for one in entries(repo, commit)
        if one.kind == "blob" and is_markdown(one.path) and _LIKELY.search(one.path)
    )
    shown = (one for one in likely if not covers(one.path))
    with BlobReader(repo) as reader:
        read = (_read(one, reader) for one in islice(shown, MAX_RECORDS))
        return tuple(one for one in read if one is not None)


def record_in(repo: Repository, entry: TreeEntry) -> StatedRecord | None:
    """The record that a Markdown file is, None where it is none."""
    with BlobReader(repo) as reader:
        return _read(entry, reader)


def _read(entry: TreeEntry, reader: BlobReader) -> StatedRecord | None:
    content = reader.read(entry.object_id, MAX_BYTES)
    if not isinstance(content, bytes) or b"\0" in content[:4_096]:
        return None
    lines = decode(content).text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    structure = outline(below)
    title = structure.headings[0].title if structure.headings else None
    adr = read_adr(entry.path, title, below, structure, front)
    return None if adr is None else StatedRecord(entry.object_id, entry.path, adr)


def edges_among(records: tuple[StatedRecord, ...]) -> Iterator[Edge]:
    """How the records treat each other, in the order of their paths."""
    by_path = {one.path: one for one in records}
    by_number: dict[int, list[StatedRecord]] = {}
    for one in records:
        if one.adr.number is not None:
            by_number.setdefault(one.adr.number, []).append(one)

    def named(link: str) -> StatedRecord | None:
        number = _NUMBER.fullmatch(link)
        found = by_number.get(int(number[1]), []) if number else []
        return by_path.get(link) or (found[0] if len(found) == 1 else None)

    for one in records:
        for links, treatment, treats in (
            (one.adr.supersedes, Treatment.SUPERSEDES, True),
            (one.adr.superseded_by, Treatment.SUPERSEDES, False),
            (one.adr.amends, Treatment.LIMITS, True),
            (one.adr.amended_by, Treatment.LIMITS, False),
        ):
            for link in links:
                other = named(link)
                if other is None or other is one:
                    continue
                by, of = (one, other) if treats else (other, one)
                if by.adr.status in _ACCEPTED:
                    yield _edge(treatment, by, of)


def _edge(treatment: Treatment, by: StatedRecord, of: StatedRecord) -> Edge:
    claimed = "" if of.adr.number is None else f"ADR-{of.adr.number}"
    part = treatment is Treatment.LIMITS
    date = by.adr.date or ""
    name = by.path if is_plain(by.path) else by.blob
    return Edge(treatment, name, of.blob, claimed, Rule.ADR_LINK, Attested.STRUCTURE, date, part)
