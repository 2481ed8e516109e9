"""Apply approved proposals: the whole set replayed first, then moved among the landed ones.

- Refused on the end state: what would have no effect, what disagrees with what stands, what a
  loosening would need that was not said and approved. One that is refused refuses all.
- One writer at a time. Files are written in causal order, each whole, and taken back where the
  command fails; where it is killed, what is served is what it was (it is read from HEAD), and the
  next run goes on.
- What landed already is left: to apply twice is to apply once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citator.git.committing import commit
from citator.model.errors import CitatorError, RefusedError
from citator.model.record import RecordStatus
from citator.record import writing
from citator.record.evaluation import Proposal
from citator.record.ledger import FOLDER, IDENTITY, PROPOSALS, RECORD
from citator.record.migration import Migration, parse
from citator.record.replay import replay
from citator.record.writing import ATTRIBUTES
from citator.service import journal
from citator.service.desk import Desk, desks, one_writer, writing_the_tree
from citator.service.journal import Event
from citator.service.naming import migration_named
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.store import files
from citator.trust.statement import Verdict


@dataclass(frozen=True, slots=True)
class Landed:
    """One migration that was moved among the landed ones."""

    id: str
    digest: str
    path: Path


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done. ``left`` are proposals that lack approval; ``commit`` is a commit's id."""

    landed: tuple[Landed, ...]
    left: tuple[str, ...]
    commit: str | None = None


def apply(
    workspace: Workspace, names: Sequence[str], moment: Moment, *, and_commit: bool = False
) -> Applied:
    """Land the proposals of these names, or every one that was approved.

    Raises RefusedError (``not_approved``, ``conflict``, ``migration_…``), NotFoundError,
    LockedError, StorageError.
    """
    with one_writer(workspace):
        everything = desks(workspace)
        wanted = {migration_named(everything, name)[1].id for name in names}
        landed: list[Landed] = []
        left: list[str] = []
        commits = []
        for desk in everything:
            chosen = _chosen(desk, wanted)
            ordered = _replayed(desk, chosen)
            done = _moved(desk, ordered, moment)
            landed += done
            _swept(desk)
            left += _left(desk, {one.id for one in ordered})
            if and_commit:
                commits.append(_committed(desk, ordered or _uncommitted(desk), wanted))
    return Applied(tuple(landed), tuple(left), next((one for one in commits if one), None))


def _chosen(desk: Desk, wanted: set[str]) -> list[Migration]:
    waiting = {one.migration.id: one for one in desk.record.proposals if not one.landed}
    if not wanted:
        return [one.migration for one in desk.approved()]
    chosen = []
    for id in sorted(wanted & {one.id for one in desk.migrations}):
        proposal = waiting.get(id)
        if proposal is None:  # landed before
            continue
        if not proposal.approved:
            raise _not_approved(desk, proposal)
        chosen.append(proposal.migration)
    return chosen


def _not_approved(desk: Desk, proposal: Proposal) -> RefusedError:
    desk.pin()
    migration = proposal.migration
    if migration.draft:
        return RefusedError(
            "still_a_draft", "that is a draft", f"citator decide --ready {migration.id}"
        )
    return RefusedError(
        "not_approved",
        "that lacks the approval which the policy asks for; nothing was applied",
        f"citator approve {migration.id} shows what is there and what is wanted",
    )


def _replayed(desk: Desk, chosen: Sequence[Migration]) -> list[Migration]:
    """``chosen`` in causal order, the end state having been looked at. Raises RefusedError."""
    if not chosen:
        return []
    before = desk.record.state
    after = replay([*desk.record.effective, *chosen])
    ids = {one.id: one for one in chosen}
    was_refused = {one.migration for one in before.refused}
    for problem in after.refused:
        if problem.migration in ids or problem.migration not in was_refused:
            raise RefusedError(
                f"migration_{problem.refusal.value}",
                f"{problem.migration}: {problem.sentence}; nothing was applied",
                "apply the others by their ids, and propose this one again on how things stand",
            )
    conflicts = sorted(set(after.contested) - set(before.contested))
    if conflicts:
        raise RefusedError(
            "conflict",
            f"two of them, or one and what stands, disagree about {_plain(conflicts[0])}; "
            "nothing was applied",
            "apply one by its id, and propose the other again on how things then stand",
        )
    return [ids[id] for id in after.accepted if id in ids]


