"""The text that a person edits to decide something, and reading it back.

- The head is closed: fields with one line each. What stands below it is the decision's own text.
- A rejected alternative has its value on a ``-`` line and, indented below, its ``reason:`` and what
  would change our mind (``unless:``). Each becomes a rejection that is signed with the decision.
- Lines of guidance are taken out again; a section that was left empty is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from citator.model.errors import UsageError
from citator.model.record import RULING_CHARACTERS, ItemKind, Sensitivity

REJECTED: Final = "Rejected alternatives"
_SECTIONS: Final = {
    "Context": "What made a decision necessary, and what it has to respect.",
    "Options": "What could be done.",
    "Decision": "What is decided, in full.",
    "Consequences": "What follows: what becomes easier, and what harder.",
    "Premises": (
        "What this rests on, if anything. Lines in these forms are watched, and a commit that",
        "breaks one is told with the decision: take off the marks of those that you mean.",
        "Premise: dependency requests < 3 in pyproject.toml",
        "Premise: no dependency left-pad",
        "Premise: file src/legacy/api.py exists",
        "Premise: flag cache.enabled = true in config/settings.yaml",
        "Premise: before 2030-01-31",
    ),
    REJECTED: (
        "One each, so that it does not come back unnoticed:",
        "- the alternative, in the words somebody would propose it in",
        "  reason: why not",
        "  unless: what would change our mind",
    ),
}
_FIELDS: Final = ("title", "ruling", "kind", "owner", "sensitivity", "scope", "labels")
_TIMES: Final = ("valid_from", "valid_to")
_MARK: Final = "%%"
_ENTRY: Final = re.compile(r"[-*] +(\S.*)")
_PART: Final = re.compile(r"[ \t]+(reason|unless):[ \t]*(.*)", re.IGNORECASE)
_HEADING: Final = re.compile(r"#{1,6} +(.+?) *#*")


@dataclass(frozen=True, slots=True)
class Alternative:
    """What was not chosen, why, and what would change that."""

    value: str
    reason: str
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants decided. Empty where it was not said. ``refuse`` are pairs of a kind of
    thing (``packages``, ``imports``, ``paths``, ``patterns``) and which is refused."""

    title: str = ""
    ruling: str = ""
    kind: str = ItemKind.DECISION.value
    owner: str = ""
    sensitivity: str = Sensitivity.INTERNAL.value
    paths: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    body: str = ""
    alternatives: tuple[Alternative, ...] = ()
    aliases: tuple[str, ...] = field(default=())
    refuse: tuple[tuple[str, str], ...] = ()


def template(wish: Wish) -> str:
    """The text to edit."""
    shown = {
        "title": wish.title,
        "ruling": wish.ruling,
        "kind": wish.kind,
        "owner": wish.owner,
        "sensitivity": wish.sensitivity,
        "scope": ", ".join(wish.paths),
        "labels": ", ".join(wish.labels),
        "valid_from": wish.valid_from,
        "valid_to": wish.valid_to,
    }
    lines = [
        f"{_MARK} Lines that start with {_MARK} are not kept. Save and close to propose;",
        f"{_MARK} an empty title, or nothing changed, proposes nothing.",
        f"{_MARK} ruling: the decision in one sentence of at most {RULING_CHARACTERS} characters.",
        f"{_MARK} kind: {', '.join(kind.value for kind in ItemKind)}",
        f"{_MARK} scope: the paths it governs, such as src/db/**, with commas between them.",
        "---",
        *(f"{name}: {shown[name]}".rstrip() for name in _FIELDS),
        *(f"{name}: {shown[name]}" for name in _TIMES if shown[name]),
        "---",
        "",
    ]
    if wish.body.strip():
        return "\n".join(lines) + wish.body.strip("\n") + "\n"
    for section, guidance in _SECTIONS.items():
        told = (guidance,) if isinstance(guidance, str) else guidance
        lines += [f"## {section}", "", *(f"{_MARK} {line}" for line in told), ""]
    return "\n".join(lines)


def parsed(text: str, defaults: Wish) -> Wish | None:
    """What the edited text says; None where its title is empty. Raises UsageError."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    kept = [line for line in lines if not line.startswith(_MARK)]
    while kept and not kept[0]:
        kept.pop(0)
    if not kept:
        return None
    if kept[0] != "---" or "---" not in kept[1:]:
        raise _unreadable("the head between the two `---` lines is gone")
    end = kept.index("---", 1)
    head = _head(kept[1:end])
    if not head.get("title"):
        return None
    wish = replace(
        defaults,
        title=head["title"],
        ruling=head.get("ruling", ""),
        kind=head.get("kind") or defaults.kind,
        owner=head.get("owner", "") or defaults.owner,
        sensitivity=head.get("sensitivity") or defaults.sensitivity,
        paths=_listed(head.get("scope", "")),
        labels=_listed(head.get("labels", "")),
        valid_from=head.get("valid_from", ""),
        valid_to=head.get("valid_to", ""),
    )
    if not wish.ruling:
        raise _unreadable("the ruling is empty: one sentence that says what is decided")
    return with_text(wish, "\n".join(kept[end + 1 :]), strict=True)


def with_text(wish: Wish, text: str, *, strict: bool = False) -> Wish:
    """``wish`` with this body, and the alternatives that its section lists.

    Raises UsageError for one without a reason, where ``strict``.
    """
    body = _without_empty_sections(text)
    return replace(wish, body=body, alternatives=tuple(_alternatives(body, strict)))


def _head(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or name.strip() not in (*_FIELDS, *_TIMES):
            raise _unreadable("a line of the head is none of: " + ", ".join((*_FIELDS, *_TIMES)))
        if name.strip() in found:
            raise _unreadable(f"`{name.strip()}` stands twice in the head")
        found[name.strip()] = value.strip()
    return found


def _listed(text: str) -> tuple[str, ...]:
    parts = (one.strip() for one in text.strip("[] ").split(","))
    return tuple(dict.fromkeys(one.strip("'\"") for one in parts if one.strip("'\" ")))


def _without_empty_sections(text: str) -> str:
    """The text, without headings that nothing stands under."""
    lines = text.strip("\n").split("\n")
    kept: list[str] = []
    for number, line in enumerate(lines):
        if _HEADING.fullmatch(line) and line.lstrip("# ") in _SECTIONS:
            following = next((one for one in lines[number + 1 :] if one.strip()), None)
            if following is None or _HEADING.fullmatch(following):
                continue
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip("\n")


def _alternatives(body: str, strict: bool) -> list[Alternative]:
    found: list[dict[str, Any]] = []
    inside, part = False, "value"
    for line in body.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            inside = heading[1].casefold() == REJECTED.casefold()
            continue
        if not inside:
            continue
        entry, named = _ENTRY.fullmatch(line), _PART.fullmatch(line)
        if entry:
            found.append({"value": entry[1]})
            part = "value"
        elif named and found:
            part = named[1].lower()
            found[-1][part] = named[2]
        elif line.strip() and found:
            found[-1][part] = f"{found[-1].get(part, '')} {line.strip()}".strip()
    whole = [one for one in found if one.get("reason")]
    if strict and len(whole) < len(found):
        raise _unreadable("a rejected alternative has no `reason:` line below it")
    return [Alternative(one["value"], one["reason"], one.get("unless", "")) for one in whole]


def _unreadable(what: str) -> UsageError:
    return UsageError("template_unreadable", what, "mend it, or leave the title empty to stop")
