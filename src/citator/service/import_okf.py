"""``import okf``: a bundle in Open Knowledge Format → drafts, one a concept.

- Front matter describes and never governs: a status, a verification, an owner or a trust in it
  decides nothing. A sensitivity that it claims can raise the one asked for and never lower it.
- Typed relations come from the keys that say so; a link in prose is a link in prose.
- A concept that was exported from this very record, unchanged, is told and left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from citator.formats.okf import RESERVED, Concept, parse, resolved
from citator.formats.one_line import one_line
from citator.formats.ruling import ruling_of
from citator.model.errors import UsageError
from citator.model.record import RULING_CHARACTERS, ItemKind, RelationType, Sensitivity
from citator.record import fields
from citator.record.importing.draft import Draft, Link, Support, Text, content_digest
from citator.record.importing.names import alias_of, slug
from citator.service.desk import desks
from citator.service.import_files import read_directory
from citator.service.importing import Reading
from citator.service.workspace import Workspace

MAX_BYTES: Final = 1024 * 1024

_RELATIONS: Final = ("citator_relations", "theurian_relations")
_IDS: Final = ("citator_item", "theurian_item_id", "theurian_itemId")
_WORDS: Final = {"implemented_by": ("implements", True), "superseded_by": ("supersedes", True)}


@dataclass(frozen=True, slots=True)
class Options:
    """What a bundle may not say: who owns what it holds, of which kind, how sensitive it is."""

    owner: str = "unassigned"
    kind: ItemKind = ItemKind.DECISION
    sensitivity: Sensitivity = Sensitivity.INTERNAL


def read(folder: Path, options: Options, known: Collection[str] = ()) -> Reading:
    """The concepts of the bundle at ``folder``. ``known`` are digests of migrations here.

    Raises UsageError where there is no bundle, RefusedError where it is too large.
    """
    concepts: list[Concept] = []
    skipped: list[tuple[str, str]] = []
    files = read_directory(folder, (".md",), MAX_BYTES)
    for file in files:
        if file.path.rpartition("/")[2].lower() in RESERVED:
            continue
        text = file.text
        if text is None:
            skipped.append((file.path, file.problem or "not_utf8"))
            continue
        concept = parse(file.path, text.replace("\0", "\ufffd"))
        reason = _unfit(concept, known)
        if reason:
            skipped.append((file.path, reason))
        else:
            concepts.append(concept)
    if not concepts and not skipped:
        raise UsageError(
            "no_bundle", "there is no concept file in that directory", "name a bundle's root"
        )
    where = _where(concepts)
    drafts = tuple(_draft(one, where, options) for one in concepts)
    return Reading(drafts, len(files), tuple(skipped))


def known_digests(workspace: Workspace) -> frozenset[str]:
    """The digests of the migrations that landed here: what an export of this record names."""
    return frozenset(one.digest for desk in desks(workspace) for one in desk.ledger.landed.values())


def _unfit(concept: Concept, known: Collection[str]) -> str:
    """Why a file is no concept to import, empty where it is one."""
    if not concept.text("type"):
        return "front_matter_unreadable" if concept.unreadable else "no_type"
    if concept.text("citator_digest") in known:
        return "from_this_record"
    return "" if concept.body.strip() else "no_text"


def _where(concepts: Iterable[Concept]) -> dict[str, str]:
    """The concept files by what a relation may call them: their path, or an id they state."""
    found: dict[str, str] = {}
    for concept in concepts:
        found.setdefault(concept.path, concept.path)
    for concept in concepts:
        if concept.text(*_IDS):
            found.setdefault(concept.text(*_IDS), concept.path)
    return found


def _draft(concept: Concept, where: Mapping[str, str], options: Options) -> Draft:
    stem = concept.path.removesuffix(".md")
    title = one_line(concept.text("title"), 200) or one_line(stem.rpartition("/")[2], 200)
    title = title or "Untitled"
    stated = one_line(concept.text("description"), RULING_CHARACTERS)
    derived = "" if stated else ruling_of(concept.body, RULING_CHARACTERS)
    uri = concept.text("resource")
    stale = concept.stale_after
    text = Text(
        title=title,
        ruling=stated or derived or title,
        body=concept.body,
        content=content_digest(stem, title, stated, concept.body),
        derived=bool(derived),
        labels=tuple(filter(None, map(slug, concept.texts("tags")))),
        paths=concept.texts("citator_paths"),
        anchors=({"uri": uri},) if _is_line(uri) else (),
        valid_from=_time(concept.text("citator_valid_from")),
        valid_to=_time(f"{stale}T00:00:00Z") if stale else None,
    )
    status = concept.text("status")
    return Draft(
        key=concept.path,
        texts=(text,),
        kind=_kind(concept, options.kind),
        owner=options.owner,
        sensitivity=_sensitivity(concept, options.sensitivity),
        aliases=tuple(filter(None, [alias_of(stem)])),
        links=tuple(_links(concept, where)),
        support=tuple(_support(concept)),
        retired="The bundle calls it deprecated." if status == "deprecated" else None,
        unfinished=status == "draft",
    )


def _kind(concept: Concept, default: ItemKind) -> ItemKind:
    for word in (concept.text("citator_kind", "theurian_kind"), concept.text("type")):
        named = slug(word)
        if named in {kind.value for kind in ItemKind} and named != ItemKind.DECISION.value:
            return ItemKind(named)
    return default


def _sensitivity(concept: Concept, asked: Sensitivity) -> Sensitivity:
    """What was asked for, or what the concept claims where that is more."""
    claimed = concept.text("citator_sensitivity", "theurian_sensitivity")
    if claimed not in {one.value for one in Sensitivity}:
        return asked
    return max(asked, Sensitivity(claimed), key=lambda one: one.rank)


def _links(concept: Concept, where: Mapping[str, str]) -> Iterable[Link]:
    for values in concept.mappings(*_RELATIONS):
        word = _text(values, "type", "relationType", "relation")
        kind, inverse = _WORDS.get(word, (word, False))
        target = _text(values, "target", "targetItemId", "item")
        if kind in {one.value for one in RelationType} and target:
            path = where.get(target) or where.get(resolved(concept.path, target) or "")
            yield Link(RelationType(kind), path or target, _text(values, "note"), inverse)


def _support(concept: Concept) -> Iterable[Support]:
    """The sources a concept names: what it rests on, by its own word."""
    seen = set()
    for values in concept.mappings("sources")[:32]:
        resource = one_line(_text(values, "resource"), 512)
        if resource and resource not in seen and not resource.startswith("import:"):
            seen.add(resource)
            yield Support(resource, one_line(_text(values, "title"), 500) or "a source it names")


def _is_line(text: str) -> bool:
    return 0 < len(text) <= 512 and text.isprintable()


def _text(values: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = values.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _time(text: str) -> str | None:
    try:
        found: str = fields.time(text)
    except fields.BadValueError:
        return None
    return found
