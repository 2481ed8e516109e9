"""Drafts → proposals in the working tree: the one way in for everything that is imported.

- Nothing imported is approved, whatever it says of itself: every file is a proposal.
- A migration that holds a secret is not written, and is told. Text with signs of steering is
  written and flagged for whoever reviews it.
- What is confidential or restricted is not written where every reader of the repository would
  see it: it goes to the second ledger the caller names, or is told and left.
- A value that was rejected is not proposed again: the report names the rejection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from citator.formats.steering import Sign, signs
from citator.git.identity import person
from citator.model.errors import RefusedError, UsageError
from citator.model.record import Rejected, Sensitivity
from citator.record import ledger as ledgers
from citator.record import writing
from citator.record.folding import folded
from citator.record.importing.draft import Draft, Origin
from citator.record.importing.plan import Planner, Step
from citator.record.ledger import FOLDER
from citator.record.migration import Migration
from citator.record.ulid import mint
from citator.service.record import working, worktree
from citator.service.workspace import Workspace
from citator.sources.redaction import redact


class Held(StrEnum):
    """Why a migration that could be proposed was not written."""

    WITH_SECRET = "secret_found"
    NEEDS_LEDGER = "needs_second_ledger"


@dataclass(frozen=True, slots=True)
class Moment:
    """The clock and the chance of one run: Unix milliseconds, and ``size -> bytes``."""

    milliseconds: int
    entropy: Callable[[int], bytes]

    @property
    def text(self) -> str:
        """The time as the record writes it."""
        from datetime import UTC, datetime

        moment = datetime.fromtimestamp(self.milliseconds // 1000, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def ids(self) -> Callable[[], str]:
        """Mints ULIDs, each greater than the one before."""
        count = 0

        def next_id() -> str:
            nonlocal count
            count += 1
            return mint(self.milliseconds + count, self.entropy)

        return next_id


@dataclass(frozen=True, slots=True)
class Request:
    """How to import: who proposes, whether to write, and where what is confidential goes."""

    author: str
    moment: Moment
    dry_run: bool = False
    ledger: Path | None = None


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
    """Propose what was read. Raises RefusedError in a bare repository, StorageError."""
    root = worktree(workspace)
    if request.ledger is not None:
        _require_apart(request.ledger, root)
    steps = _plan(workspace, origin, reading, request)
    lines = []
    places: dict[Path, list[Migration]] = {}
    for step in steps:
        line = _line(step)
        place = _place(step, root, request)
        if step.migration is not None and _has_secret(step.migration):
            line = Line(step.key, Held.WITH_SECRET.value)
        elif step.migration is not None and place is None:
            line = Line(step.key, Held.NEEDS_LEDGER.value, detail=step.sensitivity.value)
        elif step.migration is not None and place is not None:
            places.setdefault(place, []).append(step.migration)
        lines.append(line)
    if not request.dry_run:
        _write(places, request.moment)
    return ImportReport(
        written=not request.dry_run,
        read=reading.read,
        lines=tuple(lines),
        skipped=reading.skipped,
        collisions=reading.collisions,
        counts=dict(sorted(Counter(line.outcome for line in lines).items())),
    )


def proposer(workspace: Workspace) -> str:
    """Who proposes, as git is configured here. Raises UsageError where it is not."""
    found = person(workspace.repository)
    if found is None:
        raise UsageError(
            "no_author", "git does not know who you are", "name yourself with --author"
        )
    return found


def _plan(
    workspace: Workspace, origin: Origin, reading: Reading, request: Request
) -> Sequence[Step]:
    known = [*_migrations(worktree(workspace))]
    if request.ledger is not None:
        known += _migrations(request.ledger)
    tombstones = working(workspace).tombstones
    planner = Planner(
        origin,
        known,
        request.author,
        request.moment.text,
        request.moment.ids(),
        lambda draft: _rejection_of(draft, tombstones),
    )
    steps = planner.plan(reading.drafts)
    return _without_orphans(steps)


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


def _migrations(root: Path) -> list[Migration]:
    ledger = ledgers.in_folder(root / FOLDER)
    return [*ledger.landed.values(), *ledger.proposals.values()]


def _rejection_of(draft: Draft, tombstones: Sequence[Rejected]) -> Rejected | None:
    """The standing rejection of what a draft proposes: its title, in its kind and scope."""
    title = folded(draft.text.title)
    for one in tombstones:
        same = one.folded == title and one.kind in (None, draft.kind)
        if same and (not one.scope or set(one.scope) & set(draft.text.paths)):
            return one
    return None


def _line(step: Step) -> Line:
    if step.migration is None:
        return Line(step.key, step.outcome.value, detail=step.detail)
    return Line(
        step.key,
        step.outcome.value,
        step.migration.id,
        step.detail,
        signs("\n".join(_words(step.migration))),
        step.derived,
    )


def _place(step: Step, root: Path, request: Request) -> Path | None:
    """The tree that a step's file belongs in; None where there is none for it."""
    if step.sensitivity.rank <= Sensitivity.INTERNAL.rank:
        return root
    return request.ledger


def _has_secret(migration: Migration) -> bool:
    return redact("\n".join(_words(migration)))[1] > 0


def _words(migration: Migration) -> list[str]:
    """Every text of a migration that somebody wrote."""
    found = [migration.author, migration.body]
    for operation in migration.operations:
        for name, value in operation.values.items():
            if name == "source" and str(value).startswith("import:"):
                continue
            found += _texts(value)
    return found


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts(one)]
    return []


def _write(places: dict[Path, list[Migration]], moment: Moment) -> None:
    """Put the proposals into their trees, each whole; a tree without a ledger gets one."""
    for root, migrations in places.items():
        if ledgers.in_folder(root / FOLDER).record is None:
            writing.begin(root, moment.entropy(32).hex())
        for migration in migrations:
            writing.write_proposal(root, migration)


def _require_apart(ledger: Path, root: Path) -> None:
    """Raises RefusedError where the second ledger is in the repository, or is no directory."""
    if not ledger.is_dir():
        raise RefusedError(
            "no_second_ledger", "the second ledger is not a directory", "make it, or name another"
        )
    if ledger.resolve().is_relative_to(root.resolve()):
        raise RefusedError(
            "ledger_in_repository",
            "the second ledger lies in the repository, whose readers may not see it",
            "name a directory outside it",
        )
