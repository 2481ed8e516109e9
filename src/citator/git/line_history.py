"""How a file changed, commit by commit, from the newest, under each name that it had.

Bounded: the process is ended when its seconds are over or its reader stops, and what it had said
by then is what is known.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from citator.git.blame import Hunk, hunks_in, unquoted
from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id
from citator.model import stop

_LOG: Final = (
    *("log", "--follow", "--format=%x00%H", "-p", "-U0", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--no-show-signature", "-M", "-l2000", "--histogram"),
)
_HEADERS: Final = (b"--- ", b"+++ ", b"rename from ", b"rename to ", b"@@ ", b"deleted file")
_MAX_KEPT: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class FileChange:
    """One commit's change of a file: its names before and after (None: it was not there)."""

    commit: str
    old_path: str | None
    path: str | None
    hunks: tuple[Hunk, ...]


def changes(repo: Repository, commit: str, path: str, seconds: float) -> Generator[FileChange]:
    """The changes that ``commit`` has of the file at ``path``, newest first, merges left out."""
    checked_id(repo, commit)
    with (
        object_git(repo) as git,
        git.start(*_LOG, commit, "--", path) as child,
        child.limited(seconds),
    ):
        at, kept, size = "", list[bytes](), 0
        for line in child.stdout:
            if line.startswith(b"\0"):
                if at:
                    yield _change(at, path, kept)
                at, kept, size = line[1:].decode("ascii", "replace").strip(), [], 0
            elif line.startswith(_HEADERS) and size < _MAX_KEPT:
                kept.append(line)
                size += len(line)
        if child.finish() == 0 and at:
            yield _change(at, path, kept)
    stop.checkpoint()


def _change(commit: str, path: str, kept: list[bytes]) -> FileChange:
    """A removed line can look like a header: only those before the first hunk are read."""
    names: dict[bytes, str | None] = {}
    for line in kept:
        if line.startswith(b"@@ "):
            break
        for start in (b"--- ", b"+++ ", b"rename from ", b"rename to "):
            if line.startswith(start):
                with suppress(ValueError):
                    names[start] = _name(line[len(start) :].rstrip(b"\n"), start)
    old = names.get(b"rename from ", names.get(b"--- ", path))
    new = names.get(b"rename to ", names.get(b"+++ ", path))
    return FileChange(commit, old, new, tuple(hunks_in(b"".join(kept))))


def _name(printed: bytes, start: bytes) -> str | None:
    raw = unquoted(printed.removesuffix(b"\t"))
    if start in (b"--- ", b"+++ "):
        if raw == b"/dev/null":
            return None
        raw = raw.partition(b"/")[2]
    return raw.decode("utf-8", "surrogateescape")
