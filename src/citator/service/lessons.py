"""What the ends of tickets say of the notes that were shown in their work.

- A ticket counts once for a note, by the outcome that counts now: take that back, and what it
  taught is gone. Abandoned tickets teach nothing.
- A note *helped* where the ticket was completed and the note was of use in it.
- What a person verified or edited is judged anew from then on.
- Outcomes are first held against the reverts that HEAD has, once for a HEAD.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from citator.model.errors import CitatorError
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.team.notes import Channel, Event, Note
from citator.team.outcomes import Outcome, Outcomes
from citator.team.scoring import Feedback


@dataclass(frozen=True, slots=True)
class Lesson:
    """One ticket in whose work a note was shown: when it ended, whether the note was of use."""

    time: str
    outcome: Outcome
    used: bool


@dataclass(frozen=True, slots=True)
class Lessons:
    """What was learned, by the id of the note."""

    by_note: Mapping[str, Sequence[Lesson]] = field(default_factory=dict)

    def of(self, note: Note) -> Feedback:
        """What was learned of a note since a person last confirmed it."""
        found = self.by_note.get(note.id, ())
        if not found:
            return Feedback()
        since = max(
            (one.time for one in note.changes if _is_anew(one.event, one.channel)), default=""
        )
        counted = [one for one in found if one.time > since]
        completed = [one for one in counted if one.outcome is Outcome.COMPLETED]
        return Feedback(
            shown=len(counted),
            helped=sum(one.used for one in completed),
            reverted=sum(one.outcome is Outcome.REVERTED for one in counted),
        )


def lessons(workspace: Workspace, moment: Moment) -> Lessons:
    """What the outcomes of this clone teach. Raises StorageError, IntegrityError."""
    known = Outcomes(workspace.place.local)
    if not known.ledger.folder.is_dir():
        return Lessons()
    from citator.service.outcomes import correct

    with suppress(CitatorError):  # the next look corrects what this could not
        correct(workspace, moment)
    return learned(known)


def learned(known: Outcomes) -> Lessons:
    """What the outcomes that count teach."""
    found: dict[str, list[Lesson]] = defaultdict(list)
    for work in known.all().values():
        end = work.end
        said = None if end is None else known.ended(end)
        if end is None or said is None or end.outcome is Outcome.ABANDONED:
            continue
        for id in said.notes:
            found[id].append(Lesson(end.time, end.outcome, id in said.used))
    return Lessons(found)


def _is_anew(event: Event, channel: Channel) -> bool:
    return channel is Channel.TYPED and event in (Event.VERIFIED, Event.EDITED)
