"""What one HEAD sees of a generation: a mask over its passages, and what the mask hides.

- Statistics of the view are those of the generation less what is hidden, so that a view that
  hides nothing costs nothing.
- A view is made from another view and a change, and looks at as few passages as either the
  change or the hidden part needs.
- On disk: one line that says what follows, the mask (a byte a passage), and a sorted table of
  the hidden passages' terms, read in place.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from citator.index.protocol import DocumentKey, ViewChange
from citator.index.records import Record
from citator.index.scoring import NO_LENGTHS, Lengths
from citator.index.tokens import KEY_BYTES
from citator.store import files

KEPT_VIEWS = 16
# Larger views are believed at their length, so that opening costs the same at any size.
CHECKED_BYTES = 250_000
_ENTRY = struct.Struct(f"<{KEY_BYTES}sI")

Locate = Callable[[Iterable[DocumentKey]], Iterator[range]]
Fetch = Callable[[Sequence[int]], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Hidden:
    """Totals over the passages that a view hides."""

    passages: int = 0
    documents: int = 0
    lengths: Lengths = NO_LENGTHS


@dataclass(frozen=True, slots=True)
class ViewData:
    """``mask`` holds a byte a passage (1: visible), or is None where nothing is hidden."""

    tip: str
    passages: int
    mask: bytes | memoryview | None
    hidden: Hidden
    table: TermTable


class TermTable:
    """How many hidden passages hold a term: entries sorted by the term's key, searched in place.

    An entry is a key and an unsigned 32 bit number, little-endian.
    """

    def __init__(self, raw: bytes | memoryview) -> None:
        self._raw = raw
        self._size = len(raw) // _ENTRY.size

    @classmethod
    def of(cls, counts: dict[bytes, int]) -> TermTable:
        """The table of ``counts``; terms that are held by none are left out."""
        entries = sorted((key, count) for key, count in counts.items() if count > 0)
        return cls(b"".join(_ENTRY.pack(key, count) for key, count in entries))

    @property
    def raw(self) -> bytes | memoryview:
        """The bytes to store."""
        return self._raw

    def count(self, key: bytes) -> int:
        """Hidden passages that hold the term of ``key``."""
        low, high = 0, self._size
        while low < high:
            middle = (low + high) // 2
            found, count = _ENTRY.unpack_from(self._raw, middle * _ENTRY.size)
            if found == key:
                return int(count)
            if found < key:
                low = middle + 1
            else:
                high = middle
        return 0

    def counts(self) -> dict[bytes, int]:
        """All of it."""
        return dict(_ENTRY.iter_unpack(self._raw))


EMPTY = TermTable(b"")


def whole(tip: str, passages: int) -> ViewData:
    """The view that hides nothing."""
    return ViewData(tip, passages, None, Hidden(), EMPTY)


def changed(
    tip: str,
    passages: int,
    base: ViewData | None,
    change: ViewChange,
    locate: Locate,
    fetch: Fetch,
) -> ViewData:
    """The view of ``tip`` over ``passages`` passages, from ``base`` (None: nothing visible).

    ``base`` may be of an earlier generation, which the first of these passages were; ``locate``
    finds the ordinals of documents (unknown ones are left out), ``fetch`` reads passages.
    """
    before = _mask_of(base, passages)
    mask = bytearray(before)
    removed, added = list(locate(change.removed)), list(locate(change.added))
    for found in removed:
        mask[found.start : found.stop] = bytes(len(found))
    for found in added:
        mask[found.start : found.stop] = b"\x01" * len(found)
    gone = mask.count(0)
    if not gone:
        return whole(tip, passages)
    if base is None:
        counts: dict[bytes, int] = {}
        hidden = _summed(Hidden(), counts, fetch(_zeros(mask)), 1)
        return ViewData(tip, passages, bytes(mask), hidden, TermTable.of(counts))
    fell = {i for found in removed for i in found if before[i] and not mask[i]}
    fell.update(_zeros(mask, base.passages))
    rose = {i for found in added for i in found if i < base.passages and not before[i]}
    if len(fell) + len(rose) < gone:
        counts = base.table.counts()
        hidden = _summed(base.hidden, counts, fetch(sorted(fell)), 1)
        hidden = _summed(hidden, counts, fetch(sorted(rose)), -1)
    else:
        counts = {}
        hidden = _summed(Hidden(), counts, fetch(_zeros(mask)), 1)
    return ViewData(tip, passages, bytes(mask), hidden, TermTable.of(counts))


def _mask_of(base: ViewData | None, passages: int) -> bytes:
    if base is None:
        return bytes(passages)
    kept = b"\x01" * base.passages if base.mask is None else bytes(base.mask)
    return kept.ljust(passages, b"\x00")


def _zeros(mask: bytearray, start: int = 0) -> list[int]:
    """Where ``mask`` is zero, from ``start`` on."""
    found = []
    at = mask.find(0, start)
    while at >= 0:
        found.append(at)
        at = mask.find(0, at + 1)
    return found


def _summed(
    start: Hidden, counts: dict[bytes, int], records: Iterable[Record], sign: int
) -> Hidden:
    passages, documents = start.passages, start.documents
    subject, body, paths = start.lengths
    for record in records:
        passages += sign
        documents += sign * (record.ordinal == record.first)
        subject += sign * record.lengths.subject
        body += sign * record.lengths.body
        paths += sign * record.lengths.paths
        for key in record.keys():  # noqa: SIM118 - a record is no mapping
            counts[key] = counts.get(key, 0) + sign
    return Hidden(passages, documents, Lengths(subject, body, paths))


class ViewCache:
    """The views of one generation on disk. A cache: what cannot be read is made again."""

    def __init__(self, folder: Path, passages: int) -> None:
        self._folder = folder
        self._passages = passages

    def _path(self, tip: str) -> Path:
        return self._folder / f"{hashlib.sha256(tip.encode()).hexdigest()[:32]}.view"

    def load(self, tip: str) -> ViewData | None:
        """The cached view of ``tip``, or None."""
        try:
            with self._path(tip).open("rb") as file:
                raw = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            return _decoded(raw, tip, self._passages)
        except (OSError, ValueError, KeyError, TypeError, struct.error):
            return None

    def save(self, view: ViewData, own: str | None) -> None:
        """Keep a view; the oldest others go, but never that of ``own``. Raises StorageError."""
        files.make_directory(self._folder)
        files.write_atomically(self._path(view.tip), _encoded(view))
        others = [path for path in self._newest_first() if own is None or path != self._path(own)]
        for path in others[KEPT_VIEWS:]:
            with suppress(OSError):
                path.unlink()

    def tips(self) -> tuple[str, ...]:
        """Tips whose views are kept, newest first."""
        found = []
        for path in self._newest_first():
            try:
                with path.open("rb") as file:
                    found.append(str(json.loads(file.readline(4096))["tip"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return tuple(found)

    def _newest_first(self) -> list[Path]:
        dated = []
        for path in self._folder.glob("*.view"):
            try:
                dated.append((path.stat().st_mtime_ns, path.name, path))
            except OSError:
                continue
        return [path for _, _, path in sorted(dated, reverse=True)]


def _encoded(view: ViewData) -> bytes:
    mask = b"" if view.mask is None else bytes(view.mask)
    said = {
        "tip": view.tip,
        "passages": view.passages,
        "hidden": [view.hidden.passages, view.hidden.documents, *view.hidden.lengths],
        "mask": len(mask),
        "table": len(view.table.raw),
        "check": _check(mask, view.table.raw),
    }
    return json.dumps(said).encode("ascii") + b"\n" + mask + bytes(view.table.raw)


def _check(mask: bytes | memoryview, table: bytes | memoryview) -> int:
    return zlib.crc32(table, zlib.crc32(mask))


def _decoded(raw: memoryview, tip: str, passages: int) -> ViewData | None:
    """The view in ``raw`` if it is that of ``tip`` over ``passages``, and all there."""
    head = bytes(raw[:4096]).partition(b"\n")[0]
    said = json.loads(head)
    hidden_passages, hidden_documents, *lengths = said["hidden"]
    start, size = len(head) + 1, said["mask"]
    if said["tip"] != tip or said["passages"] != passages or size not in (0, passages):
        return None
    if len(raw) != start + size + said["table"] or (size == 0) != (hidden_passages == 0):
        return None
    mask, table = raw[start : start + size], raw[start + size :]
    if size + len(table) <= CHECKED_BYTES and said["check"] != _check(mask, table):
        return None
    hidden = Hidden(hidden_passages, hidden_documents, Lengths(*lengths))
    return ViewData(tip, passages, mask if size else None, hidden, TermTable(table))
