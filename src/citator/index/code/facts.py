"""The facts of one file, and their compact form.

- Facts are a function of the bytes and the language: two paths with one blob share them.
- Terms are numbered within the file; chunks name them by that number, so that most of what is
  stored are small integers.
- The compact form is a length-prefixed JSON header and raw little-endian arrays, compressed.
  Nothing in it is code.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from citator.index.code.kinds import State

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = "f1"
_ARRAYS = (
    ("terms", "<u4"),
    ("counts", "|u1"),
    ("spans", "<i4"),
    ("parents", "<i4"),
    ("kinds", "|u1"),
    ("chunk_ends", "<i4"),
    ("chunk_terms", "<u2"),
    ("chunk_counts", "|u1"),
)


class Field(IntEnum):
    """Where in a file a term stands: the columns of ``counts``."""

    NAMES = 0
    CODE = 1
    PROSE = 2
    STRINGS = 3


class DefinitionKind(IntEnum):
    """What a definition is. Only the first two have a chunk of their own."""

    FUNCTION = 0
    TYPE = 1
    VALUE = 2


@dataclass(frozen=True, eq=False)
class FileFacts:
    """What is known of one blob.

    ``terms``: n term numbers, ascending. ``counts``: (n, 4), occurrences by :class:`Field`, at
    most 255. ``spans``: (d, 2), first and last line of each definition, from 1; ``parents``: (d,),
    the definition that holds it or -1; ``kinds``: (d,); ``names``: d names as written.
    Chunk 0 is what no definition holds; chunk i+1 is definition i without what its own inner
    definitions hold (empty for values). ``chunk_ends``: (d+1,), where each ends in
    ``chunk_terms`` (indices into ``terms``) and ``chunk_counts``.
    """

    language: str
    state: State
    lines: int
    terms: Array
    counts: Array
    spans: Array
    parents: Array
    kinds: Array
    names: tuple[str, ...]
    imports: tuple[str, ...]
    calls: tuple[str, ...]
    chunk_ends: Array
    chunk_terms: Array
    chunk_counts: Array


def pack(facts: FileFacts) -> bytes:
    """The compact form."""
    import numpy as np

    arrays = [np.ascontiguousarray(getattr(facts, name), dtype) for name, dtype in _ARRAYS]
    header = {
        "language": facts.language,
        "state": facts.state.value,
        "lines": facts.lines,
        "names": "\n".join(facts.names),
        "imports": "\n".join(facts.imports),
        "calls": "\n".join(facts.calls),
        "sizes": [array.size for array in arrays],
    }
    head = json.dumps(header, separators=(",", ":")).encode("utf-8", "surrogatepass")
    body = b"".join(array.tobytes() for array in arrays)
    return zlib.compress(len(head).to_bytes(4, "little") + head + body, 3)


def unpack(packed: bytes) -> FileFacts:
    """The facts of a compact form. Raises ValueError where it is not one."""
    import numpy as np

    try:
        raw = zlib.decompress(packed)
        at = 4 + int.from_bytes(raw[:4], "little")
        header = json.loads(raw[4:at].decode("utf-8", "surrogatepass"))
        arrays: dict[str, Array] = {}
        for (name, dtype), size in zip(_ARRAYS, header["sizes"], strict=True):
            arrays[name] = np.frombuffer(raw, dtype, size, at)
            at += arrays[name].nbytes
        return FileFacts(
            language=header["language"],
            state=State(header["state"]),
            lines=header["lines"],
            terms=arrays["terms"],
            counts=arrays["counts"].reshape(-1, len(Field)),
            spans=arrays["spans"].reshape(-1, 2),
            parents=arrays["parents"],
            kinds=arrays["kinds"],
            names=_lines(header["names"]),
            imports=_lines(header["imports"]),
            calls=_lines(header["calls"]),
            chunk_ends=arrays["chunk_ends"],
            chunk_terms=arrays["chunk_terms"],
            chunk_counts=arrays["chunk_counts"],
        )
    except (zlib.error, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ValueError("not the facts of a file") from error


def _lines(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
