"""Where everything lives in the data directory, which is outside every repository.

    format.json                   which format all this has (store/stamp.py)
    secret                        seals fences and cursors; owner-only
    shared/                       tables made from installed packages: disposable
    trust/                        what a person pinned on this machine: primary
    <id>-<place>/repository.json  which clone this directory belongs to
    <id>-<place>/local/           primary: notes, sessions, the journal
    <id>-<place>/derived/         disposable: index, vectors, lexicon

- Two clones of one repository share its id and not a directory: ``<place>`` is a digest of the
  common directory's path.
- A directory describes itself, so there is no register to corrupt, to lock or to fall behind.
- Where another repository now stands at a path, the directory of the former stays and is no
  longer found by that path.
- A clone that was moved takes its directory along: the one of the same repository whose place
  is gone, if there is exactly one and nobody writes in it.
- Nothing is read or written where a newer version wrote.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from citator.model.errors import CitatorError, IntegrityError
from citator.store import files, locks, stamp

ID_DIGITS = 16
PLACE_DIGITS = 12
SECRET_BYTES = 32
DESCRIPTION = "repository.json"
DESCRIPTION_FORMAT = 1


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """One clone's own directory, and the clone it belongs to.

    ``added`` is when it was registered, in Unix seconds, where the caller said so.
    """

    directory: Path
    repository_id: str
    common_dir: Path
    roots: tuple[str, ...]
    added: int | None = None
    current: bool = True

    @property
    def local(self) -> Path:
        """What only this machine knows. Never derived, never disposable."""
        return self.directory / "local"

    @property
    def derived(self) -> Path:
        """What can be made again from the repository and ``local``."""
        return self.directory / "derived"

    @property
    def index(self) -> Path:
        """The history index."""
        return self.derived / "index"

    @property
    def vectors(self) -> Path:
        """The vector store, a SQLite file."""
        return self.derived / "vectors.sqlite"

    @property
    def index_lock(self) -> Path:
        """Held by whoever writes the index."""
        return self.index / "lock"

    @property
    def watch_lock(self) -> Path:
        """Held by whoever watches the repository to keep its index up to date."""
        return self.directory / "watch.lock"

    @property
    def record_lock(self) -> Path:
        """Held by whoever writes the record, or what is trusted of it."""
        return self.local / "record.lock"

    @property
    def lexicon(self) -> Path:
        """Tables of the word space."""
        return self.derived / "lexicon"


class Layout:
    """The data directory."""

    def __init__(self, data: Path) -> None:
        self.data = Path(os.path.normpath(data.absolute()))

    @property
    def shared(self) -> Path:
        """Tables that all repositories share. Derived from installed packages, disposable."""
        return self.data / "shared"

    @property
    def trust(self) -> Path:
        """What a person pinned on this machine. Never derived, never disposable."""
        return self.data / "trust"

    def known(self, common_dir: Path) -> RepositoryPlace | None:
        """The directory registered for the clone at ``common_dir``, if any."""
        for place in self.places():
            if place.current and place.common_dir == common_dir:
                return place
        return None

    def named(self, name: str) -> RepositoryPlace | None:
        """The clone whose directory has this name and which is still the one at its place."""
        stamp.require_readable(self.data)
        place = _described(self.data / name)
        return place if place is not None and place.current else None

    def places(self) -> Iterator[RepositoryPlace]:
        """Every registered clone, in the order of their directories' names.

        Raises IntegrityError ``data_too_new``, StorageError.
        """
        stamp.require_readable(self.data)
        try:
            directories = sorted(self.data.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise files.storage_error(error) from error
        for directory in directories:
            place = _described(directory)
            if place is not None:
                yield place

    def register(
        self,
        common_dir: Path,
        repository_id: str,
        roots: tuple[str, ...],
        added: int | None = None,
    ) -> RepositoryPlace:
        """Make (or find) the directory of one clone. Raises StorageError, IntegrityError."""
        stamp.bring_up(self.data)
        former = self.known(common_dir)
        if former is not None and former.repository_id == repository_id:
            if former.roots == roots:
                return former
            added = former.added
        elif former is not None:
            _describe(replace(former, current=False))
        directory = self.data / directory_name(repository_id, common_dir)
        moved = None if directory.exists() else self._moved(repository_id)
        if moved is not None and _taken_along(moved, directory):
            added = moved.added
        place = RepositoryPlace(directory, repository_id, common_dir, roots, added)
        files.make_directory(directory)
        files.make_directory(place.derived)
        _describe(place)
        return place

    def _moved(self, repository_id: str) -> RepositoryPlace | None:
        """The only directory of this repository whose clone is no longer where it was."""
        gone = [
            place
            for place in self.places()
            if place.repository_id == repository_id and not os.path.lexists(place.common_dir)
        ]
        return gone[0] if len(gone) == 1 else None

    def secret(self, entropy: Callable[[int], bytes]) -> bytes:
        """The secret of this data directory, made on first use: 32 bytes, owner-only."""
        stamp.require_readable(self.data)
        path = self.data / "secret"
        with files.guarded():
            if path.exists():
                kept = path.read_bytes()
            else:
                stamp.bring_up(self.data)
                kept = files.create_once(path, entropy(SECRET_BYTES))
        if len(kept) != SECRET_BYTES:
            raise IntegrityError(
                "secret_damaged",
                "the file `secret` in the data directory is not what was written there",
                "move it aside: another is made, and only open cursors and fences are lost",
            )
        return kept

    @contextmanager
    def changing(self, folder: Path) -> Iterator[None]:
        """The one writer of ``folder`` below the data directory, which is made. Raises LockedError,
        StorageError."""
        stamp.bring_up(self.data)
        files.make_directory(folder)
        with locks.exclusive(folder / "lock", wait=True):
            yield

    def remove(self, path: Path) -> None:
        """Delete a directory of this layout. Refused for anything outside or through a link."""
        stamp.require_readable(self.data)
        files.remove_tree(path, self.data)


def directory_name(repository_id: str, common_dir: Path) -> str:
    """The name of a clone's directory: short enough for Windows, distinct for each clone."""
    digest = hashlib.sha256(os.fsencode(common_dir)).hexdigest()
    return f"{repository_id[:ID_DIGITS]}-{digest[:PLACE_DIGITS]}"


