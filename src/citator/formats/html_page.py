"""One self-contained page of decisions: to read, to search, to print; without a server.

- No address is fetched. The policy in its head allows exactly the style and the script below, by
  their digests, and nothing else: no other script, no image, no frame, no form, no connection.
- Whatever is not ours is escaped. Ids in the page are ULIDs, which hold no words.
- It reads without JavaScript; the search is added where there is some.
- The bytes are a function of the values alone.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from citator.formats.html_assets import SCRIPT, STYLE
from citator.formats.html_text import escape_line, to_html
from citator.formats.treatment_svg import Mark, picture

GENERATOR: Final = '<meta name="generator" content="citator decisions page 1">'


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A relation in words, and the decision at its other end."""

    words: str
    other: str
    title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One decision of the page.

    ``standing`` is one of ``in_force``, ``caution``, ``not_in_force``, ``unassessed``, and
    ``reason`` says why; ``facts`` are (name, value) in plain words. ``title`` and what follows it
    are empty where the text may not be shown. ``date`` is ``YYYY-MM-DD``. ``treated`` is what
    treats it, the latest first, to be drawn.
    """

    id: str
    standing: str
    reason: str
    date: str
    kind: str = ""
    title: str = ""
    ruling: str = ""
    body: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    labels: tuple[str, ...] = ()
    relations: tuple[RelationLine, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    treated: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title, a line below it, the cards newest first, rejections as (date, value,
    reason, what would change it)."""

    title: str
    subtitle: str
    cards: tuple[Card, ...]
    rejections: tuple[tuple[str, str, str, str], ...] = ()


STANDINGS: Final = {
    "in_force": "In force",
    "caution": "Caution",
    "not_in_force": "Not in force",
    "unassessed": "Proposed",
}


