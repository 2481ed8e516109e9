"""Runs git: the only place that starts a process.

- A child must have an environment, so this process's own is read here: nowhere else below the
  faces, and only through :mod:`citator.git.surroundings`.
- No shell. Revisions are full object ids that were checked (:func:`checked_id`), paths stand
  after ``--``: nothing that a repository names can be read as an option.
- Output is read as it comes. Of standard error a few kilobytes are kept to tell what went wrong,
  and none of it is ever shown.
- A process ends with the work it was started for: finished, abandoned, stopped or failed.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread, Timer
from typing import IO, Final

from citator.git import surroundings
from citator.git.closing import Closing
from citator.git.records import Repository
from citator.git.refusals import broken, not_started, refusal, silent
from citator.model import stop, trace
from citator.model.errors import UsageError

COMPLAINT_BYTES: Final = 4096
PIPE_BYTES: Final = 64 * 1024
SHORT_SECONDS: Final = 60.0
GRACE_SECONDS: Final = 10.0
_NO_WINDOW: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_DIGITS: Final = {"sha1": 40, "sha256": 64}


def is_id(repo: Repository, object_id: str) -> bool:
    """Whether ``object_id`` has the form of a full object id of this repository."""
    return re.fullmatch(f"[0-9a-f]{{{_DIGITS[repo.object_format]}}}", object_id) is not None


def checked_id(repo: Repository, object_id: str) -> str:
    """``object_id``, being a full object id of this repository. Raises UsageError."""
    if is_id(repo, object_id):
        return object_id
    raise UsageError(
        "malformed_object_id",
        "that is not an object id of this repository",
        "give all hexadecimal digits of the id",
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended: its exit code, all it printed, the start of what it complained."""

    code: int
    output: bytes
    complaint: bytes


class Child(Closing):
    """A running git. Use as a context manager: leaving it ends the process.

    ``feed`` is written to its standard input in the background; None leaves ``stdin`` to the
    caller.
    """

    def __init__(
        self,
        command: list[str],
        folder: Path,
        environment: Mapping[str, str],
        feed: bytes | memoryview | None,
    ) -> None:
        self.complaint = b""
        self._held = ExitStack()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if feed == b"" else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=PIPE_BYTES,
            creationflags=_NO_WINDOW,
        )
        stopping = stop.current()
        if stopping is not None:
            self._held.enter_context(stopping.ending(self.kill))
        self._threads = [Thread(target=self._listen, daemon=True)]
        self._fed = bool(feed)
        if feed:
            self._threads.append(Thread(target=self._feed, args=(feed,), daemon=True))
        for thread in self._threads:
            thread.start()

    @property
    def stdout(self) -> IO[bytes]:
        """What it prints."""
        return _open(self._process.stdout)

    @property
    def stdin(self) -> IO[bytes]:
        """What it reads, where nothing was fed."""
        return _open(self._process.stdin)

    def _listen(self) -> None:
        stream = _open(self._process.stderr)
        self.complaint = stream.read(COMPLAINT_BYTES)
        while stream.read(COMPLAINT_BYTES):
            pass

    def _feed(self, feed: bytes | memoryview) -> None:
        stream = self.stdin
        with suppress(OSError):
            stream.write(feed)
        with suppress(OSError):
            stream.close()

    def kill(self, told: Event | None = None) -> None:
        """End it now, and set ``told``. Safe from any thread, and twice."""
        if told is not None:
            told.set()
        with suppress(OSError):
            self._process.kill()

    @contextmanager
    def limited(self, seconds: float) -> Iterator[Event]:
        """End it where it is not done after so many seconds; the event tells that it was."""
        late = Event()
        limit = Timer(max(seconds, 0.0), self.kill, [late])
        limit.daemon = True
        limit.start()
        try:
            yield late
        finally:
            limit.cancel()

    def finish(self) -> int:
        """Wait until it ends by itself, its output having been read; its exit code."""
        code = self._process.wait()
        self.close()
        return code

    def close(self) -> None:
        """End it if it still runs, and let go of everything it held."""
        self._held.close()
        if self._process.poll() is None:
            self.kill()
            self._process.wait()
        # A git that wraps another (Windows) lives on until its pipes close: output first.
        _shut(self._process.stdout)
        if not self._fed:
            _shut(self._process.stdin)
        for thread in self._threads:
            thread.join(GRACE_SECONDS)
        if not any(thread.is_alive() for thread in self._threads):
            _shut(self._process.stdin)
            _shut(self._process.stderr)


class Git:
    """git in one folder, or in one repository (:meth:`of`). Starts nothing by itself."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self._folder = folder
        self._start = [surroundings.executable(os.environ), *surroundings.options(), *options]
        self._environment = surroundings.environment(os.environ) | variables

    @classmethod
    def of(cls, repo: Repository, *options: str) -> Git:
        """git in a repository that was found and accepted before."""
        return cls(repo.git_dir, f"--git-dir={repo.git_dir}", *options)

    @classmethod
    def reaching(cls, folder: Path) -> Git:
        """git in the repository of an exchange, which alone may reach a remote."""
        git = cls(folder)
        executable = surroundings.executable(os.environ)
        git._start = [executable, *surroundings.exchange_options(), f"--git-dir={folder}"]
        git._environment = surroundings.exchange_environment(os.environ)
        return git

    def start(self, *args: str, feed: bytes | memoryview | None = b"") -> Child:
        """Start ``git ARGS``. Raises GitRefusedError where that cannot be done."""
        try:
            return Child([*self._start, *args], self._folder, self._environment, feed)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise broken() from error
        except (OSError, ValueError) as error:  # no process left; a NUL in an argument
            raise not_started() from error

    def attempt(self, *args: str, feed: bytes = b"") -> Outcome:
        """Run a short ``git ARGS`` to its end, however it ends. Raises where it does not end."""
        with (
            trace.timed("git", git=args[0]) as facts,
            self.start(*args, feed=feed) as child,
            child.limited(SHORT_SECONDS) as late,
        ):
            output = child.stdout.read()
            code = child.finish()
            facts["code"] = code
        stop.checkpoint()
        if late.is_set():
            raise silent()
        return Outcome(code, output, child.complaint)

    def run(self, *args: str, feed: bytes = b"") -> bytes:
        """What a short ``git ARGS`` prints. Raises the CitatorError its complaint stands for."""
        outcome = self.attempt(*args, feed=feed)
        if outcome.code != 0:
            raise refusal(outcome.complaint)
        return outcome.output


def within(git: Git, command: Sequence[str], seconds: float) -> tuple[bytes, int | None]:
    """What ``git COMMAND`` prints in at most ``seconds``, and its code; None: it was ended."""
    with git.start(*command) as child, child.limited(seconds) as late:
        said = child.stdout.read()
        code = child.finish()
    stop.checkpoint()
    return said, None if late.is_set() else code


def ended(child: Child) -> None:
    """Wait for ``child``; raises the CitatorError that a failure stands for."""
    code = child.finish()
    stop.checkpoint()
    if code != 0:
        raise refusal(child.complaint)


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _shut(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with suppress(OSError):
            stream.close()
