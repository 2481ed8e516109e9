"""Where a person's commands work: a ledger as it lies in the working tree, read once.

- The repository's own, and the second one where the operator named one. What a command shows,
  signs and writes is of this one reading: nothing is read again in between.
- Before a pin, the landed migrations are what a proposal builds on: to propose needs no trust.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citator.model.errors import RefusedError, StorageError, UsageError
from citator.model.record import Sensitivity
from citator.model.visibility import Audience, may_open_second, may_surface
from citator.record import ledger as ledgers
from citator.record.evaluation import Proposal, Record
from citator.record.ledger import FOLDER, Ledger
from citator.record.migration import Migration
from citator.record.replay import replay
from citator.record.rules import Weights
from citator.record.state import RecordState
from citator.service import journal
from citator.service.record import evaluated, pin_of, worktree
from citator.service.workspace import Workspace
from citator.store import locks
from citator.store.files import make_directory
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pin


@dataclass(frozen=True)
class Desk:
    """One ledger, ready to be worked on.

    ``home`` is the repository of the person's command, whose journal is written; ``workspace`` the
    one whose history and pins count for this ledger; ``root`` the directory that holds it; ``tip``
    the commit whose history says where its files came from (None: a plain directory).
    """

    home: Workspace
    workspace: Workspace
    root: Path
    ledger: Ledger
    tip: str | None
    second: bool = False

    @cached_property
    def record(self) -> Record:
        """What of it counts. Raises IntegrityError ``record_tampered``, GitRefusedError."""
        return evaluated(self.workspace, self.ledger, self.tip, self.floor)

    @cached_property
    def basis(self) -> RecordState:
        """What a new migration builds on."""
        if self.record.pinned:
            return self.record.state
        return replay(self.ledger.landed.values())

    @property
    def migrations(self) -> list[Migration]:
        """Everything in the ledger, landed or proposed."""
        return [*self.ledger.landed.values(), *self.ledger.proposals.values()]

    @cached_property
    def weights(self) -> Weights:
        """What each migration matters, and whom it concerns."""
        return Weights(self.migrations)

    def shows(self, migration: Migration, audience: Audience) -> bool:
        """Whether an audience may know of a migration: it concerns them, and what it does is shown
        to them, as it stands or as it is proposed."""
        if not self.weights.reach(migration).is_for(audience):
            return False
        waiting = self.record.proposed.get(migration.id)
        if waiting is not None:
            return may_surface(waiting.status, audience)
        items = [self.record.state.items.get(one) for one in self.weights.items_of(migration)]
        return all(one is not None and may_surface(one.status, audience) for one in items)

    @property
    def floor(self) -> Sensitivity:
        """The least sensitivity of what is kept here."""
        return Sensitivity.CONFIDENTIAL if self.second else Sensitivity.INTERNAL

    def approved(self) -> list[Proposal]:
        """The proposals that may land: approved, and not landed."""
        return [one for one in self.record.proposals if one.approved and not one.landed]

    def pin(self) -> Pin:
        """The pinned root of this record. Raises RefusedError where there is none here."""
        pin, problems = pin_of(self.workspace, self.ledger.record)
        if pin is not None:
            return pin
        what = problems[0].sentence if problems else "nobody pinned the root of this record here"
        raise RefusedError(
            problems[0].code if problems else "not_pinned",
            what,
            "a person at this machine runs `citator trust pin`, which shows the keys",
        )


def repository_desk(workspace: Workspace) -> Desk:
    """The repository's own ledger. Raises RefusedError in a bare repository."""
    root = worktree(workspace)
    require_no_link(root)
    ledger = ledgers.in_folder(root / FOLDER)
    return Desk(workspace, workspace, root, ledger, workspace.head.commit)


def require_no_link(root: Path) -> None:
    """Raise RefusedError where ``.citator`` leads out of the tree."""
    if (root / FOLDER).is_symlink():
        raise RefusedError(
            "link_in_the_way",
            "a link stands where `.citator` keeps its files",
            "replace the link by a directory, if you know how it came there",
        )


def second_desk(workspace: Workspace) -> Desk | None:
    """The second ledger, None where the operator named none. Raises as :func:`repository_desk`."""
    place = SecondLedgers(workspace.layout).of(workspace.repository_id)
    if place is None:
        return None
    if not place.is_dir():
        raise RefusedError(
            "second_ledger_missing",
            "the second ledger of this repository is not where it was",
            "bring it back, or say where it is: citator trust ledger PATH",
        )
    require_no_link(place)
    try:
        other = Workspace.open(place, workspace.places)
    except UsageError:
        other, tip = workspace, None
    else:
        tip = other.head.commit
    ledger = ledgers.in_folder(place / FOLDER)
    return Desk(workspace, other, place, ledger, tip, second=True)


def desks(workspace: Workspace, audience: Audience | None = None) -> tuple[Desk, ...]:
    """Every ledger of this repository, its own first; for an audience (None: the operator) those
    that there are for it."""
    if audience is not None and not may_open_second(audience):
        return (repository_desk(workspace),)
    second = second_desk(workspace)
    return (repository_desk(workspace), *([second] if second is not None else []))


@contextmanager
def one_writer(workspace: Workspace, *, wait: bool = False) -> Iterator[None]:
    """Hold the record of this clone for writing. Raises LockedError where another holds it (with
    ``wait``, waits), and IntegrityError ``journal_broken`` where what is done could not be told
    afterwards.
    """
    lock = workspace.place.record_lock
    make_directory(lock.parent)
    with locks.exclusive(lock, wait=wait):
        journal.require_whole(workspace)
        yield


@contextmanager
def writing_the_tree() -> Iterator[None]:
    """A disk that is full or not ours, said of the working tree and not of the data directory."""
    try:
        yield
    except StorageError as error:
        told = {
            "disk_full": ("the disk that holds the working tree is full", "free some space"),
            "data_directory_not_writable": (
                "the working tree cannot be written by this user",
                "nothing was written; see who owns the folder `.citator` and what holds it",
            ),
        }
        what, todo = told.get(
            error.code, ("the working tree could not be written", "see whether its disk is healthy")
        )
        code = "tree_not_writable" if error.code.startswith("data_") else error.code
        raise StorageError(code, what, todo) from error
