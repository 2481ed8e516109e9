"""Named arrays in one memory-mapped file: opened in a millisecond, whole or not there.

- One file, replaced atomically: processes that write it at once leave one valid file.
- Every array carries a checksum; what a reader names is verified before it is used.
- Nothing in it is code: a header in JSON and raw numbers, never a pickle.
- Bytes are in this machine's order: such a file is a cache, not an exchange format.

Layout: magic · length of the header (8 bytes) · its checksum (8 bytes) · header · arrays, each
at a multiple of 64 bytes.
"""

from __future__ import annotations

import json
import math
import mmap
import struct
import zlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from citator.model.errors import IntegrityError
from citator.store.files import make_directory, replacing

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MAGIC = b"citator arrays 1"
_LENGTHS = struct.Struct("<QQ")
_ALIGNMENT = 64
_CHUNK = 1 << 22
_MAX_HEADER = 1 << 20
_FORMS: Mapping[str, Literal["B", "i", "I", "q", "Q"]] = {
    "u1": "B",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
}


class ArrayFile:
    """An open file of named arrays. The arrays are read-only views of the mapped file."""

    def __init__(self, path: Path) -> None:
        """Map ``path``. Raises IntegrityError where it is damaged, OSError where unreadable."""
        with path.open("rb") as file:
            self._map = _mapped(file)
        try:
            header, start = _header(self._map)
            self.meta: Mapping[str, str] = dict(header["meta"])
            self._places: dict[str, tuple[str, tuple[int, ...], int, int]] = {
                name: (dtype, tuple(shape), start + offset, checksum)
                for name, (dtype, shape, offset, checksum) in header["arrays"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise _damaged() from error
        self.names: Collection[str] = self._places.keys()

    def array(self, name: str) -> Array:
        """The array ``name``. Raises IntegrityError where the file does not hold it whole."""
        import numpy as np

        try:
            dtype, shape, offset, _ = self._places[name]
            return np.frombuffer(
                self._map, dtype=dtype, count=math.prod(shape), offset=offset
            ).reshape(shape)
        except (KeyError, ValueError, TypeError) as error:
            raise _damaged() from error

    def numbers(self, name: str) -> memoryview:
        """The same for an array of one dimension, as numbers of the standard library: who opens a
        file for a few of them does not load numpy. Raises IntegrityError."""
        try:
            dtype, (length,), offset, _ = self._places[name]
            form = _FORMS[dtype[1:]]
            end = offset + length * struct.calcsize(form)
            if not 0 <= offset <= end <= len(self._map):
                raise _damaged()
            return memoryview(self._map)[offset:end].cast(form)
        except (KeyError, ValueError, TypeError) as error:
            raise _damaged() from error

    def verify(self, names: Iterable[str]) -> None:
        """Check the bytes of these arrays. Raises IntegrityError."""
        for name in names:
            if _checksum(self.array(name)) != self._places[name][3]:
                raise _damaged()


def write_arrays(path: Path, arrays: Mapping[str, Array], meta: Mapping[str, str]) -> None:
    """Replace ``path`` with a file of ``arrays``, durably. Raises StorageError."""
    make_directory(path.parent)
    with replacing(path) as file:
        _write(file, arrays, meta)


def _write(file: BinaryIO, arrays: Mapping[str, Array], meta: Mapping[str, str]) -> None:
    places: dict[str, tuple[str, list[int], int, int]] = {}
    offset = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, list(array.shape), offset, _checksum(array))
        offset = _aligned(offset + array.nbytes)
    header = json.dumps({"meta": dict(meta), "arrays": places}).encode("ascii")
    file.write(_MAGIC + _LENGTHS.pack(len(header), zlib.crc32(header)) + header)
    start = _aligned(file.tell())
    for name, array in arrays.items():
        file.write(bytes(start + places[name][2] - file.tell()))
        raw = _raw(array)
        for at in range(0, len(raw), _CHUNK):
            file.write(raw[at : at + _CHUNK])
    file.write(bytes(_aligned(file.tell()) - file.tell()))


def _header(mapped: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header and where the arrays begin. Raises ValueError."""
    begin = len(_MAGIC) + _LENGTHS.size
    if mapped[: len(_MAGIC)] != _MAGIC or len(mapped) < begin:
        raise ValueError("no such file")
    length, checksum = _LENGTHS.unpack(mapped[len(_MAGIC) : begin])
    if length > _MAX_HEADER or begin + length > len(mapped):
        raise ValueError("cut short")
    raw = mapped[begin : begin + length]
    if zlib.crc32(raw) != checksum:
        raise ValueError("header damaged")
    return json.loads(raw), _aligned(begin + length)


def _mapped(file: BinaryIO) -> mmap.mmap:
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file
        raise _damaged() from error


def _raw(array: Array) -> memoryview:
    import numpy as np

    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _checksum(array: Array) -> int:
    return zlib.crc32(_raw(array))


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _damaged() -> IntegrityError:
    return IntegrityError(
        "cache_damaged",
        "a cached table is not what was written",
        "run the same command again: it is made anew from what is installed",
    )
