"""``export madr``: one file a decision that an audience may see, in the shape of MADR 4.

- A decision that has the alias ``adr-0007`` keeps that number; the others are numbered after the
  highest, in the order they were made. Two exports of one state are the same bytes.
- Retired decisions have no text, so there is no file of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from citator.formats.madr import Madr, Related, render
from citator.model.record import Relation
from citator.model.visibility import Audience
from citator.record.evaluation import Record
from citator.service.exported import Shown, decisions, relation_words
from citator.store.exports import write_directory

_NUMBERED: Final = re.compile(r"adr-(\d{4,5})")
_WORD: Final = re.compile(r"[a-z0-9]+")


def tree_of(records: Iterable[Record], audience: Audience) -> dict[str, bytes]:
    """Every file by its name: a function of the records and the audience alone."""
    shown = decisions(records, audience)
    names = _names(shown)
    titles = {one.item.id: one.revision.title for one in shown}
    return {
        names[one.item.id]: render(
            Madr(
                title=one.revision.title,
                status="accepted",
                date=one.revision.valid_from[:10],
                makers=(one.item.owner,),
                ruling=one.revision.ruling,
                body=one.revision.body,
                related=tuple(_related(one.item.id, r, titles, names) for r in one.relations),
            )
        ).encode()
        for one in shown
    }


def export(records: Iterable[Record], audience: Audience, target: Path) -> tuple[int, bytes]:
    """Write the files. Returns how many and the manifest.

    Raises RefusedError where the target holds anything else, StorageError.
    """
    tree = tree_of(records, audience)
    return len(tree), write_directory(target, "madr", tree)


def _names(shown: Sequence[Shown]) -> dict[str, str]:
    numbers: dict[str, int] = {}
    for one in shown:
        found = [int(m[1]) for alias in one.item.aliases if (m := _NUMBERED.fullmatch(alias))]
        if found and found[0] not in numbers.values():
            numbers[one.item.id] = found[0]
    highest = max(numbers.values(), default=0)
    for one in shown:
        if one.item.id not in numbers:
            highest += 1
            numbers[one.item.id] = highest
    return {
        one.item.id: f"{numbers[one.item.id]:04d}-{_slug(one.revision.title)}.md" for one in shown
    }


def _slug(title: str) -> str:
    return "-".join(_WORD.findall(title.lower()))[:60].rstrip("-") or "decision"


def _related(
    item: str, relation: Relation, titles: Mapping[str, str], names: Mapping[str, str]
) -> Related:
    own = relation.source == item
    other = relation.target if own else relation.source
    words = relation_words(relation.type, inverse=not own)
    return Related(words, titles[other], names[other])
