"""The one error border: whatever happens below becomes one message and one exit code.

- An error of ours: ``citator: what happened`` and what to do, on standard error, its own code.
- A call whose words are off: the same form, code 2.
- An interrupt: silence, code 130. A reader who closed the pipe: silence, code 141.
- Anything else: its class name and how to get a report, code 1; never its text (which can quote
  the repository) and never a traceback, unless ``CITATOR_DEBUG`` asks for one.
- Each is told to the log by its code alone (:mod:`citator.service.event_log`).
- With ``--json`` standard output still holds one object: ``{"error": {code, what, todo}}``.
- A message is inert, line by line: a word of the call that it repeats (a file's name that a shell
  completed, for one) can neither steer a terminal nor forge a line of ours.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable

from citator.cli import output, surroundings
from citator.model.errors import CitatorError, UsageError
from citator.model.inert import inert_line
from citator.model.trace import Level, tell

INTERRUPTED = 130
PIPE_CLOSED = 141


def guarded(action: Callable[[], int], *, as_json: bool) -> int:
    """The exit code of ``action``, every exception turned into one."""
    try:
        return _reported(action, as_json)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if not _reader_left(error):
            raise
        _forget_output()
        return PIPE_CLOSED


def _reported(action: Callable[[], int], as_json: bool) -> int:
    try:
        code = action()
        output.flush()
    except CitatorError as error:
        return _tell(error, as_json)
    except Exception as error:
        if isinstance(error, OSError) and _reader_left(error):
            raise
        if surroundings.wants_reports():
            traceback.print_exc()
        return _tell(_unexpected(error), as_json)
    return code


def _tell(error: CitatorError, as_json: bool) -> int:
    tell("failed", Level.ERROR, code=error.code, exit=int(error.exit_code), kind=_kind(error))
    if as_json:
        detail = {"code": error.code, "what": error.what, "todo": error.todo}
        output.write_json({"error": detail})
    lines = [f"citator: {error.what}", *(f"  {line}" for line in error.todo.splitlines())]
    sys.stderr.write("".join(f"{inert_line(line)}\n" for line in lines))
    output.flush()
    return error.exit_code


def _kind(error: CitatorError) -> str | None:
    """The class of an error that nobody raised on purpose."""
    cause = error.__cause__
    return type(cause).__name__ if error.code == "unexpected" and cause is not None else None


def _unexpected(error: Exception) -> CitatorError:
    told = CitatorError(
        "unexpected",
        f"unexpected error: {type(error).__name__}",
        "Run it again with CITATOR_DEBUG=1 for a report. Read it before you share it: "
        "it can quote the repository.",
    )
    told.__cause__ = error
    return told


def usage(what: str, command: str) -> UsageError:
    """A call whose words are off; ``command`` is the one whose help explains it."""
    return UsageError("usage", what, f"See: {command} --help")


def _reader_left(error: OSError) -> bool:
    """Windows says ``EINVAL`` where POSIX says ``EPIPE``."""
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == errno.EINVAL)


def _forget_output() -> None:
    """Let the interpreter's own last flush go nowhere instead of failing aloud."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
