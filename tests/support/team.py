"""People who share a bare repository: each a clone, an identity and a machine of their own."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from citator.service import claims
from citator.service.claims_sync import SyncReport, sync
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.team.claims import Claim
from tests.support.builder import Builder, run_git

NOW = 1_780_000_000
DAY = 86_400


def at(seconds: int = NOW) -> Moment:
    """A moment with real chance: two claims of one second are two."""
    return Moment(seconds * 1000, os.urandom)


@dataclass(frozen=True)
class Member:
    """One of them. ``clock`` is what their machine says the time is."""

    builder: Builder
    places: Places
    clock: int = NOW

    @classmethod
    def of(cls, shared: Builder, folder: Path, name: str, depth: int | None = None) -> Member:
        """A clone of ``shared`` in ``folder`` for somebody of that name."""
        builder = shared.clone(folder / name, depth=depth)
        builder.git("config", "user.name", name)
        builder.git("config", "user.email", f"{name}@example.org")
        return cls(builder, Places(folder / f"{name}-data", folder / f"{name}-config"))

    @property
    def workspace(self) -> Workspace:
        """Their repository, opened anew."""
        return Workspace.open(self.builder.path, self.places)

    def later(self, seconds: int) -> Member:
        """The same when the clock of their machine says so much more."""
        return replace(self, clock=self.clock + seconds)

    def start(self, ticket: str, *files: str, seconds: int = DAY, intent: str = "") -> Claim:
        """Claim files, or symbols as ``PATH:NAME``."""
        wish = claims.wished(ticket, files, intent, seconds)
        return claims.start(self.workspace, wish, at(self.clock))

    def release(self, ticket: str) -> tuple[Claim, ...]:
        """End the claims for a ticket."""
        return claims.release(self.workspace, ticket, at(self.clock))

    def sync(self) -> SyncReport:
        """Exchange claims with the shared repository."""
        return sync(self.workspace, at(self.clock))

    def tickets(self) -> list[str]:
        """The tickets of the claims that count for them, sorted."""
        return sorted(one.ticket for one in claims.live(self.workspace, at(self.clock)))


def shared_repository(folder: Path) -> Builder:
    """A bare repository with two commits, for clones of it."""
    builder = Builder.init(folder / "seed")
    builder.write("src/a.py", "def get():\n    return 1\n").write("src/b.py", "x = 1\n").commit()
    builder.write("src/a.py", "def get():\n    return 2\n").commit()
    return builder.clone(folder / "shared.git", bare=True)


def shared_files(shared: Builder, ref: str = "refs/citator/claims") -> dict[str, bytes]:
    """The files of the ref there."""
    listed = run_git(shared.path, "ls-tree", "-r", "--name-only", ref).decode().split()
    return {one: run_git(shared.path, "cat-file", "blob", f"{ref}:{one}") for one in listed}
