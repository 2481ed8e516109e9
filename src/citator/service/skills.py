"""The life of a skill on this machine: ingested, read by a person, approved, activated, taken back.

- Ingesting is quarantine: nothing of a skill that was only ingested is served.
- What is signed is what was shown: one reading, one digest. Only a key that is trusted for skills
  here may sign; trusting one is a person's command.
- Activating replaces the whole set in one write, and keeps the two before it.
- Every change is journaled by digest, in the order in which it happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citator.model.errors import CitatorError, NotFoundError, RefusedError, UsageError
from citator.service.workspace import Places
from citator.store import stamp
from citator.store.journal import Journal
from citator.store.layout import Layout
from citator.trust.agent import Held
from citator.trust.keys import PublicKey
from citator.trust.pins import is_label
from citator.trust.skill_advice import Advised, advise
from citator.trust.skill_folder import Skill, read_folder
from citator.trust.skill_statement import (
    SkillApproval,
    SkillStatement,
    parse_approval,
    signer_of,
    statement_of,
)
from citator.trust.skills import (
    FOLDER,
    MOST_ACTIVE,
    MOST_CEILING,
    MOST_KEYS,
    SETS_KEPT,
    Arrangement,
    Shelf,
)

if TYPE_CHECKING:
    from citator.service.approve import Sign

SHORTEST: Final = 6


@dataclass(frozen=True)
class Listed:
    """One skill as a list shows it. ``problem`` says why it would not be served (a code)."""

    digest: str
    name: str
    domains: tuple[str, ...]
    intents: tuple[str, ...]
    permissions: tuple[str, ...]
    by: str | None
    active: bool
    shipped: bool
    problem: str | None


@dataclass(frozen=True)
class Shown:
    """All of a skill, for the person who judges it."""

    skill: Skill
    advice: tuple[Advised, ...]
    listed: Listed


def shelf_of(places: Places) -> Shelf:
    """The skills of this data directory. Raises IntegrityError where a newer version wrote it."""
    layout = Layout(places.data)
    stamp.require_readable(layout.data)
    return Shelf(layout)


def ingest(places: Places, folder: Path, time: str) -> tuple[Shown, bool]:
    """Copy the skill in ``folder`` into quarantine. Whether it is new. Raises SkillRefusedError."""
    skill = read_folder(folder.expanduser())
    shelf = shelf_of(places)
    with _changing(shelf):
        new = shelf.keep(skill)
        if new:
            _note(shelf, "skill_ingested", time, skill.digest)
    return show(places, skill.digest), new


def show(places: Places, name: str) -> Shown:
    """All of the skill of that name, or of a digest that begins so. Raises NotFoundError."""
    shelf = shelf_of(places)
    digest = named(shelf, name)
    skill = shelf.read(digest)
    return Shown(skill, advise(skill), _listed(shelf, digest, shelf.arrangement()))


def listing(places: Places) -> tuple[list[Listed], Arrangement]:
    """Every skill here: the active ones in their order, then the others by name."""
    shelf = shelf_of(places)
    said = shelf.arrangement()
    order = shelf.order(said)
    every = dict.fromkeys([*order, *shelf.shipped, *shelf.kept()])
    rows = [_listed(shelf, digest, said) for digest in every]
    rest = sorted((one for one in rows if not one.active), key=lambda one: (one.name, one.digest))
    return [*(one for one in rows if one.active), *rest], said


def approve(
    places: Places, seen: Shown, held: Sequence[Held], signer: Sign, time: str
) -> SkillApproval:
    """Sign exactly what was shown with the first of ``held`` that is trusted for skills here.

    Raises RefusedError, SigningRefusedError.
    """
    shelf = shelf_of(places)
    chosen = key_for(places, held)
    statement = statement_of(seen.skill, time)
    armored, key, _ = signer(chosen, statement.to_bytes())
    if key.blob != chosen.key.blob:
        raise RefusedError(
            "another_key_signed",
            "another key signed than the one that may approve; nothing was written",
            "name the key's file with --key FILE",
        )
    approval = SkillApproval(statement, armored)
    _keep(shelf, approval, seen.skill, time)
    return approval


def key_for(places: Places, held: Sequence[Held]) -> Held:
    """The first of ``held`` that is trusted for skills here. Raises RefusedError."""
    trusted = {key.blob for _, key in shelf_of(places).arrangement().keys}
    for one in held:
        if one.key.blob in trusted:
            return one
    raise RefusedError(
        "no_key",
        "no key of yours is trusted for skills on this machine; nothing was signed",
        "trust it once: citator skills trust LABEL=~/.ssh/id_ed25519.pub",
    )


def take_approval(places: Places, seen: Shown, data: bytes, time: str) -> SkillApproval:
    """Keep an approval of ``seen`` that somebody else signed and handed over.

    Raises IntegrityError where it is not over these bytes, or not by a key that is trusted.
    """
    shelf = shelf_of(places)
    approval = parse_approval(data)
    _keep(shelf, approval, seen.skill, time)
    return approval


def statement_for(seen: Shown, time: str) -> SkillStatement:
    """What would be signed."""
    return statement_of(seen.skill, time)


def _keep(shelf: Shelf, approval: SkillApproval, skill: Skill, time: str) -> None:
    signer_of(approval, skill, shelf.arrangement().keys)
    if skill.digest in shelf.shipped:
        raise RefusedError("skill_is_ours", "that skill is signed already, as it was shipped")
    with _changing(shelf):
        shelf.keep_approval(approval)
        _note(shelf, "skill_approved", time, skill.digest)


def trust(places: Places, label: str, key: PublicKey, time: str) -> None:
    """Let ``key`` approve skills on this machine. For a person's command alone."""
    from citator.trust.verification import require_usable

    if not is_label(label):
        raise UsageError("usage", "a label is a plain name", "such as ada@example.org=FILE")
    require_usable(key)
    shelf = shelf_of(places)
    with _changing(shelf):
        said = shelf.arrangement()
        keys = [one for one in said.keys if one[1].blob != key.blob]
        if len(keys) >= MOST_KEYS:
            raise RefusedError("too_many_keys", f"{MOST_KEYS} keys are trusted already")
        shelf.arrange(replace(said, keys=(*keys, (label, key))))
        _note(shelf, "skill_key_trusted", time)


