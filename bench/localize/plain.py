"""Plain rankers: what anybody would try first. Their words are read once a blob and kept.

- ``bm25-raw``: BM25 (k1 1.2, b .75) over the lower-cased words of each file, the whole issue as
  the question; nothing is split, stemmed or left out.
- ``word-count``: how many of the issue's words of four letters and more a file has, then how
  often: a search for each word with the counts laid together.
- ``path-mention``: files whose path the text has, by how much of its end; then those whose name,
  then whose stem, is a word of the text.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from bench.localize.mirrors import Row

from citator.git import blobs
from citator.git.records import Repository

_WORD = re.compile(r"[a-z_][a-z0-9_]+")
_LARGEST = 1_000_000
_K1, _B = 1.2, 0.75
_LETTERS = 4


def words_of(text: str) -> Counter[str]:
    """The lower-cased words of a text with their numbers."""
    return Counter(_WORD.findall(text.lower()))


class WordStore:
    """The words of blobs of one repository, kept in a file. Use as a context manager."""

    def __init__(self, here: Repository, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._here = here
        self._kept = sqlite3.connect(file)
        self._kept.execute("create table if not exists words (oid text primary key, packed blob)")
        self._near: dict[str, Counter[str]] = {}

    def __enter__(self) -> WordStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.commit()
        self._kept.close()

    def words(self, oids: set[str]) -> Mapping[str, Counter[str]]:
        """The words of each of ``oids``; those of the last question are still in memory."""
        found = {oid: self._near[oid] for oid in oids & self._near.keys()}
        for oid in sorted(oids - found.keys()):
            row = self._kept.execute("select packed from words where oid = ?", (oid,)).fetchone()
            if row:
                found[oid] = Counter(json.loads(zlib.decompress(row[0])))
        with blobs.BlobReader(self._here) as reader:
            for oid in sorted(oids - found.keys()):
                content = reader.read(oid, _LARGEST)
                text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
                found[oid] = words_of(text)
                packed = zlib.compress(json.dumps(found[oid]).encode())
                self._kept.execute("insert or replace into words values (?, ?)", (oid, packed))
        self._kept.commit()
        self._near = found
        return found


class Tree:
    """The candidates of an instance: their blobs by path, and where to read them."""

    def __init__(self, git_dir: Path, files: Mapping[str, str], store: WordStore) -> None:
        self.git_dir, self.files = git_dir, files
        self._store = store

    def words(self) -> dict[str, Counter[str]]:
        """The words of every candidate."""
        known = self._store.words(set(self.files.values()))
        return {path: known[oid] for path, oid in self.files.items()}


class Bm25Raw:
    """See the module."""

    name = "bm25-raw"

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """The files that share a word with the issue."""
        words = tree.words()
        asked = words_of(instance["problem_statement"])
        lengths = {path: own.total() for path, own in words.items()}
        mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
        scores: dict[str, float] = defaultdict(float)
        for word, times in asked.items():
            holders = [path for path, own in words.items() if word in own]
            rarity = math.log(1 + (len(words) - len(holders) + 0.5) / (len(holders) + 0.5))
            for path in holders:
                often = words[path][word]
                norm = _K1 * (1 - _B + _B * lengths[path] / mean)
                scores[path] += times * rarity * often * (_K1 + 1) / (often + norm)
        return sorted(scores, key=lambda path: (-scores[path], path))


class WordCount:
    """See the module."""

    name = "word-count"

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """The files that have any of the words."""
        asked = [word for word in words_of(instance["problem_statement"]) if len(word) >= _LETTERS]
        scores = {
            path: (sum(word in own for word in asked), sum(own[word] for word in asked))
            for path, own in tree.words().items()
        }
        return sorted(
            (path for path in scores if scores[path][0]),
            key=lambda path: (-scores[path][0], -scores[path][1], path),
        )


class PathMention:
    """See the module."""

    name = "path-mention"

    def rank(self, instance: Row, tree: Tree) -> list[str]:
        """The files that the text names."""
        text = instance["problem_statement"].replace("\\", "/").lower()
        asked = set(re.findall(r"\w+", text))
        scores = {path: _mentioned(path.lower(), text, asked) for path in tree.files}
        return sorted((path for path in scores if scores[path]), key=lambda p: (-scores[p], p))


def _mentioned(path: str, text: str, asked: set[str]) -> float:
    parts = path.split("/")
    for at in range(len(parts)):
        if "/".join(parts[at:]) in text:
            return float(len(parts) - at)
    return 0.5 * (parts[-1].partition(".")[0] in asked)


PLAIN = (Bm25Raw(), WordCount(), PathMention())
