"""Claims: who works on what here, and what is in the way of whom. Advice, never a lock.

- Visible at once to every work tree of this clone; other clones see them after a sync.
- A claim that names a path which is hidden from the audience is not shown and not counted.
- Words of a claim (its intent, its author's name) are for a person at a terminal: whoever answers
  a client tells numbers, ids, dates and the paths that the client asked about.
- The same person in another work tree is somebody else here: two of their agents may meet.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from citator.formats.patch import safe_path
from citator.git.identity import person
from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.plain import shown_path
from citator.service import journal
from citator.service.journal import Event
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.workspace import Workspace
from citator.sources.redaction import require_no_secret
from citator.team.claim_store import Claims, Synced
from citator.team.claims import (
    LEASE,
    LONGEST,
    MAX_INTENT,
    MAX_PATH,
    MOST_BYTES,
    MOST_FILES,
    MOST_REVISIONS,
    MOST_SYMBOLS,
    SHORTEST,
    Claim,
    Who,
    is_symbol,
    split_symbol,
    ticket_of,
)
from citator.team.claims import live as live_of

if TYPE_CHECKING:
    from citator.service.conflicts import Conflict

UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to claim: ``files`` from the root of the repository; ``seconds`` from now
    until it ends by itself."""

    ticket: str
    files: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    intent: str = ""
    seconds: int = LEASE


def wished(ticket: str, named: Iterable[str], intent: str = "", seconds: int = LEASE) -> Wish:
    """What somebody wants who names files, or symbols in files (``PATH:NAME``)."""
    files: list[str] = []
    symbols: list[str] = []
    for one in named:
        path, name = split_symbol(one)
        files.append(path or name)
        if path:
            symbols += [f"{path}:{name}" for path in cleaned([path])]
    return Wish(ticket, tuple(files), tuple(symbols), intent, seconds)


@dataclass(frozen=True, slots=True)
class Listing:
    """Claims, the oldest first; how many files could not be read as claims, here and where the last
    sync looked, and when that was."""

    claims: tuple[Claim, ...]
    unreadable: int
    synced: Synced | None


def of(workspace: Workspace) -> Claims:
    """The claims of this clone."""
    return Claims(workspace.place.local)


def who_of(workspace: Workspace) -> Who:
    """Who works here: as git is configured, in this work tree."""
    author = person(workspace.repository) or UNKNOWN
    raw = os.fsencode(workspace.repository.git_dir)
    return Who(author, hashlib.sha256(raw).hexdigest()[:12])


def seconds_of(moment: Moment | str) -> int:
    """A moment as Unix seconds; text is RFC 3339, UTC."""
    if isinstance(moment, str):
        return int(datetime.fromisoformat(moment).timestamp())
    return moment.milliseconds // 1000


def live(workspace: Workspace, moment: Moment | str, mask: Mask | None = None) -> tuple[Claim, ...]:
    """The claims that count now and that the audience may see, the oldest first."""
    return listing(workspace, moment, mask=mask).claims


def listing(
    workspace: Workspace,
    moment: Moment | str,
    *,
    everything: bool = False,
    mask: Mask | None = None,
) -> Listing:
    """The claims that the audience may see: those that count, or with ``everything`` also what is
    over and still kept. Raises StorageError."""
    hidden = mask_of(workspace) if mask is None else mask
    kept = of(workspace)
    known, unreadable = kept.all()
    seen = [one for one in known.values() if not is_hidden(one, hidden)]
    if everything:
        found = tuple(sorted(seen, key=lambda one: (one.started, one.id)))
    else:
        found = live_of(seen, seconds_of(moment))
    synced = kept.synced()
    if hidden.hides:  # what cannot be read may be about what is hidden
        return Listing(found, 0, None if synced is None else replace(synced, unreadable=0))
    return Listing(found, unreadable, synced)


def is_hidden(claim: Claim, mask: Mask) -> bool:
    """Whether a claim names what the audience is not for."""
    if not mask.hides:
        return False
    named = (*claim.raw_files(), *(path for path, _ in claim.places() if path))
    return mask.everything or mask.covers_any(named) or not named


def conflicts(
    workspace: Workspace,
    paths: Sequence[str],
    symbols: Sequence[str],
    moment: Moment | str,
    *,
    mine: Who | None = None,
) -> tuple[Conflict, ...]:
    """What of others is in the way of work on ``paths`` (from the root) and ``symbols``, graded:
    :func:`citator.service.conflicts.met` without what it could not look at."""
    from citator.service.conflicts import met

    return met(workspace, paths, symbols, moment, mine=mine).conflicts


