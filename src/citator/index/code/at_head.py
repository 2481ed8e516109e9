"""The code of one commit, made once for it and opened again in milliseconds.

- It is what the commit has, and not the work tree: nothing has to be looked at to know that it is
  still right. Tests take no part.
- Kept in a folder of its own under the commit and a mark (what was hidden), so that the arrays of
  work trees do not push it out.
- Making it can take long: a caller who cannot wait says how much may be missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citator.git.records import Repository
from citator.git.repository import commits_here
from citator.git.runner import Git
from citator.index.code import kept
from citator.index.code.building import CodeIndex, Member, parts_at
from citator.index.code.past import PastView, split
from citator.index.code.snapshot import CodeSnapshot
from citator.index.code.store import VERSION, FactStore
from citator.index.code.words import Words
from citator.model.errors import IntegrityError

Made = list[tuple[CodeSnapshot, PastView | None]]


@dataclass(frozen=True, slots=True)
class Most:
    """What may be left to do: files of the tree in all, of them not yet parsed, commits unread."""

    files: int
    unparsed: int
    commits: int


def unread_is_within(repo: Repository, tips: Sequence[str], commit: str, most: int) -> bool:
    """Whether ``commit`` has at most ``most`` commits that ``tips`` (of the past that was read) do
    not have."""
    known = commits_here(repo, tips)
    asked = ("rev-list", "--count", f"--max-count={most + 1}", commit, "--not", *known)
    return int(Git.of(repo).run(*asked)) <= most


@dataclass(frozen=True)
class AtHead:
    """The code of ``commit``, below ``directory``. ``hidden`` (path → whether) takes no part and is
    told apart by ``mark``; ``past`` is whether history takes part."""

    repo: Repository
    directory: Path
    commit: str
    hidden: Callable[[str], bool]
    mark: str
    past: bool

    def open(self) -> Made | None:
        """What was made; None where it was not, or cannot be read."""
        with suppress(OSError, IntegrityError):
            codes = [kept.load_snapshot(self._named(f"{part}.code")) for part in (0, 1)]
            if not self.past:
                return [(code, None) for code in codes]
            view = kept.load_view(self._named("past"))
            sizes = [len(code.paths) for code in codes]
            return list(zip(codes, split(view, sizes), strict=True))
        return None

    def is_made(self) -> bool:
        """Whether it was, as far as names of files tell."""
        parts = ("0.code", "1.code", *(("past",) if self.past else ()))
        return all(self._named(part).is_file() for part in parts)

    def is_within(self, most: Most) -> bool:
        """Whether making it is no more than ``most``."""
        source, other = self._groups
        members = [*source, *other]
        if len(members) > most.files:
            return False
        with FactStore(self.directory / "facts.sqlite") as store:
            unparsed = store.missing((one.object_id, one.kind) for one in members)
            tips = store.tips()
        if unparsed > most.unparsed:
            return False
        return not self.past or unread_is_within(self.repo, tips, self.commit, most.commits)

    def make(self) -> Made:
        """Make and keep it. Raises StorageError."""
        groups = self._groups
        words = Words()
        with CodeIndex(self.repo, self.directory, words, keep=False) as index:
            made = [index.made(group, self.directory / "head") for group in groups]
            pasts: list[PastView | None] = [None, None]
            if self.past:
                (view,) = index.past([[*groups[0], *groups[1]]], self.commit)
                pasts = [*split(view, [len(group) for group in groups])]
                kept.save_view(self._named("past"), view)
        for part, (code, sources) in enumerate(made):
            kept.save_snapshot(self._named(f"{part}.code"), code, sources)
        return [(code, past) for (code, _), past in zip(made, pasts, strict=True)]

    def _named(self, part: str) -> Path:
        said = f"{VERSION} {kept.FORMAT} {self.commit} {self.mark}"
        name = hashlib.sha256(said.encode()).hexdigest()[:24]
        return self.directory / "head" / f"{name}.{part}.arrays"

    @cached_property
    def _groups(self) -> tuple[list[Member], list[Member]]:
        return parts_at(self.repo, self.commit, self.hidden).groups()
