"""Small facts that a person's commands keep in ``trust/``: canonical JSON, owner-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from citator.store import files
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import PinRefusedError
from citator.trust.owned import read_owned, require_owned_directories

MAX_BYTES: Final = 1 << 18


class OwnedJson:
    """One file ``trust/<name>.json`` of a data directory. ``keys`` are the keys it has, exactly."""

    def __init__(self, layout: Layout, name: str, keys: frozenset[str], version: int) -> None:
        self._directories = (layout.data, layout.data / "trust")
        self._path = layout.data / "trust" / f"{name}.json"
        self._keys = keys | {"version"}
        self._version = version

    def read(self) -> dict[str, Any] | None:
        """What it says, None where nobody said anything. Raises PinRefusedError, StorageError."""
        data = read_owned(self._path, self._directories, MAX_BYTES)
        if data is None:
            return None
        try:
            parts = canonical.require_keys(canonical.decode(data, MAX_BYTES), self._keys)
        except CanonicalError:
            raise damaged(self._path.stem) from None
        if parts.pop("version") != self._version:
            raise damaged(self._path.stem)
        return parts

    def write(self, parts: Mapping[str, object]) -> None:
        """Say it, durably. For a person's command alone. Raises PinRefusedError, StorageError."""
        files.make_directory(self._directories[1])
        with files.guarded():
            require_owned_directories(self._directories)
        data = canonical.encode({"version": self._version, **parts})
        files.write_atomically(self._path, data)


class PerRepository:
    """One such file that says something of each repository, by its id."""

    def __init__(self, layout: Layout, name: str, version: int) -> None:
        self._file = OwnedJson(layout, name, frozenset({"repositories"}), version)

    def said(self, repository: str) -> object | None:
        """What is said of ``repository``, None where nothing is. Raises PinRefusedError,
        StorageError."""
        return self._all().get(repository)

    def say(self, repository: str, parts: Mapping[str, object] | None) -> None:
        """Say it, durably, or (None) nothing any more. For a person's command alone."""
        said = self._all()
        said.pop(repository, None)
        if parts is not None:
            said[repository] = parts
        self._file.write({"repositories": said})

    def _all(self) -> dict[str, Any]:
        parts = self._file.read()
        said = {} if parts is None else parts["repositories"]
        if not isinstance(said, dict):
            raise damaged()
        return dict(said)


def damaged(name: str = "") -> PinRefusedError:
    """What is there is not what a command wrote; ``name`` is that of an :class:`OwnedJson`."""
    which = f"`trust/{name}.json`" if name else "a file in `trust/`"
    return PinRefusedError(
        "trust_damaged",
        f"{which} in the data directory is not what citator wrote, and counts for nothing",
        "move it aside (`citator doctor` says where), and say again what it said",
    )
