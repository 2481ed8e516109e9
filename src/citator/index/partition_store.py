"""Partitions on disk: one directory each, named by what it holds; disposable.

- A directory is there whole or not at all: it is made under another name and renamed.
- What an audience may no longer see is taken away with the whole directory that held it; nothing
  is edited in place.
- Where there is nothing to see there is no directory, and nothing is opened.
- One that cannot be kept (the disk is full, somebody retires it at once) answers from memory.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from citator.index.analysis import Analyser
from citator.index.array_file import ArrayFile, write_arrays
from citator.index.partition import Partition
from citator.index.partition_texts import identity
from citator.model.errors import CitatorError, IntegrityError, StorageError
from citator.store.files import guarded, make_directory, remove_tree

if TYPE_CHECKING:
    from citator.index.array_file import Array
    from citator.index.partition_building import Built
    from citator.sources.decisions import Decision

FILE = "partition.arrays"
# What every question reads; texts are verified by their references when they are served.
VERIFIED = (
    "terms", "term_ends", "term_post_ends", "term_units", "term_counts",
    "pairs", "pair_post_ends", "pair_units", "pair_counts",
    "lengths", "first_unit", "refs", "kinds", "current", "held", "names", "scopes", "text_ends",
)  # fmt: skip

_NAME = re.compile(r"[0-9a-f]{64}")


def partition_of(decisions: Sequence[Decision], analyser: Analyser | None = None) -> Partition:
    """The partition of ``decisions`` in memory alone."""
    if not decisions:
        return _nothing()
    built = _built(decisions, analyser)
    return Partition(built.id, len(decisions), _Memory(built.arrays))


def _nothing() -> Partition:
    return Partition(identity(()), 0, None)


class _Memory:
    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays

    def array(self, name: str) -> Array:
        return self._arrays[name]


class Partitions:
    """The partitions of one repository, in ``directory`` (made when there is something to keep)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def of(self, decisions: Sequence[Decision], analyser: Analyser | None = None) -> Partition:
        """The partition of ``decisions``: opened, or built and kept. A damaged one is made anew."""
        if not decisions:
            return _nothing()
        found = self.open(identity(decisions))
        if found is not None:
            return found
        built = _built(decisions, analyser)
        with suppress(StorageError):
            self._keep(built.id, built.arrays, len(decisions))
        opened = self.open(built.id)
        return opened or Partition(built.id, len(decisions), _Memory(built.arrays))

    def open(self, identity: str) -> Partition | None:
        """The partition of this id; None where there is none that is whole."""
        try:
            file = ArrayFile(self.directory / identity / FILE)
            file.verify(VERIFIED)
            if file.meta.get("id") != identity:
                return None
            return Partition(identity, int(file.meta["texts"]), file)
        except (OSError, IntegrityError, KeyError, ValueError):
            return None

    def _keep(self, identity: str, arrays: Mapping[str, Array], texts: int) -> None:
        made = self.directory / f".{identity}.{os.getpid()}.{threading.get_ident()}.new"
        make_directory(made)
        try:
            write_arrays(made / FILE, arrays, {"id": identity, "texts": str(texts)})
            place = self.directory / identity
            remove_tree(place, self.directory)  # there only where it is damaged
            with guarded():
                made.rename(place)
        except CitatorError:
            if self.open(identity) is None:  # another process was not faster
                raise
        finally:
            with suppress(CitatorError):
                remove_tree(made, self.directory)

    def kept(self) -> list[str]:
        """The ids there are directories of, in order."""
        try:
            names = sorted(one.name for one in self.directory.iterdir())
        except OSError:
            return []
        return [name for name in names if _NAME.fullmatch(name)]


def retire(partitions: Partitions, keep: Collection[str]) -> list[str]:
    """Destroy every partition but those of ``keep``, and what an interrupted build left.

    Returns the ids that could not be destroyed now (a reader holds them open on Windows): ask
    again. To withdraw is to name only ids whose texts may all still be seen.
    """
    left = []
    try:
        names = sorted(one.name for one in partitions.directory.iterdir())
    except OSError:
        return []
    for name in names:
        if name in keep:
            continue
        try:
            remove_tree(partitions.directory / name, partitions.directory)
        except CitatorError:
            left.append(name)
    return left


def _built(decisions: Sequence[Decision], analyser: Analyser | None) -> Built:
    # Here, because opening what was built needs nothing of it.
    from citator.index.partition_building import build

    return build(decisions, analyser)
