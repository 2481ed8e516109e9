"""Sessions: what was in work here and what comes next, as somebody left it on this machine.

- A session is saved and never changed; the newest of a branch is the one that counts. Removing one
  takes its words away.
- Its branch, commit and work tree were observed and not told; so was its channel, as of a note.
- Saving appends under one lock: of savers at the same time none is lost.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from citator.model.errors import IntegrityError, NotFoundError
from citator.team.local_ledger import LocalLedger
from citator.team.notes import ID_DIGITS, LEAST_DIGITS, Channel

FOLDER: Final = "sessions"
FORMAT: Final = 1
PLACE_DIGITS: Final = 12
DETACHED: Final = "detached"


class Event(StrEnum):
    """What happened to a session. The subjects are its id, the channel, and where it was saved."""

    SAVED = "session_saved"
    REMOVED = "session_removed"


@dataclass(frozen=True, slots=True)
class Content:
    """The words of a session: what is in work, what comes next. ``branch`` is None where detached,
    ``commit`` where unborn; ``mask`` says what was hidden from whom it was saved for."""

    branch: str | None
    commit: str | None
    wip: str = ""
    next: str = ""
    mask: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where work stands: a work tree and a branch, each as a plain token."""

    worktree: str
    branch: str

    @classmethod
    def of(cls, git_dir: Path, branch: str | None) -> Place:
        """The place of a work tree (each has a git directory of its own) and its branch."""
        return cls(_token(str(git_dir)), DETACHED if branch is None else _token(branch))


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it was saved; ``time`` is UTC. ``content`` is None where its file is damaged."""

    id: str
    time: str
    channel: Channel
    place: Place
    content: Content | None


def _token(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:PLACE_DIGITS]


@dataclass(frozen=True)
class Sessions:
    """The sessions of one clone, in ``local``: all its work trees keep theirs here."""

    local: Path

    @property
    def ledger(self) -> LocalLedger:
        """Where they are kept."""
        return LocalLedger(self.local / FOLDER, frozenset({Event.REMOVED.value}))

    def save(
        self,
        content: Content,
        place: Place,
        channel: Channel,
        time: str,
        entropy: Callable[[int], bytes],
    ) -> Session:
        """Keep a session. Raises StorageError, IntegrityError ``local_ledger_broken``."""
        with self.ledger.writing() as writer:
            seed = entropy(16) + f"{time} {len(writer.ledger.entries())}".encode()
            id = hashlib.sha256(seed).hexdigest()[:ID_DIGITS]
            said = {"v": FORMAT, "session": id, **asdict(content)}
            raw = json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
            subjects = (id, channel.value, place.worktree, place.branch)
            writer.commit(Event.SAVED.value, time, subjects, raw.encode("utf-8", "surrogatepass"))
        return Session(id, time, channel, place, content)

    def newest(self, place: Place, wanted: Callable[[Content], bool]) -> Session | None:
        """The newest session of ``place``, else of its branch in another work tree, that is whole
        and ``wanted``."""
        found = [one for one in self._lines() if one[1].branch == place.branch]
        here = [one for one in found if one[1].worktree == place.worktree]
        others = [] if place.branch == DETACHED else found
        for some in (here, others):
            for line in reversed(some):
                session = self._read(*line)
                if session.content is not None and wanted(session.content):
                    return session
        return None

    def all(self) -> list[Session]:
        """Every session, the newest first."""
        return [self._read(*line) for line in reversed(self._lines())]

    def get(self, id: str) -> Session:
        """The session whose id begins with ``id``. Raises NotFoundError ``unknown_session``."""
        return _named(self.all(), id)

    def remove(self, session: Session, channel: Channel, time: str) -> None:
        """Take the words of a session away. Raises NotFoundError where it went meanwhile."""
        with self.ledger.writing() as writer:
            digests = [one[3] for one in self._lines() if one[0] == session.id]
            if not digests:
                raise unknown_session()
            subjects = (session.id, channel.value)
            writer.remove(Event.REMOVED.value, time, subjects, digests)

    def _lines(self) -> list[tuple[str, Place, tuple[str, Channel], str]]:
        """What the journal says of those that are there, oldest first."""
        found: dict[str, tuple[str, Place, tuple[str, Channel], str]] = {}
        for entry in self.ledger.entries():
            if entry.event == Event.SAVED and len(entry.subjects) == 4 and entry.digests:
                id, channel, worktree, branch = entry.subjects
                observed = (entry.time, Channel(channel))
                found[id] = (id, Place(worktree, branch), observed, entry.digests[0])
            elif entry.event == Event.REMOVED:
                found.pop(entry.subjects[0], None)
        return list(found.values())

    def _read(self, id: str, place: Place, said: tuple[str, Channel], digest: str) -> Session:
        try:
            content = _content(json.loads(self.ledger.content(digest)))
        except (IntegrityError, ValueError, KeyError, TypeError):
            content = None
        return Session(id, said[0], said[1], place, content)


def _content(said: dict[str, Any]) -> Content:
    branch, commit = (None if said[key] is None else str(said[key]) for key in ("branch", "commit"))
    return Content(branch, commit, str(said["wip"]), str(said["next"]), str(said["mask"]))


def _named(sessions: Iterable[Session], id: str) -> Session:
    found = [one for one in sessions if len(id) >= LEAST_DIGITS and one.id.startswith(id)]
    if len(found) != 1:
        raise unknown_session()
    return found[0]


def unknown_session() -> NotFoundError:
    """Nothing of that id, or nothing that the asker may see."""
    return NotFoundError(
        "unknown_session",
        "no session here has that id, or more than one begins so",
        "give the id as `citator session list` prints it",
    )
