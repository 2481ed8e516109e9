"""The record of a repository, as this machine may rely on it.

- What is served is read from the blobs of a commit, every signature verified, under the root that
  a person pinned here. A pin that cannot be read counts as none, and is told.
- A landed migration that differs from what was first added stops the whole record. One whose file
  is gone goes on counting and is told: a deletion brings nothing back. A text that is gone retires
  its decision.
- What the pinned root changed about approvers and policy is remembered when it is first seen.
- ``working`` is for a person's own commands: it reads the working tree, and serves nobody else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from citator.git.blobs import BlobReader
from citator.git.folders import folder_id, is_ancestor
from citator.git.history import reachable
from citator.git.records import Repository
from citator.git.repository import has_commit
from citator.model.errors import (
    CitatorError,
    IntegrityError,
    NotFoundError,
    RefusedError,
    StorageError,
    UsageError,
)
from citator.model.record import RecordStatus, Sensitivity
from citator.model.visibility import SECOND_FLOOR, Audience, may_open_second
from citator.record import ledger as ledgers
from citator.record.evaluation import History, Record, evaluate
from citator.record.ledger import APPROVALS, FOLDER, RECORD, FileProblem, Ledger, LedgerFile
from citator.record.migration import MAX_BYTES
from citator.record.provenance import VERSION, Provenance, trace
from citator.record.state import RecordState
from citator.service.attested import verified_by
from citator.service.workspace import Workspace, require_commits
from citator.store import files
from citator.store.seal import sealed, unsealed
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pin, Pins
from citator.trust.remembered import Memory, Remembered

GONE: Final = "the file of its text was deleted"


def record_of(workspace: Workspace, commit: str | None = None) -> Record:
    """The record at ``commit`` (HEAD if None).

    Raises IntegrityError ``record_tampered``, GitRefusedError, RefusedError ``no_commits``.
    """
    tip = commit or require_commits(workspace)
    ledger = ledgers.at_commit(workspace.repository, tip)
    return evaluated(workspace, ledger, tip, remember=True)


def records_of(workspace: Workspace, audience: Audience | None = None) -> tuple[Record, ...]:
    """The record at HEAD, and that of the second ledger where the operator named one.

    ``audience`` None is the operator. A second ledger that cannot be read is a record with a
    problem and nothing else.
    """
    return (record_of(workspace), *second_record(workspace, audience))


def second_record(workspace: Workspace, audience: Audience | None = None) -> tuple[Record, ...]:
    """What the second ledger of this repository says, if there is one for ``audience``."""
    if audience is not None and not may_open_second(audience):
        return ()
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
        return evaluated(workspace, ledger, None, SECOND_FLOOR, remember=True)
    tip = require_commits(other)
    ledger = ledgers.at_commit(other.repository, tip)
    return evaluated(other, ledger, tip, SECOND_FLOOR, remember=True)


def second_state(workspace: Workspace) -> str | None:
    """A digest of all that the record of the second ledger follows from, found without reading
    it; empty where there is no such ledger, None where it is not to be read."""
    try:
        place = SecondLedgers(workspace.layout).of(workspace.repository_id)
        if place is None:
            return ""
        try:
            other = Workspace.open(place, workspace.places)
        except UsageError:
            return _listed(place / FOLDER)
        tip = require_commits(other)
        return f"{folder_id(other.repository, tip, FOLDER)} {origins(provenance_at(other, tip))}"
    except (CitatorError, OSError):
        return None


def _listed(folder: Path) -> str:
    """A digest of what lies in a directory: names, sizes, times."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        named = os.fsencode(path.relative_to(folder))
        digest.update(b"%s\0%d %d %d\0" % (named, facts.st_size, facts.st_mtime_ns, facts.st_ino))
    return digest.hexdigest()


def second_files(workspace: Workspace, paths: Iterable[str]) -> Iterator[LedgerFile]:
    """The files ``paths`` of the second ledger, as they are served now; none where it is gone."""
    place = SecondLedgers(workspace.layout).of(workspace.repository_id)
    if place is None:
        return iter(())
    try:
        other = Workspace.open(place, workspace.places)
    except UsageError:
        return ledgers.chosen_files(place / FOLDER, paths)
    return ledgers.committed_files(other.repository, require_commits(other), paths)


