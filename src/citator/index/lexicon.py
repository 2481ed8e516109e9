"""The words of one corpus in the word space: which of them are nearest to a foreign word.

- A file of equal records, appended to and never changed. A half-written last record is not
  there; a record that fails its checksum ends the file's life.
- It holds words of the last generation it was filled for and no others: a word that left the
  corpus is left behind in a new file, the vectors of the others are copied.
- Filled when somebody asks in another language, most frequent words first, at most so many at a
  time: building an index and questions in its own language never pay for it.
- A vector is 512 signed bytes and a scale; a cosine is off by less than one hundredth.
- Function words of English are always in it: what lands on one of them carries no content.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from citator.index.quantiser import quantised
from citator.index.wordspace import DIMENSION, WordSpace
from citator.model.stop import checkpoint
from citator.store import files, locks

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 1  # of the state and of its rows; absent in what the first release wrote
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


@dataclass(frozen=True, slots=True)
class _State:
    """The generation of the last fill, how many words it left, and its file with its records."""

    generation: int
    left: int
    name: str
    rows: int


class Lexicon:
    """The embedded words of one repository, in ``folder``."""

    def __init__(self, folder: Path, space: WordSpace, always: Sequence[str] = ()) -> None:
        """``always`` are words that are embedded in any case."""
        self._folder = folder
        self._space = space
        self._always = always
        self._rows: Array | None = None
        self._seen: _State | None = None

    def fill(self, snapshot: Words, limit: int = FILL_AT_ONCE) -> int:
        """Embed up to ``limit`` words of the snapshot that are new. Returns how many are left.

        One process fills while others wait. Raises StorageError, ModelMissing, Stopped.
        """
        state = self._state()
        if state is not None and state.generation == snapshot.generation and not state.left:
            return 0
        files.make_directory(self._folder)
        with locks.exclusive(self._state_path.with_suffix(".lock"), wait=True):
            return self._filled(snapshot, limit)

    def _filled(self, snapshot: Words, limit: int) -> int:
        state = self._state()
        wanted = list(dict.fromkeys([*self._always, *_chosen(snapshot.words())]))
        rows = self._mapped(state)
        present = [raw.decode("utf-8", "replace") for raw in rows["word"].tolist()]
        gone = set(present).difference(wanted)
        name = self._name(snapshot.generation) if gone or state is None else state.name
        if name != (state and state.name):
            kept = [at for at, word in enumerate(present) if word not in gone]
            files.write_atomically(self._folder / name, rows[kept].tobytes())
        held = set(present) - gone
        new = [word for word in wanted if word not in held]
        now = new[: limit + len(self._always)]
        self._append(self._folder / name, len(held), now)
        left = len(new) - len(now)
        self._promote(_State(snapshot.generation, left, name, len(held) + len(now)))
        return left

    def _name(self, generation: int) -> str:
        return f"words-{self._space.weights_sha256[:16]}-{generation}.rows"

    @property
    def _state_path(self) -> Path:
        return self._folder / f"words-{self._space.weights_sha256[:16]}.json"

    def _state(self) -> _State | None:
        """What the last fill left; None where there was none that can be read."""
        try:
            said = json.loads(self._state_path.read_bytes())
            if said.get("format", 1) != FORMAT:
                return None
            state = _State(
                int(said["generation"]), int(said["left"]), str(said["name"]), int(said["rows"])
            )
            size = (self._folder / state.name).stat().st_size
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        is_ours = state.name == Path(state.name).name and state.name.endswith(".rows")
        is_whole = size >= state.rows * _record().itemsize > 0
        return state if is_ours and is_whole else None

    def _promote(self, state: _State) -> None:
        """Make a file the current one and take the others away; one still mapped may resist."""
        said = {"format": FORMAT, **asdict(state)}
        files.write_atomically(self._state_path, json.dumps(said).encode("ascii"))
        self._rows = None
        for other in self._folder.glob("*.rows"):
            if other.name != state.name:
                with suppress(OSError):
                    other.unlink()

    def nearest(self, vectors: Array, above: float) -> list[Iterator[Near]]:
        """For each unit vector the words with a greater cosine, nearest first, ties by word.

        Words are read as they are asked for. A damaged record ends them and the file's life.
        """
        import numpy as np

        rows = self._current()
        cosines = np.empty((len(rows), len(vectors)), np.float32)
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            block = rows[part]["vector"].astype(np.float32)
            cosines[part] = (block @ vectors.T) * rows[part]["scale"][:, None]
        return [self._descending(rows, column, above) for column in cosines.T]

    def _descending(self, rows: Array, cosines: Array, above: float) -> Iterator[Near]:
        found = (cosines > above).nonzero()[0]
        rounded = cosines[found].round(3)
        order = rounded.argsort(kind="stable")[::-1]
        pairs = zip(rounded[order].tolist(), found[order].tolist(), strict=True)
        for cosine, equal in groupby(pairs, key=itemgetter(0)):
            words = [_word_of(rows[number]) for _, number in equal]
            if None in words:
                self._discard()
                return
            yield from (Near(word, round(cosine, 3)) for word in sorted(filter(None, words)))

    def _current(self) -> Array:
        """The records of the last fill; another process may have made them meanwhile."""
        state = self._state()
        if self._rows is None or state != self._seen:
            self._rows, self._seen = self._mapped(state), state
        return self._rows

    def _mapped(self, state: _State | None) -> Array:
        import numpy as np

        record = _record()
        if state is None:
            return np.empty(0, record)
        path = self._folder / state.name
        with files.guarded():
            return np.memmap(path, record, "r", shape=(state.rows,))

    def _append(self, path: Path, start: int, words: Sequence[str]) -> None:
        """Put records at number ``start``, over what a killed process may have left there."""
        if not words:
            return
        with files.guarded(), path.open("ab") as file:
            file.truncate(start * _record().itemsize)
            for at in range(0, len(words), _STEP):
                checkpoint()
                file.write(self._records(words[at : at + _STEP]))
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
        """Start anew at the next :meth:`fill`: the file is damaged."""
        self._rows = None
        with suppress(OSError):
            self._state_path.unlink()


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
