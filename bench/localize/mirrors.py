"""Reads instances and the mirrors they stand on: no checkout, ancestors of the base alone.

A mirror is a bare repository at ``MIRRORS/<owner>+<name>/repo``; :data:`ELSEWHERE` says which
fork holds a full history where the first one is too large to be had.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citator.git import blobs, history, repository, trees
from citator.git.records import Repository
from citator.index.code import past as pasts
from citator.index.code.facts import FileFacts
from citator.index.code.kinds import MAX_BYTES, State, is_test
from citator.index.code.parsing import facts_of, nothing
from citator.index.code.store import FactStore
from citator.index.code.words import Words

Row = Mapping[str, Any]

ELSEWHERE = {
    "django/django": "adamchainz/django",
    "matplotlib/matplotlib": "anntzer/matplotlib",
    "scikit-learn/scikit-learn": "thomasjpfan/scikit-learn",
}
KIND = ".py"


def rows_of(files: Sequence[Path]) -> list[Row]:
    """The instances of JSON Lines files."""
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def mirror(mirrors: Path, name: str) -> Path:
    """Where the mirror of ``owner/name`` is."""
    return mirrors / name.replace("/", "+", 1) / "repo"


def mirror_of(row: Row, mirrors: Path) -> Path | None:
    """Where the mirror of an instance's repository is, if it can be had."""
    names = (str(row["repo"]), ELSEWHERE.get(row["repo"], ""))
    paths = [mirror(mirrors, name) for name in names if name]
    return next((path for path in paths if path.is_dir()), None)


class Mirror:
    """One mirror, with the store of its facts. Use as a context manager."""

    def __init__(self, path: Path, store: Path, words: Words) -> None:
        self.repository: Repository = repository.discover(path)
        self._words = words
        self._store = FactStore(store)
        self._past: pasts.Past | None = None

    def __enter__(self) -> Mirror:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.__exit__()

    def has(self, commit: str) -> bool:
        """Whether the base commit is here."""
        return repository.has_commit(self.repository, commit)

    def candidates(self, commit: str) -> list[tuple[str, FileFacts]]:
        """The files that could be the answer: sources that are not tests by their path."""
        wanted = {
            entry.path: entry.object_id
            for entry in trees.entries(self.repository, commit)
            if entry.kind == "blob"
            and entry.mode != "120000"
            and entry.path.endswith(KIND)
            and not is_test(entry.path)
        }
        known = dict(self._store.read((oid, KIND) for oid in wanted.values()))
        missing = {oid: path for path, oid in wanted.items() if (oid, KIND) not in known}
        fresh = [((oid, KIND), facts) for oid, facts in self._parsed(missing)]
        self._store.write(fresh)
        known.update(fresh)
        return [(path, known[oid, KIND]) for path, oid in sorted(wanted.items())]

    def _parsed(self, missing: Mapping[str, str]) -> Iterator[tuple[str, FileFacts]]:
        if not missing:
            return
        with blobs.BlobReader(self.repository) as reader:
            for oid, path in missing.items():
                content = reader.read(oid, MAX_BYTES)
                if isinstance(content, bytes):
                    yield oid, facts_of(content, path, self._words)
                else:
                    yield oid, nothing(State.HUGE)

    def past(self, tips: Sequence[str]) -> pasts.Past:
        """All commits that ``tips`` and HEAD reach; read once, kept in the store."""
        if self._past is None:
            segments = self._store.segments()
            if not segments:
                head = repository.head(self.repository).commit
                self._add([] if head is None else [head], segments)
            self._past = pasts.joined(segments)
            known = set(self._past.ids.tolist())
            lost = [tip for tip in tips if pasts.commit_number(tip) not in known]
            if lost:
                self._add(lost, segments)
                self._past = pasts.joined(segments)
        return self._past

    def _add(self, tips: Sequence[str], segments: list[bytes]) -> None:
        head = repository.head(self.repository).commit
        done: list[str] = [] if not segments or head is None else [head]
        for tip in tips:
            if not self.has(tip):
                continue
            commits = history.commits(self.repository, tip, done)
            packed = pasts.pack(pasts.segment_of(commits, self._words))
            self._store.add_segment(packed, len(segments), tip)
            segments.append(packed)
            done.append(tip)
