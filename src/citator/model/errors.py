"""Every error this product raises on purpose, with its exit code.

A face shows ``what happened`` and ``what to do``; the code is stable and documented.

    CitatorError
    ├── UsageError            2  the call's words are off
    ├── RefusedError          1  understood, and not done
    │   ├── LockedError       1  another process is writing this index
    │   └── StorageError      1  the disk is full, or the data directory cannot be written
    ├── NotFoundError         3  nothing there, or nothing this caller may see
    ├── IntegrityError        4  stored bytes do not match what they claim to be
    └── GitRefusedError       5  git would not read the repository
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process tells the shell."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    NOT_FOUND = 3
    INTEGRITY = 4
    GIT = 5


class CitatorError(Exception):
    """An error with a stable code, a sentence for people and a next step.

    ``code`` is a snake_case identifier; ``what`` says what happened and ``todo`` what to do
    about it (never a destructive suggestion). Neither carries text of the repository.
    """

    exit_code: ExitCode = ExitCode.REFUSED

    def __init__(self, code: str, what: str, todo: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.todo = todo


class UsageError(CitatorError):
    """The call's words are off."""

    exit_code = ExitCode.USAGE


class RefusedError(CitatorError):
    """Understood, and not done."""

    exit_code = ExitCode.REFUSED


class LockedError(RefusedError):
    """Another process is writing."""


class StorageError(RefusedError):
    """The data directory cannot be written: full, read-only, or not ours."""


class NotFoundError(CitatorError):
    """Nothing there, or nothing that this caller may see: one answer for both."""

    exit_code = ExitCode.NOT_FOUND


class IntegrityError(CitatorError):
    """Stored bytes do not match what they claim to be."""

    exit_code = ExitCode.INTEGRITY


class GitRefusedError(CitatorError):
    """git would not read the repository."""

    exit_code = ExitCode.GIT
