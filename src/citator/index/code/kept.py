"""Snapshots and views of the past as files of arrays: opened in milliseconds, made again at will.

A file is named by a digest of all that it was made from; a few of those that were asked for last
are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index.array_file import ArrayFile, write_arrays
from citator.index.code import lookups
from citator.index.code.past import PastView
from citator.index.code.snapshot import CodeSnapshot, Postings
from citator.index.code.store import VERSION
from citator.store.files import keep_newest

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 2
KEPT = 6
_MADE = f"{VERSION} {FORMAT}"
_TEXTS = ("paths", "states", "languages", "names")
_POSTINGS = ("terms", "starts", "docs", "counts")
_CODE = (
    "lines",
    "lengths",
    "chunk_files",
    "chunk_lengths",
    "def_files",
    "def_names",
    "def_kinds",
    "def_parents",
    "def_spans",
    "imports",
)
_LOOKUPS = ("by_name", "ends", "stems")
_PAST = ("ids", "times", "fixes", "touched", "lengths", "commits", "files")
_SOURCES = ("objects", "imports")


@dataclass(frozen=True, slots=True)
class Sources:
    """What the n files of a snapshot were made of, to make the next one out of it: their blobs
    ``objects``, and what they import, a statement a line."""

    objects: tuple[str, ...]
    imports: tuple[str, ...]


def save_snapshot(path: Path, snapshot: CodeSnapshot, sources: Sources | None = None) -> None:
    """Keep a snapshot. Raises StorageError."""
    arrays: dict[str, Array] = {name: getattr(snapshot, name) for name in (*_CODE, "traits")}
    if sources is not None:
        arrays |= {f"sources.{name}": _bytes(getattr(sources, name)) for name in _SOURCES}
    arrays |= {name: _bytes(getattr(snapshot, name)) for name in _TEXTS}
    arrays |= _tables(("files", "chunks"), snapshot)
    for name in _LOOKUPS:
        lookup: lookups.Lookup = getattr(snapshot, name)
        arrays |= {f"{name}.numbers": lookup.numbers, f"{name}.rows": lookup.rows}
    _write(path, arrays)


def load_snapshot(path: Path) -> CodeSnapshot:
    """Open a kept snapshot. Raises OSError, IntegrityError."""
    file = ArrayFile(path)
    arrays: dict[str, Any] = {name: file.array(name) for name in _CODE}
    arrays |= {name: _texts(file.array(name)) for name in _TEXTS}
    arrays |= _looked_up(file) or lookups.made_of(arrays["paths"], arrays["def_names"])
    return CodeSnapshot(**arrays, files=_table(file, "files"), chunks=_table(file, "chunks"))


def members_of(path: Path) -> list[tuple[str, str]]:
    """(path, blob) of the files of a kept snapshot; none where another version made it or that was
    not kept. Raises OSError, IntegrityError."""
    file = ArrayFile(path)
    if file.meta.get("made") != _MADE or "sources.objects" not in file.names:
        return []
    texts = [_texts(file.array(name)) for name in ("paths", "sources.objects", "sources.imports")]
    sizes = {len(one) for one in texts}
    return list(zip(texts[0], texts[1], strict=True)) if len(sizes) == 1 else []


def load_whole(path: Path) -> tuple[CodeSnapshot, Sources]:
    """Open a kept snapshot and its sources, every byte verified. Raises OSError, IntegrityError."""
    file = ArrayFile(path)
    file.verify(file.names)
    objects, imports = (_texts(file.array(f"sources.{name}")) for name in _SOURCES)
    return load_snapshot(path), Sources(objects, imports)


def _looked_up(file: ArrayFile) -> dict[str, Any]:
    """The lookups; nothing of a file from before they were kept."""
    if "traits" not in file.names:
        return {}
    return {"traits": file.array("traits")} | {
        name: lookups.Lookup(file.array(f"{name}.numbers"), file.array(f"{name}.rows"))
        for name in _LOOKUPS
    }


def save_view(path: Path, view: PastView) -> None:
    """Keep a view of the past. Raises StorageError."""
    _write(path, {name: getattr(view, name) for name in _PAST} | _tables(("messages",), view))


def load_view(path: Path) -> PastView:
    """Open a kept view. Raises OSError, IntegrityError."""
    file = ArrayFile(path)
    arrays: dict[str, Any] = {name: file.array(name) for name in _PAST}
    return PastView(**arrays, messages=_table(file, "messages"))


def _tables(names: Sequence[str], holder: object) -> dict[str, Array]:
    return {
        f"{name}.{part}": getattr(getattr(holder, name), part)
        for name in names
        for part in _POSTINGS
    }


def _table(file: ArrayFile, name: str) -> Postings:
    return Postings(**{part: file.array(f"{name}.{part}") for part in _POSTINGS})


def _bytes(texts: Sequence[str]) -> Array:
    import numpy as np

    joined = "".join(f"{text}\0" for text in texts)
    return np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)


def _texts(array: Array) -> tuple[str, ...]:
    return tuple(array.tobytes().decode("utf-8", "surrogatepass").split("\0")[:-1])


def _write(path: Path, arrays: Mapping[str, Array]) -> None:
    write_arrays(path, arrays, {"made": _MADE})
    keep_newest(path.parent, "*.arrays", KEPT)
