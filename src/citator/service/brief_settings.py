"""What a person said of the brief on this machine: what the stack is, and whether words travel.

One small file of the clone. One that cannot be read says nothing, and no words travel then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

from citator.model.errors import UsageError
from citator.model.plain import MAX_SEGMENT, is_plain
from citator.service.workspace import Workspace
from citator.store import files, locks

NAME: Final = "brief.json"
LOCK: Final = "brief.lock"
FORMAT: Final = 1
MOST_WORDS: Final = 12
MAX_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Settings:
    """``stack`` None: looked for in the manifests. ``words``: whether unreviewed ones travel."""

    stack: tuple[str, ...] | None = None
    words: bool = True


def read(workspace: Workspace) -> Settings:
    """What is said here. Raises StorageError."""
    try:
        with (workspace.place.local / NAME).open("rb") as file:
            said = json.loads(file.read(MAX_BYTES))
        stack = said["stack"]
        if said["v"] != FORMAT or type(said["words"]) is not bool:
            raise ValueError
        return Settings(None if stack is None else _stack(stack), said["words"])
    except FileNotFoundError:
        return Settings()
    except (ValueError, KeyError, TypeError, RecursionError, UsageError):
        return Settings(words=False)
    except OSError as error:
        raise files.storage_error(error) from error


def say(workspace: Workspace, given: str) -> Settings:
    """Take in ``stack=WORD,WORD`` (``stack=``: look for it again), ``words=on`` or ``words=off``.

    Raises UsageError, StorageError.
    """
    key, _, value = given.partition("=")
    folder = workspace.place.local
    files.make_directory(folder)
    with locks.exclusive(folder / LOCK, wait=True):
        known = read(workspace)
        if key == "stack":
            words = [one.strip() for one in value.split(",") if one.strip()]
            known = replace(known, stack=_stack(words) if words else None)
        elif key == "words" and value in ("on", "off"):
            known = replace(known, words=value == "on")
        else:
            raise _unfit()
        stack = None if known.stack is None else list(known.stack)
        said = {"v": FORMAT, "stack": stack, "words": known.words}
        files.write_atomically(folder / NAME, json.dumps(said).encode("ascii") + b"\n")
    return known


def _stack(words: object) -> tuple[str, ...]:
    if not isinstance(words, list) or len(words) > MOST_WORDS:
        raise _unfit()
    if not all(isinstance(one, str) and len(one) <= MAX_SEGMENT and is_plain(one) for one in words):
        raise _unfit()
    return tuple(dict.fromkeys(words))


def _unfit() -> UsageError:
    return UsageError(
        "bad_setting",
        f"stack= takes at most {MOST_WORDS} plain words, words= takes on or off",
        "say it so: citator brief --set stack=python,ruff",
    )