def _plain(slot: str) -> str:
    """A slot without the words that an alias, or a value, may hold."""
    return "/".join(slot.split("/")[:3]) if slot.startswith("item/") else slot.partition("/")[0]


def _moved(desk: Desk, ordered: Sequence[Migration], moment: Moment) -> list[Landed]:
    done: list[Landed] = []
    with writing_the_tree(), _taken_back(desk, done):
        for migration in ordered:
            path = writing.land_beside(desk.root, migration)
            done.append(Landed(migration.id, migration.digest, path))
    with writing_the_tree():
        for migration in ordered:
            writing.withdraw(desk.root, desk.ledger.paths[migration.id])
    for one in done:
        journal.note(desk.home, Event.LANDED, moment.text, (one.id,), (one.digest,))
    return done


def _swept(desk: Desk) -> None:
    """Take away proposals that landed in a run that was killed before it did."""
    folder = desk.root / FOLDER / PROPOSALS
    with writing_the_tree(), files.guarded():
        names = sorted(one.name for one in folder.glob("*.md")) if folder.is_dir() else []
        for name in names:
            landed = desk.ledger.landed.get(name[:26])
            if landed is not None and landed.digest == _digest(folder / name):
                writing.withdraw(desk.root, f"{PROPOSALS}/{name}")


def _digest(path: Path) -> str | None:
    if path.is_symlink():
        return None
    try:
        return parse(path.read_bytes()).digest
    except CitatorError:
        return None


@contextmanager
def _taken_back(desk: Desk, done: list[Landed]) -> Iterator[None]:
    """Where the block fails, take away what it had landed: the proposals are all still there."""
    try:
        yield
    except BaseException:
        for one in done:
            one.path.unlink(missing_ok=True)
        done.clear()
        raise


def _left(desk: Desk, landed: set[str]) -> list[str]:
    return [
        one.migration.id
        for one in desk.record.proposals
        if not one.landed
        and one.migration.id not in landed
        and one.status is not RecordStatus.REJECTED
    ]


def _uncommitted(desk: Desk) -> list[Migration]:
    """What landed in an earlier run and may not be committed yet: git knows which."""
    return [one for one in desk.record.effective if one.id in desk.ledger.landed]


def _committed(desk: Desk, migrations: Sequence[Migration], wanted: set[str]) -> str | None:
    """Commit the landed files, the approvals of each, and what the ledger is known by.

    Rejections go along: they land by themselves.
    """
    chosen = [one for one in migrations if not wanted or one.id in wanted]
    told = [
        path
        for path, said in desk.ledger.approvals
        if said.statement.verdict is not Verdict.APPROVE
    ]
    if not (chosen or told) or desk.workspace.repository.worktree is None:
        return None
    if desk.second and desk.workspace is desk.home:  # a plain directory
        return None
    ids = {one.id for one in chosen}
    paths = [IDENTITY, ATTRIBUTES, *told]
    for one in chosen:
        name = Path(desk.ledger.paths[one.id]).name
        paths += [f"{RECORD}/{one.file_name()}", f"{RECORD}/{name}", f"{PROPOSALS}/{name}"]
    paths += [path for path, said in desk.ledger.approvals if said.statement.migration in ids]
    inside = desk.root.resolve().relative_to(desk.workspace.repository.worktree.resolve())
    ours = [(inside / FOLDER / path).as_posix() for path in dict.fromkeys(paths)]
    return commit(desk.workspace.repository, ours, _message(chosen))


def _message(chosen: Sequence[Migration]) -> str:
    """A commit message of ids: the words stand in the record alone."""
    if not chosen:
        return "Record what was rejected"
    if len(chosen) == 1:
        return f"Land decision {chosen[0].id}"
    return "\n".join([f"Land {len(chosen)} decisions", "", *(one.id for one in chosen)])
