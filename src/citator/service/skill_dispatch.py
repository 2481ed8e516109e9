"""Which active skills a task is told of, and their text on request.

- Selection is membership (rule 3): the task's domain and intent among those that were signed with
  the skill, what it needs among what the host says it can do. Order and ceiling are the operator's;
  no text of a skill takes part, so none can write itself to the top.
- What travels unasked is a name of a closed grammar, the digits of a reference and closed words.
  The text is read on request, verified again, as a procedure that a person signed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from citator.model.domain import Task
from citator.model.evidence import ReadItem
from citator.model.inert import inert
from citator.model.reference import DocumentKind, Ref, split_ref
from citator.service.skills import shelf_of

if TYPE_CHECKING:
    from citator.service.workspace import Places
    from citator.trust.skills import Served

DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class NamedSkill:
    """A skill as a task is told of it: ``by`` is the label of the key that signed it."""

    ref: Ref
    name: str
    by: str
    permissions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dispatched:
    """The skills for a task in the operator's order. ``left_out`` counts those that apply beyond
    the ceiling, ``refused`` those of the active set that no longer hold.
    """

    skills: tuple[NamedSkill, ...] = ()
    left_out: int = 0
    refused: int = 0


def dispatch(places: Places, task: Task, host: Collection[str] | None = None) -> Dispatched:
    """The skills for ``task``. ``host`` is what whoever asks says it can do; None: not said.

    Raises nothing for a skill that does not hold.
    """
    shelf = shelf_of(places)
    active = shelf.active()
    fitting = [one for one in active.skills if _applies(one, task, host)]
    ceiling = shelf.arrangement().ceiling if active.skills else 0
    shown = tuple(map(_named, fitting[:ceiling]))
    return Dispatched(shown, len(fitting) - len(shown), len(active.refused))


def _applies(one: Served, task: Task, host: Collection[str] | None) -> bool:
    said = one.approval.statement
    return (
        task.domain.value in said.domains
        and task.intent.value in said.intents
        and (host is None or set(said.permissions) <= set(host))
    )


def _named(one: Served) -> NamedSkill:
    said = one.approval.statement
    return NamedSkill(ref_of(said.digest), said.skill, one.by, said.permissions)


def ref_of(digest: str) -> Ref:
    """The reference of a skill: the digest of all of it."""
    return Ref(f"{DocumentKind.SKILL.value}:v1:{digest}")


def names(places: Places) -> list[str]:
    """The names of the active skills, in their order."""
    return [one.skill.name for one in shelf_of(places).active().skills]


def by_name(places: Places, name: str) -> Served | None:
    """The active skill of that name."""
    found = shelf_of(places).active().skills
    return next((one for one in found if one.skill.name == name), None)


def text_of(one: Served) -> str:
    """All of its text, inert: ``SKILL.md``, then each other text under a line that names it."""
    parts = []
    for file in sorted(one.skill.files, key=lambda file: (file.path != "SKILL.md", file.path)):
        text = file.text
        if text is not None:
            head = "" if file.path == "SKILL.md" else f"\n== {file.path} ==\n"
            parts.append(head + text.rstrip("\n"))
    return inert("\n".join(parts))


def read_skills(
    places: Places, items: Sequence[ReadItem], max_lines: int, max_characters: int
) -> list[ReadItem]:
    """``items``, those of an unknown reference replaced by the active skill they name."""
    active = shelf_of(places).active().skills
    return [_found(item, active, max_lines, max_characters) for item in items]


def _found(
    item: ReadItem, active: Sequence[Served], max_lines: int, max_characters: int
) -> ReadItem:
    parts = split_ref(item.ref) if item.problem == "unknown_ref" else None
    if parts is None or parts[0] not in (None, DocumentKind.SKILL):
        return item
    named = [one for one in active if one.skill.digest.startswith(parts[1])]
    if len(named) != 1:
        return replace(item, problem="ambiguous_ref") if named else item
    (one,) = named
    lines = text_of(one).split("\n")
    text = "\n".join(lines[:max_lines])
    cut = len(lines) > max_lines or len(text) > max_characters
    text = text[:max_characters]
    return ReadItem(
        ref=ref_of(one.skill.digest),
        text=text,
        lines=(1, text.count("\n") + 1),
        truncated=cut,
        locator=one.skill.name,
        procedure=True,
    )
