"""Reads a history for what left it with a reason: one removal a commit, in groups of marks.

- Only commits that say so are looked into: by a revert, by a title that removes and a body that
  explains. A dependency and a key of a configuration count where the message names them, or a
  revert took them out; for a dependency any message that explains itself will do.
- What a commit also adds was moved, not removed. Tests, prose, generated and vendored files are no
  behaviour, and the record's own files are read by the record alone.
- Bounded: so many groups and marks a commit; a patch that is too long leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from citator.formats.patch import FilePatch, parse
from citator.git.blobs import BlobReader
from citator.git.history import commits
from citator.git.patches import patches
from citator.git.records import RawCommit, Repository
from citator.index.behaviour import is_behaviour
from citator.index.code.kinds import is_test, is_vendored
from citator.sources.removals import dependencies
from citator.sources.removals.causes import Cause, Stated, stated_by
from citator.sources.removals.marks import (
    SHINGLE,
    MarkKind,
    definition,
    few_lines,
    flags,
    is_config,
    is_distinctive,
    key,
    keys_of,
    number,
    runs,
    shingles,
    significant,
)

MAX_GROUPS: Final = 400
MAX_MARKS: Final = 4_000
MAX_PATHS: Final = 2_000
_BATCH: Final = 512
_NAME: Final = 160


@dataclass(frozen=True, slots=True)
class Group:
    """One thing that left: a run of lines, a file, a name. ``marks`` are the numbers by which it is
    known; ``name`` is empty for lines; ``line`` is where it stood, from 1, or 0."""

    kind: MarkKind
    path: str
    name: str
    marks: tuple[int, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """What one commit removed. ``paths`` are all that it touches, None where they are unknown or
    too many; ``undoes`` are commits that it reverts."""

    commit: str
    cause: Cause
    at: int
    ref: str
    undoes: tuple[str, ...]
    paths: tuple[str, ...] | None
    groups: tuple[Group, ...]


@dataclass(slots=True)
class Mined:
    """How much was read."""

    commits: int = 0
    candidates: int = 0
    removals: list[Removal] = field(default_factory=list)


def mined(repo: Repository, tip: str, excluding: Sequence[str] = ()) -> Iterator[Mined]:
    """What the commits that ``tip`` has and none of ``excluding`` has removed, in batches."""
    with commits(repo, tip, excluding) as walk, BlobReader(repo) as blobs:
        done = Mined()
        waiting: list[tuple[RawCommit, Stated]] = []
        for raw in walk:
            done.commits += 1
            manifests = any(map(dependencies.is_manifest, (raw.paths or ())[:MAX_PATHS]))
            said = stated_by(raw, manifests=manifests)
            if said is not None:
                waiting.append((raw, said))
            if len(waiting) >= _BATCH:
                yield _read(repo, blobs, done, waiting)
                done, waiting = Mined(), []
        yield _read(repo, blobs, done, waiting)


def _read(
    repo: Repository, blobs: BlobReader, done: Mined, waiting: list[tuple[RawCommit, Stated]]
) -> Mined:
    done.candidates = len(waiting)
    read = patches(repo, [raw.object_id for raw, _ in waiting])
    for (raw, said), (_, patch) in zip(waiting, read, strict=True):
        files = () if patch is None else parse(patch).files
        groups = tuple(_groups(files, said.cause, raw.message, blobs))
        if groups or said.undoes:
            paths = raw.paths if raw.paths is not None and len(raw.paths) <= MAX_PATHS else None
            done.removals.append(
                Removal(
                    raw.object_id,
                    said.cause,
                    raw.committed_at or 0,
                    said.ref,
                    said.undoes,
                    paths,
                    groups,
                )
            )
    return done


def _groups(
    files: Sequence[FilePatch], cause: Cause, message: str, blobs: BlobReader
) -> Iterator[Group]:
    said = message.casefold()

    def is_named(group: Group) -> bool:
        return cause is Cause.REVERT or group.name.casefold() in said

    yield from filter(is_named, _dependencies(files, blobs))
    if cause is Cause.EXPLAINED:
        return
    added = {significant(text) for one in files for _, text in one.numbered("+")}
    found: list[Group] = []
    marks = 0
    for one in files:
        path = one.old_path
        if path is None or one.binary or not is_behaviour(path):
            continue
        if one.new_path is None:
            found.append(Group(MarkKind.FILE, path, path, (number(MarkKind.FILE, path),)))
        for group in (
            *_runs(one, path, added),
            *_names(one, path, files),
            *filter(is_named, _keys(one, path, blobs)),
        ):
            marks += len(group.marks)
            if marks > MAX_MARKS or len(found) >= MAX_GROUPS:
                break
            found.append(group)
    yield from found


def _runs(one: FilePatch, path: str, added: set[str]) -> Iterator[Group]:
    for run in runs(one.numbered("-"), added):
        texts = [text for _, text in run]
        if len(texts) >= SHINGLE:
            marks = tuple(dict.fromkeys(shingles(texts)))
        else:
            marks = (few_lines(path, texts),)
        yield Group(MarkKind.LINES, path, "", marks, run[0][0])


def _names(one: FilePatch, path: str, files: Sequence[FilePatch]) -> Iterator[Group]:
    """Definitions and options of the command line that stand nowhere else in what was added."""
    gone: dict[tuple[MarkKind, str], int] = {}
    for at, text in one.numbered("-"):
        if is_distinctive(name := definition(text)):
            gone.setdefault((MarkKind.SYMBOL, name), at)
        for flag in flags(text):
            gone.setdefault((MarkKind.FLAG, flag), at)
    if not gone:
        return
    stays = "\n".join(text for each in files for _, text in each.numbered("+"))
    for (kind, name), at in gone.items():
        if name not in stays and len(name) <= _NAME:
            yield Group(kind, path, name, (number(kind, name),), at)


def _keys(one: FilePatch, path: str, blobs: BlobReader) -> Iterator[Group]:
    """Keys of a configuration that are in it no more."""
    if not is_config(path) or dependencies.is_manifest(path):
        return
    gone = {name: at for at, text in one.numbered("-") if (name := key(text))}
    if not gone:
        return
    content = _content(one.new_id, blobs) if one.new_path is not None else b""
    if content is None:
        return
    stays = keys_of(content)
    for name, at in gone.items():
        if name not in stays:
            yield Group(MarkKind.KEY, path, name, (number(MarkKind.KEY, path, name),), at)


def _dependencies(files: Sequence[FilePatch], blobs: BlobReader) -> Iterator[Group]:
    """Dependencies that a manifest lost and no other file of the commit names."""
    gone: dict[tuple[str, str], str] = {}
    stays: set[tuple[str, str]] = set()
    for one in files:
        path = one.old_path or one.new_path
        if path is None or not dependencies.is_manifest(path) or is_vendored(path) or is_test(path):
            continue
        before = dependencies.named_in(path, _content(one.old_id, blobs) if one.old_path else None)
        after = dependencies.named_in(path, _content(one.new_id, blobs) if one.new_path else None)
        if before is None or after is None:
            continue
        stays |= {(after.ecosystem, name) for name in after.names}
        if not before.lock and one.new_path is not None:
            gone |= {(before.ecosystem, name): path for name in before.names - after.names}
    for (ecosystem, name), path in list(gone.items())[:MAX_GROUPS]:
        if (ecosystem, name) not in stays and len(name) <= _NAME:
            mark = number(MarkKind.DEPENDENCY, ecosystem, name)
            yield Group(MarkKind.DEPENDENCY, path, name, (mark,))


def _content(object_id: str, blobs: BlobReader) -> bytes | None:
    if not object_id.strip("0"):
        return None
    found = blobs.read(object_id, dependencies.MAX_BYTES)
    return found if isinstance(found, bytes) else None