def working(workspace: Workspace) -> Record:
    """The record as the working tree has it, committed or not."""
    return evaluated(workspace, working_ledger(workspace), workspace.head.commit)


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


def evaluated(
    workspace: Workspace,
    ledger: Ledger,
    tip: str | None,
    floor: Sensitivity = Sensitivity.INTERNAL,
    *,
    remember: bool = False,
) -> Record:
    """What counts of ``ledger``, whose committed files ``workspace`` has at ``tip`` (None: none).

    ``floor`` is the least sensitivity that a rejection signed in it has. With ``remember``, what
    the root changed about approvers and policy is remembered.
    """
    if ledger.empty:
        return Record(ledger.record, False)
    pin, problems = pin_of(workspace, ledger.record)
    history = History()
    gone: tuple[str, ...] = ()
    whole = False
    if tip is not None:
        provenance = provenance_at(workspace, tip)
        require_untouched(provenance, ledger)
        ledger, gone = with_gone(workspace, provenance, ledger)
        problems = (*problems, *map(_gone, gone))
        history = _history(workspace, provenance, ledger)
        whole = not workspace.repository.shallow and provenance.unread == 0
    remembered = Remembered()
    if pin is not None:
        try:
            remembered = Memory(workspace.layout, pin.record).read()
        except CitatorError as error:
            pin, problems = None, (*problems, FileProblem("", error.code, error.what))
        ledger = ledger.with_more(
            LedgerFile(path, one.encode()) for path, one in remembered.files.items()
        )
        history = replace(history, before=remembered.before)
        if tip is not None:
            verified = verified_by(workspace, tip, pin, ledger)
            history = replace(history, verified=verified)
    record = evaluate(ledger, pin, history, floor)
    if remember and record.pinned:
        _remember(workspace, remembered, record, ledger, whole=whole)
    state = _without_texts(record.state, gone)
    return replace(record, state=state, problems=(*record.problems, *problems))


def with_gone(
    workspace: Workspace, provenance: Provenance, ledger: Ledger
) -> tuple[Ledger, tuple[str, ...]]:
    """The ledger with what had landed and is gone, read where it first was; and which those are."""
    there = set(ledger.digests.values())
    gone = {_migration(one): one for one in provenance.landed if one not in ledger.landed}
    gone |= {_approval(one): one for one in provenance.approvals if one not in there}
    if not gone:
        return ledger, ()
    found = []
    with BlobReader(workspace.repository) as reader:
        for path, key in gone.items():
            content = reader.read(provenance.objects[key], MAX_BYTES)
            if isinstance(content, bytes):
                found.append(LedgerFile(path, content))
    more = ledger.with_more(found)
    return more, tuple(sorted(set(more.landed) - set(ledger.landed)))


def _gone(migration: str) -> FileProblem:
    sentence = "a landed migration was deleted: it goes on counting, and a text of it is retired"
    return FileProblem(f"{RECORD}/{migration}", "landed_file_gone", sentence)


def _without_texts(state: RecordState, gone: Collection[str]) -> RecordState:
    """``state``, the decisions retired whose texts are among the migrations ``gone``."""
    retired = {
        item.id: replace(item, status=RecordStatus.DEPRECATED, reason=GONE)
        for item in state.items.values()
        if item.status is RecordStatus.APPROVED and any(one.id in gone for one in item.revisions)
    }
    return replace(state, items={**state.items, **retired}) if retired else state


def _migration(key: str) -> str:
    """A path for a landed file that is gone: one that no tree of git can hold."""
    return f"{RECORD}//{key}.md"


def _approval(digest: str) -> str:
    return f"{APPROVALS}//{digest}.yaml"


