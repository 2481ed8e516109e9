"""One generation, open for reading.

A snapshot keeps what it opened: the engine's files stay mapped, and a shared lock asks the
pruning writer to wait with this generation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from citator.index import facts, views, vocabulary
from citator.index.damage import damaged
from citator.index.generations import MANIFEST, Manifest
from citator.index.protocol import ViewChange
from citator.index.reading import GenerationReader
from citator.index.visible import TantivyView
from citator.model.errors import StorageError
from citator.model.horizon import HorizonFact
from citator.store.locks import SharedLock


class TantivySnapshot:
    """One immutable generation. See :class:`citator.index.protocol.Snapshot`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._lock = SharedLock(folder / MANIFEST)
        try:
            self._reader = GenerationReader(folder, manifest)
        except BaseException:
            self._lock.release()
            raise
        self._folder = folder
        self._manifest = manifest
        self._cache = views.ViewCache(folder / "views", manifest.passages)
        self._views: dict[str, TantivyView] = {}

    @property
    def generation(self) -> int:
        """Its number."""
        return self._manifest.number

    @property
    def tip(self) -> str | None:
        """The commit it was built for."""
        return self._manifest.tip

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """What the build could not read."""
        return facts.read(self._folder)

    def view(self, tip: str, load: Callable[[], ViewChange] | None = None) -> TantivyView | None:
        """The view of ``tip``: cached, or made from ``load()`` and cached, or None."""
        if tip not in self._views:
            data = self._cached(tip) or self._made(tip, load)
            if data is None:
                return None
            self._views[tip] = TantivyView(self._reader, self._manifest, data)
        return self._views[tip]

    def _cached(self, tip: str) -> views.ViewData | None:
        data = self._cache.load(tip)
        if data is None and tip == self.tip:
            raise damaged("what its own commit sees is missing")
        return data

    def _made(self, tip: str, load: Callable[[], ViewChange] | None) -> views.ViewData | None:
        if load is None:
            return None
        change = load()
        base = None if change.base is None else self._cached(change.base)
        if change.base is not None and base is None:
            return None
        data = views.changed(
            tip, self._manifest.passages, base, change, self._reader.locate, self._reader.fetch
        )
        with suppress(StorageError):
            self._cache.save(data, self.tip)
        return data

    def cached_views(self) -> tuple[str, ...]:
        """Tips whose views are cached, newest first."""
        return self._cache.tips()

    def words(self) -> Iterator[tuple[str, int]]:
        """Whole lower-case words with how often they stand in it, in the words' order."""
        names = [name for name in self._manifest.files if name.startswith("words/")]
        return vocabulary.words(self._folder, names)

    def close(self) -> None:
        """Let the generation go."""
        self._views.clear()
        self._lock.release()

    def __enter__(self) -> TantivySnapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
