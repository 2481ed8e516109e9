"""Architecture decision records: what a record states of itself, in the dialects people write.

- Status, date and links are read from places that are structure: front matter (MADR 3 and 4),
  a metadata line before the first section (``* Status: accepted``, ``**Status:** Accepted``, a
  table row), and a ``Status`` section (Nygard), over as many lines as the value is wrapped.
- A status is one word of a closed set at the very start of its value. Prose changes nothing, nor
  does a word in code, in a quotation, in a comment or in a list of choices left from a template.
- "Superseded by" beside another status wins over it: records are edited by adding that line.
- What a record states is its own claim; nothing here approves anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from posixpath import dirname, normpath
from urllib.parse import unquote

from citator.formats.front_matter import FrontMatter
from citator.formats.markdown import Heading, LineKind, Outline
from citator.model.document import AdrStatus

MAX_VALUE = 2_000

_WORDS = {
    "draft": AdrStatus.PROPOSED,
    "proposed": AdrStatus.PROPOSED,
    "accepted": AdrStatus.ACCEPTED,
    "rejected": AdrStatus.REJECTED,
    "deprecated": AdrStatus.DEPRECATED,
    "superseded": AdrStatus.SUPERSEDED,
    "superceded": AdrStatus.SUPERSEDED,
}
_STATUS = re.compile(
    rf"({'|'.join(_WORDS)})(?=$|[.,;:!()\[–—|-]| (?:by|on|in|since|as of|and|because|with)\b"
    r"| ?\(| [–—-] | \d)",
    re.IGNORECASE,
)
_SUPERSEDED_BY = re.compile(r"(?:^|[.;,(|] ?|\b(?:and|but|now) )super[sc]eded by:? ", re.IGNORECASE)
_SUPERSEDES = re.compile(r"supersedes:? ", re.IGNORECASE)
_AMENDS = re.compile(r"(amends|amended by):? ", re.IGNORECASE)
_FIELD = re.compile(
    r" {0,3}(?:[-*+] +)?(?:\| *)?[*_]{0,2}"
    r"(status|date|supersedes|super[sc]eded[ -]by|amends|amended[ -]by)"
    r"[*_]{0,2} ?(?:[:|]) ?[*_]{0,2}(?=\s|$|[^:])(.*)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_FIELD = re.compile(r" {0,3}(?:[-*+] |\||[*_]{2}\w|[A-Z][\w -]{0,40}: )")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_MARKUP = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_BULLET = re.compile(r" {0,3}(?:[-*+] +)?(?:\[[xX]\] +)?")
_UNCHECKED = re.compile(r" {0,3}[-*+] +\[ \]")
_DECORATION = re.compile(r"^[^\w\[{(<]+")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_CHOICES = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b[^|/\n]{{0,40}}(?:\||/)", re.IGNORECASE)
_DATE = re.compile(r"(?<![\d-])(\d{4})[-/.](\d{2})[-/.](\d{2})(?![\d-])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\(<?([^()\s<>]{1,500})>?(?: [^()]{0,200})?\)")
_WIKI = re.compile(r"\[\[([^\[\]|#]{1,300})(?:[|#][^\[\]]{0,300})?\]\]")
_NAMED = re.compile(r"\bADR[- #]{0,2}0*(\d{1,5})\b|^#?0*(\d{1,5})$", re.IGNORECASE)
_FILE = re.compile(r"(?<![\w./-])((?:[\w.-]{1,100}/){0,8}\d{1,5}-[\w.-]{1,150}\.md)\b")
_NUMBERED_FILE = re.compile(r"(?:adr[-_ ]?)?0*(\d{1,5})(?=[-_ .])(?!-\d\d-\d\d)", re.IGNORECASE)
_NUMBERED_TITLE = re.compile(r"ADR[- #:]{0,2}0*(\d{1,5})\b|0*(\d{1,5})\. ", re.IGNORECASE)
_FOLDERS = frozenset(
    {
        "adr",
        "adrs",
        "architecture-decision-records",
        "architecture-decisions",
        "architectural-decisions",
        "decision-records",
        "decisions",
    }
)
_LINKING = ("supersedes", "superseded by", "amends", "amended by")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Adr:
    """What a record states of itself.

    ``date`` is ``YYYY-MM-DD``. Links name a path from the repository's root where the record
    links a file in it, else ``ADR-0007`` (at least four digits).
    """

    number: int | None = None
    status: AdrStatus | None = None
    date: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()


def read_adr(
    path: str, title: str | None, lines: Sequence[str], structure: Outline, front: FrontMatter
) -> Adr | None:
    """The record in a Markdown file, or None where the file is none.

    ``path`` is from the repository's root; ``lines`` and ``structure`` leave the front matter
    out; ``title`` is the first heading's text.
    """
    number = _number(path, title)
    if not _is_record(path, title, structure, front):
        return None
    stated = list(_stated(lines, structure, front))
    linked = {
        wanted: _targets(path, (value for name, value in stated if name == wanted))
        for wanted in _LINKING
    }
    found = Adr(
        number,
        AdrStatus.SUPERSEDED if linked["superseded by"] else _status(stated),
        _date(stated),
        *linked.values(),
    )
    return None if found == Adr() else found


def _is_record(path: str, title: str | None, structure: Outline, front: FrontMatter) -> bool:
    *folders, name = path.lower().split("/")
    if _FOLDERS.intersection(folders) or re.match(r"adr[-_ ]?\d", name):
        return True
    if title and re.match(r"ADR[- #:]{0,2}\d", title):
        return True
    if front.texts("deciders", "decision-makers"):
        return True
    titles = {_plain(one.title).lower() for one in structure.headings}
    decides = any(one.startswith("decision") for one in titles)
    return decides and "status" in titles and any(one.startswith("context") for one in titles)


def _number(path: str, title: str | None) -> int | None:
    match = _NUMBERED_FILE.match(path.rsplit("/", 1)[-1])
    if match:
        return int(match[1])
    match = _NUMBERED_TITLE.match(title or "")
    return int(match[1] or match[2]) if match else None


def _stated(
    lines: Sequence[str], structure: Outline, front: FrontMatter
) -> Iterator[tuple[str, str]]:
    """(field, value) of everything that is structure, front matter first."""
    for name, keys in (
        ("status", ("status",)),
        ("date", ("date",)),
        ("supersedes", ("supersedes",)),
        ("superseded by", ("superseded-by", "superseded_by", "superseded by", "supersededby")),
        ("amends", ("amends",)),
        ("amended by", ("amended-by", "amended_by", "amended by")),
    ):
        for value in front.texts(*keys):
            yield from _with_links(name, value)
    sections = _sections(lines, structure)
    for heading, start, end in sections:
        if heading is None or heading is structure.headings[0]:
            yield from _fields(lines, structure.kinds, start, end)
    for heading, start, end in sections:
        if heading is not None:
            yield from _section(heading.title, lines, structure.kinds, start, end)


def _sections(lines: Sequence[str], structure: Outline) -> list[tuple[Heading | None, int, int]]:
    """Each heading with the half-open range of lines under it; None: before the first."""
    starts = [(None, 0), *((one, one.end + 1) for one in structure.headings)]
    ends = [*(one.start for one in structure.headings), len(lines)]
    return [(heading, start, end) for (heading, start), end in zip(starts, ends, strict=True)]


def _section(
    title: str, lines: Sequence[str], kinds: bytes, start: int, end: int
) -> Iterator[tuple[str, str]]:
    name, _, inline = _plain(title).partition(":")
    name = re.sub(r"^[\d.)\s]+", "", name).strip().lower()
    if name == "status":
        if inline.strip():
            yield from _with_links("status", inline)
        for value in _paragraphs(lines, kinds, start, end):
            field = _FIELD.match(value)
            if field is not None:
                yield from _with_links(_field_name(field[1]), field[2])
            else:
                yield from _with_links("status", value)
    elif name == "date":
        yield from (("date", value) for value in _paragraphs(lines, kinds, start, end))
    elif name in _LINKING:
        yield from ((name, value) for value in _paragraphs(lines, kinds, start, end))
    elif name in ("links", "related", "related decisions", "more information"):
        for value in _paragraphs(lines, kinds, start, end, LineKind.LIST):
            yield from _links_only(value)


def _with_links(name: str, value: str) -> Iterator[tuple[str, str]]:
    """The field, and the links that a status value carries."""
    value = _plain_value(value)
    if name != "status":
        yield name, value
        return
    if _is_template(value):
        return
    links = list(_links_only(value))
    yield from links
    if not links or links[0][0] == "superseded by":
        yield name, value


def _links_only(value: str) -> Iterator[tuple[str, str]]:
    value = _DECORATION.sub("", _MARKUP.sub("", _BULLET.sub("", value, count=1)))
    forward = _SUPERSEDES.match(value)
    if forward is not None:
        yield "supersedes", value[forward.end() :]
    backward = _SUPERSEDED_BY.search(value)
    if backward is not None:
        yield "superseded by", value[backward.end() :]
    amending = _AMENDS.match(value)
    if amending is not None:
        yield amending[1].lower(), value[amending.end() :]


def _fields(lines: Sequence[str], kinds: bytes, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Metadata lines, each with the lines over which its value is wrapped."""
    index = start
    while index < end:
        line = lines[index]
        index += 1
        field = _FIELD.match(line) if kinds[index - 1] in (LineKind.TEXT, LineKind.LIST) else None
        if field is None:
            continue
        parts = [field[2].rstrip("| \t")]
        while index < end and kinds[index] in (LineKind.TEXT, LineKind.LIST):
            if _OTHER_FIELD.match(lines[index]):
                break
            parts.append(lines[index].strip())
            index += 1
        yield from _with_links(_field_name(field[1]), " ".join(parts))


