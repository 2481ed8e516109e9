"""Reads objects by id through one long-lived git process.

- Nothing is ever fetched: an object that is not here is missing (see :func:`object_git`).
- What is read hashes to the id that was asked for, or it is corrupt.
- A damaged object can end git: the process is started again, and only that object is lost.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from typing import Final

from citator.git.closing import Closing
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import Child, Git, checked_id, ended
from citator.model import stop

_SIZES: Final = "--batch-check=%(objectname) %(objectsize)"


class Unread(Enum):
    """Why an object could not be read."""

    MISSING = "missing"
    TOO_LARGE = "too_large"
    CORRUPT = "corrupt"


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object's kind (``blob``, ``tree``, ``commit``, ``tag``) and content."""

    kind: str
    content: bytes


class ObjectReader(Closing):
    """Objects of one repository, for one thread. Use as a context manager."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._held = ExitStack()
        self._git: Git | None = None
        self._child: Child | None = None

    def read(self, object_id: str, limit_bytes: int) -> StoredObject | Unread:
        """The object ``object_id``, unless it is missing, corrupt or over ``limit_bytes``."""
        checked_id(self._repo, object_id)
        found = self._ask(object_id, limit_bytes)
        if isinstance(found, StoredObject) and not self._is(found, object_id):
            return Unread.CORRUPT
        return found

    def _ask(self, object_id: str, limit_bytes: int) -> StoredObject | Unread:
        child = self._asked(object_id)
        answer = child.stdout.readline().split()
        if len(answer) == 2:
            return Unread.MISSING
        if len(answer) != 3:
            return self._lost()
        size = int(answer[2])
        if size > limit_bytes:  # git is already writing it: cheaper to start again than to read
            self._end()
            return Unread.TOO_LARGE
        content = child.stdout.read(size + 1)
        if len(content) != size + 1:
            return self._lost()
        return StoredObject(answer[1].decode(), content[:-1])

    def _asked(self, object_id: str) -> Child:
        """A process that has the question, started where there is none."""
        if self._git is None:
            self._git = self._held.enter_context(object_git(self._repo))
        if self._child is None:
            self._child = self._git.start("cat-file", "--batch", feed=None)
        self._child.stdin.write(object_id.encode() + b"\n")
        self._child.stdin.flush()
        return self._child

    def _lost(self) -> Unread:
        """git ended over this object, or was ended."""
        self._end()
        stop.checkpoint()
        return Unread.CORRUPT

    def _is(self, found: StoredObject, object_id: str) -> bool:
        digest = hashlib.new(self._repo.object_format, usedforsecurity=False)
        digest.update(b"%s %d\0" % (found.kind.encode(), len(found.content)))
        digest.update(found.content)
        return digest.hexdigest() == object_id

    def _end(self) -> None:
        """End the process. The next question starts another."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def close(self) -> None:
        """End the process. Reading again starts another."""
        self._end()
        self._git = None
        self._held.close()


def sizes_of(repo: Repository, object_ids: Iterable[str]) -> dict[str, int]:
    """The sizes in bytes of those of ``object_ids`` that are here."""
    wanted = sorted(set(object_ids))
    if not wanted:
        return {}
    sizes: dict[str, int] = {}
    feed = "".join(f"{object_id}\n" for object_id in wanted).encode()
    with object_git(repo) as git, git.start("cat-file", _SIZES, feed=feed) as child:
        for line in child.stdout:
            object_id, _, size = line.decode().rstrip().partition(" ")
            if size.isdigit():
                sizes[object_id] = int(size)
        ended(child)
    return sizes
