"""The words of one corpus in the word space: which of them are nearest to a foreign word.

- A file of equal records, appended to and never changed: a word is embedded once in its life.
  A half-written last record is not there; a record that fails its checksum ends the file's life.
- Filled when somebody asks in another language, most frequent words first, at most so many at a
  time: building an index and questions in its own language never pay for it.
- A vector is 512 signed bytes and a scale; a cosine is off by less than one hundredth.
- Function words of English are always in it: what lands on one of them carries no content.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from citator.index.quantiser import quantised
from citator.index.wordspace import DIMENSION, WordSpace
from citator.model.stop import checkpoint
from citator.store import files, locks

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MIN_COUNT = 2
MIN_LETTERS, MAX_LETTERS = 3, 24
MAX_WORDS = 60_000
FILL_AT_ONCE = 12_000

_WORD_BYTES = 48
_STEP = 512
_BLOCK = 4096


class Words(Protocol):
    """What is asked of a snapshot."""

    @property
    def generation(self) -> int: ...

    def words(self) -> Iterable[tuple[str, int]]: ...


@dataclass(frozen=True, slots=True)
class Near:
    """A word and its cosine, rounded to a thousandth."""

    word: str
    cosine: float


class Lexicon:
    """The embedded words of one repository, in ``folder``."""

    def __init__(self, folder: Path, space: WordSpace, always: Sequence[str] = ()) -> None:
        """``always`` are words that are embedded in any case."""
        self._folder = folder
        self._space = space
        self._always = always
        self._rows: Array | None = None

    @property
    def _path(self) -> Path:
        return self._folder / f"words-{self._space.weights_sha256[:16]}.rows"

    @property
    def _state_path(self) -> Path:
        return self._path.with_suffix(".json")

    def fill(self, snapshot: Words, limit: int = FILL_AT_ONCE) -> int:
        """Embed up to ``limit`` words of the snapshot that are new. Returns how many are left.

        One process fills while others wait. Raises StorageError, ModelMissing, Stopped.
        """
        if self._left_at(snapshot.generation) == 0:
            return 0
        files.make_directory(self._folder)
        with locks.exclusive(self._path.with_suffix(".lock"), wait=True):
            present = self._present()
            wanted = [*self._always, *_chosen(snapshot.words())]
            new = [word for word in dict.fromkeys(wanted) if word not in present]
            self._append(new[: limit + len(self._always)])
            left = max(0, len(new) - limit - len(self._always))
            state = json.dumps({"generation": snapshot.generation, "left": left})
            files.write_atomically(self._state_path, state.encode("ascii"))
        return left

    def nearest(self, vectors: Array, above: float) -> list[list[Near]]:
        """For each unit vector the words with a greater cosine, nearest first, ties by word."""
        rows = self._mapped()
        found: list[list[Near]] = [[] for _ in vectors]
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            cosines = (block["vector"].astype("f4") @ vectors.T) * block["scale"][:, None]
            for row, column in zip(*(cosines > above).nonzero(), strict=True):
                word = _word_of(block[row])
                if word is None:
                    self._discard()
                    return [[] for _ in vectors]
                found[column].append(Near(word, round(float(cosines[row, column]), 3)))
        return [sorted(set(near), key=lambda one: (-one.cosine, one.word)) for near in found]

    def _left_at(self, generation: int) -> int | None:
        """Words that were left when this generation was last looked at; None: never was."""
        try:
            state = json.loads(self._state_path.read_bytes())
            present = self._path.stat().st_size
            return int(state["left"]) if state["generation"] == generation and present else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _mapped(self) -> Array:
        import numpy as np

        try:
            count = self._path.stat().st_size // _record().itemsize
        except OSError:
            count = 0
        if self._rows is None or len(self._rows) != count:
            self._rows = (
                np.memmap(self._path, _record(), "r", shape=(count,))
                if count
                else np.empty(0, _record())
            )
        return self._rows

    def _present(self) -> Collection[str]:
        rows = self._mapped()
        words = {raw.decode("utf-8", "replace") for raw in rows["word"].tolist()}
        if len(words) <= 2 * MAX_WORDS:
            return words
        self._discard()
        return ()

    def _append(self, words: Sequence[str]) -> None:
        if not words:
            return
        with files.guarded(), self._path.open("ab") as file:
            size = _record().itemsize
            whole = file.tell() // size * size
            if whole != file.tell():
                self._rows = None
                file.truncate(whole)
            for start in range(0, len(words), _STEP):
                checkpoint()
                file.write(self._records(words[start : start + _STEP]))
                file.flush()
            os.fsync(file.fileno())

    def _records(self, words: Sequence[str]) -> bytes:
        import numpy as np

        vectors, scales = quantised(self._space.vectors(words))
        rows = np.zeros(len(words), _record())
        rows["word"] = [word.encode("utf-8") for word in words]
        rows["scale"], rows["vector"] = scales, vectors
        for row in rows:
            row["check"] = _checksum(row)
        return rows.tobytes()

    def _discard(self) -> None:
        """Start anew at the next :meth:`fill`: the file is damaged or has grown too old."""
        self._rows = None
        for path in (self._state_path, self._path):
            with suppress(OSError):
                path.unlink()


def _chosen(words: Iterable[tuple[str, int]]) -> list[str]:
    """The words that are worth a vector, most frequent first, bounded."""
    kept = [
        (-count, word)
        for word, count in words
        if count >= MIN_COUNT
        and MIN_LETTERS <= len(word) <= MAX_LETTERS
        and word.isalpha()
        and len(word.encode("utf-8")) <= _WORD_BYTES
    ]
    return [word for _, word in sorted(kept)[:MAX_WORDS]]


def _record() -> np.dtype[Any]:
    import numpy as np

    return np.dtype(
        [
            ("word", f"S{_WORD_BYTES}"),
            ("check", "<u4"),
            ("scale", "<f4"),
            ("vector", "i1", (DIMENSION,)),
        ]
    )


def _word_of(row: Any) -> str | None:
    """The word of one record, or None where the record is damaged."""
    if _checksum(row) != row["check"]:
        return None
    return bytes(row["word"]).decode("utf-8", "replace")


def _checksum(row: Any) -> int:
    return zlib.crc32(row["scale"].tobytes() + row["vector"].tobytes(), zlib.crc32(row["word"]))
