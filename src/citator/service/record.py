"""The record of a repository, as this machine may rely on it.

- What is served is read from the blobs of a commit, every signature verified, under the root that
  a person pinned here. A pin that cannot be read counts as none, and is told.
- A landed migration that differs from what was first added stops the whole record.
- ``working`` is for a person's own commands: it reads the working tree, and serves nobody else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from citator.git.folders import is_ancestor
from citator.git.repository import has_commit
from citator.model.errors import (
    CitatorError,
    IntegrityError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from citator.model.record import Sensitivity
from citator.record import ledger as ledgers
from citator.record.evaluation import History, Record, evaluate
from citator.record.ledger import FOLDER, FileProblem, Ledger
from citator.record.provenance import VERSION, Provenance, trace
from citator.service.workspace import Workspace, require_commits
from citator.store import files
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pin, Pins


def record_of(workspace: Workspace, commit: str | None = None) -> Record:
    """The record at ``commit`` (HEAD if None).

    Raises IntegrityError ``record_tampered``, GitRefusedError, RefusedError ``no_commits``.
    """
    tip = commit or require_commits(workspace)
    ledger = ledgers.at_commit(workspace.repository, tip)
    return _evaluated(workspace, ledger, tip)


def records_of(workspace: Workspace) -> tuple[Record, ...]:
    """The record at HEAD, and that of the second ledger where the operator named one.

    A second ledger that cannot be read is a record with a problem and nothing else.
    """
    return (record_of(workspace), *second_record(workspace))


def second_record(workspace: Workspace) -> tuple[Record, ...]:
    """What the second ledger of this repository says, if there is one."""
    try:
        place = SecondLedgers(workspace.layout).of(workspace.repository_id)
        if place is None:
            return ()
        return (_outside(workspace, place),)
    except CitatorError as error:
        return (Record(None, False, problems=(FileProblem("", error.code, error.what),)),)


def _outside(workspace: Workspace, place: Path) -> Record:
    """The record in a directory of its own: at its HEAD where it is a repository."""
    if not (place / FOLDER).is_dir():
        raise NotFoundError(
            "second_ledger_missing",
            "the second ledger of this repository is not where `citator trust ledger` says",
            "bring it back, or say where it is with `citator trust ledger`",
        )
    try:
        other = Workspace.open(place, workspace.places)
    except UsageError:
        ledger = ledgers.in_folder(place / FOLDER)
        return _evaluated(workspace, ledger, None, Sensitivity.CONFIDENTIAL)
    tip = require_commits(other)
    ledger = ledgers.at_commit(other.repository, tip)
    return _evaluated(other, ledger, tip, Sensitivity.CONFIDENTIAL)


def working(workspace: Workspace) -> Record:
    """The record as the working tree has it, committed or not."""
    return _evaluated(workspace, working_ledger(workspace), workspace.head.commit)


def working_ledger(workspace: Workspace) -> Ledger:
    """The ledger of the working tree."""
    return ledgers.in_folder(worktree(workspace) / FOLDER)


def worktree(workspace: Workspace) -> Path:
    """Where a person's commands write. Raises RefusedError in a bare repository."""
    if workspace.repository.worktree is None:
        raise RefusedError(
            "bare_repository",
            "this repository has no working tree, so nothing can be written into it",
            "do this in a clone with a working tree, and push it here",
        )
    return workspace.repository.worktree


def _evaluated(
    workspace: Workspace,
    ledger: Ledger,
    tip: str | None,
    floor: Sensitivity = Sensitivity.INTERNAL,
) -> Record:
    if ledger.empty:
        return Record(ledger.record, False)
    pin, problems = pin_of(workspace, ledger.record)
    history = History()
    if tip is not None:
        provenance = provenance_at(workspace, tip)
        require_untouched(provenance, ledger)
        history = _history(workspace, provenance, ledger)
    record = evaluate(ledger, pin, history, floor)
    return replace(record, problems=(*record.problems, *problems))


def pin_of(workspace: Workspace, record: str | None) -> tuple[Pin | None, tuple[FileProblem, ...]]:
    """The pin of a record on this machine; none, and why, where it cannot be relied on.

    A pin holds for the repositories it was made for: a record's id can be copied into another.
    """
    if record is None:
        return None, ()
    try:
        pin = Pins(workspace.layout).read(record)
    except CitatorError as error:
        return None, (FileProblem("", error.code, error.what),)
    if pin is not None and not pin.holds_for(repository_of(workspace), place_of(workspace)):
        sentence = "the root of this record was pinned for another repository"
        return None, (FileProblem("", "pinned_elsewhere", sentence),)
    return pin, ()


def repository_of(workspace: Workspace) -> str | None:
    """The id of the repository, None where its root commits are not here (a shallow clone)."""
    return None if workspace.repository.shallow else workspace.repository_id


def place_of(workspace: Workspace) -> str:
    """A digest of this very clone: what it holds and where it lies."""
    place = workspace.place
    named = place.repository_id.encode() + b"\0" + os.fsencode(place.common_dir)
    return hashlib.sha256(named).hexdigest()


def require_untouched(provenance: Provenance, ledger: Ledger) -> None:
    """Raise IntegrityError where a landed migration is not what was first added."""
    tampered = provenance.tampered({one.id: one.digest for one in ledger.landed.values()})
    if tampered:
        raise IntegrityError(
            "record_tampered",
            f"{len(tampered)} landed migration(s) no longer say what was first added: "
            f"{', '.join(tampered[:3])}",
            "find the commit with `git log -- .citator/record`, and bring the first text back",
        )


def _history(workspace: Workspace, provenance: Provenance, ledger: Ledger) -> History:
    repo = workspace.repository

    def is_before(older: str, newer: str) -> bool:
        return older != newer and is_ancestor(repo, older, newer)

    return History(
        landed={one: commit for one, (commit, _) in provenance.landed.items()},
        approvals={
            path: provenance.approvals[digest]
            for path, digest in ledger.digests.items()
            if digest in provenance.approvals
        },
        is_before=is_before,
    )


def provenance_at(workspace: Workspace, tip: str) -> Provenance:
    """Where each file of the ledger came from, kept so that only new commits are looked at."""
    kept = workspace.place.derived / "record" / "provenance.json"
    known = _load(kept)
    if known is not None and known.tip == tip:
        return known
    repo = workspace.repository
    if known is not None and not (
        has_commit(repo, known.tip) and is_ancestor(repo, known.tip, tip)
    ):
        known = None
    found = trace(repo, tip, known)
    _keep(kept, found)
    return found


def _load(path: Path) -> Provenance | None:
    try:
        values = json.loads(path.read_bytes())
        if values["version"] != VERSION:
            return None
        return Provenance(
            str(values["tip"]),
            {str(k): (str(v[0]), str(v[1])) for k, v in values["landed"].items()},
            {str(k): str(v) for k, v in values["approvals"].items()},
            int(values["unread"]),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError):
        return None


def _keep(path: Path, found: Provenance) -> None:
    values: Mapping[str, object] = {
        "version": VERSION,
        "tip": found.tip,
        "landed": {key: list(value) for key, value in found.landed.items()},
        "approvals": dict(found.approvals),
        "unread": found.unread,
    }
    files.make_directory(path.parent)
    files.write_atomically(path, json.dumps(values, sort_keys=True).encode())
