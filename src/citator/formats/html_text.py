"""Markdown → a small, closed part of HTML. Nothing of the text becomes markup of its own.

- Every character of the text is escaped first; the tags written are ours, and of attributes only
  fixed ones. There is no link, no image and no address that can be followed: a link shows its text
  and its address as text.
- Headings of the text are lowered, so that they stand below those of the page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import Heading, LineKind, outline
from citator.model.inert import inert, inert_line

MAX_DEPTH: Final = 4
_ITEM: Final = re.compile(r"( {0,12})(?:[-*+]|(\d{1,9})[.)]) +(?:\[([ xX])\] +)?(.*)")
_CODE: Final = re.compile(r"(?<!`)(`{1,8})(?!`)(.{1,1000}?)(?<!`)\1(?!`)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,300})\]\((?:&lt;)?([^()\s]{1,500}?)(?:&gt;)?\)")
_STRONG: Final = re.compile(r"\*\*(?=\S)([^*\n]{1,500}?)(?<=\S)\*\*")
_EMPHASIS: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,500}?)(?<=[^\s*])\*(?![\w*])")
_RULE: Final = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|?")
_FENCE: Final = re.compile(r" {0,3}(?:`{3,}|~{3,}).*")


def escape(text: str) -> str:
    """``text`` as the content of an element or of a quoted attribute; invisible marks are shown."""
    return html.escape(inert(text), quote=True)


def escape_line(text: str) -> str:
    """:func:`escape` for one line."""
    return html.escape(inert_line(text), quote=True)


def to_html(text: str, lowest: int = 4, title: str = "") -> str:
    """``text`` as blocks of HTML; headings begin at level ``lowest``.

    A first heading that only repeats ``title`` is left out.
    """
    every = text.split("\n")
    lines = every[read_front_matter(every).lines :]
    structure = outline(lines)
    headings = {one.start: one for one in structure.headings}
    first = structure.headings[0] if structure.headings else None
    if first is not None and first.title.strip().casefold() == title.strip().casefold():
        del headings[first.start]
    shift = lowest - min((one.level for one in headings.values()), default=1)
    found: list[str] = []
    runs = groupby(range(len(lines)), key=lambda at: LineKind(structure.kinds[at]))
    for kind, members in runs:
        at = list(members)
        if kind is LineKind.HEADING:
            found += _headings([headings[one] for one in at if one in headings], shift)
        else:
            found.append(_block(kind, [lines[one] for one in at]))
    return "\n".join(filter(None, found))


def _headings(headings: Sequence[Heading], shift: int) -> list[str]:
    found = []
    for one in headings:
        level = max(1, min(6, one.level + shift))
        found.append(f"<h{level}>{inline(one.title)}</h{level}>")
    return found


def _block(kind: LineKind, lines: Sequence[str]) -> str:
    if kind is LineKind.BLANK:
        return ""
    if kind is LineKind.CODE:
        return f"<pre><code>{escape(_unfenced(lines))}</code></pre>"
    if kind is LineKind.HTML:
        return f"<pre class=raw>{escape(chr(10).join(lines))}</pre>"
    if kind is LineKind.QUOTE:
        inner = [re.sub(r"^ {0,3}> ?", "", line) for line in lines]
        return f"<blockquote>{_paragraphs(inner)}</blockquote>"
    if kind is LineKind.LIST:
        return _list(lines)
    return _table(lines) or _paragraphs(lines)


def _unfenced(lines: Sequence[str]) -> str:
    kept = list(lines)
    if kept and _FENCE.fullmatch(kept[0]):
        kept = kept[1:]
        if kept and _FENCE.fullmatch(kept[-1]):
            kept = kept[:-1]
        return "\n".join(kept)
    return "\n".join(line.removeprefix("    ") for line in kept)


def _paragraphs(lines: Sequence[str]) -> str:
    runs = groupby(lines, key=lambda line: bool(line.strip()))
    return "".join(f"<p>{inline(chr(10).join(run))}</p>" for full, run in runs if full)


def _list(lines: Sequence[str]) -> str:
    """Items of one list, nested ones marked by their depth; numbers are kept as text."""
    items: list[tuple[int, str, list[str]]] = []
    for line in lines:
        match = _ITEM.fullmatch(line)
        if match is not None:
            depth = min(MAX_DEPTH, len(match[1]) // 2)
            mark = f"{match[2]}. " if match[2] else ""
            box = {"": "", " ": "\u2610 "}.get((match[3] or "").lower(), "\u2611 ")
            items.append((depth, f"{mark}{box if match[3] else ''}", [match[4]]))
        elif items:
            items[-1][2].append(line.strip())
        else:
            items.append((0, "", [line.strip()]))
    rows = "".join(
        f'<li class="d{depth}{" n" if mark else ""}">{mark}{inline(chr(10).join(texts))}</li>'
        for depth, mark, texts in items
    )
    return f"<ul>{rows}</ul>"


def _table(lines: Sequence[str]) -> str:
    """A table where the second line is the rule of one, empty otherwise."""
    if len(lines) < 2 or "|" not in lines[0] or not _RULE.fullmatch(lines[1].strip()):
        return ""
    head, *rows = (_cells(line) for at, line in enumerate(lines) if at != 1)
    top = "".join(f"<th scope=col>{inline(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        '<div class=scroll tabindex=0 role=group aria-label="table">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def inline(text: str) -> str:
    """A run of words: code, strong and emphasised words, links as text."""
    found, at = [], 0
    for match in _CODE.finditer(text):
        found.append(_marked(text[at : match.start()]))
        found.append(f"<code>{escape(match[2].strip())}</code>")
        at = match.end()
    return "".join([*found, _marked(text[at:])])


def _marked(text: str) -> str:
    safe = escape(text)
    safe = _LINK.sub(r"\1 <span class=uri>(\2)</span>", safe)
    safe = _STRONG.sub(r"<strong>\1</strong>", safe)
    return _EMPHASIS.sub(r"<em>\1</em>", safe)
