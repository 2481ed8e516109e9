"""Drafts → proposals in the working tree: the one way in for everything that is imported.

- Nothing imported is approved, whatever it says of itself: every file is a proposal.
- A migration that holds a secret is not written, and is told. Text with signs of steering is
  written and flagged for whoever reviews it.
- What is confidential or restricted is not written where every reader of the repository would
  see it: it goes to the second ledger the operator named, or is told and left.
- A value that was rejected is not proposed again: the report names the rejection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from citator.formats.steering import Sign
from citator.model.record import Rejected, Sensitivity
from citator.record import writing
from citator.record.importing.draft import Draft, Origin
from citator.record.importing.plan import Planner, Step
from citator.record.migration import Migration
from citator.record.rejections import told_no
from citator.record.ulid import mint_after
from citator.service import journal
from citator.service.desk import Desk, desks, one_writer, writing_the_tree
from citator.service.journal import Event
from citator.service.proposing import Moment, flags_of, words_of
from citator.service.workspace import Workspace
from citator.sources.redaction import redact
from citator.trust.grants import Grants


class Held(StrEnum):
    """Why a migration that could be proposed was not written."""

    FOUND = "secret_found"
    NEEDS_LEDGER = "needs_second_ledger"


@dataclass(frozen=True, slots=True)
class Request:
    """How to import: who proposes, when, and whether to write."""

    author: str
    moment: Moment
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report.

    ``source`` names what was read, in its own words; ``outcome`` is a word of the planner's
    ``Outcome`` or of :class:`Held`; ``id`` is the migration, ``detail`` an id or a code.
    ``flags`` are signs of steering: something for a person to look at, never a proof. ``derived``
    says that the ruling was cut from the text by a program.
    """

    source: str
    outcome: str
    id: str | None = None
    detail: str = ""
    flags: tuple[Sign, ...] = ()
    derived: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or would do: ``written`` says which. ``read`` counts the files.

    ``skipped`` are files that were not taken, by path and why; ``collisions`` are numbers that
    several decisions carry, with their paths.
    """

    written: bool
    read: int
    lines: tuple[Line, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    collisions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found: drafts, and the rest of the report."""

    drafts: tuple[Draft, ...]
    read: int
    skipped: tuple[tuple[str, str], ...] = ()
    collisions: tuple[tuple[str, tuple[str, ...]], ...] = ()


def carry_out(
    workspace: Workspace, origin: Origin, reading: Reading, request: Request
) -> ImportReport:
    """Propose what was read. Raises RefusedError in a bare repository, LockedError, StorageError,
    IntegrityError where the record here was tampered with.
    """
    places = desks(workspace)
    steps = _plan(workspace, places, origin, reading, request)
    lines, written = [], []
    for step in steps:
        line, desk = _line(step), _desk(step, places)
        if step.migration is not None and _has_secret(step.migration):
            line = Line(step.key, Held.FOUND.value)
        elif step.migration is not None and desk is None:
            line = Line(step.key, Held.NEEDS_LEDGER.value, detail=step.sensitivity.value)
        elif step.migration is not None and desk is not None:
            written.append((desk, step.migration))
        lines.append(line)
    if written and not request.dry_run:
        with one_writer(workspace), writing_the_tree():
            _write(written, request.moment)
    return ImportReport(
        written=not request.dry_run,
        read=reading.read,
        lines=tuple(lines),
        skipped=reading.skipped,
        collisions=reading.collisions,
        counts=dict(sorted(Counter(line.outcome for line in lines).items())),
    )


def _plan(
    workspace: Workspace,
    places: Sequence[Desk],
    origin: Origin,
    reading: Reading,
    request: Request,
) -> Sequence[Step]:
    known = [migration for desk in places for migration in desk.migrations]
    ids = _ids(request.moment, known)
    planner = Planner(
        origin, known, request.author, request.moment.text, ids, _consult(workspace, places)
    )
    return _without_orphans(planner.plan(reading.drafts))


def _ids(moment: Moment, known: Sequence[Migration]) -> Callable[[], str]:
    """Mints ids, each after the one before and after all that is there."""
    last = max((one.id for one in known), default="")

    def following() -> str:
        nonlocal last
        last = mint_after(moment.milliseconds, moment.entropy, [last] if last else [])
        return last

    return following


def _consult(workspace: Workspace, places: Sequence[Desk]) -> Callable[[Draft], Rejected | None]:
    """Asks for the first rejection this machine's audience may know of that speaks against it."""
    audience = Grants(workspace.layout).relied_on()
    tombstones = [one for desk in places for one in desk.record.tombstones]

    def rejection_of(draft: Draft) -> Rejected | None:
        text = draft.text
        values = (text.title, text.ruling)
        found = told_no(tombstones, audience, values=values, kind=draft.kind, paths=text.paths)
        return found[0] if found else None

    return rejection_of


def _without_orphans(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps, without those that build on what holds a secret and is not written."""
    held = [step.migration for step in steps if step.migration and _has_secret(step.migration)]
    gone = {
        operation.values["item"]
        for migration in held
        for operation in migration.operations
        if operation.name == "create_item"
    }
    links = {link for migration in held for link in migration.links}

    def stands(step: Step) -> bool:
        if step.migration is None or step.migration in held:
            return True
        named = {one for operation in step.migration.operations for one in operation.items}
        created = {
            operation.values["item"]
            for operation in step.migration.operations
            if operation.name == "create_item"
        }
        bases = {base for operation in step.migration.operations for base in operation.base}
        return not ((named - created) & gone or bases & links)

    return [step for step in steps if stands(step)]


def _line(step: Step) -> Line:
    if step.migration is None:
        return Line(step.key, step.outcome.value, detail=step.detail)
    return Line(
        step.key,
        step.outcome.value,
        step.migration.id,
        step.detail,
        flags_of(step.migration),
        step.derived,
    )


def _desk(step: Step, places: Sequence[Desk]) -> Desk | None:
    """The ledger that a step's file belongs in; None where there is none for it."""
    wanted = step.sensitivity.rank > Sensitivity.INTERNAL.rank
    return next((desk for desk in places if desk.second is wanted), None)


def _has_secret(migration: Migration) -> bool:
    return redact("\n".join(words_of(migration)))[1] > 0


def _write(written: Sequence[tuple[Desk, Migration]], moment: Moment) -> None:
    """Put the proposals into their trees, each whole; a tree without a ledger gets one."""
    for desk in dict.fromkeys(desk.root for desk, _ in written):
        own = [(place, migration) for place, migration in written if place.root == desk]
        place = own[0][0]
        if place.ledger.record is None:
            writing.begin(place.root, moment.entropy(32).hex())
            journal.note(place.home, Event.BEGUN, moment.text)
        for _, migration in own:
            writing.write_proposal(place.root, migration)
            journal.note(
                place.home, Event.PROPOSED, moment.text, (migration.id,), (migration.digest,)
            )
