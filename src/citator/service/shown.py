"""What was shown, while somebody worked here: ids of notes and decisions, paths of files.

    local/outcomes/shown.jsonl

- Appended, bounded (a full file is put aside once), read only when a ticket is finished.
- Whoever shows something is never stopped by it: what cannot be kept is not kept.
- What names its ticket is of that ticket. What names none is of the one ticket that was in work
  then, or else of the one that was started within the next hour: a brief comes before its ticket.
  Where several were, nobody knows whose it was, and it counts for none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from citator.model.errors import CitatorError
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.store import lines
from citator.team.claims import ticket_of
from citator.team.outcomes import FOLDER, Work

FILE: Final = "shown.jsonl"
FORMAT: Final = 1
MOST: Final = 50
BEFORE: Final = timedelta(hours=1)
LONGEST: Final = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Shown:
    """What was shown in the work on a ticket, each once."""

    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


def note_shown(
    workspace: Workspace,
    moment: Moment,
    *,
    notes: Iterable[str] = (),
    files: Iterable[str] = (),
    decisions: Iterable[str] = (),
    ticket: str | None = None,
) -> None:
    """Keep that these were shown. Raises nothing."""
    with suppress(CitatorError, OSError, ValueError):
        told = {"notes": notes, "files": files, "decisions": decisions}
        kept = {key: list(dict.fromkeys(some))[:MOST] for key, some in told.items()}
        if not any(kept.values()):
            return
        of = None if ticket is None else ticket_of(ticket)
        path = workspace.place.local / FOLDER / FILE
        lines.append(path, [{"v": FORMAT, "t": moment.text, "ticket": of, **kept}])


def shown_in(workspace: Workspace, works: Mapping[str, Work], ticket: str, now: str) -> Shown:
    """What was shown in the work on ``ticket`` until ``now`` (UTC). Raises StorageError."""
    spans = {name: _Span.of(one, now) for name, one in works.items()}
    found: dict[str, dict[str, None]] = {"notes": {}, "files": {}, "decisions": {}}
    for line in lines.read(workspace.place.local / FOLDER / FILE):
        time, of = line.get("t"), line.get("ticket")
        if line.get("v") != FORMAT or not isinstance(time, str) or not spans[ticket].near(time):
            continue
        if (_whose(spans, time) if of is None else of) == ticket:
            for key, some in found.items():
                rows = line.get(key)
                some.update((str(one), None) for one in (rows if isinstance(rows, list) else ()))
    return Shown(*(tuple(some) for some in found.values()))


@dataclass(frozen=True, slots=True)
class _Span:
    """When a ticket was in work, and from when on something may have been shown for it."""

    before: str
    since: str
    until: str

    @classmethod
    def of(cls, work: Work, now: str) -> _Span:
        began = datetime.fromisoformat(work.since)
        ended = min(datetime.fromisoformat(work.closed or now), began + LONGEST)
        return cls(_text(began - BEFORE), work.since, _text(max(began, ended)))

    def holds(self, time: str) -> bool:
        return self.since <= time <= self.until

    def near(self, time: str) -> bool:
        return self.before <= time <= self.until


def _whose(spans: Mapping[str, _Span], time: str) -> str | None:
    """The one ticket that was in work, or was about to be; None where that is not clear."""
    near = [name for name, one in spans.items() if one.near(time)]
    working = [name for name in near if spans[name].holds(time)] or near
    return working[0] if len(working) == 1 else None


def _text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
