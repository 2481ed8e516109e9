"""Begin a ticket: first what it is likely about, then, with the files that are meant, a claim.

- Without files nothing is claimed: they are predicted, and whoever begins says which of them, or
  which others, it will be.
- With them the claim is made; what governs these files, what was rejected there and who else is in
  them is told, and stops nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from citator.index.nothing import NothingSeen
from citator.model.errors import UsageError
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.ruling import Governing
from citator.service import claims, outcomes
from citator.service.bearing import bearing_on
from citator.service.claims import Wish, named_ticket
from citator.service.conflicts import Conflict, met
from citator.service.horizon import Seen, horizon_of
from citator.service.predicted import FILES_LEG, Predicted, predicted
from citator.service.proposing import Moment
from citator.service.readership import mask_of
from citator.service.record_view import audience_of
from citator.service.shown import note_shown
from citator.service.workspace import Workspace
from citator.team.claims import Claim, raw_path

MOST_PREDICTED = 8


@dataclass(frozen=True, slots=True)
class Begun:
    """What was begun: ``claim`` where files were named, else ``predicted``. ``record`` is what
    stands about the files, ``conflicts`` who else is in them, the nearest first."""

    ticket: str
    claim: Claim | None
    predicted: Predicted
    record: Governing = field(default_factory=Governing)
    conflicts: tuple[Conflict, ...] = ()
    horizon: Horizon = field(default_factory=lambda: Horizon(None, None))


def start_work(workspace: Workspace, wish: Wish, task: str, moment: Moment) -> Begun:
    """Begin ``wish.ticket``: claim its files and symbols, or, where it names none, predict from
    the ``task`` which it will be.

    Raises UsageError (``bad_ticket``, ``bad_claim``, ``path_outside``, ``nothing_to_start``),
    RefusedError ``secret_found``, StorageError, IntegrityError.
    """
    ticket, mask = named_ticket(wish.ticket), mask_of(workspace)
    claim, found = None, Predicted()
    if wish.files or wish.symbols:
        claim = claims.start(workspace, wish, moment)
        paths = [path for path in map(raw_path, claim.files) if not mask.covers(path)]
        if not outcomes.is_in_work(workspace, ticket):
            outcomes.started(workspace, moment, ticket=ticket)
    elif task.strip():
        found = predicted(workspace, task, mask, MOST_PREDICTED)
        paths = [one.path for one in found.files]
        outcomes.started(workspace, moment, ticket=ticket, predicted=found.files)
    else:
        raise UsageError(
            "nothing_to_start", "neither files nor a task were given", "give one of them"
        )
    borne = bearing_on(workspace, audience_of(workspace), paths).record
    symbols = () if claim is None else claim.symbols
    near = met(workspace, paths, symbols, moment, mask=mask)
    shown = [one.item for one in borne.decisions]
    note_shown(workspace, moment, files=paths, decisions=shown, ticket=ticket)
    horizon = horizon_of(
        workspace, None, [FILES_LEG] if found.off else [], Seen(NothingSeen(), mask)
    ).having([*near.facts, *(HorizonFact(Limit.RECORD_UNREADABLE, None, f) for f in borne.facts)])
    return Begun(ticket, claim, found, borne, near.conflicts, horizon)