def distrust(places: Places, label: str, time: str) -> int:
    """Take the keys of ``label`` away. How many there were. Raises NotFoundError."""
    shelf = shelf_of(places)
    with _changing(shelf):
        said = shelf.arrangement()
        keys = tuple(one for one in said.keys if one[0] != label)
        if len(keys) == len(said.keys):
            raise NotFoundError(
                "unknown_label", "no key of that label is trusted here", "see: citator skills list"
            )
        shelf.arrange(replace(said, keys=keys))
        _note(shelf, "skill_key_distrusted", time)
    return len(said.keys) - len(keys)


def activate(
    places: Places, names: Sequence[str] | None, time: str, ceiling: int | None = None
) -> list[Listed]:
    """Make ``names`` (None: those we ship) the active set, in this order, all of it or nothing; no
    name at all leaves the set, for another ``ceiling``.

    Raises what is wrong with the first that would not be served.
    """
    shelf = shelf_of(places)
    if ceiling is not None and not 0 <= ceiling <= MOST_CEILING:
        raise UsageError("usage", f"--ceiling is 0 to {MOST_CEILING}", "")
    with _changing(shelf):
        said = shelf.arrangement()
        digests = tuple(dict.fromkeys(named(shelf, name) for name in names or ()))
        if len(digests) > MOST_ACTIVE:
            raise RefusedError("too_many_skills", f"a set holds at most {MOST_ACTIVE} skills")
        served = [shelf.served(digest, said.keys) for digest in digests]
        if len({one.skill.name for one in served}) != len(served):
            raise RefusedError(
                "skill_name_taken", "two skills of the set have one name", "activate one of them"
            )
        sets = said.sets
        if names is None or names:
            sets = (None if names is None else digests, *sets)[:SETS_KEPT]
        said = replace(said, sets=sets, ceiling=said.ceiling if ceiling is None else ceiling)
        shelf.arrange(said)
        _note(shelf, "skills_activated", time, *shelf.order(said))
    return [_listed(shelf, digest, said) for digest in shelf.order(said)]


