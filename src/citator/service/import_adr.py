"""``import adr``: architecture decision records in a directory → drafts.

- Each record becomes a draft, whatever its status says; one that says *rejected* becomes a pending
  rejection. A file that is no record (a read-me, an index, a template) is told and left.
- The number is kept as a label. It is an alias too where one record alone carries it; a number that
  several carry is told, and names none of them.
- The ruling is the first sentence of the decision section, marked as derived.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.formats.adr import Adr, read_adr
from citator.formats.adr_text import decision_sentence, derived_ruling, plain_title
from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import outline
from citator.formats.one_line import one_line
from citator.model.document import AdrStatus
from citator.model.record import RULING_CHARACTERS, ItemKind, RelationType, Sensitivity
from citator.record.importing.draft import Draft, Link, Text, content_digest
from citator.service.import_files import Found, read_directory
from citator.service.importing import Reading
from citator.sources.markdown import decode

MAX_BYTES: Final = 4 * 1024 * 1024

_NO_RECORD: Final = re.compile(
    r"(?:readme|index|toc|about|contributing|(?:\d{1,5}[-_. ])?(?:adr[-_ ])?template[\w.-]*"
    r"|[\w.-]{0,60}[-_.]template)\.(?:md|markdown)",
    re.IGNORECASE,
)
_SLUG: Final = re.compile(r"[a-z0-9]+")
_PLACE: Final = "adr/"


@dataclass(frozen=True, slots=True)
class Options:
    """What the records themselves may not say: who owns them, of which kind and how sensitive."""

    owner: str = "unassigned"
    kind: ItemKind = ItemKind.ARCHITECTURE
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Record:
    """One record: where it was read, what it states, its text."""

    path: str
    adr: Adr
    title: str
    ruling: str
    derived: bool
    body: str


def read(folder: Path, prefix: str, options: Options) -> Reading:
    """The records at and below ``folder``. ``prefix`` leads from the repository's root to it.

    Raises UsageError, RefusedError.
    """
    files = read_directory(folder, (".md", ".markdown"), MAX_BYTES)
    records: list[_Record] = []
    skipped: list[tuple[str, str]] = []
    for file in files:
        if file.content is None:
            skipped.append((file.path, file.problem))
            continue
        record = None if _NO_RECORD.fullmatch(file.path.rpartition("/")[2]) else _record(file)
        if record is None:
            skipped.append((file.path, "not_a_record"))
        else:
            records.append(record)
    where = _Where.of(records)
    drafts = tuple(_draft(record, where, prefix, options) for record in records)
    collisions = tuple((f"ADR-{number:04d}", paths) for number, paths in where.shared)
    return Reading(drafts, len(files), tuple(skipped), collisions)


def _record(file: Found) -> _Record | None:
    text = decode(file.content or b"").text.replace("\0", "\ufffd")
    lines = text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    structure = outline(below)
    heading = structure.headings[0].title if structure.headings else None
    adr = read_adr(f"{_PLACE}{file.path}", heading, below, structure, front)
    if adr is None or (adr.status is None and not decision_sentence(below, structure)):
        return None
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    title = plain_title(front.text("title") or heading or "") or plain_title(stem) or "Untitled"
    ruling = derived_ruling(below, structure, RULING_CHARACTERS)
    return _Record(file.path, adr, title, ruling or title, bool(ruling), text)


@dataclass(frozen=True, slots=True)
class _Where:
    """The records by path and by number."""

    paths: dict[str, _Record]
    numbers: dict[int, tuple[str, ...]]

    @classmethod
    def of(cls, records: Sequence[_Record]) -> _Where:
        numbers: dict[int, tuple[str, ...]] = {}
        for record in records:
            if record.adr.number is not None:
                number = record.adr.number
                numbers[number] = (*numbers.get(number, ()), record.path)
        return cls({record.path: record for record in records}, numbers)

    @property
    def shared(self) -> list[tuple[int, tuple[str, ...]]]:
        """The numbers that several records carry, with their paths."""
        return sorted((n, paths) for n, paths in self.numbers.items() if len(paths) > 1)

    def path_of(self, target: str) -> str | None:
        """The path of the record that a link names, None where none or several do."""
        path = target.removeprefix(_PLACE)
        if path in self.paths:
            return path
        named = re.fullmatch(r"ADR-(\d{4,5})", target)
        numbered = self.numbers.get(int(named[1]), ()) if named is not None else ()
        return numbered[0] if len(numbered) == 1 else None


def _draft(record: _Record, where: _Where, prefix: str, options: Options) -> Draft:
    adr = record.adr
    number = f"adr-{adr.number:04d}" if adr.number is not None else None
    stem = "-".join(_SLUG.findall(record.path.rpartition("/")[2].rpartition(".")[0].lower()))
    stem = stem[:60].rstrip("-")
    alone = adr.number is not None and len(where.numbers[adr.number]) == 1
    aliases = [one for one in (number if alone else None, stem) if one]
    own = f"{prefix}{record.path}"
    text = Text(
        title=record.title,
        ruling=record.ruling,
        body=record.body,
        content=content_digest(record.body),
        derived=record.derived,
        labels=(number,) if number else (),
        paths=options.paths,
        anchors=({"path": own},) if len(own) <= 512 and own.isprintable() else (),
        valid_from=f"{adr.date}T00:00:00Z" if adr.date else None,
    )
    rejected = adr.status is AdrStatus.REJECTED
    return Draft(
        key=own,
        texts=(text,),
        kind=options.kind,
        owner=options.owner,
        sensitivity=options.sensitivity,
        aliases=tuple(aliases),
        links=() if rejected else tuple(_links(adr, where, prefix)),
        rejected=_reason(record) if rejected else None,
        retired=_retired(adr, where),
    )


def _reason(record: _Record) -> str:
    ruling = one_line(record.ruling, 500) if record.derived else ""
    return ruling or "The record says that it was rejected."


def _retired(adr: Adr, where: _Where) -> str | None:
    """Why it is no longer in force, where no record that is here replaces it."""
    if adr.status is AdrStatus.DEPRECATED:
        return "The record says that it is deprecated."
    if adr.status is AdrStatus.SUPERSEDED and not _successors(adr, where):
        return "The record says that it is superseded, by nothing that was imported with it."
    return None


def _successors(adr: Adr, where: _Where) -> list[str]:
    """What supersedes the record and is an item: a record that was itself rejected is none."""
    paths = [path for one in adr.superseded_by if (path := where.path_of(one)) is not None]
    return [path for path in paths if where.paths[path].adr.status is not AdrStatus.REJECTED]


def _links(adr: Adr, where: _Where, prefix: str) -> list[Link]:
    """What the record links, each once; a number that several carry leads nowhere."""
    found: dict[Link, None] = {}
    for targets, kind, note, inverse in (
        (adr.supersedes, RelationType.SUPERSEDES, "", False),
        (adr.superseded_by, RelationType.SUPERSEDES, "", True),
        (adr.amends, RelationType.RELATED_TO, "amends", False),
        (adr.amended_by, RelationType.RELATED_TO, "amends", True),
    ):
        for target in targets:
            path = where.path_of(target)
            found.setdefault(Link(kind, f"{prefix}{path}" if path else target, note, inverse))
    return list(found)
