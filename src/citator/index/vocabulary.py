"""Whole words of the corpus, lower-cased and unstemmed, with how often they stand in it.

Kept beside the index for what needs words rather than stems: a build appends one small sorted
file, and small files are put together before they are many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from citator.index.damage import damaged
from citator.store import files

MAX_FILES = 8
_MOST_UNFOLDED = 200_000
_WORD = re.compile(r"[^\W\d_]{2,40}")


def whole_words(text: str) -> list[str]:
    """The whole words of ``text``, lower-cased, in order."""
    return _WORD.findall(text.lower())


class WordCounts:
    """Counts words as they are written, which is cheap, and folds them now and then."""

    def __init__(self) -> None:
        self._written: Counter[str] = Counter()
        self._folded: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Count the words of a text, as an analyser splits them."""
        self._written.update(words)
        if len(self._written) > _MOST_UNFOLDED:
            self.folded()

    def folded(self) -> Counter[str]:
        """How often each whole word was counted."""
        for written, count in self._written.items():
            for word in whole_words(written):
                self._folded[word] += count
        self._written.clear()
        return self._folded


def write(path: Path, counts: Counter[str]) -> None:
    """Write one file of counts."""
    lines = [f"{word}\t{counts[word]}\n" for word in sorted(counts)]
    with files.guarded():
        files.write_durably(path, "".join(lines).encode("utf-8", "replace"))


def read(paths: Iterable[Path]) -> Counter[str]:
    """The counts of several files together. Raises IntegrityError."""
    counts: Counter[str] = Counter()
    for path in paths:
        try:
            for line in path.read_text("utf-8").splitlines():
                word, _, count = line.partition("\t")
                counts[word] += int(count)
        except (OSError, ValueError) as error:
            raise damaged("its list of words cannot be read") from error
    return counts


def compact(folder: Path, number: int) -> None:
    """Put all files but the largest together where there are too many.

    ``folder`` is private to the build that calls this.
    """
    paths = sorted(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    if len(paths) <= MAX_FILES:
        return
    small = paths[:-1]
    counts = read(small)
    with files.guarded():
        for path in small:
            path.unlink()
    write(folder / f"{number:06d}.tsv", counts)


def words(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each word with how often it stands there, in the order of the words."""
    counts = read(folder / name for name in names)
    for word in sorted(counts):
        yield word, counts[word]
