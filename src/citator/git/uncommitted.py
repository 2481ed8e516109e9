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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git, ended

MAX_BYTES: Final = 1 << 20
_ENTRY: Final = re.compile(
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0"
    rb"  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
_PLAIN: Final = re.compile(rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0")
_FILES: Final = (b"100644", b"100755")
_OTHERS: Final = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
_NOT_CHECKED_OUT: Final = 1 << 30


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


@dataclass(slots=True)
class _Seen:
    """``same`` are the raw paths and ids of what is as the index remembers it."""

    same: list[tuple[bytes, bytes]] = field(default_factory=list)
    loose: list[WorkFile] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def work_files(repo: Repository) -> list[WorkFile]:
    """The files of the work tree by path. Empty where the repository is bare."""
    if repo.worktree is None:
        return []
    seen = _seen(repo, repo.worktree)
    found = [WorkFile(os.fsdecode(raw), id.decode(), True) for raw, id in seen.same]
    return sorted([*found, *seen.loose], key=lambda one: one.path)


def differing(repo: Repository) -> tuple[list[WorkFile], list[str]]:
    """The files whose content git does not have, and the paths that the index has and the work
    tree has not. What a sparse checkout leaves out is not gone."""
    if repo.worktree is None:
        return [], []
    seen = _seen(repo, repo.worktree)
    return [one for one in seen.loose if not one.stored], seen.gone


def _seen(repo: Repository, worktree: Path) -> _Seen:
    """A look at every file. git looks for those it does not know meanwhile."""
    git = Git(worktree)
    seen = _Seen()
    with git.start(*_OTHERS) as child:
        _look(repo, git.run("ls-files", "-z", "--stage", "--debug", "--full-name"), seen)
        others = child.stdout.read()
        ended(child)
    for raw in others.split(b"\0"):
        if raw:
            seen.loose += _hashed(repo, raw, None)
    return seen


def _look(repo: Repository, said: bytes, seen: _Seen) -> None:
    entries = _ENTRY.findall(said)
    if not entries:  # another form than ours: hash everything, and nothing is said to be gone
        left_out = b"%x" % _NOT_CHECKED_OUT
        entries = [(*entry, b"0", b"0", b"0", left_out) for entry in _PLAIN.findall(said)]
    written = _time_of_index(repo)
    before = _place(repo, b"")
    for mode, object_id, stage, raw, seconds, nanoseconds, size, flags in entries:
        if mode not in _FILES or stage not in (b"0", b"2"):
            continue
        try:
            now = os.lstat(before + raw)
        except (OSError, ValueError):
            if not int(flags, 16) & _NOT_CHECKED_OUT:
                seen.gone.append(os.fsdecode(raw))
            continue
        if not stat.S_ISREG(now.st_mode):
            continue
        then = int(seconds) * 1_000_000_000 + int(nanoseconds)
        same = now.st_mtime_ns == then and (now.st_size & 0xFFFFFFFF) == int(size)
        if same and then < written:
            seen.same.append((raw, object_id))
        else:
            seen.loose += _hashed(repo, raw, object_id.decode())


def _time_of_index(repo: Repository) -> int:
    try:
        return (repo.git_dir / "index").stat().st_mtime_ns
    except OSError:
        return 0


def _place(repo: Repository, raw: bytes) -> bytes:
    """Where it stands, as the system takes it: for thousands of files a path object is slow."""
    assert repo.worktree is not None
    return b"%s/%s" % (os.fsencode(repo.worktree), raw)


def _hashed(repo: Repository, raw: bytes, known: str | None) -> list[WorkFile]:
    path = os.fsdecode(raw)
    try:
        state = os.lstat(_place(repo, raw))
    except (OSError, ValueError):
        return []
    if not stat.S_ISREG(state.st_mode):
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
