"""How tickets end here, and what that teaches: notes that were in the way, predictions, reverts.

- The files of an outcome are those of its commit where one is given, else those that were named.
  A commit that is not here, or touches what the audience is not for, is no commit: one error.
- What could be foreseen are source files, no tests, that were there before: recall and places are
  of these. Nothing is measured where the changed files are not known.
- A note was *used* where the work changed a file that it is about, or somebody verified, amended or
  promoted it in the work. Paths decide, no words do.
- What was counted when another part of the history was hidden is told without its numbers.
- A revert that HEAD has corrects an outcome that said completed; one that was itself taken back
  since corrects it again. What HEAD has not changes nothing. A correction can be undone, and is
  then not made again by that commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from citator.git import history, trees
from citator.git.records import RawCommit
from citator.git.refusals import unknown_commit
from citator.git.revisions import commit_named
from citator.git.rewritten import mark_of, marked
from citator.git.runner import Git
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of
from citator.model.errors import CitatorError, RefusedError, StorageError, UsageError
from citator.model.treatment import StandingReason, Verdict
from citator.service import claims, reading_plan, shown
from citator.service.claims import named_ticket
from citator.service.predicted import PredictedFile
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.replayed_cases import TOP, Case, Cases, engine
from citator.service.workspace import Workspace
from citator.store.files import write_atomically
from citator.team.notes import Event as Noted
from citator.team.notes import Note, Notes
from citator.team.outcomes import (
    MOST_IDS,
    Ended,
    Foreseen,
    Judged,
    Outcome,
    Outcomes,
    Work,
    judged,
)

if TYPE_CHECKING:
    from citator.service.treatment import Treatments

FILE: Final = "outcomes-seen"
FORMAT: Final = 1
PATIENCE: Final = 200
MOST_FILES: Final = 2_000
MAX_PATH: Final = 4_096
_USING: Final = frozenset({Noted.EDITED, Noted.VERIFIED, Noted.PROMOTED, Noted.REPEATED})


@dataclass(frozen=True, slots=True)
class Told:
    """An outcome as it is told now: what was said of the work, and what counts since."""

    ticket: str
    outcome: Outcome
    time: str
    commit: str | None = None
    corrected_by: str | None = None
    judged: Judged | None = None
    notes: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    files: int = 0
    files_used: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """``replaced``: another outcome of the ticket counted before. ``released`` claims ended."""

    told: Told
    replaced: bool
    released: int


@dataclass(frozen=True, slots=True)
class _Changed:
    """The files that a work changed, and those of them that could be foreseen."""

    paths: tuple[str, ...]
    gold: tuple[str, ...]
    commit: str | None = None
    made: str | None = None


def of(workspace: Workspace) -> Outcomes:
    """The tickets of this clone."""
    return Outcomes(workspace.place.local)


def started(
    workspace: Workspace,
    moment: Moment,
    *,
    ticket: str,
    predicted: Sequence[PredictedFile | str] = (),
) -> str:
    """Say that work on a ticket began, with what was predicted, best first. Returns the ticket as
    it is kept. Raises UsageError ``bad_ticket``, StorageError, IntegrityError."""
    kept = named_ticket(ticket)
    rows = [
        Foreseen(one) if isinstance(one, str) else Foreseen(one.path, one.sure) for one in predicted
    ]
    of(workspace).start(kept, moment.text, rows, engine() if rows else "")
    return kept


def is_in_work(workspace: Workspace, ticket: str) -> bool:
    """Whether a ticket was started and not finished since. Raises StorageError, IntegrityError."""
    known = of(workspace).all().get(ticket)
    return known is not None and known.closed is None


def finish(
    workspace: Workspace,
    moment: Moment,
    *,
    ticket: str,
    outcome: Outcome,
    files: Sequence[str] = (),
    commit: str | None = None,
) -> Finished:
    """Say how a ticket ended: what counts of it from now on.

    Raises UsageError, NotFoundError ``unknown_ticket``, ``unknown_commit``, RefusedError
    ``commit_at_the_edge``, StorageError, IntegrityError.
    """
    kept, known, mask = named_ticket(ticket), of(workspace), mask_of(workspace)
    works = known.all()
    work = known.get(kept)
    changed = _named(files, mask) if commit is None else _committed(workspace, commit, mask)
    foreseen, ranked_by = known.foreseen(work)
    seen = shown.shown_in(workspace, works, kept, moment.text)
    notes = seen.notes[:MOST_IDS]
    ended = Ended(
        outcome=outcome,
        commit=changed.commit,
        made=changed.made,
        judged=judged([one.path for one in foreseen], changed.paths, changed.gold)
        if changed.paths
        else None,
        sure=tuple(one.sure for one in foreseen if one.sure is not None),
        engine=ranked_by,
        notes=notes,
        used=_used(workspace, notes, work, moment, changed.paths),
        files=len(seen.files),
        files_used=len(set(changed.paths).intersection(seen.files)),
        decisions=len(seen.decisions),
        mask=_mark(mask),
    )
    replaced = known.finish(kept, moment.text, ended)
    released = claims.release(workspace, kept, moment)
    with suppress(CitatorError):  # what cannot be looked at now is looked at later
        correct(workspace, moment)
        recalibrate(workspace)
    return Finished(_told(known, known.get(kept), mask), replaced, len(released))


def listing(workspace: Workspace) -> tuple[Told, ...]:
    """The outcome that counts of each ticket that has one, the latest first."""
    known, mask = of(workspace), mask_of(workspace)
    found = [_told(known, one, mask) for one in known.all().values() if one.end is not None]
    return tuple(sorted(found, key=lambda one: one.time, reverse=True))


def undo(workspace: Workspace, ticket: str, moment: Moment) -> Told | None:
    """Take back the outcome of a ticket that counts. Returns what counts then. Raises NotFoundError
    ``unknown_ticket``."""
    known = of(workspace)
    work = known.undo(named_ticket(ticket), moment.text)
    with suppress(CitatorError):
        recalibrate(workspace)
    return None if work.end is None else _told(known, work, mask_of(workspace))


def cases(workspace: Workspace) -> tuple[Case, ...]:
    """The completed tickets that tell of what ranks here now how right it was."""
    known, ranked_by = of(workspace), engine()
    found = []
    for work in known.all().values():
        said = None if work.end is None else known.ended(work.end)
        if work.end is None or said is None or work.end.outcome is not Outcome.COMPLETED:
            continue
        held, whole = said.judged, said.engine == ranked_by and not said.mask
        if held is not None and held.gold and whole and len(said.sure) == held.foreseen > 0:
            name = said.commit or work.ticket
            found.append(Case(name, held.gold, held.places, said.sure[:TOP], named=False))
    return tuple(found)


def recalibrate(workspace: Workspace) -> None:
    """Let finished tickets take part in how sure `locate` says it is. Raises StorageError."""
    if mask_of(workspace).hides:
        return
    tickets, plan = cases(workspace), reading_plan.plan_for(workspace)
    if tickets or (plan is not None and plan.tickets):
        past = [one for one in Cases(workspace).read(engine()).values() if one.gold]
        made = reading_plan.recalibrated(plan, past, tickets)
        if made != plan:
            reading_plan.save(workspace, made, engine())


def correct(workspace: Workspace, moment: Moment, *, patience: int | None = PATIENCE) -> int:
    """Hold outcomes against the reverts that HEAD has. Returns how many were corrected.

    Once for a HEAD and what is known there; cheap where nothing was finished with a commit. More
    commits than ``patience`` that were not read yet wait for `citator index`. Raises StorageError,
    GitRefusedError, IntegrityError.
    """
    known, head = of(workspace), workspace.head.commit
    entries = known.ledger.entries()
    seen = f"{FORMAT} {head} {len(entries)} {_mark(mask_of(workspace))}\n"
    if head is None or not entries or _seen(workspace) == seen:
        return 0
    from citator.service.treatment import treatments

    asked, count = _correctable(known), 0
    if asked:
        with treatments(workspace, patience=patience) as treated:
            if not treated.read:
                return 0
            for work, verdict in _verdicts(workspace, head, treated, asked):
                count += _corrected(known, work, verdict, moment.text)
    if not count:
        with suppress(StorageError):
            write_atomically(workspace.place.derived / FILE, seen.encode("ascii"))
    return count


def _seen(workspace: Workspace) -> str:
    """At which HEAD, and with how much known, outcomes were last held against reverts."""
    try:
        return (workspace.place.derived / FILE).read_text("ascii")
    except (OSError, ValueError):
        return ""


def _verdicts(
    workspace: Workspace, head: str, treated: Treatments, asked: Sequence[tuple[Work, Ended]]
) -> Iterator[tuple[Work, Verdict]]:
    """How the commit of each ticket stands at HEAD; of one that was rewritten, the one there."""
    treated.look_ahead([ended.commit or "" for _, ended in asked])
    gone = {ended.made or "" for _, ended in asked if not treated.shows(ended.commit or "")}
    again = marked(workspace.repository, head, gone) if gone else {}
    for work, ended in asked:
        here = treated.shows(ended.commit or "")
        commit = ended.commit if here else again.get(ended.made or "")
        if commit is not None:
            yield work, treated.verdict(commit)


def _corrected(known: Outcomes, work: Work, verdict: Verdict, time: str) -> bool:
    if verdict.by is None:
        return False
    if verdict.reason is StandingReason.REVERTED:
        return known.correct(work.ticket, time, Outcome.REVERTED, verdict.by)
    if verdict.reason is StandingReason.REINSTATED:
        return known.correct(work.ticket, time, Outcome.COMPLETED, verdict.by)
    return False


def _correctable(known: Outcomes) -> list[tuple[Work, Ended]]:
    """The tickets whose end was said to be completed with a commit."""
    found = []
    for work in known.all().values():
        ended = known.ended(work.end) if work.end is not None else None
        if ended is not None and ended.commit and ended.outcome is Outcome.COMPLETED:
            found.append((work, ended))
    return found


def _told(known: Outcomes, work: Work, mask: Mask) -> Told:
    end = work.ends[-1]
    said = known.ended(end) or Ended(end.outcome)
    if said.mask != _mark(mask):
        return Told(work.ticket, end.outcome, end.time)
    return Told(
        ticket=work.ticket,
        outcome=end.outcome,
        time=end.time,
        commit=said.commit,
        corrected_by=end.by,
        judged=said.judged,
        notes=said.notes,
        used=said.used,
        files=said.files,
        files_used=said.files_used,
        decisions=said.decisions,
    )


def _mark(mask: Mask) -> str:
    return mask.id if mask.hides else ""


def _named(files: Sequence[str], mask: Mask) -> _Changed:
    """What somebody says was changed, less what is hidden."""
    if len(files) > MOST_FILES or any(len(one) > MAX_PATH or "\0" in one for one in files):
        raise UsageError(
            "bad_path", f"at most {MOST_FILES} paths of the repository", "give the commit instead"
        )
    named = dict.fromkeys(one.removeprefix("./") for one in files)
    paths = tuple(one for one in named if one and not mask.covers(one))
    return _Changed(paths, tuple(filter(_can_be_foreseen, paths)))


def _committed(workspace: Workspace, name: str, mask: Mask) -> _Changed:
    """What a commit changed against its first parent."""
    repo = workspace.repository
    commit = commit_named(repo, name)
    raw = _raw(workspace, commit)
    if mask.hides and mask.covers_any(raw.paths):
        raise unknown_commit()
    if raw.paths is None:
        raise RefusedError(
            "commit_at_the_edge",
            "what that commit changed cannot be told here: its parent or a tree is missing",
            "name the files instead, or fetch more of the history: git fetch --deepen=1",
        )
    there = frozenset[str]()
    if raw.parents:
        pairs = trees.changed(repo, raw.parents[0], commit)
        there = frozenset(old.path for old, _ in pairs if old is not None)
    gold = tuple(one for one in raw.paths if one in there and _can_be_foreseen(one))
    return _Changed(raw.paths, gold, commit, mark_of(repo, commit))


def _raw(workspace: Workspace, commit: str) -> RawCommit:
    """One commit with its paths. Raises NotFoundError ``unknown_commit``."""
    repo = workspace.repository
    listed = Git.of(repo).run("rev-list", "--parents", "--max-count=1", commit)
    with history.commits(repo, commit, listed.decode("ascii").split()[1:]) as walk:
        raw = next((one for one in walk if one.object_id == commit), None)
    if raw is None:
        raise unknown_commit()
    return raw


def _can_be_foreseen(path: str) -> bool:
    return language_of(path) is not None and not is_test(path)


def _used(
    workspace: Workspace, ids: Sequence[str], work: Work, moment: Moment, paths: Sequence[str]
) -> tuple[str, ...]:
    """Those of the notes that were of use in the work."""
    if not ids:
        return ()
    above = {"/".join(parts[:end]) for parts in (one.split("/") for one in paths)
             for end in range(1, len(parts) + 1)}  # fmt: skip
    kept = Notes(workspace.place.local, workspace.place.derived)
    asked = frozenset(ids)
    there = {one.id: kept.note(one) for one in kept.standing() if one.id in asked}
    return tuple(
        one for one in ids if one in there and _is_used(there[one], above, work, moment.text)
    )


def _is_used(note: Note, above: set[str], work: Work, now: str) -> bool:
    """``above``: the changed files and the folders they are in."""
    about = note.content.paths if note.content is not None else ()
    handled = any(
        one.event in _USING and work.since <= one.time <= (work.closed or now)
        for one in note.changes
    )
    return handled or not above.isdisjoint(about)
