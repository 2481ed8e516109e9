"""What hooks left behind is taken in, and the table for the next ones is made: in a process of its
own, after whoever started the hook went on.

- A commit is captured (``capture_notes``) and the end of a conversation saved (``sessions``), each
  once: what was taken in is deleted after it was, so that a killed process loses nothing.
- What a hook left is a small file of ours on this machine: of it only plain tokens, ids and this
  work tree count.
- A snapshot gives way to what somebody said of their work lately.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from citator.model.errors import CitatorError
from citator.model.utc import utc_text
from citator.service import hooks_table, sessions
from citator.service.brief_facts import standing_of
from citator.service.capture_notes import capture_commits
from citator.service.proposing import Moment
from citator.service.readership import mask_of
from citator.service.workspace import Workspace
from citator.store import files, hook_files, locks
from citator.team.notes import Channel

LOCK: Final = "work.lock"
SAID_SECONDS: Final = 12 * 3600
MOST_ROUNDS: Final = 20
KEPT_SECONDS: Final = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done: events taken in, notes captured, sessions saved, whether a table was made."""

    events: int = 0
    captured: int = 0
    saved: int = 0
    table: bool = False


@dataclass(frozen=True, slots=True)
class Firing:
    """When a hook was last here (RFC 3339, UTC); None: never."""

    client: str
    event: str
    at: str | None


def is_known(workspace: Workspace) -> bool:
    """Whether this clone is registered here: elsewhere a hook is silent."""
    return workspace.layout.known(workspace.repository.common_dir) is not None


def work(workspace: Workspace, moment: Moment) -> Worked:
    """Take in what hooks left in this clone, then make the table where it is not of now.

    One process at a time. Raises StorageError, GitRefusedError, IntegrityError.
    """
    place = workspace.layout.known(workspace.repository.common_dir)
    if place is None:
        return Worked()
    folder = hook_files.folder_of(place.directory)
    files.make_directory(folder)
    with locks.exclusive(folder / LOCK, wait=True):
        events = captured = saved = 0
        while mine := _take_in(workspace, moment):
            events, captured, saved = (
                a + b for a, b in zip((events, captured, saved), mine, strict=True)
            )
        _sweep(folder / "told", moment.milliseconds // 1000)
        made = not hooks_table.is_fresh(workspace) and hooks_table.refresh(workspace, moment)
    return Worked(events, captured, saved, made)


def _take_in(workspace: Workspace, moment: Moment) -> tuple[int, int, int] | None:
    """Take in what is there now: how many events, notes and sessions; None where nothing is. Asked
    again until then, because a hook starts nobody while an event of before is still there."""
    there = hook_files.spooled(workspace.place.directory)
    mine = [facts for _, facts in there if _is_of(workspace, facts)]
    captured = _capture(workspace, mine, moment)
    ended = any(facts.get("event") == "session-end" for facts in mine)
    saved = ended and _snapshot(workspace, moment)
    for path, facts in there:
        if not facts or _is_of(workspace, facts):
            with suppress(OSError):
                path.unlink()
    return (len(mine), captured, int(saved)) if mine else None


def _is_of(workspace: Workspace, facts: dict[str, Any]) -> bool:
    """Whether an event is of this work tree, or of one that is gone."""
    tree = facts.get("tree")
    if not isinstance(tree, str):
        return False
    return Path(tree) == workspace.repository.worktree or not Path(tree).is_dir()


def _capture(workspace: Workspace, events: list[dict[str, Any]], moment: Moment) -> int:
    """Capture the commits of the events, where HEAD has them."""
    heads = [one["head"] for one in events if one.get("event") == "after-commit"]
    ids = [head for head in heads if isinstance(head, str)]
    if not ids or workspace.head.commit is None:
        return 0
    return capture_commits(workspace, ids, moment).new


def _snapshot(workspace: Workspace, moment: Moment) -> bool:
    """Save where work stands, where something is in work and nobody said more of it lately."""
    with suppress(CitatorError):
        before = sessions.latest(workspace)
        if before is not None:
            age = moment.milliseconds / 1000 - datetime.fromisoformat(before.time).timestamp()
            if age < SAID_SECONDS and before.content is not None and before.content.next:
                return False
        found = standing_of(workspace, mask_of(workspace), ()).work
        counts = {"changed": found.changed, "new": found.new, "gone": found.gone}
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        if told:
            draft = sessions.Draft(wip=f"not committed: {told} files")
            sessions.save(workspace, draft, Channel.REMEMBERED, moment)
            return True
    return False


def _sweep(told: Path, now: int) -> None:
    """Take away what conversations of long ago were told."""
    with suppress(OSError):
        for folder in list(told.iterdir()) if told.is_dir() else ():
            if now - folder.stat().st_mtime > KEPT_SECONDS:
                files.remove_tree(folder, told)


def firings(workspace: Workspace, client: str, events: tuple[str, ...]) -> tuple[Firing, ...]:
    """When each hook of a client was last here, in this clone."""
    place = workspace.layout.known(workspace.repository.common_dir)
    found = []
    for event in events:
        at = None if place is None else hook_files.last_fired(place.directory, client, event)
        found.append(Firing(client, event, None if at is None else utc_text(at)))
    return tuple(found)