def start(workspace: Workspace, wish: Wish, moment: Moment) -> Claim:
    """Claim files for a ticket; once more, and the claim is about these too, and for longer.

    Raises UsageError (``bad_ticket``, ``bad_claim``, ``path_outside``), RefusedError
    ``secret_found``, StorageError.
    """
    who, now = who_of(workspace), seconds_of(moment)
    ticket, files, symbols = named_ticket(wish.ticket), cleaned(wish.files), _symbols(wish.symbols)
    intent = _intent(wish.intent)
    if not files and not symbols:
        raise _bad_claim("a claim is about some file or symbol", "name what you will touch")
    with of(workspace).writing() as writer:
        writer.tidy(now)
        known = [
            one
            for one in live_of(writer.claims.all()[0].values(), now)
            if one.ticket == ticket and one.who == who
        ]
        if known:
            made = replace(
                _longer(known[0], now + wish.seconds),
                files=_united(known[0].files, files, MOST_FILES),
                symbols=_united(known[0].symbols, symbols, MOST_SYMBOLS),
                intent=intent or known[0].intent,
            )
        else:
            made = Claim(
                ticket=ticket,
                author=who.author,
                place=who.place,
                nonce=moment.entropy(16).hex(),
                started=now,
                expires=now + min(max(wish.seconds, SHORTEST), LONGEST),
                files=files,
                symbols=symbols,
                intent=intent,
            )
        if len(made.rendered(shared=False)) > MOST_BYTES:
            raise _bad_claim("a claim is a small file, and that is too much", "name fewer files")
        writer.put(made)
    return _noted(workspace, Event.CLAIMED, (made,), moment)[0]


def release(workspace: Workspace, ticket: str, moment: Moment) -> tuple[Claim, ...]:
    """End one's own claims for a ticket, in every work tree; () where there are none.

    Raises UsageError ``bad_ticket``, StorageError.
    """
    named, now = named_ticket(ticket), seconds_of(moment)
    kept = of(workspace)
    if not kept.folder.is_dir():
        return ()
    author = who_of(workspace).author
    with kept.writing() as writer:
        ended = tuple(
            writer.put(replace(_longer(one, 0), released=True))
            for one in _own(kept, author, named, now)
        )
    return _noted(workspace, Event.CLAIM_RELEASED, ended, moment)


def extend(workspace: Workspace, ticket: str, moment: Moment, seconds: int) -> tuple[Claim, ...]:
    """Give one's own claims for a ticket ``seconds`` from now. Raises NotFoundError
    ``unknown_claim``, UsageError ``bad_ticket``, RefusedError ``claim_too_long``, StorageError."""
    named, now = named_ticket(ticket), seconds_of(moment)
    author = who_of(workspace).author
    with of(workspace).writing() as writer:
        own = _own(writer.claims, author, named, now)
        if not own:
            raise NotFoundError(
                "unknown_claim", "you hold no claim for that ticket", "see: citator claims list"
            )
        if any(now + seconds > one.started + LONGEST for one in own):
            raise RefusedError(
                "claim_too_long",
                f"a claim ends {LONGEST // 86_400} days after it began",
                "release it and start anew",
            )
        longer = tuple(writer.put(_longer(one, now + seconds)) for one in own)
    return _noted(workspace, Event.CLAIM_EXTENDED, longer, moment)


def _own(kept: Claims, author: str, ticket: str, now: int) -> list[Claim]:
    """Somebody's claims for a ticket that count now, in every work tree."""
    live = live_of(kept.all()[0].values(), now)
    return [one for one in live if one.author == author and one.ticket == ticket]


def _noted(
    workspace: Workspace, event: Event, claims: tuple[Claim, ...], moment: Moment
) -> tuple[Claim, ...]:
    for one in claims:
        journal.note(workspace, event, moment.text, (one.ticket, one.id))
    return claims


def _longer(claim: Claim, until: int) -> Claim:
    """The next revision, which ends at ``until`` if that is later."""
    return replace(
        claim,
        revision=min(claim.revision + 1, MOST_REVISIONS),
        expires=min(max(claim.expires, until), claim.started + LONGEST),
    )


def _united(before: Sequence[str], after: Iterable[str], most: int) -> tuple[str, ...]:
    united = tuple(dict.fromkeys([*before, *after]))
    if len(united) > most:
        raise _bad_claim(f"a claim is about at most {most} of them", "claim for another ticket too")
    return united


def named_ticket(text: str) -> str:
    """The ticket that ``text`` names. Raises UsageError ``bad_ticket``."""
    found = ticket_of(text)
    if found is None:
        raise UsageError(
            "bad_ticket", "that is not a ticket's number", "give it as 123, #123 or ABC-123"
        )
    return found


def cleaned(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths from the root of the repository as they travel. Raises UsageError ``path_outside``."""
    found = []
    for one in paths:
        path = safe_path(one.removeprefix("./").rstrip("/"))
        if path is None or len(path) > MAX_PATH or "\n" in path:
            raise UsageError(
                "path_outside",
                "a path that was given is not one inside the repository",
                "give paths from the root of the repository",
            )
        found.append(shown_path(path))
    return _united((), found, MOST_FILES)


def _symbols(names: Iterable[str]) -> tuple[str, ...]:
    found = tuple(names)
    if not all(map(is_symbol, found)):
        raise _bad_claim("a symbol is not a plain name", "give NAME or PATH:NAME")
    return _united((), found, MOST_SYMBOLS)


def _intent(text: str) -> str:
    said = " ".join(text.split())
    if len(said) > MAX_INTENT or any("\ud800" <= one <= "\udfff" for one in said):
        raise _bad_claim(f"an intent is at most {MAX_INTENT} characters", "say it shorter")
    require_no_secret(said)
    return said


def _bad_claim(what: str, todo: str) -> UsageError:
    return UsageError("bad_claim", what, todo)
