"""The history index of one repository: append-only generations of a tantivy index.

- No database beside it: the engine keeps terms and text, a manifest keeps the numbers, and one
  small file says which generation is served. Fewer parts, and nothing that needs file locks to
  be read.
- A build never touches what is served. Killed, refused or out of disk, it leaves the old
  generation serving and something for the next build to sweep.
- Everything here is derived: the remedy for any damage is a fresh build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citator.index import analysis, engine, generations, writing
from citator.index.generations import Generations, Manifest
from citator.index.protocol import Batch, DocumentKey, GenerationInfo
from citator.index.reading import GenerationReader
from citator.index.snapshot import TantivySnapshot
from citator.model.errors import CitatorError, IntegrityError, NotFoundError, RefusedError
from citator.store import files, locks

RECORD_VERSION = "p3"
_OPENINGS = 4


class TantivyHistory:
    """See :class:`citator.index.protocol.HistoryIndex`.

    ``versions`` names what made the documents (splitter, redactor); an index that was made by
    other versions, or analysed otherwise, counts as not built.
    """

    def __init__(self, directory: Path, versions: str | None = None) -> None:
        if versions is None:
            from citator.sources.versions import VERSIONS

            versions = VERSIONS
        self.directory = directory.absolute()
        self._generations = Generations(self.directory)
        self._found: tuple[int, GenerationReader] | None = None
        self.versions = ".".join((versions, analysis.VERSION, engine.version(), RECORD_VERSION))

    def open(self) -> TantivySnapshot | None:
        """The current generation; None where nothing was built, or by other versions.

        Raises IntegrityError where it is damaged or a newer version wrote it.
        """
        for attempt in range(_OPENINGS):
            number = self._generations.current()
            if number is None:
                return None
            try:
                manifest = self._usable(number)
                if manifest is None:
                    return None
                return TantivySnapshot(self._generations.path(number), manifest)
            except IntegrityError:
                if attempt == _OPENINGS - 1 or self._generations.current() == number:
                    raise
        return None

    def _usable(self, number: int) -> Manifest | None:
        manifest = self._generations.manifest(number)
        if manifest is None or manifest.versions != self.versions:
            return None
        return manifest

    def require_not_newer(self) -> None:
        """Raises IntegrityError ``index_too_new`` where a newer version wrote what is served."""
        try:
            number = self._generations.current()
            if number is not None:
                self._generations.manifest(number)
        except IntegrityError as error:
            if error.code == generations.TOO_NEW:
                raise

    @property
    def outdated(self) -> bool:
        """Whether something is built that this version does not read (a fresh build will do)."""
        with suppress(CitatorError):
            number = self._generations.current()
            return number is not None and self._usable(number) is None
        return False

    def build(self, batch: Batch, progress: Callable[[int], None] | None = None) -> GenerationInfo:
        """Write a new generation and promote it. Raises LockedError, StorageError.

        Raises RefusedError ``index_outdated`` where the batch adds to an index that this
        version does not read, and IntegrityError where that is damaged.
        """
        with self._writing():
            self._generations.sweep()
            parent = None if batch.fresh else self._parent()
            before = self._current_if_readable()
            number = self._generations.next_number()
            folder = self._generations.path(number)
            files.make_directory(folder)
            try:
                manifest = writing.write(folder, number, self.versions, batch, parent, progress)
                self._generations.promote(number)
            except BaseException:
                with suppress(CitatorError):
                    self._generations.remove(number)
                raise
            self._found = None
            self._generations.prune({number} if before is None else {number, before})
            return self._info(manifest, number)

    def _parent(self) -> GenerationReader | None:
        number = self._generations.current()
        if number is None:
            return None
        manifest = self._usable(number)
        if manifest is None:
            raise _outdated()
        return GenerationReader(self._generations.path(number), manifest)

    def _current_if_readable(self) -> int | None:
        with suppress(CitatorError):
            return self._generations.current()
        return None

    def holds(self, key: DocumentKey) -> bool:
        """Whether the current generation has this document already."""
        number = self._generations.current()
        if number is None:
            return False
        if self._found is None or self._found[0] != number:
            manifest = self._usable(number)
            if manifest is None:
                return False
            self._found = number, GenerationReader(self._generations.path(number), manifest)
        return self._found[1].find(key) is not None

    def generations(self) -> list[GenerationInfo]:
        """Those on disk that this version understands, oldest first."""
        current = self._current_if_readable()
        found = []
        for number in self._generations.numbers():
            with suppress(CitatorError):
                manifest = self._generations.manifest(number)
                if manifest is not None:
                    found.append(self._info(manifest, current))
        return found

    def _info(self, manifest: Manifest, current: int | None) -> GenerationInfo:
        return GenerationInfo(
            number=manifest.number,
            tip=manifest.tip,
            documents=manifest.documents,
            passages=manifest.passages,
            bytes=files.usage(self._generations.path(manifest.number)),
            current=manifest.number == current,
            versions=manifest.versions,
            details=dict(manifest.details),
        )

    def promote(self, number: int) -> GenerationInfo:
        """Make a generation current. Raises NotFoundError, IntegrityError, LockedError.

        Raises RefusedError ``index_outdated`` where other versions made it.
        """
        with self._writing():
            if number not in self._generations.numbers():
                raise NotFoundError(
                    "no_such_generation",
                    "there is no such generation of the index",
                    "run `citator index status` to see those on disk",
                )
            return self._promote(number)

    def rollback(self) -> GenerationInfo:
        """Make the one before the current current. Raises as :meth:`promote`."""
        with self._writing():
            current = self._current_if_readable()
            earlier = [n for n in self._generations.numbers() if current is None or n < current]
            if not earlier:
                raise NotFoundError(
                    "nothing_to_roll_back_to",
                    "there is no earlier generation of the index",
                    "run `citator index status` to see those on disk",
                )
            return self._promote(earlier[-1])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the writer's lock."""
        files.make_directory(self.directory)
        with locks.exclusive(self.directory / "lock"):
            yield

    def _promote(self, number: int) -> GenerationInfo:
        manifest = self._usable(number)
        if manifest is None:
            raise _outdated()
        GenerationReader(self._generations.path(number), manifest)
        self._generations.promote(number)
        self._found = None
        return self._info(manifest, number)

    def verify(self) -> None:
        """Read every byte of the current generation. Raises IntegrityError."""
        number = self._generations.current()
        manifest = None if number is None else self._usable(number)
        if number is not None and manifest is not None:
            generations.check(self._generations.path(number), manifest, None)


def _outdated() -> RefusedError:
    return RefusedError(
        "index_outdated",
        "the history index on this machine was made by another version of citator",
        "run `citator index build --fresh`: it is derived from the repository",
    )