def _field_name(name: str) -> str:
    return name.lower().replace("-", " ").replace("superceded", "superseded")


def _paragraphs(
    lines: Sequence[str], kinds: bytes, start: int, end: int, only: LineKind | None = None
) -> Iterator[str]:
    """Runs of text lines and single list items, wrapped lines joined."""
    parts: list[str] = []
    for index in range(start, end):
        line, kind = lines[index], kinds[index]
        readable = kind in (LineKind.TEXT, LineKind.LIST) if only is None else kind == only
        new_item = readable and re.match(r" {0,3}[-*+] ", line) is not None
        if parts and (not readable or new_item):
            yield " ".join(parts)
            parts = []
        if readable and not _UNCHECKED.match(line):
            parts.append(line.strip())
    if parts:
        yield " ".join(parts)


def _plain_value(value: str) -> str:
    value = " ".join(_STRUCK.sub("", _COMMENT.sub("", value[:MAX_VALUE])).split())
    return _DECORATION.sub("", _MARKUP.sub("", _BULLET.sub("", value, count=1))).strip()


def _status(stated: Sequence[tuple[str, str]]) -> AdrStatus | None:
    for name, value in stated:
        if name == "status":
            word = _STATUS.match(value)
            if word is not None:
                return _WORDS[word[1].lower()]
    return None


