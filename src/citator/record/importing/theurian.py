"""A Theurian record → drafts: what its migrations amount to, item by item.

- Each item is one draft with every different text it had, oldest first; its id there is an alias.
- *Rejected* becomes a rejection to sign, *deprecated* a retirement to approve, *superseded* the
  relation that says by what; *draft* stays a draft. Nothing is approved.
- Who may see it is kept: sensitivity, tenant, group. What cannot be kept so is not imported.
- What only a proposal there says may raise a sensitivity and never lower one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citator.formats.one_line import one_line
from citator.formats.theurian import Change, Source, is_item_id, ordered, texts
from citator.model.record import ItemKind, RelationType, Sensitivity, Trust
from citator.record import fields
from citator.record.importing.draft import Draft, Link, Support, Text, content_digest
from citator.record.importing.names import alias_of, slug

Body = tuple[str, bool, str]
"""A body: its text, whether the ruling in the third place was derived, the ruling."""

_INVERSE: Final = {"implemented_by": "implements", "superseded_by": "supersedes"}
_TRUST: Final = {"inferred": Trust.INFERRED, "reviewed": Trust.REVIEWED}


class UnusableError(ValueError):
    """An item that cannot be imported as what it is. Its text is a code."""


@dataclass
class _Item:
    """An item while the migrations are folded."""

    kind: str
    owner: str
    status: str = "draft"
    sensitivity: str = Sensitivity.INTERNAL.value
    tenant: str = ""
    group: str = ""
    reason: str = ""
    texts: list[Text] = field(default_factory=list)
    evidence: dict[str, Support] = field(default_factory=dict)


@dataclass
class Folding:
    """Folds migrations. ``bodies`` gives the text of each (migration id, content file)."""

    bodies: Mapping[tuple[str, str], Body]
    items: dict[str, _Item] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    specifications: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def fold(self, landed: Iterable[Source], proposed: Iterable[Source] = ()) -> None:
        """Take in all migrations, in their order; what is only proposed comes last."""
        for source in ordered(landed):
            for change in source.changes:
                self._take(source, change, binding=True)
        for source in ordered(proposed):
            for change in source.changes:
                self._take(source, change, binding=False)

    def _take(self, source: Source, change: Change, *, binding: bool) -> None:
        if change.name == "createItem":
            new = _Item(change.text("kind"), change.text("owner"))
            new.sensitivity = change.text("sensitivity") or new.sensitivity
            self.items.setdefault(change.text("itemId"), new)
        elif change.name == "upsertRevision":
            self._revision(source, change, binding)
        elif change.name in ("addRelation", "removeRelation"):
            self._relation(change)
        elif change.name == "addAlias":
            self.aliases[change.text("alias")] = change.text("itemId")
        elif change.name == "removeAlias":
            self.aliases.pop(change.text("alias"), None)
        elif change.name == "registerSpecification":
            values = (change.text("itemId"), change.text("sourceUri"), change.text("format"))
            self.specifications[change.text("specId")] = values
        elif change.name == "supersedeSpecification":
            self.specifications.pop(change.text("specId"), None)
        else:
            self._item_change(change, binding)

    def _item_change(self, change: Change, binding: bool) -> None:
        item = self.items.get(change.text("itemId"))
        if item is None:
            return
        if change.name == "deprecateItem":
            item.status, item.reason = "deprecated", change.text("reason")
            other = change.text("supersededBy")
            if is_item_id(other):
                self.relations[other, "supersedes", change.text("itemId")] = ""
        elif change.name == "restoreItem":
            item.status, item.reason = "approved", ""
        elif change.name == "changeSensitivity":
            item.sensitivity = _label(item.sensitivity, change.text("sensitivity"), binding)
        elif change.name == "changeOwner":
            item.owner = change.text("owner")
        elif change.name == "addEvidence":
            support = _support(change)
            if support is not None:
                item.evidence[support.source] = support
        elif change.name == "removeEvidence":
            item.evidence.pop(change.text("sourceUri"), None)

    def _relation(self, change: Change) -> None:
        source, target = change.text("sourceItemId"), change.text("targetItemId")
        kind = change.text("relationType")
        if kind in _INVERSE:
            source, target, kind = target, source, _INVERSE[kind]
        if change.name == "addRelation":
            self.relations[source, kind, target] = change.text("note")
        else:
            self.relations.pop((source, kind, target), None)

    def _revision(self, source: Source, change: Change, binding: bool) -> None:
        name, meta = change.text("itemId"), change.metadata
        body = self.bodies.get((source.id, change.text("contentFile")))
        if body is None:
            self.missing.add(name)
            return
        item = self.items.setdefault(name, _Item(_word(meta, "kind"), _word(meta, "owner")))
        item.kind = _word(meta, "kind") or item.kind
        item.owner = _word(meta, "owner") or item.owner
        item.status = _word(meta, "status") or item.status
        item.reason = ""
        item.tenant = _word(meta, "tenantId")
        item.group = _word(meta, "aclGroup")
        stated = _word(meta, "sensitivity") or Sensitivity.INTERNAL.value
        item.sensitivity = _label(item.sensitivity, stated, binding)
        text = _text(name, source, meta, body, stated)
        if item.texts and item.texts[-1].content == text.content:
            item.texts[-1] = text
        else:
            item.texts.append(text)

    def drafts(self) -> tuple[list[Draft], list[tuple[str, str]]]:
        """The drafts by item id, and the items that could not be imported, each with a code."""
        found: list[Draft] = []
        unusable: list[tuple[str, str]] = []
        for name, item in sorted(self.items.items()):
            try:
                found.append(self._draft(name, item))
            except UnusableError as error:
                unusable.append((name, str(error)))
        known = set(self.items)
        lost = [(name, "body_missing") for name in sorted(self.missing - known)]
        return found, unusable + lost

    def _draft(self, name: str, item: _Item) -> Draft:
        if not item.texts:
            raise UnusableError("body_missing" if name in self.missing else "no_text")
        own_aliases = [alias for alias, target in self.aliases.items() if target == name]
        superseded = any(k == "supersedes" and t == name for _, k, t in self.relations)
        return Draft(
            key=name,
            texts=tuple(item.texts),
            kind=_member(ItemKind, item.kind, "kind_unknown"),
            owner=one_line(item.owner, 100) or "unassigned",
            sensitivity=_member(Sensitivity, item.sensitivity, "sensitivity_unknown"),
            tenant=_audience(item.tenant),
            groups=tuple(filter(None, [_audience(item.group)])),
            aliases=tuple(filter(None, map(alias_of, [name, *own_aliases]))),
            links=tuple(self._links(name)),
            support=(Support(f"theurian:{name}", "its id in that record"), *_kept(item)),
            specifications=tuple(
                (one_line(uri, 512), form)
                for target, uri, form in self.specifications.values()
                if target == name and _is_media_type(form)
            ),
            rejected=_rejected(item),
            retired=_retired(item, superseded),
            unfinished=item.status == "draft",
        )

    def _links(self, name: str) -> Iterable[Link]:
        for (source, kind, target), note in sorted(self.relations.items()):
            if source == name and kind in {one.value for one in RelationType}:
                yield Link(RelationType(kind), target, note)


def _text(name: str, source: Source, meta: Mapping[str, Any], body: Body, stated: str) -> Text:
    scope = meta.get("scope")
    paths = texts(scope.get("paths")) if isinstance(scope, dict) else ()
    written, derived, ruling = body
    title = one_line(_word(meta, "title"), 200) or name
    labels = [*texts(meta.get("labels")), f"namespace {_word(meta, 'namespace')}"]
    return Text(
        title=title,
        ruling=ruling or title,
        body=written,
        content=content_digest(name, title, written),
        derived=derived,
        trust=_TRUST.get(_word(meta, "trustLevel"), Trust.UNVERIFIED),
        labels=tuple(filter(None, map(slug, labels))),
        paths=tuple(paths),
        anchors=tuple(filter(None, map(_anchor, _list(meta.get("sourceAnchors"))))),
        valid_from=_time(meta.get("validFrom")) or _time(source.created_at),
        valid_to=_time(meta.get("validTo")),
        sensitivity=_sensitivity(stated),
    )


def _label(before: str, stated: str, binding: bool) -> str:
    """The sensitivity after a statement: as stated where it landed, else the higher of both."""
    old, new = _sensitivity(before), _sensitivity(stated)
    if binding or old is None or new is None:
        return stated
    return max(old, new, key=lambda one: one.rank).value


def _sensitivity(word: str) -> Sensitivity | None:
    return Sensitivity(word) if word in {one.value for one in Sensitivity} else None


def _member(words: Any, word: str, code: str) -> Any:
    """The member of a closed vocabulary; what is not in it cannot be imported."""
    try:
        return words(word)
    except ValueError:
        raise UnusableError(code) from None


def _audience(word: str) -> str | None:
    """A tenant or group as it stands: another spelling would be another audience."""
    if not word:
        return None
    try:
        found: str = fields.alias(word)
    except fields.BadValueError:
        raise UnusableError("audience_unusable") from None
    return found


def _rejected(item: _Item) -> str | None:
    if item.status != "rejected":
        return None
    return item.reason or item.texts[-1].ruling


def _retired(item: _Item, superseded: bool) -> str | None:
    if superseded or item.status not in ("deprecated", "superseded"):
        return None
    return item.reason or f"It was {item.status} in the record it came from."


def _kept(item: _Item) -> Iterable[Support]:
    return list(item.evidence.values())[:64]


def _support(change: Change) -> Support | None:
    anchor = change.values.get("anchor")
    uri = _word(anchor, "sourceUri") if isinstance(anchor, dict) else ""
    source, description = one_line(uri, 512), one_line(change.text("description"), 500)
    given = change.values.get("confidence", 1)
    number = given if isinstance(given, int | float) and not isinstance(given, bool) else 1
    if not source or not description or source.startswith("import:"):
        return None
    return Support(source, description, round(min(max(float(number), 0.0), 1.0) * 100))


def _anchor(value: object) -> dict[str, Any] | None:
    """An anchor with what of it can be kept."""
    if not isinstance(value, dict):
        return None
    found: dict[str, Any] = {}
    for ours, theirs in (
        ("commit", "commitSha"),
        ("blob", "blobSha"),
        ("path", "filePath"),
        ("uri", "sourceUri"),
    ):
        if _word(value, theirs):
            found[ours] = _word(value, theirs)
    first, last = value.get("lineStart"), value.get("lineEnd")
    if isinstance(first, int) and isinstance(last, int):
        found["lines"] = [first, last]
    while found:
        try:
            kept: dict[str, Any] = fields.anchor(found)
            return kept
        except fields.BadValueError:
            found.popitem()
    return None


def _is_media_type(text: str) -> bool:
    try:
        fields.media_type(text)
    except fields.BadValueError:
        return False
    return True


def _time(value: object) -> str | None:
    try:
        found: str = fields.time(value)
    except fields.BadValueError:
        return None
    return found


def _word(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value.strip() if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
