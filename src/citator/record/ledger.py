"""A ledger: the files of a record, read and checked one by one, none of them believed yet.

- In a repository they are read from the blobs of a commit, never from the working tree; a person's
  own commands read the working tree, to show what is not committed.
- A file that cannot be used is told by its path and why; it never hides another.
- Links, submodules and what is too large are not followed, and are told.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from citator.git.blobs import BlobReader
from citator.git.records import Repository
from citator.git.trees import entries
from citator.model.errors import CitatorError
from citator.model.record import FOLDER as FOLDER
from citator.record import approvals
from citator.record.approvals import Approval
from citator.record.migration import MAX_BYTES, Migration
from citator.record.migration import parse as parse_migration
from citator.trust import canonical

RECORD: Final = "record"
PROPOSALS: Final = "proposals"
APPROVALS: Final = "approvals"
IDENTITY: Final = "ledger.yaml"
MAX_FILES: Final = 50_000
_REGULAR: Final = frozenset({"100644", "100755", "100664"})


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """One file: its path below the ledger's folder, its bytes (None: why not, in ``problem``)."""

    path: str
    content: bytes | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file that could not be used: where it is below the ledger's folder, a code, a sentence."""

    path: str
    code: str
    sentence: str


@dataclass(frozen=True)
class Ledger:
    """What a ledger's files say. ``record`` is its id, None where it has none.

    ``paths`` gives the file of each migration; ``digests`` the SHA-256 of the bytes of each
    approval's file.
    """

    record: str | None = None
    landed: Mapping[str, Migration] = field(default_factory=dict)
    proposals: Mapping[str, Migration] = field(default_factory=dict)
    approvals: tuple[tuple[str, Approval], ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[FileProblem, ...] = ()

    def with_more(self, files: Iterable[LedgerFile]) -> Ledger:
        """This ledger, and what ``files`` add to it: nothing in them takes the place of what is
        here, and a migration counts only if somebody said something about it."""
        more = read(files)
        digests = {**more.digests, **self.digests}
        known = set(self.digests.values())
        approvals = [one for one in more.approvals if more.digests[one[0]] not in known]
        said = {one.statement.migration for _, one in (*self.approvals, *approvals)}
        landed = {
            key: one for key, one in more.landed.items() if key not in self.landed and key in said
        }
        return replace(
            self,
            landed={**self.landed, **landed},
            proposals={key: one for key, one in self.proposals.items() if key not in landed},
            approvals=(*self.approvals, *approvals),
            paths={**self.paths, **{key: more.paths[key] for key in landed}},
            digests=digests,
        )

    @property
    def empty(self) -> bool:
        """Whether nothing was ever proposed here."""
        return not (self.landed or self.proposals or self.approvals or self.problems)


EVERYTHING: Final = (RECORD, PROPOSALS, APPROVALS, IDENTITY)


def at_commit(repo: Repository, commit: str) -> Ledger:
    """The ledger that ``commit`` carries. Raises GitRefusedError."""
    return read(committed_files(repo, commit))


def committed_files(
    repo: Repository, commit: str, paths: Iterable[str] = EVERYTHING
) -> Iterator[LedgerFile]:
    """The files at or below ``paths`` (below the ledger's folder) that ``commit`` carries."""
    wanted = [f"{FOLDER}/{path}" for path in paths]
    with BlobReader(repo) as reader:
        for entry in entries(repo, commit, wanted):
            path = entry.path.removeprefix(f"{FOLDER}/")
            if entry.kind != "blob" or entry.mode not in _REGULAR:
                yield LedgerFile(path, None, "not_a_file")
                continue
            content = reader.read(entry.object_id, MAX_BYTES)
            if isinstance(content, bytes):
                yield LedgerFile(path, content)
            else:
                yield LedgerFile(path, None, content.value)


def in_folder(folder: Path) -> Ledger:
    """The ledger in the directory ``folder`` (a ``.citator``). Raises StorageError."""
    return read(_files(folder))


def chosen_files(folder: Path, paths: Iterable[str]) -> Iterator[LedgerFile]:
    """The files ``paths`` (below it) of the directory ``folder``."""
    for path in paths:
        yield _file(folder, path)


def _files(folder: Path) -> Iterator[LedgerFile]:
    if (folder / IDENTITY).is_file():
        yield _file(folder, IDENTITY)
    for name in (RECORD, PROPOSALS, APPROVALS):
        try:
            children = sorted(one.name for one in (folder / name).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        for child in children:
            yield _file(folder, f"{name}/{child}")


def _file(folder: Path, path: str) -> LedgerFile:
    try:
        facts = os.lstat(folder / path)
        if not stat.S_ISREG(facts.st_mode):
            return LedgerFile(path, None, "not_a_file")
        if facts.st_size > MAX_BYTES:
            return LedgerFile(path, None, "too_large")
        return LedgerFile(path, (folder / path).read_bytes())
    except OSError:
        return LedgerFile(path, None, "unreadable")


def read(files: Iterable[LedgerFile]) -> Ledger:
    """The ledger that ``files`` make up. The order of files is of no account."""
    reading = _Reading()
    for count, one in enumerate(sorted(files, key=lambda one: one.path)):
        if count >= MAX_FILES:
            reading.tell(one.path, "too_many", f"a ledger holds at most {MAX_FILES} files")
            break
        reading.take(one)
    return reading.ledger()


class _Reading:
    """A ledger while its files are read."""

    def __init__(self) -> None:
        self.record: str | None = None
        self.migrations: dict[str, dict[str, Migration]] = {RECORD: {}, PROPOSALS: {}}
        self.approvals: list[tuple[str, Approval]] = []
        self.paths: dict[str, str] = {}
        self.digests: dict[str, str] = {}
        self.problems: list[FileProblem] = []
        self.twice: dict[str, set[str]] = {RECORD: set(), PROPOSALS: set()}

    def tell(self, path: str, code: str, sentence: str) -> None:
        self.problems.append(FileProblem(path, code, sentence))

    def take(self, one: LedgerFile) -> None:
        folder, _, name = one.path.partition("/")
        if one.content is None:
            self.tell(one.path, one.problem, "the file could not be read")
        elif one.path == IDENTITY:
            self._identity(one.path, one.content)
        elif folder in self.migrations and name.endswith(".md"):
            self._migration(folder, one.path, one.content)
        elif folder == APPROVALS and name.endswith(".yaml"):
            self._approval(one.path, one.content)

    def _identity(self, path: str, content: bytes) -> None:
        self.record = identity_of(content)
        if self.record is None:
            self.tell(path, "identity_malformed", "the file does not name a record")

    def _migration(self, folder: str, path: str, content: bytes) -> None:
        try:
            made = parse_migration(content)
        except CitatorError as error:
            self.tell(path, error.code, error.what)
            return
        known = self.migrations[folder]
        other = known.get(made.id)
        if other is not None:
            if other.digest != made.digest:
                self.twice[folder].add(made.id)
                self.tell(path, "repeated_id", "another file carries the same migration id")
            return
        known[made.id] = made
        if folder == RECORD or made.id not in self.paths:
            self.paths[made.id] = path

    def _approval(self, path: str, content: bytes) -> None:
        try:
            self.approvals.append((path, approvals.parse(content)))
            self.digests[path] = hashlib.sha256(content).hexdigest()
        except CitatorError as error:
            self.tell(path, error.code, error.what)

    def ledger(self) -> Ledger:
        landed, proposed = (
            {
                key: one
                for key, one in self.migrations[folder].items()
                if key not in self.twice[folder]
            }
            for folder in (RECORD, PROPOSALS)
        )
        proposed = {key: one for key, one in proposed.items() if key not in landed}
        return Ledger(
            self.record,
            landed,
            proposed,
            tuple(self.approvals),
            self.paths,
            self.digests,
            tuple(self.problems),
        )


def identity_of(content: bytes) -> str | None:
    """The record id that the file ``ledger.yaml`` names, None where it names none."""
    from citator.formats.yaml_safe import load

    try:
        loaded = load(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return None
    values = loaded.value
    if loaded.problems or not isinstance(values, dict) or values.get("citator") != 1:
        return None
    record = values.get("record")
    return record if isinstance(record, str) and canonical.is_digest(record) else None


def identity_file(record: str) -> bytes:
    """The content of ``ledger.yaml`` for a record."""
    return f'citator: 1\nrecord: "{record}"\n'.encode()
