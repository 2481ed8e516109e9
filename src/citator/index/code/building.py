"""The code of one repository as it is now: what is missing is parsed, the rest is opened.

- What takes part are the files of the work tree, uncommitted ones included; of a bare repository,
  those of the commit it stands on.
- Files are parsed once a blob and kept; the snapshot of a set of files is kept under the digest
  of its paths and blobs, the view of the past under that of the paths and the tip: an edit that
  adds and takes away no file leaves it as it is.
- Files are in two parts: ``source`` (of a known language) and ``other`` (any other text): what
  describes a change is ordered apart from where it is made.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from citator.git import blobs, history, repository, trees, uncommitted
from citator.git.records import Repository
from citator.index.code import kept, renewing
from citator.index.code import past as pasts
from citator.index.code import snapshot as snapshots
from citator.index.code.facts import FileFacts
from citator.index.code.kinds import MAX_BYTES, State, is_test
from citator.index.code.languages import ending_of, language_of
from citator.index.code.parsing import facts_of, nothing
from citator.index.code.store import VERSION, FactStore
from citator.index.code.words import Words
from citator.model import stop
from citator.model.errors import IntegrityError
from citator.model.record import is_of_record

_BATCH = 256
_SEGMENT = 5_000
_SMALL, _MANY = 1 << 16, 64
_MAX_OTHER = 128 * 1024
_UNREAD = (
    "png jpg jpeg gif ico svg webp bmp pdf zip gz bz2 xz tar whl jar class so dll dylib exe bin"
    " mo po woff woff2 ttf eot otf mp3 mp4 wav ogg webm npy npz parquet fits pkl sqlite db lock"
)
_ENDINGS = frozenset(f".{ending}" for ending in _UNREAD.split())

Progress = Callable[[int, int], None]
Hidden = Callable[[str], bool]
Opened = TypeVar("Opened")


def _nothing_is(path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Member:
    """A file that takes part: where its content is read, and under what it is known."""

    path: str
    object_id: str
    stored: bool

    @property
    def kind(self) -> str:
        """What, beside its bytes, its facts depend on: the ending."""
        return ending_of(self.path)

    @property
    def source(self) -> bool:
        """Whether it is source of a known language."""
        return language_of(self.path) is not None

    @property
    def test(self) -> bool:
        """Whether it is a test by its path."""
        return is_test(self.path)


@dataclass(frozen=True, slots=True)
class Parts:
    """What takes part now. ``too_large`` files take part by nothing."""

    source: tuple[Member, ...]
    other: tuple[Member, ...]
    too_large: int
    uncommitted: int

    def groups(self, *, tests: bool = False) -> tuple[list[Member], list[Member]]:
        """Sources, and what stands behind them; tests only with ``tests``."""
        source = [one for one in self.source if tests or not one.test]
        return source, [one for one in self.other if tests or not one.test]


class CodeIndex:
    """The code index of one clone, in ``directory``. Use as a context manager.

    With ``keep`` false only the facts of blobs are kept, not what is made of them: for many trees
    that are looked at once.
    """

    def __init__(
        self, repo: Repository, directory: Path, words: Words, *, keep: bool = True
    ) -> None:
        self._repo = repo
        self._directory = directory
        self._words = words
        self._keep = keep
        self._store = FactStore(directory / "facts.sqlite")

    def __enter__(self) -> CodeIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.__exit__()

    def parts(self, commit: str | None, hidden: Hidden = _nothing_is) -> Parts:
        """What takes part: the work tree, or ``commit`` where there is none. What is ``hidden``
        (path → whether) neither takes part nor is counted."""
        if self._repo.worktree is not None:
            return _parts(uncommitted.work_files(self._repo), hidden)
        return _parts([], hidden) if commit is None else parts_at(self._repo, commit, hidden)

    def snapshot(
        self, members: Sequence[Member], progress: Progress | None = None
    ) -> snapshots.CodeSnapshot:
        """The snapshot of these files."""
        said = (f"{one.object_id} {one.path}" for one in members)
        path = self._directory / f"{_digest(said)}.code.arrays"
        opened = _opened(kept.load_snapshot, path) if self._keep else None
        if opened is None:
            opened, sources = self.made(members, self._directory, progress)
            if self._keep:
                kept.save_snapshot(path, opened, sources)
        return opened

    def made(
        self, members: Sequence[Member], beside: Path, progress: Progress | None = None
    ) -> tuple[snapshots.CodeSnapshot, kept.Sources]:
        """The snapshot of these files, out of one in the folder ``beside`` where one is near."""

        def facts_of(places: Sequence[int]) -> list[FileFacts]:
            some = [members[one] for one in places]
            facts = self._facts(some, progress)
            return [facts[one.object_id, one.kind] for one in some]

        said = [(one.path, one.object_id) for one in members]
        return renewing.snapshot_beside(beside, said, facts_of, self._words)

    def past(self, groups: Sequence[Sequence[Member]], tip: str) -> list[pasts.PastView]:
        """What ``tip`` has of the past, against the files of each group."""
        members = [one for group in groups for one in group]
        name = f"{_digest([tip, *(one.path for one in members)])}.past.arrays"
        opened = _opened(kept.load_view, self._directory / name) if self._keep else None
        if opened is None:
            paths = [one.path for one in members]
            opened = pasts.view_of(self.commits(tip), [tip], paths)
            if self._keep:
                kept.save_view(self._directory / name, opened)
        return pasts.split(opened, [len(group) for group in groups])

    def _facts(
        self, members: Sequence[Member], progress: Progress | None
    ) -> Mapping[tuple[str, str], FileFacts]:
        known = dict(self._store.read((one.object_id, one.kind) for one in members))
        missing = {(one.object_id, one.kind): one for one in members}
        waiting = [one for key, one in missing.items() if key not in known]
        done = 0
        parsed = self._parsed(waiting)
        while batch := list(islice(parsed, _BATCH)):
            self._store.write(batch)
            known.update(batch)
            done += len(batch)
            if progress is not None:
                progress(done, len(waiting))
        return known

    def _parsed(self, waiting: Sequence[Member]) -> Iterator[tuple[tuple[str, str], FileFacts]]:
        if not waiting:
            return
        with blobs.BlobReader(self._repo) as reader:
            for one in waiting:
                stop.checkpoint()
                content = self._content(one, reader)
                facts = nothing(State.HUGE)
                if content is not None and (one.source or len(content) <= _MAX_OTHER):
                    facts = facts_of(content, one.path, self._words)
                yield (one.object_id, one.kind), facts

    def _content(self, one: Member, reader: blobs.BlobReader) -> bytes | None:
        if one.stored:
            content = reader.read(one.object_id, MAX_BYTES)
            return content if isinstance(content, bytes) else None
        return uncommitted.read_work_file(self._repo, one.path)

    def commits(self, tip: str) -> pasts.Past:
        """All commits that were ever read; those of ``tip`` are read now where they are new."""
        segments = self._store.segments()
        known = pasts.joined(segments)
        if (known.ids == pasts.commit_number(tip)).any():
            return known
        read = repository.commits_here(self._repo, self._store.tips())
        with history.commits(self._repo, tip, read) as walk:
            while commits := list(islice(walk, _SEGMENT)):
                packed = pasts.pack(pasts.segment_of(commits, self._words))
                self._store.add_segment(packed, len(segments), commits[-1].object_id)
                segments.append(packed)
                known = pasts.joined([packed], known)
        first = 1 + max((n for n, one in enumerate(segments) if len(one) > _SMALL), default=-1)
        if len(segments) - first > _MANY:
            folded = pasts.pack(pasts.joined(segments[first:]))
            self._store.fold(first, len(segments), folded, tip)
        return known


def members_of(
    files: Iterable[tuple[str, str, bool]], too_large: int, uncommitted_files: int
) -> Parts:
    """What of ``files`` (path, id, stored) takes part: not the record, nor what has no text."""
    source: list[Member] = []
    other: list[Member] = []
    for path, object_id, stored in files:
        if is_of_record(path) or ending_of(path) in _ENDINGS:
            continue
        one = Member(path, object_id, stored)
        (source if one.source else other).append(one)
    return Parts(tuple(source), tuple(other), too_large, uncommitted_files)


def parts_at(repo: Repository, commit: str, hidden: Hidden = _nothing_is) -> Parts:
    """What takes part of the files that ``commit`` has, whatever the work tree is."""
    return _parts(list(_committed(repo, commit)), hidden)


def _parts(found: Sequence[uncommitted.WorkFile], hidden: Hidden) -> Parts:
    files = [one for one in found if not hidden(one.path)]
    return members_of(
        [(one.path, one.object_id, one.stored) for one in files if one.object_id is not None],
        sum(1 for one in files if one.object_id is None),
        sum(1 for one in files if not one.stored),
    )


def _committed(repo: Repository, commit: str) -> Iterator[uncommitted.WorkFile]:
    for entry in trees.entries(repo, commit):
        if entry.kind == "blob" and entry.mode != "120000":
            large = entry.size is None or entry.size > MAX_BYTES
            yield uncommitted.WorkFile(entry.path, None if large else entry.object_id, True)


def _digest(said: Iterable[str]) -> str:
    digest = hashlib.sha256(f"{VERSION} {kept.FORMAT}\n".encode())
    for one in said:
        digest.update(f"{one}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:24]


def _opened(load: Callable[[Path], Opened], path: Path) -> Opened | None:
    with suppress(OSError, IntegrityError):
        opened = load(path)
        with suppress(OSError):
            os.utime(path)  # what was asked for last is what is kept
        return opened
    return None