def policy() -> str:
    """The content security policy of the page."""
    return (
        f"default-src 'none'; style-src '{_hash(STYLE)}'; script-src '{_hash(SCRIPT)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def render(page: Page) -> str:
    """The page."""
    title = escape_line(page.title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            GENERATOR,
            f'<meta http-equiv="Content-Security-Policy" content="{policy()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#decisions">Skip to the decisions</a>',
            "<header>",
            f"<h1>{title}</h1>",
            f"<p>{escape_line(page.subtitle)}</p>",
            _counts(page),
            _search(page),
            "</header>",
            '<div class="frame">',
            _timeline(page.cards),
            '<main id="decisions">',
            '<p id="none" class="none" hidden>No decision here holds these words.</p>',
            *(_card(card) for card in page.cards),
            _rejections(page),
            "</main>",
            "</div>",
            f"<script>{SCRIPT}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _counts(page: Page) -> str:
    found = []
    for standing, words in STANDINGS.items():
        number = sum(card.standing == standing for card in page.cards)
        if number:
            found.append(f'<li class="badge {standing}"><b>{number}</b> {words.lower()}</li>')
    if page.rejections:
        found.append(f'<li class="badge rejected"><b>{len(page.rejections)}</b> rejected</li>')
    return f'<ul class="counts" aria-label="How many">{"".join(found)}</ul>'


def _search(page: Page) -> str:
    """The search, hidden until the script is there to do it."""
    kinds = sorted({card.kind for card in page.cards if card.kind})
    options = "".join(f'<option value="{kind}">{kind}</option>' for kind in kinds)
    standings = "".join(
        f'<option value="{one}">{words}</option>'
        for one, words in STANDINGS.items()
        if any(card.standing == one for card in page.cards)
    )
    return (
        '<div id="search" class="search" role="search" hidden>'
        '<label>Search within <input id="words" type="search" autocomplete="off" '
        'spellcheck="false"></label>'
        f'<label>Standing <select id="standing"><option value="">all</option>{standings}'
        "</select></label>"
        f'<label>Kind <select id="kind"><option value="">all</option>{options}</select></label>'
        '<output id="found" aria-live="polite"></output></div>'
    )


def _timeline(cards: Sequence[Card]) -> str:
    """The decisions by month, each a link to its card."""
    parts = []
    for month, members in groupby(cards, key=lambda card: card.date[:7]):
        rows = "".join(
            f'<li class="{card.standing}"><a href="#d-{card.id}">'
            f"<time>{escape_line(card.date)}</time> {_name(card)}</a></li>"
            for card in members
        )
        parts.append(f"<li><h3>{escape_line(month)}</h3><ol>{rows}</ol></li>")
    inner = f"<ol>{''.join(parts)}</ol>" if parts else "<p>Nothing yet.</p>"
    return f'<nav aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>{inner}</nav>'


def _name(card: Card) -> str:
    return escape_line(card.title) if card.title else f"<code>{card.id}</code>"


def _card(card: Card) -> str:
    parts = [
        f'<article id="d-{card.id}" class="card {card.standing}" '
        f'data-standing="{card.standing}" data-kind="{escape_line(card.kind)}" '
        f'aria-labelledby="t-{card.id}">',
        f'<p class="line"><span class="badge {card.standing}">{STANDINGS[card.standing]}</span> '
        f"<time>{escape_line(card.date)}</time> {escape_line(card.kind)} "
        f'<span class="reason">{escape_line(card.reason)}</span></p>',
        f'<h2 id="t-{card.id}">{_name(card)}</h2>',
    ]
    if card.ruling and card.ruling != card.title:
        parts.append(f'<p class="ruling">{escape_line(card.ruling)}</p>')
    if card.relations:
        parts.append(_relations(card.relations))
    if card.body.strip():
        parts.append(
            f'<details><summary>The whole text</summary><div class="body">'
            f"{to_html(card.body, 3, card.title)}</div></details>"
        )
    if card.treated:
        drawn = picture(card.id, card.standing, "", card.treated, alone=False)
        box = '<div class="scroll" tabindex="0" role="group" aria-label="picture">'
        parts.append(f"<details><summary>Treatment</summary>{box}{drawn}</div></details>")
    parts.append(_facts(card))
    return "\n".join([*parts, "</article>"])


def _relations(relations: Iterable[RelationLine]) -> str:
    rows = []
    for one in relations:
        note = f' <span class="note">{escape_line(one.note)}</span>' if one.note else ""
        title = escape_line(one.title) if one.title else f"<code>{one.other}</code>"
        rows.append(f'<li>{escape_line(one.words)} <a href="#d-{one.other}">{title}</a>{note}</li>')
    return f'<ul class="relations" aria-label="Relations">{"".join(rows)}</ul>'


def _facts(card: Card) -> str:
    rows = [
        f"<div><dt>{escape_line(name)}</dt><dd>{escape_line(value)}</dd></div>"
        for name, value in (*card.facts, ("id", card.id))
        if value
    ]
    if card.labels:
        tags = " ".join(f'<span class="tag">{escape_line(one)}</span>' for one in card.labels)
        rows.append(f"<div><dt>labels</dt><dd>{tags}</dd></div>")
    for date, title in card.history:
        rows.append(f"<div><dt>{escape_line(date)}</dt><dd>{escape_line(title)}</dd></div>")
    return f"<dl>{''.join(rows)}</dl>"


def _rejections(page: Page) -> str:
    if not page.rejections:
        return ""
    rows = []
    for date, value, reason, change in page.rejections:
        then = f"<p>What would change it: {escape_line(change)}</p>" if change else ""
        rows.append(
            '<article class="card rejected" data-standing="rejected" data-kind="">'
            f'<p class="line"><span class="badge rejected">Rejected</span> '
            f"<time>{escape_line(date)}</time></p><h3>{escape_line(value)}</h3>"
            f"<p>{escape_line(reason)}</p>{then}</article>"
        )
    return f'<section aria-labelledby="no"><h2 id="no">Rejected</h2>{"".join(rows)}</section>'
