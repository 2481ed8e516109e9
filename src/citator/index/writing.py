"""One build: documents become passages of a new generation that shares what the old one had.

- The new directory names the old one's finished files again (one file, two names) and adds its
  own; nothing that a reader may have open is ever written to.
- One writer, in the order given. A document that the index holds already is not added again.
- Until the manifest is there, nothing of it counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from citator.index import facts, views, vocabulary
from citator.index.adding import Adding
from citator.index.damage import damaged
from citator.index.generations import MANIFEST, Manifest, checksum
from citator.index.protocol import Batch, DocumentKey
from citator.index.reading import GenerationReader
from citator.store import files

_REWRITTEN = frozenset({"meta.json", ".managed.json"})


def write(
    folder: Path,
    number: int,
    versions: str,
    batch: Batch,
    parent: GenerationReader | None,
    progress: Callable[[int], None] | None,
) -> Manifest:
    """Write generation ``number`` into the empty directory ``folder``; the manifest comes last.

    Raises StorageError, IntegrityError (the parent is damaged), and what the batch raises.
    """
    engine, words = folder / "engine", folder / "words"
    for made in (engine, words):
        files.make_directory(made)
    if parent is not None:
        _share(parent, folder)
    added = Adding(engine, parent)
    added.add_all(batch.documents, progress)
    counts = added.words.folded()
    if counts:
        vocabulary.write(words / f"{number:06d}.tsv", counts)
    vocabulary.compact(words, number)
    live = _live(engine)
    with files.guarded():
        _drop_others(engine, live)
    facts.write(folder, batch.facts())
    hidden = _write_view(folder, batch, parent, added)
    manifest = Manifest(
        number=number,
        tip=batch.tip,
        documents=added.documents,
        passages=added.passages,
        lengths=added.lengths,
        versions=versions,
        details={
            **batch.details,
            "hidden": hidden.passages,
            "hidden_documents": hidden.documents,
        },
        files=_listed(folder, live, parent),
    )
    with files.guarded():
        for made in (engine, words, folder):
            files.sync_directory(made)
    files.write_atomically(folder / MANIFEST, manifest.encoded())
    with files.guarded():
        files.sync_directory(folder.parent)
    return manifest


def _share(parent: GenerationReader, folder: Path) -> None:
    """Name the parent's files again in ``folder``; what the engine rewrites is copied."""
    with files.guarded():
        for name in parent.manifest.files:
            source, target = parent.folder / name, folder / name
            if target.name in _REWRITTEN:
                target.write_bytes(source.read_bytes())
            elif _is_shared(name):
                files.link_or_copy(source, target)


def _is_shared(name: str) -> bool:
    """Whether generations share the file: it is written once, under a name of its own."""
    part, _, rest = name.partition("/")
    return part in ("engine", "words") and rest not in _REWRITTEN


def _write_view(
    folder: Path, batch: Batch, parent: GenerationReader | None, added: Adding
) -> views.Hidden:
    """Cache what the tip sees; how much of the generation it does not."""
    if batch.tip is None:
        return views.Hidden(added.passages, added.documents, added.lengths)
    base = _base(batch, parent)
    lazily = _Lazily(folder, batch, added)

    def locate(keys: Iterable[DocumentKey]) -> Iterator[range]:
        for key in keys:
            found = added.found.get(key)
            if found is None and parent is not None:
                found = lazily.reader.find(key)
            if found is not None:
                yield found

    made = views.changed(
        batch.tip,
        added.passages,
        base,
        batch.change,
        locate,
        lambda ordinals: lazily.reader.fetch(ordinals),
    )
    views.ViewCache(folder / "views", added.passages).save(made, batch.tip)
    return made.hidden


def _base(batch: Batch, parent: GenerationReader | None) -> views.ViewData | None:
    if batch.change.base is None:
        return None
    if parent is not None:
        cache = views.ViewCache(parent.folder / "views", parent.manifest.passages)
        base = cache.load(batch.change.base)
        if base is not None:
            return base
    raise damaged("the view that a build starts from is missing")


class _Lazily:
    """Opens what was just written, only where something must be read back."""

    def __init__(self, folder: Path, batch: Batch, added: Adding) -> None:
        self._folder, self._batch, self._added = folder, batch, added
        self._reader: GenerationReader | None = None

    @property
    def reader(self) -> GenerationReader:
        """The new generation."""
        if self._reader is None:
            added = self._added
            unlisted = Manifest(
                0, self._batch.tip, added.documents, added.passages, added.lengths, "", {}, {}
            )
            self._reader = GenerationReader(self._folder, unlisted)
        return self._reader


def _live(engine: Path) -> set[str]:
    """The names of the engine's files that count."""
    try:
        meta = json.loads((engine / "meta.json").read_bytes())
        segments = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged("the engine did not say what it wrote") from error
    with files.guarded():
        names = [path.name for path in engine.iterdir()]
    return {name for name in names if name in _REWRITTEN or name.partition(".")[0] in segments}


def _drop_others(engine: Path, live: set[str]) -> None:
    """Delete what the engine merged away; what is open elsewhere may have to stay.

    The files it locks stay too: a reader on a full disk could not make them again.
    """
    for path in list(engine.iterdir()):
        if path.name not in live and path.suffix != ".lock":
            with suppress(PermissionError):
                path.unlink()


def _listed(
    folder: Path, live: set[str], parent: GenerationReader | None
) -> dict[str, tuple[int, int]]:
    """Every file with its size and checksum; shared files keep the checksum they had."""
    known = {} if parent is None else parent.manifest.files
    names = [f"engine/{name}" for name in live]
    for pattern in (f"{facts.NAME}", "words/*.tsv", "views/*.view"):
        names += [path.relative_to(folder).as_posix() for path in folder.glob(pattern)]
    listed: dict[str, tuple[int, int]] = {}
    for name in sorted(names):
        path = folder / name
        size = path.stat().st_size
        shared = name in known and known[name][0] == size and _is_shared(name)
        listed[name] = known[name] if shared else (size, checksum(path))
    return listed
