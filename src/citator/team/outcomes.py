"""How tickets ended, as it was said and as history corrected it. One outcome a ticket counts.

- A ticket is a number or a key (``team/claims.py``). What a ticket says is never kept.
- Started, finished, corrected, undone: each is a line of the ledger, and the last that stands
  counts. A second outcome takes the place of the first; undoing it brings the first back.
- A prediction is judged by which of the files that it could name it named, and how early. How
  many of its files stayed untouched is said and decides nothing.
- What was shown and used in the work is told with its outcome, as ids and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from citator.model.errors import IntegrityError, NotFoundError
from citator.store.journal import Entry
from citator.team.local_ledger import LocalLedger, Writer

FOLDER: Final = "outcomes"
FORMAT: Final = 1
MOST_FORESEEN: Final = 20
MOST_IDS: Final = 200


class Outcome(StrEnum):
    """How a ticket ended."""

    COMPLETED = "completed"
    REVERTED = "reverted"
    ABANDONED = "abandoned"


class Event(StrEnum):
    """What happened to a ticket. The subjects are the ticket, then what an outcome is and, of a
    correction, the commit that made it."""

    STARTED = "work_started"
    FINISHED = "work_finished"
    CORRECTED = "outcome_corrected"
    UNDONE = "outcome_undone"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A file that was predicted: its path, and how sure (0 to 1, by the shipped curve) if told."""

    path: str
    sure: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A prediction held against what was changed.

    ``foreseen`` files were predicted, ``right`` of them changed; ``gold`` of the changed files
    could be foreseen (sources that were there before), at ``places`` (from 1) of the prediction.
    """

    foreseen: int
    right: int
    changed: int
    gold: int
    places: tuple[int, ...]

    @property
    def precision(self) -> float | None:
        """The share of the predicted files that were changed; None without a prediction."""
        return self.right / self.foreseen if self.foreseen else None

    @property
    def recall(self) -> float | None:
        """The share of the files to be foreseen that were; None where there were none."""
        return len(self.places) / self.gold if self.foreseen and self.gold else None

    @property
    def f1(self) -> float | None:
        """Their harmonic mean."""
        if self.precision is None or self.recall is None:
            return None
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def first(self) -> int | None:
        """The place of the first right file."""
        return min(self.places, default=None)


def judged(foreseen: Sequence[str], changed: Sequence[str], gold: Sequence[str]) -> Judged:
    """Hold a ranked prediction against the ``changed`` files, ``gold`` of them to be foreseen."""
    touched, wanted = frozenset(changed), frozenset(gold)
    places = tuple(number for number, one in enumerate(foreseen, 1) if one in wanted)
    right = len(touched.intersection(foreseen))
    return Judged(len(foreseen), right, len(touched), len(wanted), places)


@dataclass(frozen=True, slots=True)
class Ended:
    """What was said of the end of a ticket. ``judged`` is None where no changed file is known;
    ``sure`` and ``engine`` say how sure whoever ranked was; ``made`` is by whom and when the
    commit was made, as a digest: a rewritten one keeps it. ``mask`` names what was hidden from
    whoever counted."""

    outcome: Outcome
    commit: str | None = None
    made: str | None = None
    judged: Judged | None = None
    sure: tuple[float, ...] = ()
    engine: str = ""
    notes: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    files: int = 0
    files_used: int = 0
    decisions: int = 0
    mask: str = ""

    def rendered(self, ticket: str) -> bytes:
        """The file that keeps it."""
        return _rendered({"v": FORMAT, "ticket": ticket, **asdict(self)})


@dataclass(frozen=True, slots=True)
class Standing:
    """An outcome that counts: what was said, when, and by which commit it was corrected since."""

    time: str
    outcome: Outcome
    digest: str
    by: str | None = None


@dataclass(slots=True)
class Work:
    """A ticket: ``since`` it was in work, until it was ``closed`` (UTC; None: it still is); the
    outcome that counts is the last of ``ends``.

    ``started`` are digests; ``refused`` the commits whose correction somebody took back.
    """

    ticket: str
    since: str = ""
    closed: str | None = None
    started: list[str] = field(default_factory=list)
    ends: list[Standing] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    @property
    def end(self) -> Standing | None:
        """The outcome that counts."""
        return self.ends[-1] if self.ends else None


@dataclass(frozen=True)
class Outcomes:
    """The tickets of one clone, in ``local``."""

    local: Path

    @property
    def ledger(self) -> LocalLedger:
        """Where they are kept."""
        return LocalLedger(self.local / FOLDER)

    def all(self) -> dict[str, Work]:
        """Every ticket, in the order in which they were started.

        Raises IntegrityError ``local_ledger_broken``, StorageError.
        """
        found: dict[str, Work] = {}
        for entry in self.ledger.entries():
            _count(found, entry)
        return found

    def get(self, ticket: str) -> Work:
        """That ticket. Raises NotFoundError ``unknown_ticket``."""
        return _known(self.all(), ticket)

    def start(self, ticket: str, time: str, foreseen: Sequence[Foreseen], engine: str) -> None:
        """Say that work on a ticket began, and what was predicted."""
        rows = [[one.path, one.sure] for one in foreseen[:MOST_FORESEEN]]
        said = {"v": FORMAT, "ticket": ticket, "engine": engine, "foreseen": rows}
        with self.ledger.writing() as writer:
            writer.commit(Event.STARTED.value, time, (ticket,), _rendered(said))

    def finish(self, ticket: str, time: str, ended: Ended) -> bool:
        """Say how it ended. Returns whether that takes the place of an outcome."""
        with self.ledger.writing() as writer:
            known = _known(self.all(), ticket)
            subjects = (ticket, ended.outcome.value)
            writer.commit(Event.FINISHED.value, time, subjects, ended.rendered(ticket))
        return known.end is not None

    def correct(self, ticket: str, time: str, outcome: Outcome, by: str) -> bool:
        """Say that by the commit ``by`` it ended otherwise, unless that is known already, or was
        taken back. Returns whether it was said."""
        with self.ledger.writing() as writer:
            known = _known(self.all(), ticket)
            last = known.end
            if last is None or last.outcome is outcome or by in known.refused:
                return False
            _commit(writer, Event.CORRECTED, time, ticket, outcome.value, by)
        return True

    def undo(self, ticket: str, time: str) -> Work:
        """Take back the outcome that counts. Raises NotFoundError ``unknown_ticket``."""
        with self.ledger.writing() as writer:
            if _known(self.all(), ticket).end is None:
                raise unknown_ticket()
            _commit(writer, Event.UNDONE, time, ticket)
        return self.get(ticket)

    def foreseen(self, work: Work) -> tuple[tuple[Foreseen, ...], str]:
        """What was last predicted for a ticket, and what ranked it."""
        said = self._said(work.started[-1]) if work.started else {}
        try:
            rows = [Foreseen(str(path), _share(sure)) for path, sure in said.get("foreseen", ())]
            return tuple(rows), str(said.get("engine", ""))
        except (TypeError, ValueError):
            return (), ""

    def ended(self, standing: Standing) -> Ended | None:
        """What was said then; None where its file is damaged."""
        try:
            return _ended(self._said(standing.digest))
        except (KeyError, TypeError, ValueError):
            return None

    def _said(self, digest: str) -> Mapping[str, Any]:
        try:
            found = json.loads(self.ledger.content(digest))
        except (IntegrityError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def unknown_ticket() -> NotFoundError:
    """No work on such a ticket was started here, or it has no outcome."""
    return NotFoundError(
        "unknown_ticket",
        "no ticket of that name was started here, or it has no outcome",
        "start it first (start_work, `citator claims start`), or name it as it was started",
    )


def _known(works: Mapping[str, Work], ticket: str) -> Work:
    if ticket not in works:
        raise unknown_ticket()
    return works[ticket]


def _commit(writer: Writer, event: Event, time: str, *subjects: str) -> None:
    writer.commit(event.value, time, subjects)


def _count(found: dict[str, Work], entry: Entry) -> None:
    if entry.event not in _EVENTS or not entry.subjects:
        return
    event, ticket = Event(entry.event), entry.subjects[0]
    work = found.get(ticket)
    if event is Event.STARTED and entry.digests:
        if work is None or work.closed is not None:  # a new one, or taken up again
            ends, refused = ([], set()) if work is None else (work.ends, work.refused)
            found[ticket] = work = Work(ticket, entry.time, ends=ends, refused=refused)
        work.started.append(entry.digests[0])
    elif work is None:
        return
    elif event is Event.FINISHED and entry.digests and entry.subjects[1] in _OUTCOMES:
        work.ends.append(Standing(entry.time, Outcome(entry.subjects[1]), entry.digests[0]))
        work.closed = work.closed or entry.time
    elif event is Event.CORRECTED and work.ends and entry.subjects[1] in _OUTCOMES:
        last, by = work.ends[-1], entry.subjects[2]
        work.ends.append(Standing(last.time, Outcome(entry.subjects[1]), last.digest, by))
    elif event is Event.UNDONE and work.ends:
        gone = work.ends.pop()
        work.refused.update({gone.by} if gone.by else ())


_EVENTS: Final = frozenset(one.value for one in Event)
_OUTCOMES: Final = frozenset(one.value for one in Outcome)


def _rendered(said: Mapping[str, Any]) -> bytes:
    text = json.dumps(said, ensure_ascii=True, indent=1, sort_keys=True)
    return f"{text}\n".encode("ascii")


def _share(said: object) -> float | None:
    return None if said is None else float(said)  # type: ignore[arg-type]


def _ended(said: Mapping[str, Any]) -> Ended:
    """An end as it was rendered. Raises KeyError, TypeError, ValueError."""
    known = said["judged"]
    held = None
    if known is not None:
        held = Judged(
            foreseen=int(known["foreseen"]),
            right=int(known["right"]),
            changed=int(known["changed"]),
            gold=int(known["gold"]),
            places=tuple(int(one) for one in known["places"]),
        )
    return Ended(
        outcome=Outcome(said["outcome"]),
        commit=None if said["commit"] is None else str(said["commit"]),
        made=None if said["made"] is None else str(said["made"]),
        judged=held,
        sure=tuple(float(one) for one in said["sure"]),
        engine=str(said["engine"]),
        notes=tuple(map(str, said["notes"])),
        used=tuple(map(str, said["used"])),
        files=int(said["files"]),
        files_used=int(said["files_used"]),
        decisions=int(said["decisions"]),
        mask=str(said["mask"]),
    )
