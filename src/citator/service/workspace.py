"""One repository as a face found it: where it is, where its data lives, what it asks for.

- The data directory is outside the repository; nothing here writes into the repository.
- Configuration is read from the blob at HEAD, never from the working tree, and is not trusted:
  it can narrow what is read and tune retrieval, nothing else.
- A repository is known by its root commits; two clones share that id and not their data.
- The search for it ends at the git top of where it starts. A home directory (or a folder above
  it) that is a repository is not taken for one where nobody named it: everything that this user
  has would count as its work tree. Named or registered once, it is a repository like any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING

from citator.formats.config import MAX_BYTES, PATH, Config, parse
from citator.git import blobs, repository, trees
from citator.git.records import Head, Repository
from citator.model.errors import RefusedError, UsageError
from citator.model.horizon import HorizonFact, Limit
from citator.store.layout import Layout, RepositoryPlace

if TYPE_CHECKING:
    from citator.index.history import TantivyHistory


@dataclass(frozen=True, slots=True)
class Places:
    """The two directories of the operator, and where secrets come from (``size -> bytes``).

    ``home`` is the user's home directory, where there is one that matters.
    """

    data: Path
    config: Path
    entropy: Callable[[int], bytes] = field(default=token_bytes, repr=False)
    home: Path | None = None


@dataclass(frozen=True)
class Workspace:
    """A repository, open for the use cases. Cheap: two or three git processes."""

    repository: Repository
    head: Head
    places: Places

    @classmethod
    def open(cls, start: Path, places: Places) -> Workspace:
        """The repository that holds ``start``; ``Path()``, where one stands, names none.

        Raises UsageError (``home_repository`` among others), GitRefusedError, and IntegrityError
        where a newer version wrote the data directory.
        """
        found = repository.discover(start)
        if start == Path() and _holds_home(found, places) and not _is_registered(found, places):
            raise _home_repository()
        return cls(found, repository.head(found), places)

    @property
    def layout(self) -> Layout:
        """The data directory."""
        return Layout(self.places.data)

    @cached_property
    def repository_id(self) -> str:
        """The digest of the root commits: 64 hexadecimal digits; clones share it."""
        return self.place.repository_id

    @cached_property
    def place(self) -> RepositoryPlace:
        """This clone's own directory, registered on first use."""
        common = self.repository.common_dir
        known = self.layout.known(common)
        if known is not None and self._still_holds(known):
            return known
        roots = repository.root_ids(self.repository)
        return self.layout.register(common, identity(roots), roots)

    def _still_holds(self, place: RepositoryPlace) -> bool:
        """Whether the directory still holds the repository that was registered there."""
        if self.head.commit is None or not place.roots:
            return False
        return repository.has_commit(self.repository, place.roots[0])

    @cached_property
    def index(self) -> TantivyHistory:
        """The history index of this clone."""
        from citator.index.history import TantivyHistory

        return TantivyHistory(self.place.index)

    @cached_property
    def config(self) -> Config:
        """What ``.citator/config.yaml`` at HEAD asks for; the defaults where it does not."""
        if self.head.commit is None:
            return Config()
        return config_at(self.repository, self.head.commit)[0]

    @cached_property
    def secret(self) -> bytes:
        """The secret under which fences and cursors are sealed: 32 bytes, owner-only."""
        return self.layout.secret(self.places.entropy)


def _holds_home(found: Repository, places: Places) -> bool:
    """Whether the work tree is the user's home directory, or a folder above it."""
    if places.home is None or found.worktree is None:
        return False
    return places.home.resolve().is_relative_to(found.worktree.resolve())


def _is_registered(found: Repository, places: Places) -> bool:
    return Layout(places.data).known(found.common_dir) is not None


def _home_repository() -> UsageError:
    return UsageError(
        "home_repository",
        "the repository here is your home directory or holds it, so nothing was indexed",
        "go to another repository; if you mean this one, name it once with --root",
    )


def require_commits(workspace: Workspace) -> str:
    """The commit at HEAD. Raises RefusedError where there is none yet."""
    if workspace.head.commit is None:
        raise RefusedError(
            "no_commits",
            "this repository has no commits yet, so there is nothing to cite",
            "ask again after the first commit",
        )
    return workspace.head.commit


def config_at(repo: Repository, commit: str) -> tuple[Config, tuple[HorizonFact, ...]]:
    """The configuration a commit carries, and what of it could not be used."""
    for entry in trees.entries(repo, commit, [PATH]):
        if entry.kind != "blob" or entry.path != PATH:
            continue
        with blobs.BlobReader(repo) as reader:
            raw = reader.read(entry.object_id, MAX_BYTES)
        if not isinstance(raw, bytes):
            return Config(), (HorizonFact(Limit.CONFIG_UNREADABLE, 1),)
        config, problems = parse(raw)
        facts = (HorizonFact(Limit.CONFIG_UNREADABLE, len(problems)),) if problems else ()
        return config, facts
    return Config(), ()


def identity(roots: tuple[str, ...]) -> str:
    """The repository id that root commits give."""
    return hashlib.sha256("\n".join(sorted(roots)).encode()).hexdigest()