def _is_template(value: str) -> bool:
    """Whether the value is a choice that nobody has made yet."""
    return value[:1] in "[{<" or len(_CHOICES.findall(value)) >= 2


def _date(stated: Sequence[tuple[str, str]]) -> str | None:
    for wanted in ("date", "status"):
        for name, value in stated:
            match = _DATE.search(value) if name == wanted else None
            if match is not None and (valid := _valid(match)) is not None:
                return valid
    return None


def _valid(match: re.Match[str]) -> str | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None


def _targets(path: str, values: Iterator[str]) -> tuple[str, ...]:
    """What the values link to, in order, without repeats."""
    found: dict[str, None] = {}
    for value in values:
        for target in _targets_of(path, value[:MAX_VALUE]):
            found.setdefault(target)
    return tuple(found)


def _targets_of(path: str, value: str) -> Iterator[str]:
    links = [*_LINK.finditer(value)]
    for link in links:
        target = _resolved(path, link[2]) or _named(link[1])
        if target:
            yield target
    rest = _LINK.sub(" ", value)
    for wiki in _WIKI.finditer(rest):
        yield _named(wiki[1]) or wiki[1].strip()
    rest = _WIKI.sub(" ", rest)
    for file in _FILE.finditer(rest):
        yield _resolved(path, file[1]) or file[1]
    rest = _FILE.sub(" ", rest)
    for word in re.split(r"[,;]| and ", rest):
        if target := _named(word.strip(" .()")):
            yield target


def _named(text: str) -> str | None:
    match = _NAMED.search(text)
    return f"ADR-{int(match[1] or match[2]):04d}" if match else None


def _resolved(path: str, target: str) -> str | None:
    """The repository path that a link names, None where it leads elsewhere."""
    target = unquote(target.split("#", 1)[0].split("?", 1)[0])
    if not target or _SCHEME.match(target) or target.startswith("//"):
        return None
    rooted = target.startswith("/")
    joined = normpath(target.lstrip("/") if rooted else f"{dirname(path)}/{target}".lstrip("/"))
    return None if joined.startswith("..") or joined == "." else joined


def _plain(title: str) -> str:
    return _DECORATION.sub("", _MARKUP.sub("", title)).strip()
