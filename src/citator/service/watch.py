"""Keep the index at HEAD while somebody lets it run: notice, wait until it is quiet, update.

- Noticing costs a few looks at files of git's (HEAD, the branch it names, packed refs), no
  process; git itself is asked when they changed, and now and then in any case.
- A rebase moves HEAD many times: an update waits until nothing moved for a moment.
- One watcher a repository. Where another process builds, it waits its turn; what may pass (a
  full disk, a repository that git cannot read just now) is told and tried again later and
  later; everything else ends it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.git.records import Repository
from citator.model.errors import CitatorError, GitRefusedError, LockedError, StorageError
from citator.model.trace import Level, tell
from citator.service.index_history import UpdateReport, update
from citator.service.legs import wants_vectors
from citator.service.prepare import prepare_vectors
from citator.service.registered import opened_at
from citator.service.workspace import Places, require_commits
from citator.store import locks

HEAD_BYTES: Final = 4096

_Mark = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: between looks, of quiet before an update, at most from a move to its update,
    between questions to git that nothing asked for, and before a first and the longest retry."""

    look: float = 1.0
    quiet: float = 1.0
    most: float = 10.0
    ask: float = 60.0
    retry: float = 2.0
    longest: float = 120.0


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did: ``report``, or the ``problem`` it will try again after ``again``
    seconds. ``seconds`` is how long it took."""

    seconds: float
    report: UpdateReport | None = None
    problem: CitatorError | None = None
    again: float = 0.0


@dataclass(frozen=True, slots=True)
class Watching:
    """What is watched, and by whom: ``pause`` waits so many seconds and says whether to end,
    ``ticks`` gives seconds, ``told`` hears of the first round and of each that did something."""

    start: Path
    places: Places
    pause: Callable[[float], bool]
    ticks: Callable[[], float]
    told: Callable[[Round], None]
    pace: Pace = Pace()


def watch(watching: Watching) -> None:
    """Watch until told to end.

    Raises LockedError ``watch_running``, UsageError where the repository is gone, RefusedError
    where it has no commits, Stopped, and IntegrityError.
    """
    workspace = opened_at(watching.start, watching.places)
    require_commits(workspace)
    with _alone(workspace.place.watch_lock):
        _Watch(watching, workspace.repository).run()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    held = locks.exclusive(path)
    try:
        held.__enter__()
    except LockedError:
        raise LockedError(
            "watch_running",
            f"this repository is being watched already{_holder(path)}",
            "leave that one to it, or end it first",
        ) from None
    try:
        yield
    finally:
        held.__exit__(None, None, None)


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError):
        return f" (process {int(path.read_bytes()[:20])})"
    return ""


class _Watch:
    """One run of the watcher."""

    def __init__(self, watching: Watching, repo: Repository) -> None:
        self._watching = watching
        self._pace = watching.pace
        self._repo = repo
        self._first = True
        self._failures = 0

    def run(self) -> None:
        done: _Mark | None = None
        asked = 0.0
        while True:
            mark = mark_of(self._repo)
            now = self._watching.ticks()
            if mark != done or now - asked >= self._pace.ask:
                settled = mark if self._first else self._settled(mark)
                if settled is None:
                    return
                asked = self._watching.ticks()
                wait = self._round()
                done = settled if not wait else None
            else:
                wait = 0.0
            if self._watching.pause(wait or self._pace.look):
                return

    def _settled(self, mark: _Mark) -> _Mark | None:
        """The mark once it stood still for a moment; None where the watch is to end."""
        start = self._watching.ticks()
        while self._watching.ticks() - start < self._pace.most:
            if self._watching.pause(self._pace.quiet):
                return None
            now = mark_of(self._repo)
            if now == mark:
                break
            mark = now
        return mark

    def _round(self) -> float:
        """Update; how many seconds to wait before trying again (0: it is done)."""
        start = self._watching.ticks()
        try:
            workspace = opened_at(self._watching.start, self._watching.places)
            report = update(workspace)
            if report.generation is not None and wants_vectors(workspace):
                prepare_vectors(workspace)
        except LockedError:
            return self._pace.retry
        except (StorageError, GitRefusedError) as error:
            return self._failed(error, self._watching.ticks() - start)
        self._repo = workspace.repository
        self._failures = 0
        seconds = self._watching.ticks() - start
        if report.built or self._first:
            self._watching.told(Round(seconds, report))
            tell("watch", built=report.built, ms=round(seconds * 1000, 1))
        self._first = False
        return 0.0

    def _failed(self, error: CitatorError, seconds: float) -> float:
        again = min(self._pace.longest, self._pace.retry * float(1 << min(self._failures, 16)))
        self._failures += 1
        self._watching.told(Round(seconds, None, error, again))
        tell("failed", Level.ERROR, code=error.code)
        return again


def mark_of(repo: Repository) -> _Mark:
    """What git's files say of where HEAD is: differs whenever HEAD may have moved."""
    head = _bytes(repo.git_dir / "HEAD")
    marks: list[object] = [head]
    if head.startswith(b"ref: "):
        name = os.fsdecode(head[5:].strip())
        marks += [_state(folder, name) for folder in (repo.git_dir, repo.common_dir)]
    marks += [
        _state(folder, name)
        for folder in (repo.git_dir, repo.common_dir)
        for name in ("packed-refs", "reftable/tables.list")
    ]
    return tuple(marks)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""


def _state(folder: Path, name: str) -> tuple[int, int, int] | None:
    """A file's identity, or None where it cannot be looked at, or lies outside ``folder``."""
    if ".." in Path(name).parts or Path(name).is_absolute():
        return None
    try:
        facts = (folder / name).stat()
    except (OSError, ValueError):
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
