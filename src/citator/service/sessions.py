"""Sessions of this machine: saved when work stops, told when it goes on.

- Where it stands is read from git; what is in work and what comes next is said, one line each.
- A secret is refused, as in a note. What was saved when more could be seen is not told now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.model.errors import UsageError
from citator.service.proposing import Moment
from citator.service.readership import mask_of
from citator.service.workspace import Workspace
from citator.sources.redaction import require_no_secret
from citator.store import hook_files
from citator.team.notes import Channel
from citator.team.sessions import Content, Place, Session, Sessions, unknown_session

MAX_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody says of their work: what is in work, what comes next; one of them at least."""

    next: str = ""
    wip: str = ""


def of(workspace: Workspace) -> Sessions:
    """The sessions of this clone."""
    return Sessions(workspace.place.local)


def place_of(workspace: Workspace) -> Place:
    """Where work stands here."""
    return Place.of(workspace.repository.git_dir, workspace.head.branch)


def save(workspace: Workspace, draft: Draft, channel: Channel, moment: Moment) -> Session:
    """Keep what is in work. Raises UsageError, RefusedError ``secret_found``, StorageError,
    IntegrityError."""
    head = workspace.head
    content = Content(
        head.branch, head.commit, _line(draft.wip), _line(draft.next), mask_of(workspace).id
    )
    if not (content.wip or content.next):
        raise _unfit()
    return of(workspace).save(content, place_of(workspace), channel, moment.text, moment.entropy)


def latest(workspace: Workspace) -> Session | None:
    """The newest session of this work tree and branch, else of this branch in another work tree."""
    mask = mask_of(workspace)
    if mask.everything:
        return None
    told = mask.id if mask.hides else None
    return of(workspace).newest(place_of(workspace), lambda one: told in (None, one.mask))


def listing(workspace: Workspace) -> tuple[Session, ...]:
    """All sessions that the audience may see, the newest first."""
    return tuple(one for one in of(workspace).all() if _is_seen(workspace, one))


def seen(workspace: Workspace, id: str) -> Session:
    """The session of that id which the audience may see. Raises NotFoundError
    ``unknown_session``."""
    session = of(workspace).get(id)
    if not _is_seen(workspace, session):
        raise unknown_session()
    return session


def remove(workspace: Workspace, id: str, channel: Channel, moment: Moment) -> str:
    """Take the words of a session away for good. Returns its id. Raises NotFoundError."""
    session = seen(workspace, id)
    of(workspace).remove(session, channel, moment.text)
    hook_files.destroy(workspace.place.directory)
    return session.id


def _is_seen(workspace: Workspace, session: Session) -> bool:
    mask = mask_of(workspace)
    if not mask.hides:
        return True
    return session.content is not None and session.content.mask == mask.id and not mask.everything


def _line(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > MAX_TEXT or any("\ud800" <= one <= "\udfff" for one in line):
        raise _unfit()
    require_no_secret(line)
    return line


def _unfit() -> UsageError:
    return UsageError(
        "bad_session",
        f"a session says what is in work or what comes next, at most {MAX_TEXT} characters each",
        "say the next step in one line",
    )
