"""``claims sync``: git's one network call. Named, asked for, and only to a remote that the
repository's own configuration has.

- What is exchanged is one ref of small files, one a claim. Copies are united by the rule of
  :mod:`citator.team.claims`; the ref is moved by compare-and-swap, and tried again where another
  was faster.
- What is over is dropped from the ref; the end of a released claim stays until nobody can bring it
  back. What a newer version wrote is left as it is; what is no claim is dropped and counted.
- A clock that is wrong loses nothing: every clone keeps its own copies and brings them again.
- Offline, or where the remote refuses, nothing here has changed but what was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Event as Signal
from typing import Final

from citator.git.exchange import Exchange, exchange, remote_of
from citator.model import stop
from citator.model.errors import RefusedError
from citator.service import journal
from citator.service.claims import of, seconds_of
from citator.service.journal import Event
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.store import files, locks
from citator.team.claim_store import Synced, Writer
from citator.team.claims import LONGEST, MOST_BYTES, SKEW, Claim, is_newer, parse

REF: Final = "refs/citator/claims"
MOST_SHARED: Final = 1_000
TRIES: Final = 40
FOLDER: Final = "claims.git"
LOCK: Final = "sync.lock"
_NAME: Final = re.compile(r"[0-9a-f]{32}\.json")


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: claims that came or changed here, and there; files that left the ref, and
    that could not be read as claims; how often the ref was met moving."""

    remote: str | None
    received: int
    sent: int
    dropped: int
    unreadable: int
    tries: int


@dataclass(slots=True)
class _There:
    """What the ref has: claims, files that stay as they are, and how many are neither."""

    raw: dict[str, bytes | None]
    claims: list[Claim]
    kept: dict[str, bytes]
    unreadable: int = 0


def sync(workspace: Workspace, moment: Moment, remote: str | None = None) -> SyncReport:
    """Unite the claims of this clone with those of the remote (None: the one that HEAD's branch
    follows, else ``origin``).

    Raises RefusedError (``no_remote``, ``remote_not_allowed``, ``remote_unreachable``,
    ``remote_silent``, ``remote_damaged``, ``remote_refused``, ``claims_contended``), StorageError.
    """
    there = remote_of(workspace.repository, workspace.head, remote)
    kept = of(workspace)
    folder = workspace.place.derived / FOLDER
    files.make_directory(kept.folder)
    with locks.exclusive(kept.folder / LOCK, wait=True):
        workspace.layout.remove(folder)
        files.make_directory(folder)
        try:
            with exchange(workspace.repository, there, folder, REF) as opened:
                made = _united(workspace, opened, moment)
        finally:
            workspace.layout.remove(folder)
    journal.note(workspace, Event.CLAIMS_SYNCED, moment.text)
    return made


def _united(workspace: Workspace, opened: Exchange, moment: Moment) -> SyncReport:
    now, received = seconds_of(moment), 0
    tip, refused = opened.tip(), 0
    for tries in range(1, TRIES + 1):
        there = _read(opened, tip, now)
        with of(workspace).writing() as writer:
            writer.tidy(now)
            received += sum(writer.take_in(one, now) for one in there.claims)
            shared = _shared(writer, there, now)
        sent = sum(there.raw.get(name) != raw for name, raw in shared.items())
        dropped = sum(name not in shared for name in there.raw)
        if not sent and not dropped:
            break
        if opened.push(opened.commit(shared, tip, now), tip):
            break
        stop.checkpoint()
        _wait(tries, moment)  # before the look: what was seen is old by the time that is waited
        before, tip = tip, opened.tip()
        refused = refused + 1 if tip == before else 0
        if refused == 2:
            raise RefusedError(
                "remote_refused",
                "the remote does not take the claims",
                f"ask who runs it whether you may write {REF}; claims go on working in this clone",
            )
    else:
        raise RefusedError(
            "claims_contended",
            "others moved the claims faster than they could be united",
            "run the same command again",
        )
    with of(workspace).writing() as writer:
        writer.note_sync(Synced(moment.text, there.unreadable))
    name = opened.remote.name
    return SyncReport(name, received, sent, dropped, there.unreadable, tries)


def _read(opened: Exchange, tip: str | None, now: int) -> _There:
    """What the ref has at ``tip``, every file held against the schema."""
    there = _There({}, [], {})
    if tip is None:
        return there
    for name, raw in opened.files(tip, MOST_SHARED + 1, MOST_BYTES):
        there.raw[name] = raw
        fits = _NAME.fullmatch(name) is not None and raw is not None
        claim = parse(raw) if fits and raw is not None else None
        if claim is not None and name != f"{claim.id}.json":
            claim = None
        if claim is None:
            there.unreadable += 1
            if fits and raw is not None and is_newer(raw):
                there.kept[name] = raw
        elif claim.started <= now + SKEW:
            there.claims.append(claim)
        elif raw is not None and claim.started <= now + LONGEST:  # one of two clocks is wrong
            there.kept[name] = raw
    return there


def _shared(writer: Writer, there: _There, now: int) -> dict[str, bytes]:
    """What the ref is to have: what counts, then ends that must be remembered."""
    known: Iterable[Claim] = writer.claims.all()[0].values()
    wanted = [
        one for one in known if not one.is_forgotten(now) and (one.released or not one.is_over(now))
    ]
    wanted.sort(key=lambda one: (one.released, -one.started, one.id))
    made = {f"{one.id}.json": one.rendered() for one in wanted}
    united = {**made, **there.kept}  # a newer version knows better what became of a claim
    return dict(list(united.items())[:MOST_SHARED])


def _wait(tries: int, moment: Moment) -> None:
    """Stand back for a moment that differs from everybody else's, and never for long: who lost
    often must not lose for that."""
    share = int.from_bytes(moment.entropy(2), "big") / 65_536
    Signal().wait(min(0.5, 0.05 * 2**tries) * share)
