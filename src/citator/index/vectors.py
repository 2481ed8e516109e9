"""The vector leg: optional, filled in the background, off rather than wrong.

- A question is compared with the passages of the caller's view and no others: what a view does
  not have is neither in its placement nor in the sketch, mean and order made from it.
- A sketch picks the likely passages, their quantised vectors decide; ties at either cut are
  all read and put in the order of references.
- On only where every passage of the view has a vector of exactly the asked model. Else the
  answer says that the leg is off.
- Filling is done in small durable steps and can be ended at any of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.index.encoders import Encoder
from citator.index.protocol import Row, View
from citator.index.quantiser import quantised, restored
from citator.index.sketch import sketched
from citator.index.vector_store import (
    REF_BYTES,
    DamagedStoreError,
    Placement,
    UnreadableStoreError,
    VectorStore,
    discard,
    open_to_fill,
    open_to_read,
)
from citator.model.horizon import HorizonFact, Limit
from citator.model.stop import checkpoint
from citator.store import locks
from citator.store.files import make_directory

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MAX_PASSAGES = 200_000
SUBJECT_CHARACTERS = 300
TEXT_CHARACTERS = 900
LIKELY = 1000
STEP = 32

_TINY = 1e-9

OFF = HorizonFact(Limit.LEG_OFF, None, "vectors")


class VectorLeg:
    """The leg of one view, ready to be asked. Holds the placement in memory."""

    def __init__(self, path: Path, placement: Placement, encoder: Encoder) -> None:
        self._path = path
        self._placement = placement
        self._encoder = encoder

    @property
    def lexical_weight(self) -> float:
        """The lexical share where this leg is fused with the lexical one, in 0..1."""
        return self._encoder.contract.lexical_weight

    def nearest(self, question: str, view: View, limit: int) -> list[tuple[int, float]]:
        """The ``limit`` passages nearest to ``question`` with their scores, ties at the cut too.

        A score is the cosine less that of the mean passage: zero is no nearer than any.
        Order: score descending, reference ascending. Nothing where ``view`` is not the one this
        leg was opened for, or the store was damaged meanwhile. Raises ModelMissing,
        StorageError.
        """
        import numpy as np

        placement = self._placement
        if limit < 1 or not question.strip() or view.statistics.passages != len(placement.ids):
            return []
        query = self._encoder.queries([question])[0]
        likely = placement.sketch.likely(query, max(LIKELY, 2 * limit))
        try:
            scores = self._scores(likely, query)
        except UnreadableStoreError:
            return []
        if len(scores) > limit:
            cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            likely, scores = likely[scores >= cut], scores[scores >= cut]
        refs = [placement.refs[one].tobytes() for one in likely]
        ordinals = placement.ordinals[likely].tolist()
        found = sorted(zip((-scores).tolist(), refs, ordinals, strict=True))
        return [(ordinal, -score) for score, _, ordinal in found]

    def _scores(self, likely: Array, query: Array) -> Array:
        import numpy as np

        store = open_to_read(self._path)
        if store is None:
            raise UnreadableStoreError
        ids = self._placement.ids[likely].tolist()
        with store:
            rows, scales = store.vectors(ids, len(query))
        vectors = restored(rows, scales)
        mean = self._placement.sketch.mean
        if self._encoder.contract.centre:
            vectors, query = vectors - mean, query - mean
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _TINY)
            scores: Array = vectors @ query / max(float(np.linalg.norm(query)), _TINY)
        else:
            scores = vectors @ query - float(mean @ query)
        return scores.round(6)


def open_leg(path: Path, view: str, passages: int, encoder: Encoder) -> VectorLeg | None:
    """The leg of a view, or None where it is off (tell it with :data:`OFF`).

    ``view`` names a view of one generation; ``passages`` is how many it has. Off: nothing
    filled for it, another model's vectors, too many passages, a damaged file (which goes).
    Raises ModelMissing, StorageError.
    """
    if not 0 < passages <= MAX_PASSAGES:
        return None
    try:
        store = open_to_read(path)
        if store is None:
            return None
        with store:
            if store.contract() != encoder.contract.text():
                return None
            placement = store.placement(view)
    except DamagedStoreError:
        discard(path)
        return None
    except UnreadableStoreError:
        return None
    if placement is None or len(placement.ordinals) != passages:
        return None
    return VectorLeg(path, placement, encoder)


@dataclass(frozen=True, slots=True)
class Filled:
    """What a fill did: passages encoded now, and passages still without a vector."""

    encoded: int
    left: int


def fill(
    path: Path,
    view: str,
    passages: int,
    rows: Iterable[Row],
    encoder: Encoder,
    budget: int | None = None,
) -> Filled:
    """Encode what the passages of a view lack, at most ``budget`` of them.

    ``rows`` are all ``passages`` of it, in the order of ordinals; above MAX_PASSAGES nothing is
    done. When nothing is left the view is placed and its leg is on. Ended at a checkpoint, what
    was encoded stays. Raises LockedError where another process fills, StorageError,
    ModelMissing, Stopped.
    """
    if not 0 < passages <= MAX_PASSAGES:
        return Filled(0, passages)
    contract = encoder.contract.text()
    make_directory(path.parent)
    with (
        locks.exclusive(path.with_name(f"{path.name}.lock")),
        open_to_fill(path, contract) as store,
    ):
        return _Fill(store, encoder, budget).run(view, rows)


class _Fill:
    """One run over the rows of a view."""

    def __init__(self, store: VectorStore, encoder: Encoder, budget: int | None) -> None:
        self._store = store
        self._encoder = encoder
        self._budget = budget
        self._encoded = 0
        self._left = 0

    def run(self, view: str, rows: Iterable[Row]) -> Filled:
        ordinals: list[int] = []
        refs: list[bytes] = []
        ids: list[int] = []
        for batch in _batches(rows, STEP * 8):
            checkpoint()
            known = self._ids(batch)
            for row, number in known:
                ordinals.append(row.ordinal)
                refs.append(bytes.fromhex(row.ref.rpartition(":")[2])[:REF_BYTES])
                ids.append(number)
        if not self._left and ids:
            self._store.place(view, self._placement(ordinals, refs, ids))
        return Filled(self._encoded, self._left)

    def _ids(self, batch: Sequence[Row]) -> list[tuple[Row, int]]:
        """The rows that have a vector, after encoding as many as the budget allows."""
        texts = {digest_of(text): text for row in batch if (text := text_of(row))}
        found = self._store.ids_of(list(texts))
        lacking = [content for content in texts if content not in found]
        if self._budget is not None:
            lacking = lacking[: max(0, self._budget - self._encoded)]
        for start in range(0, len(lacking), STEP):
            checkpoint()
            contents = lacking[start : start + STEP]
            vectors = self._encoder.passages([texts[content] for content in contents])
            self._store.add(contents, *quantised(vectors))
            self._encoded += len(contents)
        found.update(self._store.ids_of(lacking))
        known = [(row, digest_of(text_of(row))) for row in batch]
        self._left += sum(content not in found for _, content in known)
        return [(row, found[content]) for row, content in known if content in found]

    def _placement(self, ordinals: list[int], refs: list[bytes], ids: list[int]) -> Placement:
        import numpy as np

        rows, scales = self._store.vectors(ids, self._encoder.contract.dim)
        return Placement(
            ordinals=np.array(ordinals, np.uint32),
            refs=np.frombuffer(b"".join(refs), f"V{REF_BYTES}"),
            ids=np.array(ids, np.int64),
            sketch=sketched(rows, scales),
        )


def text_of(row: Row) -> str:
    """What is encoded of a passage: the start of its document's subject and of its text."""
    return f"{row.subject[:SUBJECT_CHARACTERS]}\n{row.text[:TEXT_CHARACTERS]}"


def digest_of(text: str) -> bytes:
    """The name of a text in the store: 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
