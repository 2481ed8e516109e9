"""Which files a path or a name could mean: made once with the files of a tree, and kept with them.

- A lookup is by the number of a text; what it gives is checked against the text where it is few
  enough to matter, so that two texts of one number are not taken for each other.
- ``ends``: the ends of paths, whole parts (at most :data:`DEEPEST`), with and without the ending
  of the name; of a file that stands for its folder (``__init__``, ``index``, ``mod``) those of the
  folder too.
- ``stems``: the name of a file up to its first dot, lower case; not those that say nothing.
- ``traits`` are the columns of :data:`TRAITS`, yes or no, by the path alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from citator.index.code.kinds import is_auxiliary, is_migration, is_vendored, stands_for_folder
from citator.index.code.words import number_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

CHECKED = 64
DEEPEST = 40
TRAITS = ("auxiliary", "stands for its folder", "migration", "vendored")
_OF_FOLDER = ("__init__", "index", "mod")
_SAY_NOTHING = ("init", "index", "main", "mod", "")


class Lookup(NamedTuple):
    """``numbers`` (m,), ascending; ``rows`` (m,), ascending within a number."""

    numbers: Array
    rows: Array

    def of(self, number: int) -> Array:
        """The rows of one number."""
        import numpy as np

        key = np.uint32(number)
        low = int(np.searchsorted(self.numbers, key))
        return self.rows[low : int(np.searchsorted(self.numbers, key, "right"))]


def made_of(paths: Sequence[str], def_names: Array) -> dict[str, Any]:
    """All of a snapshot, by the names of its fields."""
    return {
        "by_name": names_of(def_names),
        "ends": ends_of(paths),
        "stems": stems_of(paths),
        "traits": traits_of(paths),
    }


def ends_of(paths: Sequence[str]) -> Lookup:
    """The files by the ends of their paths."""
    return _lookup((number_of(end), row) for row, path in enumerate(paths) for end in _ends(path))


def stems_of(paths: Sequence[str]) -> Lookup:
    """The files by their stems."""
    stems = ((_stem(path), row) for row, path in enumerate(paths))
    return _lookup((number_of(stem), row) for stem, row in stems if stem not in _SAY_NOTHING)


def names_of(numbers: Array) -> Lookup:
    """The places of ``numbers``, by number."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    return Lookup(numbers[order], order.astype(np.int32))


def traits_of(paths: Sequence[str]) -> Array:
    """(n, 4), see :data:`TRAITS`."""
    import numpy as np

    asked = (is_auxiliary, stands_for_folder, is_migration, is_vendored)
    return np.array([[one(path) for one in asked] for path in paths], np.uint8).reshape(-1, 4)


def ending(ends: Lookup, paths: Sequence[str], end: str) -> list[int]:
    """The files whose path ends in ``end``; not checked where they are more than CHECKED."""
    rows: list[int] = ends.of(number_of(end)).tolist()
    return rows if len(rows) > CHECKED else [one for one in rows if end in _ends(paths[one])]


def stemmed(stems: Lookup, paths: Sequence[str], stem: str) -> list[int]:
    """The files of that stem; not checked where they are more than CHECKED."""
    rows: list[int] = stems.of(number_of(stem)).tolist()
    return rows if len(rows) > CHECKED else [one for one in rows if _stem(paths[one]) == stem]


def _ends(path: str) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    for last in (name,) if stem == name else (name, stem):
        yield from _tails(f"{folder}/{last}" if folder else last)
    if stem in _OF_FOLDER and folder:
        yield from _tails(folder)


def _tails(path: str) -> Iterator[str]:
    parts = path.rsplit("/", DEEPEST)[-DEEPEST:]
    return ("/".join(parts[at:]) for at in range(len(parts)))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].strip("_").lower()


def keys_of(numbers: Array, rows: Array) -> Array:
    """Numbers with their rows as one number each, which orders them."""
    import numpy as np

    keys: Array = (numbers.astype(np.uint64) << np.uint64(32)) | rows.astype(np.uint64)
    return keys


def parts_of(keys: Array) -> tuple[Array, Array]:
    """The numbers and the rows of keys."""
    import numpy as np

    low = np.uint64(0xFFFFFFFF)
    return (keys >> np.uint64(32)).astype(np.uint32), (keys & low).astype(np.int32)


def _lookup(pairs: Iterator[tuple[int, int]]) -> Lookup:
    import numpy as np

    keys = np.unique(np.fromiter((number << 32 | row for number, row in pairs), np.uint64))
    return Lookup(*parts_of(keys))
