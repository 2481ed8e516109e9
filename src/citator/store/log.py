"""A log in the data directory: one JSON object a line, the owner's alone, bounded.

    log/debug.jsonl      the newest lines
    log/debug.jsonl.1    what it held before, and so on: ``KEPT`` files of ``FILE_BYTES``

- One line is one write at the end of the file, so that the lines of several processes stay whole
  beside each other; only who rotates takes the lock. (Windows has no such write: there each line
  is written under the lock.)
- A line is JSON in ASCII: nothing in a value can end it, steer a terminal or pass for another.
- Whatever goes wrong here is nobody's concern: the work goes on, and the line is lost.
- Not the standard library's logging: its rotation is not made for two processes, and what other
  packages log there may quote a request.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from citator.model.errors import CitatorError
from citator.model.trace import Fact, Level
from citator.store import files, locks

FORMAT: Final = 1
FOLDER: Final = "log"
NAME: Final = "debug.jsonl"
KEPT: Final = 3
FILE_BYTES: Final = 1 << 20
LINE_BYTES: Final = 4096


class Log:
    """The log below ``data``. ``clock`` gives Unix seconds, ``monotonic`` seconds for durations.

    ``make`` says whether the directory may be made; else nothing is kept before it is there.
    """

    def __init__(
        self,
        data: Path,
        level: Level,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        *,
        make: bool,
        always: Mapping[str, Fact] | None = None,
    ) -> None:
        self._data = data
        self._level = level
        self._clock = clock
        self._monotonic = monotonic
        self._make = make
        self._always = dict(always or {})

    @property
    def level(self) -> Level:
        """How much is kept."""
        return self._level

    @property
    def path(self) -> Path:
        """The file of the newest lines."""
        return path_of(self._data)

    def monotonic(self) -> float:
        """Seconds, for durations."""
        return self._monotonic()

    def keep(self, level: Level, event: str, facts: Mapping[str, Fact]) -> None:
        """Write one line. Never raises for what the disk or the directory does."""
        if level > self._level:
            return
        said: dict[str, Any] = {
            "v": FORMAT,
            "t": datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds"),
            "pid": os.getpid(),
            "level": level.name.lower(),
            "event": event,
            **self._always,
            **facts,
        }
        line = json.dumps(said, separators=(",", ":")).encode("ascii")
        if len(line) >= LINE_BYTES:
            said = {key: said[key] for key in ("v", "t", "pid", "level", "event")}
            line = json.dumps(said, separators=(",", ":")).encode("ascii")
        with suppress(OSError, CitatorError):
            self._written(line + b"\n")

    def _written(self, line: bytes) -> None:
        if not self._make and not self._data.is_dir():
            return
        from citator.store import stamp

        if stamp.found(self._data) is None or not self.path.parent.is_dir():
            stamp.bring_up(self._data)
            files.make_directory(self.path.parent)
        lock = self.path.with_name("lock")
        if sys.platform == "win32":
            with locks.exclusive(lock, wait=True):
                if _is_full(self.path, len(line)):
                    _rotate(self.path)
                _append(self.path, line)
            return
        if _is_full(self.path, len(line)):
            with suppress(CitatorError), locks.exclusive(lock):
                if _is_full(self.path, len(line)):
                    _rotate(self.path)
        _append(self.path, line)


def path_of(data: Path) -> Path:
    """The file of the newest lines of the log below ``data``."""
    return data / FOLDER / NAME


def _is_full(path: Path, more: int) -> bool:
    try:
        return path.stat().st_size + more > FILE_BYTES
    except FileNotFoundError:
        return False


def _rotate(path: Path) -> None:
    for number in range(KEPT - 1, 0, -1):
        older = path.with_name(f"{NAME}.{number}")
        newer = path.with_name(f"{NAME}.{number - 1}") if number > 1 else path
        with suppress(FileNotFoundError):
            newer.replace(older)


def _append(path: Path, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def lines(data: Path) -> Iterator[dict[str, Any]]:
    """What the log below ``data`` holds, oldest first; lines that cannot be read are left out."""
    newest = path_of(data)
    older = [newest.with_name(f"{NAME}.{number}") for number in range(KEPT - 1, 0, -1)]
    for path in (*older, newest):
        with suppress(OSError), path.open("rb") as file:
            for line in file:
                with suppress(ValueError):
                    said = json.loads(line)
                    if isinstance(said, dict) and said.get("v") == FORMAT:
                        yield said
