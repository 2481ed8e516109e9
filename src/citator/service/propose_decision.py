"""A decision proposed through a client: written as a file, decided by nobody but a person.

- There is no way here to sign, to pin or to grant; what is written has no effect until a person
  signs it.
- What a person rejected is told, with the reason as far as it may travel, and not written again
  unless the caller says what changed.
- Decisions are named by ids that the audience may see, as they are served; of anything else there
  is one answer, and no ledger is read to give it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from citator.git.identity import person
from citator.model.errors import NotFoundError
from citator.model.record import RecordStatus
from citator.model.ruling import RejectionNotice
from citator.model.visibility import Audience
from citator.record.evaluation import Proposal
from citator.service import journal
from citator.service.decide import Links, Manner, ToldNoError, decide
from citator.service.decision_template import Wish
from citator.service.desk import desks
from citator.service.governing import notice
from citator.service.journal import Event
from citator.service.kept_views import RecordView
from citator.service.naming import items_in
from citator.service.proposing import Moment
from citator.service.record_view import audience_of, view_of
from citator.service.workspace import Workspace

NOBODY = "unknown"
LOOKED_AT = 1_000
_STANDING = RecordStatus.APPROVED


@dataclass(frozen=True, slots=True)
class Reply:
    """How a proposal stands: ``status`` is a record's, ``told_no`` or ``unknown``.

    ``flags`` are signs in its text that a reviewer is shown; ``rejection`` is what speaks
    against it.
    """

    status: str
    id: str | None = None
    items: tuple[str, ...] = ()
    digest: str | None = None
    flags: tuple[str, ...] = ()
    rejection: RejectionNotice | None = None


def propose_decision(
    workspace: Workspace,
    wish: Wish,
    links: Links,
    because: str | None,
    moment: Moment,
    audience: Audience | None = None,
) -> Reply:
    """Write the proposal into the working tree.

    Raises NotFoundError ``unknown_ref`` for an item that the audience may not see, RefusedError
    (``secret_found``, ``needs_second_ledger``, ``bare_repository``), UsageError, StorageError.
    """
    named = [one for one in (links.revises, *links.supersedes) if one]
    asker = audience or audience_of(workspace)
    if named:
        _require_seen(workspace, named, asker)
    author = person(workspace.repository) or "unknown"
    manner = Manner(author, anyway=because, audience=asker)
    try:
        made = decide(workspace, wish, links, manner, moment)
    except ToldNoError as refused:
        return Reply("told_no", rejection=notice(refused.rejected))
    return Reply(
        RecordStatus.PROPOSED.value,
        made.migration.id,
        made.items,
        made.migration.digest,
        tuple(sorted({one.value for one in made.flags})),
    )


def _require_seen(workspace: Workspace, named: list[str], audience: Audience) -> None:
    """Raise NotFoundError unless the audience is served every item that is named."""
    with _served(workspace, audience) as view:
        partition = None if view is None else view.partition
        seen = partition is not None and all(
            any(
                (text := partition.read(number)).item == one and text.status is _STANDING
                for number in partition.named(one)
            )
            for one in named
        )
    if not seen:
        raise NotFoundError(
            "unknown_ref",
            "no decision here has that id",
            "give the `item` of a decision as investigate_work returned it",
        )


def status_of(workspace: Workspace, id: str, audience: Audience | None = None) -> Reply:
    """How the proposal of this id stands; ``unknown`` where there is none to be seen."""
    granted = audience or audience_of(workspace)
    with _served(workspace, granted) as view:
        served = view is not None and id in view.proofs
    if not (served or _was_proposed_here(workspace, id)):
        return Reply(NOBODY)
    for desk in desks(workspace, granted):
        migration = next((one for one in desk.migrations if one.id == id), None)
        if migration is not None and desk.weights.reach(migration).is_for(granted):
            stands = desk.record.proposed.get(id)
            items = tuple(items_in(migration))
            return Reply(_status(stands), migration.id, items, migration.digest)
    return Reply(NOBODY)


@contextmanager
def _served(workspace: Workspace, audience: Audience) -> Iterator[RecordView | None]:
    """What the audience is served at HEAD, None where there is nothing yet."""
    view = None if workspace.head.commit is None else view_of(workspace, audience)
    try:
        yield view
    finally:
        if view is not None:
            view.partition.close()


def _was_proposed_here(workspace: Workspace, id: str) -> bool:
    """Whether it was proposed on this machine: whoever proposes learns how it stands, also where
    it is not shown what others propose."""
    return any(
        entry.event == Event.PROPOSED.value and id in entry.subjects
        for entry in journal.of(workspace).newest(LOOKED_AT)
    )


def _status(stands: Proposal | None) -> str:
    return (RecordStatus.APPROVED if stands is None else stands.status).value
