"""Lists the files of a work tree as they are now: committed, changed, or not yet known to git.

- A file whose size and time are those the index remembers has the content the index says; any
  other is hashed as a blob and compared. No filter, hook or monitor of the repository runs.
- Ignored files, links and submodules are left out. Nothing is written, the index included.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git

MAX_BYTES: Final = 1 << 20
_ENTRY: Final = re.compile(
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0"
    rb"  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (\d+)\t[^\n]*\n"
)
_PLAIN: Final = re.compile(rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0")
_FILES: Final = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file of the work tree: its path (surrogate-escaped), the id its content has as a blob.

    ``stored`` says that the content is that of the index, so that git has the blob; where not,
    the content stands in the work tree alone. ``object_id`` is None where it is too large to
    be hashed here.
    """

    path: str
    object_id: str | None
    stored: bool


def work_files(repo: Repository) -> list[WorkFile]:
    """The files of the work tree by path. Empty where the repository is bare."""
    if repo.worktree is None:
        return []
    git = Git(repo.worktree)
    said = git.run("ls-files", "-z", "--stage", "--debug", "--full-name")
    found = list(_known(repo, said))
    others = git.run("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
    for raw in others.split(b"\0"):
        if raw:
            found += _hashed(repo, raw, None)
    return sorted(found, key=lambda one: one.path)


def _known(repo: Repository, said: bytes) -> Iterator[WorkFile]:
    entries = _ENTRY.findall(said)
    if not entries:  # another form than ours: hash everything
        entries = [(*entry, b"0", b"0", b"0") for entry in _PLAIN.findall(said)]
    written = _time_of_index(repo)
    stands = _standing(repo)
    for mode, object_id, stage, raw, seconds, nanoseconds, size in entries:
        if mode not in _FILES or stage not in (b"0", b"2"):
            continue
        then = int(seconds) * 1_000_000_000 + int(nanoseconds)
        now = stands(raw)
        if now is None:
            continue
        if (now.st_size & 0xFFFFFFFF, now.st_mtime_ns) == (int(size), then) and then < written:
            yield WorkFile(os.fsdecode(raw), object_id.decode(), True)
        else:
            yield from _hashed(repo, raw, object_id.decode())


def _time_of_index(repo: Repository) -> int:
    try:
        return (repo.git_dir / "index").stat().st_mtime_ns
    except OSError:
        return 0


def _state(repo: Repository, raw: bytes) -> os.stat_result | None:
    """The state of a regular file that stands there now."""
    return _standing(repo)(raw)


def _standing(repo: Repository) -> Callable[[bytes], os.stat_result | None]:
    """Asks for the state of the regular file at a path, None where there is none. The place of the
    work tree is told once: for thousands of files it adds up."""
    before = _place(repo, b"")

    def stands(raw: bytes) -> os.stat_result | None:
        try:
            found = os.lstat(before + raw)
        except (OSError, ValueError):
            return None
        return found if stat.S_ISREG(found.st_mode) else None

    return stands


def _place(repo: Repository, raw: bytes) -> bytes:
    """Where it stands, as the system takes it: for thousands of files a path object is slow."""
    assert repo.worktree is not None
    return b"%s/%s" % (os.fsencode(repo.worktree), raw)


def _hashed(repo: Repository, raw: bytes, known: str | None) -> list[WorkFile]:
    path = os.fsdecode(raw)
    state = _state(repo, raw)
    if state is None:
        return []
    if state.st_size > MAX_BYTES:
        return [WorkFile(path, None, False)]
    content = read_work_file(repo, path)
    if content is None:
        return []
    object_id = blob_id(repo, content)
    return [WorkFile(path, object_id, object_id == known)]


def read_work_file(repo: Repository, path: str) -> bytes | None:
    """The content of a file of the work tree, None where it cannot be read or is too large."""
    try:
        with Path(os.fsdecode(_place(repo, os.fsencode(path)))).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= MAX_BYTES else None


def blob_id(repo: Repository, content: bytes) -> str:
    """The id that ``content`` has as a blob of this repository."""
    digest = hashlib.new(repo.object_format, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
