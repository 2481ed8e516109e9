"""``export okf``: the decisions an audience may see, as a bundle in Open Knowledge Format.

- Two exports of one state for one audience are the same bytes: nothing in them tells the time, the
  machine or the program's version.
- A bundle cannot be taken back once it is given away. Its files carry their sensitivity, and no
  claim that anybody verified them: whoever needs that verifies the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from citator.formats.okf import Entry, Section, escaped, render, render_index, render_log
from citator.model.record import ItemKind
from citator.model.visibility import Audience
from citator.record.evaluation import Record
from citator.service.exported import Shown, decisions, facts, line
from citator.store.exports import write_directory

PRODUCER: Final = "citator/okf-1"
FOLDER: Final = "decisions"


def bundle(records: Iterable[Record], audience: Audience) -> dict[str, bytes]:
    """Every file of the bundle by its path: a function of the records and the audience alone."""
    shown = decisions(records, audience)
    titles = {one.item.id: one.revision.title for one in shown}
    tree = {path_of(one.item.id): _concept(one, titles) for one in shown}
    tree["index.md"] = render_index(_sections(shown), root=True)
    tree["log.md"] = render_log(_days(shown))
    return {path: text.encode() for path, text in tree.items()}


def export(records: Iterable[Record], audience: Audience, target: Path) -> tuple[int, bytes]:
    """Write the bundle. Returns how many decisions it holds and its manifest.

    Raises RefusedError where the target holds anything else, StorageError.
    """
    tree = bundle(records, audience)
    return len(tree) - 2, write_directory(target, "okf", tree)


def path_of(item: str) -> str:
    """The concept file of an item."""
    return f"{FOLDER}/{item}.md"


def _concept(one: Shown, titles: Mapping[str, str]) -> str:
    revision, told = one.revision, facts(one)
    values: list[tuple[str, Any]] = [
        ("type", "Decision"),
        ("title", revision.title),
        ("description", revision.ruling),
        ("tags", list(revision.labels)),
        ("status", "stable"),
        ("stale_after", (revision.valid_to or "")[:10]),
        ("generated", {"by": PRODUCER, "at": revision.created_at}),
        ("sources", _sources(one)),
        ("citator_item", one.item.id),
        ("citator_revision", revision.id),
        ("citator_digest", revision.digest),
        ("citator_author", revision.author),
        ("citator_owner", one.item.owner),
        *((f"citator_{key}", told[key]) for key in ("kind", "status", "sensitivity", "signature")),
        ("citator_valid_from", revision.valid_from),
        ("citator_valid_to", revision.valid_to),
        ("citator_paths", list(revision.paths)),
        ("citator_aliases", list(one.item.aliases)),
        ("citator_relations", _relations(one)),
    ]
    return render(values, revision.body.rstrip("\n") + _links(one, titles))


def _sources(one: Shown) -> list[dict[str, str]]:
    """Where the decision points, as sources: an address, a path, a commit or a blob."""
    found = []
    for anchor in one.revision.anchors:
        resource = anchor.uri or anchor.path or anchor.commit or anchor.blob
        if resource:
            found.append({"resource": line(resource)})
    return found


def _relations(one: Shown) -> list[dict[str, str]]:
    """The relations that this decision is the source of."""
    return [
        {"type": relation.type.value, "target": f"/{path_of(relation.target)}"}
        | ({"note": relation.note} if relation.note else {})
        for relation in one.relations
        if relation.source == one.item.id
    ]


def _links(one: Shown, titles: Mapping[str, str]) -> str:
    """The same relations as links, for a reader that follows links alone."""
    own = [relation for relation in one.relations if relation.source == one.item.id]
    if not own:
        return "\n"
    lines = [
        f"* {relation.type.value.replace('_', ' ')} "
        f"[{escaped(titles[relation.target])}](/{path_of(relation.target)})"
        for relation in own
    ]
    return "\n".join(["", "", "# Related decisions", "", *lines, ""])


def _sections(shown: Sequence[Shown]) -> list[Section]:
    found = []
    for kind in ItemKind:
        entries = tuple(
            Entry(one.revision.title, path_of(one.item.id), one.revision.ruling)
            for one in shown
            if one.item.kind is kind
        )
        if entries:
            found.append(Section(kind.value.replace("-", " ").capitalize(), entries))
    return found


def _days(shown: Iterable[Shown]) -> list[tuple[str, list[tuple[str, Entry]]]]:
    """Each text by the day it was written, newest first."""
    found: dict[str, list[tuple[str, str, Entry]]] = {}
    for one in shown:
        for number, revision in enumerate(one.history):
            word = "Update" if number else "Creation"
            entry = Entry(revision.title, path_of(one.item.id))
            found.setdefault(revision.created_at[:10], []).append((revision.id, word, entry))
    return [
        (day, [(word, entry) for _, word, entry in sorted(found[day], key=_by_id, reverse=True)])
        for day in sorted(found, reverse=True)
    ]


def _by_id(entry: tuple[str, str, Entry]) -> str:
    return entry[0]
