"""A proposal: operations on the present state, checked whole, then written into the tree.

- Ids are minted after all that is there, and every operation names what it builds on.
- It is replayed with all that counts before anything is written: what would be refused then is
  refused now, with the same sentence.
- A secret in any of its texts stops it; signs of steering are flagged for whoever reviews it.
- What is confidential or restricted is not written where every reader of the repository reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citator.formats.steering import Sign, signs
from citator.git.identity import person
from citator.model.errors import RefusedError, UsageError
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.record import writing
from citator.record.migration import Migration, parse
from citator.record.operations import checked
from citator.record.replay import replay
from citator.record.ulid import mint_after
from citator.service import journal
from citator.service.desk import Desk, one_writer, writing_the_tree
from citator.service.journal import Event
from citator.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a command: Unix milliseconds, and ``size -> bytes`` of chance."""

    milliseconds: int
    entropy: Callable[[int], bytes]

    @property
    def text(self) -> str:
        """The time as the record writes it: UTC to the second."""
        moment = datetime.fromtimestamp(self.milliseconds // 1000, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal that was written: where, about which items, and what a reviewer should look at.

    ``begun`` says that the ledger was made for it.
    """

    migration: Migration
    path: Path
    items: tuple[str, ...]
    flags: tuple[Sign, ...] = ()
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """What goes around the operations of a migration."""

    author: str
    body: str = ""
    loosens: tuple[str, ...] = ()
    draft: bool = False


def author_of(workspace: Workspace, given: str | None) -> str:
    """Who proposes: as given, or as git is configured here. Raises UsageError where it is not."""
    found = given or person(workspace.repository)
    if found is None:
        raise UsageError(
            "no_author",
            "git does not know who you are",
            "name yourself with --author, or: git config user.name NAME",
        )
    return found


def minted(
    desk: Desk, moment: Moment, taken: Iterable[str] = (), audience: Audience | None = None
) -> str:
    """A new id after ``taken`` and everything in the ledger that ``audience`` may see (None: all
    of it). Of what it may not see, the id tells nothing."""
    seen = [one.id for one in desk.migrations if audience is None or desk.shows(one, audience)]
    return mint_after(moment.milliseconds, moment.entropy, [*seen, *taken])


def make(
    desk: Desk, operations: Sequence[Mapping[str, Any]], wording: Wording, moment: Moment, id: str
) -> Migration:
    """The migration, every field checked. Raises MigrationError."""
    based = []
    for position, raw in enumerate(operations, 1):
        base = desk.basis.base_of(checked(dict(raw), position))
        based.append(checked({"base": list(base), **raw}, position))
    made = Migration(
        id,
        wording.author,
        moment.text,
        tuple(based),
        wording.body,
        tuple(sorted(wording.loosens)),
        wording.draft,
    )
    return parse(made.render())


def propose(
    desk: Desk,
    operations: Sequence[Mapping[str, Any]],
    wording: Wording,
    moment: Moment,
    taken: Iterable[str] = (),
) -> Proposed:
    """Make a proposal and write it. Raises MigrationError, RefusedError, StorageError."""
    made = make(desk, operations, wording, moment, minted(desk, moment, taken))
    return write(desk, made, moment)


def write(desk: Desk, made: Migration, moment: Moment) -> Proposed:
    """Write a proposal that was made, after the checks. Raises as :func:`propose`."""
    require_no_secret(made)
    require_its_place(desk, made)
    require_effect(desk, made)
    # Two clients propose at once, each from its own process: the second waits a moment, and
    # finds the ledger that the first began.
    with one_writer(desk.home, wait=True), writing_the_tree():
        begun = desk.ledger.record is None and not writing.has_begun(desk.root)
        if begun:
            writing.begin(desk.root, moment.entropy(32).hex())
        path = writing.write_proposal(desk.root, made)
        if begun:
            journal.note(desk.home, Event.BEGUN, moment.text)
        journal.note(desk.home, Event.PROPOSED, moment.text, (made.id,), (made.digest,))
    return Proposed(made, path, tuple(_items(made)), flags_of(made), begun)


def require_no_secret(made: Migration) -> None:
    """Raise RefusedError where any text of it holds a secret."""
    # Here, because the rules are slow to load and most commands need none.
    from citator.sources.redaction import redact

    count = redact("\n".join(words_of(made)))[1]
    if count:
        raise RefusedError(
            "secret_found",
            f"the text holds {count} secret(s), such as a key or a password; nothing was written",
            "take them out: the record is kept, and read by others, for good",
        )


def require_its_place(desk: Desk, made: Migration) -> None:
    """Raise RefusedError where it is too sensitive for the repository's own ledger."""
    stated = [
        Sensitivity(one.values["sensitivity"])
        for one in made.operations
        if "sensitivity" in one.values
    ]
    highest = max((one.rank for one in stated), default=0)
    if not desk.second and highest > Sensitivity.INTERNAL.rank:
        raise RefusedError(
            "needs_second_ledger",
            "everybody who can read this repository could read it, so nothing was written",
            "name a directory outside it once: citator trust ledger PATH",
        )


def require_effect(desk: Desk, made: Migration) -> None:
    """Raise RefusedError where it would have no effect, with the sentence that says why."""
    effective = desk.record.effective if desk.record.pinned else tuple(desk.ledger.landed.values())
    for problem in replay([*effective, made]).refused:
        if problem.migration == made.id:
            raise RefusedError(
                f"migration_{problem.refusal.value}",
                f"{problem.sentence}; nothing was written",
                "citator decisions show ITEM says how things stand",
            )


def flags_of(made: Migration) -> tuple[Sign, ...]:
    """Signs that a text was written to steer a machine: something to look at, never a proof."""
    return signs("\n".join(words_of(made)))


def words_of(migration: Migration) -> list[str]:
    """Every text of a migration that somebody wrote."""
    found = [migration.author, migration.body]
    for operation in migration.operations:
        for value in operation.values.values():
            found += _texts(value)
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts(one)]
    return []


def _items(migration: Migration) -> list[str]:
    from citator.service.naming import items_in

    return items_in(migration)