def _remember(
    workspace: Workspace, known: Remembered, record: Record, ledger: Ledger, *, whole: bool
) -> None:
    """Remember what the root changed. Where the history is not whole, only that it did."""
    rules = {one.id: one for one in record.effective if one.is_governance}
    kept = {_migration(key): one.render().decode() for key, one in rules.items()}
    for _, approval in ledger.approvals:
        if approval.statement.migration in rules:
            raw = approval.render()
            kept[_approval(hashlib.sha256(raw).hexdigest())] = raw.decode()
    more = known.with_more(Remembered(kept, record.before if whole else {}))
    if more != known:
        with suppress(StorageError):  # it is seen again the next time
            Memory(workspace.layout, str(record.id)).add(more)


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
            f"what landed no longer says what was first added: {', '.join(tampered[:3])}"
            + (f", and {len(tampered) - 3} more" if len(tampered) > 3 else ""),
            "find the commit with `git log -- .citator/record`, and bring the first text back",
        )


def _history(workspace: Workspace, provenance: Provenance, ledger: Ledger) -> History:
    return History(
        landed={one: commit for one, (commit, _) in provenance.landed.items()},
        approvals={
            path: provenance.approvals[digest]
            for path, digest in ledger.digests.items()
            if digest in provenance.approvals
        },
        is_before=ancestry(workspace.repository),
    )


def ancestry(repo: Repository) -> Callable[[str, str], bool]:
    """Whether one commit is a strict ancestor of another: each later one is walked once.

    Hundreds of approvals are asked about against few changes of the rules.
    """
    walked: dict[str, frozenset[str]] = {}

    def is_before(older: str, newer: str) -> bool:
        if newer not in walked:
            walked[newer] = frozenset(reachable(repo, newer)) - {newer}
        return older in walked[newer]

    return is_before


def provenance_at(workspace: Workspace, tip: str) -> Provenance:
    """Where each file of the ledger came from, kept so that only new commits are looked at."""
    kept = workspace.place.derived / "record" / "provenance.json"
    known = _load(kept, workspace.secret)
    if known is not None and known.tip == tip:
        return known
    repo = workspace.repository
    if tip != workspace.head.commit:  # asked about once: not worth keeping
        return trace(repo, tip)
    if known is not None and not (
        has_commit(repo, known.tip) and is_ancestor(repo, known.tip, tip)
    ):
        known = None
    found = trace(repo, tip, known)
    _keep(kept, found, workspace.secret)
    return found


def origins_at(workspace: Workspace, tip: str) -> str:
    """A digest of where each file of the ledger came from, kept beside it for HEAD.

    With ten thousand decisions, to read where each came from costs more than to answer.
    """
    kept = workspace.place.derived / "record" / "origins"
    known = unsealed(workspace.secret, "origins", _read(kept))
    if known is not None and known.startswith(f"{VERSION} {tip} ".encode()):
        return known.rpartition(b" ")[2].decode()
    found = origins(provenance_at(workspace, tip))
    if tip == workspace.head.commit:
        data = sealed(workspace.secret, "origins", f"{VERSION} {tip} {found}".encode())
        files.make_directory(kept.parent)
        files.write_atomically(kept, data)
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def origins(provenance: Provenance) -> str:
    """A digest of where each file of a ledger came from."""
    said = [sorted(provenance.landed.items()), sorted(provenance.approvals.items())]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _load(path: Path, secret: bytes) -> Provenance | None:
    try:
        values = json.loads(unsealed(secret, "provenance", path.read_bytes()) or b"")
        if values["version"] != VERSION:
            return None
        return Provenance(
            str(values["tip"]),
            {str(k): (str(v[0]), str(v[1])) for k, v in values["landed"].items()},
            {str(k): str(v) for k, v in values["approvals"].items()},
            int(values["unread"]),
            {str(k): str(v) for k, v in values["objects"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError):
        return None


def _keep(path: Path, found: Provenance, secret: bytes) -> None:
    values: Mapping[str, object] = {
        "version": VERSION,
        "tip": found.tip,
        "landed": {key: list(value) for key, value in found.landed.items()},
        "approvals": dict(found.approvals),
        "unread": found.unread,
        "objects": dict(found.objects),
    }
    files.make_directory(path.parent)
    data = json.dumps(values, sort_keys=True).encode()
    files.write_atomically(path, sealed(secret, "provenance", data))