def _taken_along(place: RepositoryPlace, directory: Path) -> bool:
    """Rename the directory of a moved clone; False where somebody writes in it or holds it open.

    Ended between this and the description, the next registration writes the description.
    """
    try:
        with ExitStack() as held:
            for lock in (place.index_lock, place.watch_lock):
                if lock.exists():
                    held.enter_context(locks.exclusive(lock))
            if os.name == "posix":  # elsewhere a directory cannot be renamed around an open file
                place.directory.rename(directory)
                return True
        place.directory.rename(directory)
    except (OSError, CitatorError):
        return False
    return True


def _describe(place: RepositoryPlace) -> None:
    described = {
        "version": DESCRIPTION_FORMAT,
        "repository": place.repository_id,
        "common_dir": str(place.common_dir),
        "roots": list(place.roots),
        "added": place.added,
        "current": place.current,
    }
    text = json.dumps(described, indent=1) + "\n"
    files.write_atomically(place.directory / DESCRIPTION, text.encode("ascii"))


def _described(directory: Path) -> RepositoryPlace | None:
    """The place that a directory says it is; None where it says nothing that makes sense.

    Raises IntegrityError where a newer version says it.
    """
    try:
        if directory.is_symlink():
            return None
        described = json.loads((directory / DESCRIPTION).read_bytes())
        written = described.get("version", DESCRIPTION_FORMAT)
        if type(written) is int and written > DESCRIPTION_FORMAT:
            raise stamp.too_new()
        added = described["added"]
        place = RepositoryPlace(
            directory=directory,
            repository_id=str(described["repository"]),
            common_dir=Path(described["common_dir"]),
            roots=tuple(str(root) for root in described["roots"]),
            added=added if isinstance(added, int) else None,
            current=described["current"] is True,
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    if directory.name != directory_name(place.repository_id, place.common_dir):
        return None
    return place