def rollback(places: Places, time: str) -> list[Listed]:
    """Make the set before the active one active again. Raises RefusedError where there is none."""
    shelf = shelf_of(places)
    with _changing(shelf):
        said = shelf.arrangement()
        if len(said.sets) < 2:
            raise RefusedError(
                "no_earlier_set", "no earlier set of skills is kept", "see: citator skills list"
            )
        said = replace(said, sets=said.sets[1:])
        shelf.arrange(said)
        _note(shelf, "skills_rolled_back", time, *shelf.order(said))
    return [_listed(shelf, digest, said) for digest in shelf.order(said)]


def remove(places: Places, name: str, time: str) -> str:
    """Take a skill away for good: from quarantine, with its approval, out of every kept set."""
    shelf = shelf_of(places)
    with _changing(shelf):
        digest = named(shelf, name)
        if digest in shelf.shipped:
            raise RefusedError(
                "skill_is_ours",
                "that skill came with citator and stays with it",
                "leave it out of the active set: citator skills activate NAME...",
            )
        said = shelf.arrangement()
        sets = tuple(_without(each, digest) for each in said.sets)
        shelf.arrange(replace(said, sets=sets))
        shelf.remove(digest)
        _note(shelf, "skill_removed", time, digest)
    return digest


def named(shelf: Shelf, name: str) -> str:
    """The digest that ``name`` means: it, its first digits, ``skill:`` before them, or a name that
    one skill has. Raises NotFoundError, UsageError.
    """
    every = tuple(dict.fromkeys([*shelf.shipped, *shelf.kept()]))
    digits = name.removeprefix("skill:").removeprefix("v1:")
    found = [one for one in every if len(digits) >= SHORTEST and one.startswith(digits)]
    found = found or [one for one in every if _name(shelf, one) == name]
    if len(found) > 1:
        raise UsageError(
            "ambiguous_skill",
            "more than one skill here is meant by that",
            "give the first digits of its digest: citator skills list",
        )
    if not found:
        raise NotFoundError("unknown_skill", "no such skill is here", "see: citator skills list")
    return found[0]


def _name(shelf: Shelf, digest: str) -> str:
    try:
        return shelf.read(digest).name
    except CitatorError:
        return ""


def _without(each: tuple[str, ...] | None, digest: str) -> tuple[str, ...] | None:
    return None if each is None else tuple(one for one in each if one != digest)


def _listed(shelf: Shelf, digest: str, said: Arrangement) -> Listed:
    active, ours = digest in shelf.order(said), digest in shelf.shipped
    try:
        skill = shelf.read(digest)
    except CitatorError as error:
        return Listed(digest, "", (), (), (), None, active, ours, error.code)
    by, problem = None, None
    approval = None
    try:
        served = shelf.served(digest, said.keys)
        by, approval = served.by, served.approval
    except CitatorError as error:
        problem = error.code
    told = statement_of(skill, "2000-01-01T00:00:00Z") if approval is None else approval.statement
    return Listed(
        digest, skill.name, told.domains, told.intents, told.permissions, by, active, ours, problem
    )


def _changing(shelf: Shelf) -> AbstractContextManager[None]:
    """One writer at a time. Raises LockedError."""
    return shelf.layout.changing(shelf.layout.trust / FOLDER)


def _note(shelf: Shelf, event: str, time: str, *digests: str) -> None:
    from citator.store.journal import MOST_NAMED

    Journal(shelf.layout.trust / FOLDER / "journal").append(
        event, time, digests=digests[:MOST_NAMED]
    )
