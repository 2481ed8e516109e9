"""A primary store of one clone: small plain files, and a journal of which of them count.

    <kind>/files/ab/abcd….json    content, named by its SHA-256
    <kind>/journal/*.jsonl        one line commits a change (store/journal.py)
    <kind>/lock                   one writer at a time; readers need none

- A file is written and flushed first; it counts when the line that names it is on the disk. What a
  killed writer left without a line is an orphan, and the next sweep takes it away.
- A deletion is a line too: it names the digests of what goes, then the files go. Nothing else is
  ever taken away, and nothing is written twice.
- A file that is not what its name says is told (IntegrityError), and the others stay readable.
- Where the journal is not one chain nothing is read, written or swept: the files lie there as
  plain text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from citator.model.errors import IntegrityError
from citator.store import files, locks
from citator.store.journal import FOLDER, MOST_NAMED, Entry, Journal

FILES: Final = "files"
LOCK: Final = "lock"
SUFFIX: Final = ".json"
MAX_BYTES: Final = 65_536
SWEPT_EVERY: Final = 256


@dataclass(frozen=True, slots=True)
class LocalLedger:
    """The ledger in ``folder``, which is made at the first change.

    ``removals`` are the events whose digests are of what went.
    """

    folder: Path
    removals: frozenset[str] = frozenset()

    @property
    def journal(self) -> Journal:
        """The journal whose lines commit."""
        return Journal(self.folder / FOLDER)

    def entries(self) -> list[Entry]:
        """What was committed, oldest first. Raises IntegrityError ``local_ledger_broken``."""
        with _named(self.folder):
            return self.journal.entries()

    def content(self, digest: str) -> bytes:
        """The bytes of that digest. Raises IntegrityError ``local_file_damaged``."""
        try:
            with self.place(digest).open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            raise _damaged() from None
        except OSError as error:
            raise files.storage_error(error) from error
        if hashlib.sha256(raw).hexdigest() != digest:
            raise _damaged()
        return raw

    def place(self, digest: str) -> Path:
        """Where content of that digest lies."""
        return self.folder / f"{FILES}/{digest[:2]}/{digest}{SUFFIX}"  # joined once: there are many

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The one writer, for the block: what it reads there stays so until the end of it.

        Waits for others. Raises StorageError, IntegrityError ``local_ledger_broken``.
        """
        files.make_directory(self.folder)
        with locks.exclusive(self.folder / LOCK, wait=True):
            yield Writer(self)


@dataclass(frozen=True, slots=True)
class Writer:
    """Commits changes while it holds the ledger."""

    ledger: LocalLedger

    def commit(
        self, event: str, time: str, subjects: Sequence[str], content: bytes | None = None
    ) -> Entry:
        """One change, on the disk when this returns; ``content`` is what it brings.

        Raises ValueError for more than MAX_BYTES, StorageError.
        """
        digests = () if content is None else (self._written(content),)
        with _named(self.ledger.folder):
            entry = self.ledger.journal.append(event, time, subjects=subjects, digests=digests)
        if entry.n % SWEPT_EVERY == 0:
            self.sweep()
        return entry

    def remove(self, event: str, time: str, subjects: Sequence[str], gone: Sequence[str]) -> None:
        """Say that the contents ``gone`` go, then take them away."""
        for some in _batches(gone):
            with _named(self.ledger.folder):
                self.ledger.journal.append(event, time, subjects=subjects, digests=some)
        for digest in gone:
            with files.guarded(), suppress(FileNotFoundError):
                self.ledger.place(digest).unlink()

    def sweep(self) -> int:
        """Take away what no line names, and what a line says is gone.

        What is older than the first line is not ours to judge. Returns how many files went.
        """
        entries = self.ledger.entries()
        if not entries:
            return 0
        live: set[str] = set()
        for entry in entries:
            if entry.event in self.ledger.removals:
                live.difference_update(entry.digests)
            else:
                live.update(entry.digests)
        named = {digest for entry in entries for digest in entry.digests}
        begun = datetime.fromisoformat(entries[0].time).timestamp()
        swept = 0
        with files.guarded():
            for path in list((self.ledger.folder / FILES).glob("*/*")):
                digest = path.name.removesuffix(SUFFIX)
                if digest in live or (digest not in named and path.lstat().st_mtime < begun):
                    continue
                path.unlink()
                swept += 1
        return swept

    def _written(self, content: bytes) -> str:
        if len(content) > MAX_BYTES:
            raise ValueError("a small file is small")
        digest = hashlib.sha256(content).hexdigest()
        path = self.ledger.place(digest)
        files.make_directory(path.parent)
        files.write_atomically(path, content)
        return digest


def _batches(digests: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, max(1, len(digests)), MOST_NAMED):
        yield digests[start : start + MOST_NAMED]


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """What is broken here is no journal of the record: say what to do about this one."""
    try:
        yield
    except IntegrityError as error:
        if error.code != "journal_broken":
            raise
        raise IntegrityError(
            "local_ledger_broken",
            f"the journal in local/{folder.name} is not what was written there",
            f"move the folder local/{folder.name} (`citator doctor` says where the data is) aside"
            " to go on with a new one; each file in it is plain text and stays readable",
        ) from error


def _damaged() -> IntegrityError:
    return IntegrityError(
        "local_file_damaged",
        "a file that is kept here is missing or not what was written",
        "bring it back from a copy, or remove what it held; everything else is as it was",
    )
