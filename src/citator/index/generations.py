"""Generations on disk: how one becomes current, and how the others go.

    generations/<number>/manifest.json   written last: without it the directory is a leftover
    generations/<number>/engine/         the engine's files, never changed once listed
    generations/<number>/words/          counts of whole words
    generations/<number>/facts.json      what the build could not read
    generations/<number>/views/          a cache, filled while the generation lives
    current                              the number that is served, replaced in one rename

- A killed build leaves a directory without manifest, or one that is not current: readers see
  neither, and the next build sweeps the first and keeps the second as one to roll back to.
- Numbers only grow. The current generation and two more are kept; one that is open somewhere
  is deleted later.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citator.index.damage import damaged
from citator.index.scoring import Lengths
from citator.model.errors import CitatorError, IntegrityError
from citator.store import files, locks

FORMAT = 1
KEPT = 3
MANIFEST = "manifest.json"
OPENING_BYTES = 4_000_000
TOO_NEW = "index_too_new"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation says of itself. ``files``: size and CRC-32 by relative name."""

    number: int
    tip: str | None
    documents: int
    passages: int
    lengths: Lengths
    versions: str
    details: dict[str, int]
    files: dict[str, tuple[int, int]] = field(repr=False)

    def encoded(self) -> bytes:
        """The file's bytes, with a check over all of them."""
        said = {
            "format": FORMAT,
            "number": self.number,
            "tip": self.tip,
            "documents": self.documents,
            "passages": self.passages,
            "lengths": list(self.lengths),
            "versions": self.versions,
            "details": self.details,
            "files": self.files,
        }
        text = json.dumps(said, sort_keys=True, indent=1)
        return f"{zlib.crc32(text.encode()):08x}\n{text}\n".encode()


def decoded(raw: bytes) -> Manifest | None:
    """The manifest in ``raw``; None where an older format wrote it.

    Raises IntegrityError where it is damaged or a newer version wrote it.
    """
    check, _, text = raw.partition(b"\n")
    if check != b"%08x" % zlib.crc32(text[:-1]) or text[-1:] != b"\n":
        raise damaged("its manifest does not match its checksum")
    said: dict[str, Any] = json.loads(text)
    if said["format"] > FORMAT:
        raise IntegrityError(
            TOO_NEW,
            "the history index on this machine was written by a newer version of citator",
            "use that version, or `citator index build --fresh` to make the index again",
        )
    if said["format"] < FORMAT:
        return None
    return Manifest(
        number=said["number"],
        tip=said["tip"],
        documents=said["documents"],
        passages=said["passages"],
        lengths=Lengths(*said["lengths"]),
        versions=said["versions"],
        details=said["details"],
        files={name: (size, check) for name, (size, check) in said["files"].items()},
    )


class Generations:
    """The generations of one index directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._folder = directory / "generations"
        self._current = directory / "current"

    def path(self, number: int) -> Path:
        """Where generation ``number`` is."""
        return self._folder / f"{number:06d}"

    def current(self) -> int | None:
        """The number that is served, None where nothing was built. Raises IntegrityError."""
        try:
            with files.guarded():
                text = self._current.read_bytes()
        except CitatorError as error:
            if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
                return None
            raise
        if not text.endswith(b"\n") or not text[:-1].isdigit():
            raise damaged("it does not say which generation is current")
        return int(text)

    def numbers(self) -> list[int]:
        """Complete generations, oldest first."""
        return [number for number in self._all() if (self.path(number) / MANIFEST).is_file()]

    def _all(self) -> list[int]:
        try:
            names = [entry.name for entry in self._folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise files.storage_error(error) from error
        return sorted(int(name) for name in names if name.isdigit())

    def manifest(self, number: int) -> Manifest | None:
        """What generation ``number`` says; None where it is of an older format.

        Raises IntegrityError where it is missing, damaged, or of a newer format.
        """
        try:
            raw = (self.path(number) / MANIFEST).read_bytes()
        except OSError as error:
            raise damaged("a generation is missing") from error
        try:
            manifest = decoded(raw)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged("its manifest cannot be read") from error
        if manifest is not None and manifest.number != number:
            raise damaged("a manifest is in the wrong place")
        return manifest

    def next_number(self) -> int:
        """A number that was never used before among those on disk."""
        return max([*self._all(), self._current_or_zero()], default=0) + 1

    def _current_or_zero(self) -> int:
        with suppress(CitatorError):
            return self.current() or 0
        return 0

    def promote(self, number: int) -> None:
        """Serve generation ``number`` from now on, durably. Raises StorageError."""
        files.write_atomically(self._current, b"%d\n" % number)

    def sweep(self) -> None:
        """Remove what a killed build left. Only under the writer's lock."""
        for number in self._all():
            if not (self.path(number) / MANIFEST).exists():
                self.remove(number)
        for path in self.directory.glob(f".*{files.UNFINISHED}"):
            with suppress(OSError):
                path.unlink()

    def prune(self, keep: set[int]) -> None:
        """Remove all but the newest generations and those in ``keep``."""
        numbers = self.numbers()
        others = [number for number in numbers if number not in keep]
        spare = max(KEPT - len(keep.intersection(numbers)), 0)
        for number in others[: len(others) - spare]:
            if not locks.in_use(self.path(number) / MANIFEST):
                self.remove(number)

    def remove(self, number: int) -> None:
        """Remove one generation; where the system refuses (it is open somewhere), another day."""
        try:
            (self.path(number) / MANIFEST).unlink(missing_ok=True)
        except NotADirectoryError:
            pass
        except OSError:
            return
        with suppress(CitatorError):
            files.remove_tree(self.path(number), self._folder)


def check(folder: Path, manifest: Manifest, most: int | None = OPENING_BYTES) -> None:
    """Raise IntegrityError where a file is not what was written.

    Every file's size is looked at; bytes are read of the smallest files first, ``most`` bytes
    in all (None: every byte). So opening costs the same at any size.
    """
    for name, (size, _) in manifest.files.items():
        try:
            found = (folder / name).stat().st_size
        except OSError as error:
            raise damaged("a file is missing") from error
        if found != size:
            raise damaged("a file is not as long as it was written")
    read = 0
    for size, name in sorted((size, name) for name, (size, _) in manifest.files.items()):
        read += size
        if most is not None and read > most:
            break
        if checksum(folder / name) != manifest.files[name][1]:
            raise damaged("a file holds other bytes than were written")


def checksum(path: Path) -> int:
    """The CRC-32 of a file."""
    value = 0
    with files.guarded(), path.open("rb") as file:
        while block := file.read(1 << 20):
            value = zlib.crc32(block, value)
    return value
