"""What git's complaint means, as an error of ours with one thing to do about it.

A complaint can quote the repository (a file name, a configuration value), so none of it is
shown: it is matched against what git is known to say in the C locale, and dropped.
"""

from __future__ import annotations

import re
from typing import Final

from citator.model.errors import CitatorError, GitRefusedError, NotFoundError, UsageError
from citator.model.plain import is_plain

_OWNERSHIP: Final = re.compile(rb"detected dubious ownership in repository at '([^'\n]*)'")
_NO_REPOSITORY: Final = re.compile(rb"^fatal: not a git repository \(or any ", re.MULTILINE)
_BARE: Final = re.compile(rb"safe\.bareRepository is 'explicit'")
_TOO_OLD: Final = re.compile(
    rb"unknown repository extension|expected git repo version|unknown repository storage"
    rb"|unknown option|unknown switch|unrecognized argument|^usage: git",
    re.MULTILINE | re.IGNORECASE,
)


def refusal(complaint: bytes) -> CitatorError:
    """The error that stands for what git wrote to standard error."""
    ownership = _OWNERSHIP.search(complaint)
    if ownership is not None:
        return _unsafe_ownership(ownership[1])
    if _NO_REPOSITORY.search(complaint):
        return not_a_repository()
    if _BARE.search(complaint):
        return GitRefusedError(
            "bare_refused",
            "your git settings (safe.bareRepository) keep git from using a bare repository",
            "ask from a work tree of that repository instead",
        )
    if _TOO_OLD.search(complaint):
        return too_old()
    return broken()


def _unsafe_ownership(where: bytes) -> GitRefusedError:
    path = where.decode("utf-8", "replace")
    named = path if is_plain(path) else "PATH_OF_THE_REPOSITORY"
    return GitRefusedError(
        "unsafe_ownership",
        "git does not read this repository because another user owns it",
        f"if you trust its owner, run: git config --global --add safe.directory {named}",
    )


def not_a_repository() -> UsageError:
    """There is no repository at or above the path."""
    return UsageError(
        "not_a_repository",
        "there is no git repository here",
        "run this inside a git repository, or name one",
    )


def too_old() -> GitRefusedError:
    """The installed git lacks what is asked of it."""
    return GitRefusedError(
        "git_too_old",
        "the installed git is too old for this repository",
        "install a newer git (2.31 or later; the repository itself may ask for more)",
    )


def broken() -> GitRefusedError:
    """git finds the repository damaged."""
    return GitRefusedError(
        "broken_repository",
        "git cannot read this repository: part of it is missing or damaged",
        "run `git fsck` in it, which names the damage",
    )


def silent() -> GitRefusedError:
    """git did not end."""
    return GitRefusedError(
        "git_silent",
        "git did not answer in time",
        "see whether `git status` answers there; the disk may be slow or gone",
    )


def not_started() -> GitRefusedError:
    """The machine would not run git, or not with these words."""
    return GitRefusedError(
        "git_not_started",
        "git could not be started",
        "see whether `git version` answers on this machine",
    )


def unknown_commit() -> NotFoundError:
    """A commit id that nothing here has."""
    return NotFoundError(
        "unknown_commit",
        "a commit that was asked for is not in this repository",
        "fetch it, or ask about another commit",
    )
